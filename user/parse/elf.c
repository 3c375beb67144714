/* Everything is read with pread into buffers of checked size; a file that changes under us can give wrong answers,
 * never a wild read. Own code rather than libelf, which trusts the files it maps. */
#include "parse/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/auto.h"

enum {
	PROGRAM_HEADERS_MAX = 4096,
	SECTIONS_MAX = 1 << 18, /* objects with a section per function */
	NOTES_MAX_BYTES = 1 << 20,
	DYNAMIC_ENTRIES_MAX = 4096,
};

/* The largest symbol table or string table that is read: browsers' debug builds stay below. */
static const uint64_t table_max_bytes = 1ull << 30;

struct symbol_table {
	Elf64_Sym *symbols;
	size_t count;
	char *strings;
	size_t strings_bytes;
	bool is_dynamic, is_loaded;
};

struct elf_file {
	int fd;
	char *name;
	uint64_t size_bytes;
	struct elf_info info;
	Elf64_Phdr *programs;
	size_t program_count;
	Elf64_Shdr *sections;
	size_t section_count;
	char *section_names;
	size_t section_names_bytes;
	struct symbol_table tables[2]; /* .symtab, .dynsym */
};

/* ---- reading ---- */

static struct err *read_at(const struct elf_file *file, uint64_t offset, void *bytes, size_t length)
{
	char *to = bytes;

	if (offset > file->size_bytes || length > file->size_bytes - offset)
		return err_new(ERR_FAILED, "'%s' is cut short", file->name);
	while (length) {
		ssize_t got = pread(file->fd, to, length, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(ERR_FAILED, errno, "cannot read '%s'", file->name);
		if (got == 0)
			return err_new(ERR_FAILED, "'%s' is cut short", file->name);
		to += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return NULL;
}

/* A copy of a part of the file, with a NUL added, into the pointer at ret_bytes; the caller frees. */
static struct err *read_part(const struct elf_file *file, uint64_t offset, uint64_t length, uint64_t max_bytes,
			     void *ret_bytes)
{
	auto_free char *bytes = NULL;

	if (length > max_bytes)
		return err_new(ERR_FAILED, "a table of '%s' is too large: %llu bytes", file->name,
			       (unsigned long long)length);
	if (offset > file->size_bytes || length > file->size_bytes - offset)
		return err_new(ERR_FAILED, "a table of '%s' lies beyond its end", file->name);
	bytes = malloc((size_t)length + 1);
	if (!bytes)
		return err_new(ERR_FAILED, "no memory for a table of '%s'", file->name);
	TRY(read_at(file, offset, bytes, (size_t)length));
	bytes[length] = '\0';
	/* The caller's pointer has a type of its own: it is not written as a char *. */
	memcpy(ret_bytes, &bytes, sizeof(bytes));
	bytes = NULL;
	return NULL;
}

static const char *string_at(const char *strings, size_t strings_bytes, uint64_t at)
{
	/* read_part added a NUL behind the table's last byte. */
	return at < strings_bytes ? strings + at : "";
}

/* ---- headers ---- */

static struct err *read_sections(struct elf_file *file, const Elf64_Ehdr *header)
{
	uint64_t count = header->e_shnum, names = header->e_shstrndx;
	Elf64_Shdr first;

	if (header->e_shoff == 0 || header->e_shentsize != sizeof(Elf64_Shdr))
		return NULL;
	/* Counts that do not fit the header stand in the first section. */
	TRY(read_at(file, header->e_shoff, &first, sizeof(first)));
	if (count == 0)
		count = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (count > SECTIONS_MAX)
		return err_new(ERR_FAILED, "'%s' has too many sections: %llu", file->name, (unsigned long long)count);
	TRY(read_part(file, header->e_shoff, count * sizeof(Elf64_Shdr), UINT64_MAX, &file->sections));
	file->section_count = (size_t)count;
	if (names >= count || file->sections[names].sh_type == SHT_NOBITS)
		return NULL;
	TRY(read_part(file, file->sections[names].sh_offset, file->sections[names].sh_size, table_max_bytes,
		      &file->section_names));
	file->section_names_bytes = (size_t)file->sections[names].sh_size;
	return NULL;
}

static struct err *read_headers(struct elf_file *file)
{
	Elf64_Ehdr header;

	if (file->size_bytes < sizeof(header))
		return err_new(ERR_FAILED, "'%s' is not an ELF file", file->name);
	TRY(read_at(file, 0, &header, sizeof(header)));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return err_new(ERR_FAILED, "'%s' is not an ELF file", file->name);
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return err_new(ERR_FAILED, "'%s' is not a 64-bit little-endian ELF file", file->name);
	file->info.machine = header.e_machine == EM_X86_64    ? ELF_X86_64
			     : header.e_machine == EM_AARCH64 ? ELF_AARCH64
							      : ELF_OTHER;
	file->info.is_shared_object = header.e_type == ET_DYN;
	file->info.is_static = header.e_type == ET_EXEC; /* until an interpreter is found */
	if (header.e_phnum && header.e_phentsize == sizeof(Elf64_Phdr)) {
		if (header.e_phnum > PROGRAM_HEADERS_MAX)
			return err_new(ERR_FAILED, "'%s' has too many program headers", file->name);
		TRY(read_part(file, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr), UINT64_MAX,
			      &file->programs));
		file->program_count = header.e_phnum;
	}
	/* A file whose section table is damaged can still run: go on with the program headers. */
	err_free(read_sections(file, &header));
	if (!file->sections)
		file->section_count = 0;
	return NULL;
}

static const Elf64_Shdr *section_of_type(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < file->section_count; i++)
		if (file->sections[i].sh_type == type && file->sections[i].sh_size > 0)
			return &file->sections[i];
	return NULL;
}

