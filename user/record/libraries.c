#include "record/libraries.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "parse/elf.h"
#include "parse/procfs.h"
#include "record/proc_file.h"

enum { COOKIES_MAX = 1024 /* SITES_MAX of bpf/site.bpf.h */ };

static int library_of_name(struct procfs_string path)
{
	const char *end = path.text + path.length_bytes, *name = end;

	while (name > path.text && name[-1] != '/')
		name--;

	size_t length = (size_t)(end - name);

	if (length >= 9 && memcmp(name, "libjvm.so", 9) == 0)
		return JVM_SITES;
	if (length >= 12 && memcmp(name, "libstdc++.so", 12) == 0)
		return CXX_SITES;
	return 0;
}

/* ---- files ---- */

static struct err *place_sites(struct libraries *libraries, struct library_file *file)
{
	int map = probes_map_fd(libraries->probes, "sites");

	for vec_each(site, &file->sites.items) {
		uint32_t cookie = libraries->next_cookie;

		if (cookie >= COOKIES_MAX)
			return err_new(ERR_FAILED, "too many kinds of libraries in one run");
		if (bpf_map_update_elem(map, &cookie, &site->spec, BPF_ANY) != 0)
			return err_new(ERR_FAILED, "the table of probe sites is full");
		*vec_push(&file->cookies) = cookie;
		libraries->next_cookie++;
	}
	return NULL;
}

static bool has_what(const struct probe_sites *sites, const char *what)
{
	for vec_each(site, &sites->items)
		if (site->what && strcmp(site->what, what) == 0)
			return true;
	return false;
}

static void observe_sites(struct probes *probes, const struct probe_sites *sites)
{
	for vec_each(site, &sites->items)
		if (site->what)
			probes_observe(probes, site->what, OBSERVED_YES, "%s", "");
	for (size_t i = 0; i < sites->missing_count; i++)
		probes_observe(probes, sites->missing[i].what,
			       has_what(sites, sites->missing[i].what) ? OBSERVED_PARTLY : OBSERVED_NO, "%s",
			       sites->missing[i].why);
}

static struct err *file_find(struct libraries *libraries, int fd, const char *name, int library,
			     struct library_file **ret_file)
{
	struct elf_file *elf auto_done(elf_close_auto) = NULL;
	struct stat status;

	fstat(fd, &status);
	for vec_each(known, &libraries->files)
		if ((*known)->device == status.st_dev && (*known)->inode == status.st_ino) {
			*ret_file = *known;
			return NULL;
		}
	TRY(elf_open(fd, name, &elf));

	struct library_file *file = calloc(1, sizeof(*file));

	if (!file)
		memory_exhausted();
	file->device = status.st_dev;
	file->inode = status.st_ino;
	file->library = library;
	*vec_push(&libraries->files) = file;
	*ret_file = file;
	TRY_CONTEXT(probe_sites_find(elf, library, &file->sites), "cannot probe '%s'", name);
	TRY(place_sites(libraries, file));
	observe_sites(libraries->probes, &file->sites);
	return NULL;
}

/* ---- attaching ---- */

/* The sites of one program, entries or returns, in one call. */
static struct err *attach_program(struct libraries *libraries, const struct library_file *file, const char *program,
				  bool is_return, const char *path, pid_t pid)
{
	VEC(struct uprobe_site) sites = {};
	struct err *err = NULL;
	int program_fd = probes_program_fd(libraries->probes, program);

	for (size_t i = 0; i < file->sites.items.count; i++) {
		const struct probe_site *site = &file->sites.items.items[i];

		if (strcmp(site->program, program) == 0 && site->is_return == is_return)
			*vec_push(&sites) = (struct uprobe_site){site->file_offset, file->cookies.items[i]};
	}
	if (program_fd < 0)
		err = err_new(ERR_FAILED, "the program %s was not loaded", program);
	else
		err = uprobe_attach(program_fd, path, pid, sites.items, sites.count, is_return,
				    libraries->probes->features.has[FEATURE_UPROBE_MULTI], &libraries->links);
	vec_done(&sites);
	return err;
}

static void attach_file(struct libraries *libraries, const struct library_file *file, const char *path, pid_t pid)
{
	for (size_t i = 0; i < file->sites.items.count; i++) {
		const struct probe_site *site = &file->sites.items.items[i];
		bool is_first = true;

		for (size_t j = 0; j < i && is_first; j++)
			is_first = strcmp(file->sites.items.items[j].program, site->program) != 0 ||
				   file->sites.items.items[j].is_return != site->is_return;
		if (!is_first)
			continue;

		struct err *err = attach_program(libraries, file, site->program, site->is_return, path, pid);

		if (err) {
			auto_free char *line = err_line(err);

			output_textf(libraries->output, "note", "process %d: %s", pid, line ? line : "");
			err_free(err);
		}
	}
}

static const char *what_of_library(int library)
{
	return library == JVM_SITES ? "class_loading" : "native_exceptions";
}

