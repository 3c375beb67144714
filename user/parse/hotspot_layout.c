/* Reads the tables that describe a VM's structures, and picks our facts out of them.
 *
 * Each table is an array of rows that ends with a row whose name is NULL. libjvm also exports where in a row each
 * member stands (gHotSpotVMStructEntryTypeNameOffset and so on) and the rows' distance, and reading starts there, so
 * a release that adds a member changes nothing here.
 *
 * Two things no table tells: which byte values UNSIGNED5 excludes (known by the release that changed it, 20), and the
 * slots of an interpreted frame (the same from 9 on; before, one less lay between the method and the bytecode
 * pointer). */
#include "parse/hotspot_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

enum {
	PAGE_BYTES = 4096,
	PAGE_COUNT = 64,
	NAME_BYTES = 256, /* longest name of a type or field that we follow */
	ROWS_MAX = 16384, /* of one table; real ones have about 2,000 */
	STRIDE_MAX_BYTES = 256,
};

/* A small cache of pages for the time of loading: the tables' thousands of names lie close together in libjvm, and a
 * system call for each would take milliseconds in which the VM runs ahead. */
struct page_cache {
	const struct hotspot_access *access;
	uint64_t page_of[PAGE_COUNT]; /* address + 1; 0: empty */
	uint8_t bytes[PAGE_COUNT][PAGE_BYTES];
};

static bool cache_read(struct page_cache *cache, uint64_t address, void *buffer, size_t length_bytes)
{
	uint8_t *to = buffer;

	while (length_bytes > 0) {
		uint64_t page = address & ~(uint64_t)(PAGE_BYTES - 1);
		size_t place = (page / PAGE_BYTES) % PAGE_COUNT, within = address - page;
		size_t part = PAGE_BYTES - within < length_bytes ? PAGE_BYTES - within : length_bytes;

		if (cache->page_of[place] != page + 1) {
			cache->page_of[place] = 0;
			if (!cache->access->read(cache->access->context, page, cache->bytes[place], PAGE_BYTES))
				return cache->access->read(cache->access->context, address, to, length_bytes);
			cache->page_of[place] = page + 1;
		}
		memcpy(to, cache->bytes[place] + within, part);
		to += part;
		address += part;
		length_bytes -= part;
	}
	return true;
}

/* Copies a text with its NUL; false if it is unreadable or longer than the buffer. */
static bool cache_read_text(struct page_cache *cache, uint64_t address, char *buffer, size_t buffer_bytes)
{
	for (size_t i = 0; i < buffer_bytes; i++) {
		if (!cache_read(cache, address + i, buffer + i, 1))
			return false;
		if (!buffer[i])
			return true;
	}
	return false;
}

/* How a table's rows are laid out: the values of the exported variables that end in these words. */
struct table {
	uint64_t rows, stride;
	uint64_t member[6];
};

static bool read_exported(struct page_cache *cache, const char *name, uint64_t *ret_value)
{
	uint64_t address = cache->access->symbol(cache->access->context, name);

	return address && cache_read(cache, address, ret_value, sizeof(*ret_value));
}

static struct err *table_open(struct page_cache *cache, const char *kind, const char *const *members,
			      struct table *ret_table)
{
	char name[128];

	snprintf(name, sizeof(name), "gHotSpotVM%ss", kind);
	if (!read_exported(cache, name, &ret_table->rows) || !ret_table->rows)
		return err_new(ERR_FAILED, "libjvm exports no '%s'", name);
	snprintf(name, sizeof(name), "gHotSpotVM%sEntryArrayStride", kind);
	if (!read_exported(cache, name, &ret_table->stride) || ret_table->stride < sizeof(uint64_t) ||
	    ret_table->stride > STRIDE_MAX_BYTES)
		return err_new(ERR_FAILED, "libjvm's '%s' is missing or senseless", name);
	for (size_t i = 0; members[i]; i++) {
		snprintf(name, sizeof(name), "gHotSpotVM%sEntry%sOffset", kind, members[i]);
		if (!read_exported(cache, name, &ret_table->member[i]) ||
		    ret_table->member[i] > ret_table->stride - sizeof(uint32_t))
			return err_new(ERR_FAILED, "libjvm's '%s' is missing or senseless", name);
	}
	return NULL;
}