static const Elf64_Shdr *section_of_name(const struct elf_file *file, const char *name)
{
	for (size_t i = 0; i < file->section_count && file->section_names; i++)
		if (strcmp(string_at(file->section_names, file->section_names_bytes, file->sections[i].sh_name),
			   name) == 0)
			return &file->sections[i];
	return NULL;
}

/* ---- what kind of file ---- */

static size_t align4(size_t value)
{
	return (value + 3) & ~(size_t)3;
}

/* Looks for the build id, and Go's, among the notes. */
static void scan_notes(struct elf_file *file, const uint8_t *notes, size_t length)
{
	size_t at = 0;

	while (length - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name, description;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > length - name || align4(note.n_namesz) > length - name)
			return;
		description = name + align4(note.n_namesz);
		if (note.n_descsz > length - description)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0 &&
		    note.n_descsz <= sizeof(file->info.build_id)) {
			memcpy(file->info.build_id, notes + description, note.n_descsz);
			file->info.build_id_bytes = note.n_descsz;
		}
		if (note.n_namesz == 4 && memcmp(notes + name, "Go\0", 4) == 0)
			file->info.is_go = true;
		if (align4(note.n_descsz) > length - description)
			return;
		at = description + align4(note.n_descsz);
	}
}

static void scan_note_part(struct elf_file *file, uint64_t offset, uint64_t length)
{
	auto_free uint8_t *notes = NULL;
	struct err *err = read_part(file, offset, length, NOTES_MAX_BYTES, &notes);

	if (err)
		err_free(err);
	else
		scan_notes(file, notes, (size_t)length);
}

/* A position-independent program without interpreter differs from a library only in this flag. */
static bool has_pie_flag(const struct elf_file *file, const Elf64_Phdr *program)
{
	auto_free Elf64_Dyn *entries = NULL;
	uint64_t count = program->p_filesz / sizeof(Elf64_Dyn);
	struct err *err;

	if (count > DYNAMIC_ENTRIES_MAX)
		count = DYNAMIC_ENTRIES_MAX;
	err = read_part(file, program->p_offset, count * sizeof(Elf64_Dyn), UINT64_MAX, &entries);
	if (err) {
		err_free(err);
		return false;
	}
	for (uint64_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == DT_FLAGS_1)
			return entries[i].d_un.d_val & DF_1_PIE;
	return false;
}

static void read_interpreter(struct elf_file *file, const Elf64_Phdr *program)
{
	uint64_t length = program->p_filesz;

	if (length >= sizeof(file->info.interpreter))
		length = sizeof(file->info.interpreter) - 1;
	err_free(read_at(file, program->p_offset, file->info.interpreter, (size_t)length));
	file->info.interpreter[length] = '\0';
}