/* The file of a mapping, whatever happened to its name since: /proc/PID/map_files. */
static void attach_mapping(struct libraries *libraries, pid_t pid, const struct procfs_map *map, int library, bool is_held)
{
	char link[128], name[4096];
	bool is_new;
	struct library_file *file = NULL;

	uint64_t *execs = map_set(&libraries->execs, (uint64_t)pid, 0, NULL);

	map_set(&libraries->attached, hash_combine((uint64_t)pid << 32 | *execs, map->inode * 4 + (uint64_t)library), 1,
		&is_new);
	if (!is_new)
		return;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%lx-%lx", pid, (unsigned long)map->start, (unsigned long)map->end);
	procfs_unescape(map->name, name, sizeof(name));

	auto_fd int fd = open(link, O_RDONLY | O_CLOEXEC);
	struct err *err = fd < 0 ? err_new(ERR_FAILED, "cannot open '%s' of process %d", name, pid)
				 : file_find(libraries, fd, name, library, &file);

	if (err) {
		auto_free char *line = err_line(err);

		output_textf(libraries->output, "note", "%s", line ? line : "");
		probes_observe(libraries->probes, what_of_library(library), OBSERVED_NO, "%s", line ? line : "");
		err_free(err);
		return;
	}
	attach_file(libraries, file, link, pid);
	if (!is_held)
		output_textf(libraries->output, "note",
			     "process %d ran on while its probes were put into %s: the first moments of it were missed", pid,
			     name);
	if (library == JVM_SITES) {
		struct elf_file *elf auto_done(elf_close_auto) = NULL;
		uint64_t linked = 0;

		err_free(elf_open(fd, name, &elf));
		if (elf && elf_address(elf, map->offset, &linked))
			*vec_push(&libraries->jvms) = jvm_new(pid, map->start - linked, map->start, map->end,
							 take_fd(&fd), name);
	}
}

bool libraries_attach(struct libraries *libraries, pid_t pid, bool is_held)
{
	auto_free char *text = NULL;
	size_t length = 0;
	struct procfs_map map;
	bool has_jvm = false;
	struct err *err = proc_file_read(pid, "maps", &text, &length);

	if (err) {
		err_free(err);
		return false;
	}

	struct procfs_text lines = procfs_text(text, length);

	while (procfs_maps_next(&lines, &map)) {
		int library = map.is_executable ? library_of_name(map.name) : 0;

		has_jvm |= library == JVM_SITES;
		if (library)
			attach_mapping(libraries, pid, &map, library, is_held);
	}
	return has_jvm;
}

/* ---- the VM ---- */

static struct jvm *jvm_of(struct libraries *libraries, pid_t pid)
{
	for vec_each(jvm, &libraries->jvms)
		if (jvm_pid(*jvm) == pid && !jvm_has_ended(*jvm))
			return *jvm;
	return NULL;
}

void libraries_jvm_state(struct libraries *libraries, pid_t pid, enum jvm_state state)
{
	struct jvm *jvm = jvm_of(libraries, pid);

	if (!jvm)
		return;
	if (state == JVM_STATE_CREATE || state == JVM_STATE_INIT_BEGIN)
		jvm_open(jvm, libraries->probes, libraries->output);
	if (state == JVM_STATE_INIT_END)
		jvm_write_facts(jvm, libraries->output);
}

void libraries_write_metaspace(struct libraries *libraries, pid_t pid)
{
	struct jvm *jvm = jvm_of(libraries, pid);

	if (jvm)
		jvm_write_metaspace(jvm, libraries->output);
}

void libraries_see_stack(struct libraries *libraries, const struct event_stack *event)
{
	struct jvm *jvm = jvm_of(libraries, (pid_t)event->header.pid);

	for (size_t i = 0; i < libraries->jvms.count && !jvm; i++)
		if (jvm_pid(libraries->jvms.items[i]) == (pid_t)event->header.pid)
			jvm = libraries->jvms.items[i];
	if (jvm)
		jvm_see_stack(jvm, event);
}

void libraries_see_class(struct libraries *libraries, const struct event_class_loaded *event)
{
	struct jvm *jvm = jvm_of(libraries, (pid_t)event->header.pid);

	if (jvm)
		jvm_see_loader(jvm, event->loader);
}

void libraries_tick(struct libraries *libraries)
{
	for (size_t i = 0; i < libraries->jvms.count;) {
		struct jvm *jvm = libraries->jvms.items[i];

		jvm_write_late_facts(jvm, libraries->output);
		jvm_name_frames(jvm, libraries->probes, libraries->output);
		jvm_name_loaders(jvm, libraries->probes, libraries->output);
		if (jvm_has_ended(jvm)) {
			jvm_free(jvm);
			libraries->jvms.items[i] = libraries->jvms.items[--libraries->jvms.count];
		} else {
			i++;
		}
	}
}

void libraries_finish(struct libraries *libraries)
{
	for vec_each(jvm, &libraries->jvms) {
		jvm_write_facts(*jvm, libraries->output);
		jvm_name_frames(*jvm, libraries->probes, libraries->output);
		jvm_name_loaders(*jvm, libraries->probes, libraries->output);
	}
}

/* Its last stacks may still be in the ring behind the urgent record that told of the end: they are named before the next
 * tick, which lets go of the address space. */
void libraries_process_ended(struct libraries *libraries, pid_t pid)
{
	struct jvm *jvm = jvm_of(libraries, pid);

	if (jvm)
		jvm_set_ended(jvm);
}

void libraries_process_execed(struct libraries *libraries, pid_t pid)
{
	libraries_process_ended(libraries, pid);
	(*map_set(&libraries->execs, (uint64_t)pid, 0, NULL))++;
}

void libraries_done(struct libraries *libraries)
{
	uprobe_links_close(&libraries->links, libraries->probes->features.has[FEATURE_UPROBE_MULTI]);
	for vec_each(jvm, &libraries->jvms)
		jvm_free(*jvm);
	vec_done(&libraries->jvms);
	for vec_each(file, &libraries->files) {
		probe_sites_done(&(*file)->sites);
		vec_done(&(*file)->cookies);
		free(*file);
	}
	vec_done(&libraries->files);
	map_done(&libraries->attached);
	map_done(&libraries->execs);
}