static bool read_name_at(struct page_cache *cache, uint64_t pointer_address, char *name)
{
	uint64_t pointer;

	return cache_read(cache, pointer_address, &pointer, sizeof(pointer)) && pointer &&
	       cache_read_text(cache, pointer, name, NAME_BYTES);
}

/* Plain numbers by the text of their C++ type; all else is taken as a pointer-sized word. */
static uint8_t width_of_type(const char *type)
{
	static const struct {
		const char *name;
		uint8_t width_bytes;
	} widths[] = {
		{"bool", 1},
		{"u1", 1},
		{"jbyte", 1},
		{"char", 1},
		{"int8_t", 1},
		{"uint8_t", 1},
		{"u2", 2},
		{"unsigned short", 2},
		{"AccessFlags", 2},
		{"CompLevel", 1},
		{"CodeBlobKind", 1},
		{"jushort", 2},
		{"jshort", 2},
		{"int16_t", 2},
		{"uint16_t", 2},
		{"short", 2},
		{"int", 4},
		{"jint", 4},
		{"juint", 4},
		{"u4", 4},
		{"uint", 4},
		{"int32_t", 4},
		{"uint32_t", 4},
		{"unsigned int", 4},
		{"pid_t", 4},
		{"const uint", 4},
		{"const int", 4},
		{"narrowKlass", 4},
		{"OSThread::thread_id_t", 4},
	};

	for (size_t i = 0; i < array_length(widths); i++)
		if (strcmp(type, widths[i].name) == 0)
			return widths[i].width_bytes;
	return sizeof(uint64_t);
}

static struct err *load_fields(struct hotspot *hotspot, struct page_cache *cache)
{
	enum { TYPE, FIELD, FIELD_TYPE, IS_STATIC, OFFSET, ADDRESS };
	static const char *const members[] = {"TypeName", "FieldName", "TypeString", "IsStatic",
					      "Offset",	  "Address",   NULL};
	struct table table;

	TRY(table_open(cache, "Struct", members, &table));
	for (size_t i = 0; i < ROWS_MAX; i++) {
		uint64_t row = table.rows + i * table.stride;
		char key[2 * NAME_BYTES + 2], field[NAME_BYTES], type[NAME_BYTES];
		int32_t is_static = 0;
		uint64_t value = 0;

		if (!read_name_at(cache, row + table.member[TYPE], key))
			break;
		if (!read_name_at(cache, row + table.member[FIELD], field) ||
		    !cache_read(cache, row + table.member[IS_STATIC], &is_static, sizeof(is_static)) ||
		    !cache_read(cache, row + table.member[is_static ? ADDRESS : OFFSET], &value, sizeof(value)))
			continue;
		if (!read_name_at(cache, row + table.member[FIELD_TYPE], type))
			type[0] = 0;
		strcat(strcat(key, "::"), field);

		struct hotspot_row *stored = vec_push(&hotspot->rows);

		stored->value = value;
		stored->is_static = is_static != 0;
		stored->width_bytes = width_of_type(type);
		map_set(&hotspot->fields, hash_bytes(key, strlen(key)), hotspot->rows.count - 1, NULL);
	}
	return hotspot->rows.count ? NULL : err_new(ERR_FAILED, "libjvm's table of fields holds nothing");
}

static struct err *load_types(struct hotspot *hotspot, struct page_cache *cache)
{
	enum { TYPE, SIZE };
	static const char *const members[] = {"TypeName", "Size", NULL};
	struct table table;

	TRY(table_open(cache, "Type", members, &table));
	for (size_t i = 0; i < ROWS_MAX; i++) {
		uint64_t row = table.rows + i * table.stride, size;
		char name[NAME_BYTES];

		if (!read_name_at(cache, row + table.member[TYPE], name))
			break;
		if (cache_read(cache, row + table.member[SIZE], &size, sizeof(size)))
			map_set(&hotspot->types, hash_bytes(name, strlen(name)), size, NULL);
	}
	return NULL;
}