static void read_info(struct elf_file *file)
{
	struct elf_info *info = &file->info;
	bool has_interpreter = false, is_pie = false;

	for (size_t i = 0; i < file->program_count; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		switch (program->p_type) {
		case PT_INTERP:
			has_interpreter = true;
			read_interpreter(file, program);
			break;
		case PT_DYNAMIC:
			info->is_dynamic = true;
			is_pie = has_pie_flag(file, program);
			break;
		case PT_NOTE:
			scan_note_part(file, program->p_offset, program->p_filesz);
			break;
		default:
			break;
		}
	}
	/* Detached debug files have notes in sections only. */
	for (size_t i = 0; i < file->section_count && info->build_id_bytes == 0; i++)
		if (file->sections[i].sh_type == SHT_NOTE && file->sections[i].sh_size < NOTES_MAX_BYTES)
			scan_note_part(file, file->sections[i].sh_offset, file->sections[i].sh_size);
	info->is_static = !has_interpreter && (info->is_static || is_pie);
	info->has_symtab = section_of_type(file, SHT_SYMTAB) != NULL;
	info->has_dynsym = section_of_type(file, SHT_DYNSYM) != NULL;
	info->has_debug_link = section_of_name(file, ".gnu_debuglink") != NULL;
	info->has_usdt = section_of_name(file, ".note.stapsdt") != NULL;
	info->is_go |= section_of_name(file, ".go.buildinfo") || section_of_name(file, ".note.go.buildid");
}

struct err *elf_open(int fd, const char *name, struct elf_file **ret_file)
{
	auto_done(elf_close_auto) struct elf_file *file = calloc(1, sizeof(*file));
	struct stat status;

	if (!file)
		return err_new(ERR_FAILED, "no memory to read '%s'", name);
	file->fd = fd;
	file->name = strdup(name);
	if (!file->name)
		return err_new(ERR_FAILED, "no memory to read '%s'", name);
	if (fstat(fd, &status) != 0)
		return err_errno(ERR_FAILED, errno, "cannot read '%s'", name);
	if (!S_ISREG(status.st_mode))
		return err_new(ERR_FAILED, "'%s' is not a regular file", name);
	file->size_bytes = (uint64_t)status.st_size;
	TRY(read_headers(file));
	read_info(file);
	*ret_file = take(&file);
	return NULL;
}

void elf_close(struct elf_file *file)
{
	if (!file)
		return;
	for (int i = 0; i < 2; i++) {
		free(file->tables[i].symbols);
		free(file->tables[i].strings);
	}
	free(file->section_names);
	free(file->sections);
	free(file->programs);
	free(file->name);
	free(file);
}

void elf_close_auto(struct elf_file **file)
{
	elf_close(*file);
	*file = NULL;
}

const struct elf_info *elf_info(const struct elf_file *file)
{
	return &file->info;
}

/* ---- addresses ---- */

bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *ret_offset)
{
	for (size_t i = 0; i < file->program_count; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type != PT_LOAD || address < program->p_vaddr ||
		    address - program->p_vaddr >= program->p_filesz)
			continue;
		return !__builtin_add_overflow(address - program->p_vaddr, program->p_offset, ret_offset) &&
		       *ret_offset < file->size_bytes;
	}
	return false;
}

bool elf_address(const struct elf_file *file, uint64_t file_offset, uint64_t *ret_address)
{
	for (size_t i = 0; i < file->program_count; i++) {
		const Elf64_Phdr *program = &file->programs[i];

		if (program->p_type == PT_LOAD && file_offset >= program->p_offset &&
		    file_offset - program->p_offset < program->p_filesz)
			return !__builtin_add_overflow(file_offset - program->p_offset, program->p_vaddr,
						       ret_address);
	}
	return false;
}

struct err *elf_read_address(const struct elf_file *file, uint64_t address, void *bytes, size_t size_bytes,
			     size_t *ret_length)
{
	for (size_t i = 0; i < file->program_count; i++) {
		const Elf64_Phdr *program = &file->programs[i];
		uint64_t inside = address - program->p_vaddr, offset, length = size_bytes;

		if (program->p_type != PT_LOAD || address < program->p_vaddr || inside >= program->p_filesz)
			continue;
		if (length > program->p_filesz - inside)
			length = program->p_filesz - inside;
		if (__builtin_add_overflow(inside, program->p_offset, &offset) || offset >= file->size_bytes)
			break;
		if (length > file->size_bytes - offset)
			length = file->size_bytes - offset;
		TRY(read_at(file, offset, bytes, (size_t)length));
		*ret_length = (size_t)length;
		return NULL;
	}
	return err_new(ERR_FAILED, "'%s' holds nothing at address 0x%llx", file->name, (unsigned long long)address);
}

/* ---- sections ---- */

bool elf_find_section(const struct elf_file *file, const char *name, struct elf_section *ret_section)
{
	const Elf64_Shdr *section = section_of_name(file, name);

	if (!section)
		return false;
	*ret_section = (struct elf_section){.address = section->sh_addr,
					    .offset = section->sh_offset,
					    .length_bytes = section->sh_size,
					    .type = section->sh_type,
					    .flags = section->sh_flags};
	return true;
}