/* `width_bytes` of the value: 4 for the table of ints, 8 for that of longs. */
static struct err *load_constants(struct hotspot *hotspot, struct page_cache *cache, const char *kind,
				  uint8_t width_bytes)
{
	enum { NAME, VALUE };
	static const char *const members[] = {"Name", "Value", NULL};
	struct table table;

	TRY(table_open(cache, kind, members, &table));
	for (size_t i = 0; i < ROWS_MAX; i++) {
		uint64_t row = table.rows + i * table.stride, value = 0;
		char name[NAME_BYTES];

		if (!read_name_at(cache, row + table.member[NAME], name))
			break;
		if (cache_read(cache, row + table.member[VALUE], &value, width_bytes))
			map_set(&hotspot->constants, hash_bytes(name, strlen(name)),
				(uint64_t)hotspot_signed(value, width_bytes), NULL);
	}
	return NULL;
}

static const struct hotspot_row *row_of(const struct hotspot *hotspot, const char *name, size_t length_bytes)
{
	const uint64_t *index = map_find(&hotspot->fields, hash_bytes(name, length_bytes));

	return index ? &hotspot->rows.items[*index] : NULL;
}

static struct hotspot_fact fact_of_symbol(const struct hotspot *hotspot, const char *name, size_t length_bytes)
{
	char text[NAME_BYTES];
	struct hotspot_fact fact = {.width_bytes = 8};

	snprintf(text, sizeof(text), "%.*s", (int)length_bytes, name);
	fact.value = hotspot->access.symbol(hotspot->access.context, text);
	fact.is_present = fact.value != 0;
	return fact;
}

/* One name of a fact; not present where this VM does not know it. */
static struct hotspot_fact fact_of_name(const struct hotspot *hotspot, enum hotspot_fact_kind kind, const char *name,
					size_t length_bytes)
{
	static const char prefix[] = "symbol:";
	const size_t prefix_bytes = sizeof(prefix) - 1;

	if (length_bytes > prefix_bytes && memcmp(name, prefix, prefix_bytes) == 0)
		return fact_of_symbol(hotspot, name + prefix_bytes, length_bytes - prefix_bytes);
	if (kind == FACT_OFFSET || kind == FACT_STATIC) {
		const struct hotspot_row *row = row_of(hotspot, name, length_bytes);

		if (!row || row->is_static != (kind == FACT_STATIC) || (row->is_static && !row->value))
			return (struct hotspot_fact){};
		return (struct hotspot_fact){
			.is_present = true, .value = row->value, .width_bytes = row->width_bytes};
	}

	const uint64_t *value =
		map_find(kind == FACT_SIZE ? &hotspot->types : &hotspot->constants, hash_bytes(name, length_bytes));

	return value ? (struct hotspot_fact){.is_present = true, .value = *value, .width_bytes = 8}
		     : (struct hotspot_fact){};
}

/* Offsets and sizes beyond this are not those of a structure: a reader that adds them to an address would only
 * wander. */
enum { OFFSET_MAX = 1 << 20 };

static struct hotspot_fact fact_find(const struct hotspot *hotspot, enum hotspot_fact_kind kind, const char *names)
{
	for (const char *name = names; *name;) {
		size_t length_bytes = strcspn(name, "|");
		struct hotspot_fact fact = fact_of_name(hotspot, kind, name, length_bytes);

		if (fact.is_present && (kind == FACT_OFFSET || kind == FACT_SIZE) && fact.value > OFFSET_MAX)
			fact.is_present = false;
		if (fact.is_present)
			return fact;
		name += length_bytes + (name[length_bytes] == '|');
	}
	return (struct hotspot_fact){};
}

static const struct {
	enum hotspot_fact_kind kind;
	const char *names;
} fact_table[] = {
#define X(id, kind, names) {FACT_##kind, names},
	HOTSPOT_FACTS(X)
#undef X
};