struct err *elf_read_section(const struct elf_file *file, const struct elf_section *section, size_t max_bytes,
			     uint8_t **ret_bytes)
{
	if (section->type == SHT_NOBITS)
		return err_new(ERR_FAILED, "a section of '%s' has no content in the file", file->name);
	return read_part(file, section->offset, section->length_bytes, max_bytes, ret_bytes);
}

/* ---- symbols ---- */

static struct err *load_table(struct elf_file *file, struct symbol_table *table, bool is_dynamic)
{
	const Elf64_Shdr *section = section_of_type(file, is_dynamic ? SHT_DYNSYM : SHT_SYMTAB), *strings;

	if (table->is_loaded)
		return NULL;
	table->is_dynamic = is_dynamic;
	/* A debug file keeps the section's header without its content. */
	if (!section || section->sh_entsize != sizeof(Elf64_Sym) || section->sh_link >= file->section_count) {
		table->is_loaded = true;
		return NULL;
	}
	strings = &file->sections[section->sh_link];
	if (strings->sh_type != SHT_STRTAB) {
		table->is_loaded = true;
		return NULL;
	}
	if (!table->strings)
		TRY(read_part(file, strings->sh_offset, strings->sh_size, table_max_bytes, &table->strings));
	table->strings_bytes = (size_t)strings->sh_size;
	TRY(read_part(file, section->sh_offset, section->sh_size, table_max_bytes, &table->symbols));
	table->count = (size_t)(section->sh_size / sizeof(Elf64_Sym));
	table->is_loaded = true;
	return NULL;
}

static struct elf_symbol make_symbol(const struct elf_file *file, const struct symbol_table *table,
				     const Elf64_Sym *symbol)
{
	struct elf_symbol made = {
		.name = string_at(table->strings, table->strings_bytes, symbol->st_name),
		.address = symbol->st_value,
		.length_bytes = symbol->st_size,
		.file_offset = UINT64_MAX,
		.section = symbol->st_shndx,
		.type = ELF64_ST_TYPE(symbol->st_info),
		.binding = ELF64_ST_BIND(symbol->st_info),
		.is_dynamic = table->is_dynamic,
	};

	if (!elf_file_offset(file, symbol->st_value, &made.file_offset))
		made.file_offset = UINT64_MAX;
	return made;
}

static bool is_defined(const struct symbol_table *table, const Elf64_Sym *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && type != STT_SECTION && type != STT_FILE &&
	       string_at(table->strings, table->strings_bytes, symbol->st_name)[0] != '\0';
}

static void match(const struct elf_file *file, const struct symbol_table *table, const Elf64_Sym *symbol,
		  struct elf_query *queries, size_t query_count)
{
	const char *name = string_at(table->strings, table->strings_bytes, symbol->st_name);

	for (size_t i = 0; i < query_count; i++) {
		struct elf_query *query = &queries[i];

		if (strcmp(query->name, name) != 0)
			continue;
		/* Static functions of several files may share a name. */
		if (query->is_found &&
		    (query->symbol.is_dynamic != table->is_dynamic || query->symbol.binding != STB_LOCAL))
			continue;
		if (query->is_found && ELF64_ST_BIND(symbol->st_info) == STB_LOCAL)
			continue;
		query->is_found = true;
		query->symbol = make_symbol(file, table, symbol);
	}
}

struct err *elf_find(struct elf_file *file, struct elf_query *queries, size_t query_count)
{
	for (size_t i = 0; i < query_count; i++)
		queries[i].is_found = false;
	for (int t = 0; t < 2; t++) {
		struct symbol_table *table = &file->tables[t];

		TRY(load_table(file, table, t == 1));
		for (size_t i = 0; i < table->count; i++)
			if (is_defined(table, &table->symbols[i]))
				match(file, table, &table->symbols[i], queries, query_count);
	}
	return NULL;
}

struct err *elf_each_symbol(struct elf_file *file, elf_visitor *visitor, void *context)
{
	for (int t = 0; t < 2; t++) {
		struct symbol_table *table = &file->tables[t];

		TRY(load_table(file, table, t == 1));
		for (size_t i = 0; i < table->count; i++) {
			struct elf_symbol symbol;

			if (!is_defined(table, &table->symbols[i]))
				continue;
			symbol = make_symbol(file, table, &table->symbols[i]);
			if (!visitor(context, &symbol))
				return NULL;
		}
	}
	return NULL;
}

void elf_build_id_text(const struct elf_info *info, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < info->build_id_bytes; i++) {
		text[2 * i] = digits[info->build_id[i] >> 4];
		text[2 * i + 1] = digits[info->build_id[i] & 15];
	}
	text[2 * info->build_id_bytes] = '\0';
}