static void facts_load(struct hotspot *hotspot)
{
	for (size_t i = 0; i < FACT_COUNT; i++)
		hotspot->facts[i] = fact_find(hotspot, fact_table[i].kind, fact_table[i].names);
}

const char *hotspot_fact_names(enum hotspot_fact_id id)
{
	return fact_table[id].names;
}

/* What no table describes. JDK 8 is known by its single code heap: its VM calls itself 25. */
static void encodings_choose(struct hotspot *hotspot)
{
	uint64_t major = 0;
	bool is_8 = fact_has(hotspot, FACT_CODE_HEAP);

	hotspot_read_static(hotspot, FACT_VERSION_MAJOR, &major);
	hotspot->has_virtual_threads = !is_8 && (int32_t)major >= 19;
	hotspot->unsigned5_excluded = !is_8 && (int32_t)major >= 20 ? 1 : 0;
	hotspot->bcp_slot = is_8 ? -7 : -8;
}

struct err *hotspot_open(const struct hotspot_access *access, struct hotspot **ret_hotspot)
{
	auto_free struct page_cache *cache = calloc(1, sizeof(*cache));
	struct hotspot *hotspot = calloc(1, sizeof(*hotspot));

	if (!cache || !hotspot)
		memory_exhausted();
	cache->access = access;
	hotspot->access = *access;

	struct err *err = load_fields(hotspot, cache);

	if (!err)
		err = load_types(hotspot, cache);
	if (!err)
		err = load_constants(hotspot, cache, "IntConstant", sizeof(int32_t));
	if (!err)
		err = load_constants(hotspot, cache, "LongConstant", sizeof(int64_t));
	if (err) {
		hotspot_close(hotspot);
		return err;
	}
	facts_load(hotspot);
	encodings_choose(hotspot);
	hotspot_features_check(hotspot);
	*ret_hotspot = hotspot;
	return NULL;
}

void hotspot_close(struct hotspot *hotspot)
{
	if (!hotspot)
		return;
	strpool_done(&hotspot->strings);
	vec_done(&hotspot->rows);
	map_done(&hotspot->fields);
	map_done(&hotspot->types);
	map_done(&hotspot->constants);
	map_done(&hotspot->flags);
	map_done(&hotspot->methods);
	vec_done(&hotspot->known_methods);
	map_done(&hotspot->holders);
	vec_done(&hotspot->known_holders);
	free(hotspot);
}

static const struct hotspot_row *field_row(const struct hotspot *hotspot, const char *type, const char *field)
{
	char key[2 * NAME_BYTES + 2];
	int length_bytes = snprintf(key, sizeof(key), "%s::%s", type, field);

	return length_bytes > 0 && (size_t)length_bytes < sizeof(key) ? row_of(hotspot, key, (size_t)length_bytes)
								      : NULL;
}

bool hotspot_field_offset(const struct hotspot *hotspot, const char *type, const char *field, uint64_t *ret_offset)
{
	const struct hotspot_row *row = field_row(hotspot, type, field);

	if (!row || row->is_static)
		return false;
	*ret_offset = row->value;
	return true;
}

bool hotspot_static_address(const struct hotspot *hotspot, const char *type, const char *field, uint64_t *ret_address)
{
	const struct hotspot_row *row = field_row(hotspot, type, field);

	if (!row || !row->is_static || !row->value)
		return false;
	*ret_address = row->value;
	return true;
}

bool hotspot_type_size(const struct hotspot *hotspot, const char *type, uint64_t *ret_bytes)
{
	const uint64_t *size = map_find(&hotspot->types, hash_bytes(type, strlen(type)));

	if (size)
		*ret_bytes = *size;
	return size != NULL;
}

bool hotspot_constant(const struct hotspot *hotspot, const char *name, int64_t *ret_value)
{
	const uint64_t *value = map_find(&hotspot->constants, hash_bytes(name, strlen(name)));

	if (value)
		*ret_value = (int64_t)*value;
	return value != NULL;
}
