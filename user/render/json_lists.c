/* The report's lists of things seen: exceptions, classes, jars, files, faults, threads, memory, connections. */
#include "render/json_common.h"

#include "base/auto.h"
#include "render/page.h"

static void put_stack(struct json_out *json, const struct report_exception *exception, struct page *page)
{
	if (!page) {
		json_put_texts(json, "stack", exception->stack, exception->stack_count);
		return;
	}
	json_out_key(json, "stack");
	json_out_array_flat(json);
	for (size_t i = 0; i < exception->stack_count; i++)
		json_out_int(json, page_text(page, exception->stack[i]));
	json_out_array_end(json);
}

void json_put_exceptions(struct json_out *json, const struct report *report, struct page *page)
{
	json_out_key(json, "exceptions");
	json_out_array(json);
	for (size_t i = 0; i < report->exceptions_count; i++) {
		const struct report_exception *exception = &report->exceptions[i];

		json_out_object_flat(json);
		json_put_text(json, "class", exception->class_name);
		json_put_text(json, "phase", phase_name(exception->phase));
		json_put_int(json, "count", exception->count);
		json_put_maybe(json, "duration_ns", exception->duration_ns);
		json_put_maybe(json, "exclusive_ns", exception->exclusive_ns);
		json_put_observed_text(json, "thrown_at", exception->thrown_at);
		json_put_observed_text(json, "caught_at", exception->caught_at);
		put_stack(json, exception, page);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void json_put_throws(struct json_out *json, const struct report *report)
{
	json_out_key(json, "exceptions_without_stack_trace");
	json_out_array(json);
	for (size_t i = 0; i < report->throws_count; i++) {
		const struct report_throw *thrown = &report->throws[i];

		json_out_object_flat(json);
		json_put_text(json, "class", thrown->class_name);
		json_put_text(json, "phase", phase_name(thrown->phase));
		json_put_int(json, "count", thrown->count);
		json_put_observed_text(json, "seen_at", thrown->seen_at);
		json_put_bool(json, "by_vm", thrown->is_by_vm);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

/* Phases that the run had, and any in which the jar was read. */
static void put_jar_phases(struct json_out *json, const struct report *report, const struct report_jar *jar)
{
	json_out_key(json, "phase_counts");
	json_out_object_flat(json);
	for (int phase = 0; phase < PHASE_COUNT; phase++) {
		const struct report_jar_phase *counts = &jar->phases[phase];
		bool is_shown = counts->reads || counts->bytes || counts->entries;

		for (size_t i = 0; i < report->phases_count; i++)
			is_shown = is_shown || (int)report->phases[i].phase == phase;
		if (!is_shown)
			continue;
		json_out_key(json, phase_name((enum phase)phase));
		json_out_object(json);
		json_put_int(json, "reads", counts->reads);
		json_put_int(json, "bytes", counts->bytes);
		json_put_int(json, "entries", counts->entries);
		json_out_object_end(json);
	}
	json_out_object_end(json);
}

static void put_jar_entry(struct json_out *json, const struct report_jar_entry *entry)
{
	json_out_object_flat(json);
	json_put_text(json, "name", entry->name);
	json_put_int(json, "bytes", entry->bytes);
	json_put_int(json, "unpacked_bytes", entry->unpacked_bytes);
	json_put_bool(json, "compressed", entry->is_compressed);
	json_put_int(json, "reads", entry->reads);
	json_put_int(json, "bytes_read", entry->bytes_read);
	json_put_int(json, "bytes_wanted", entry->bytes_wanted);
	json_put_int(json, "rereads", entry->rereads);
	json_put_observed_text(json, "class", entry->class_name);
	json_put_observed_text(json, "requested_by", entry->requested_by);
	json_out_key(json, "wanted_in");
	json_out_array_flat(json);
	for (int phase = 0; phase < PHASE_COUNT; phase++)
		if (entry->wanted_phases >> phase & 1)
			json_out_text(json, phase_name((enum phase)phase));
	json_out_array_end(json);
	json_out_key(json, "phase_counts");
	json_out_object_flat(json);
	for (int phase = 0; phase < PHASE_COUNT; phase++) {
		if (!entry->phase_reads[phase])
			continue;
		json_out_key(json, phase_name((enum phase)phase));
		json_out_object_flat(json);
		json_put_int(json, "reads", entry->phase_reads[phase]);
		json_put_int(json, "bytes", entry->phase_bytes[phase]);
		json_out_object_end(json);
	}
	json_out_object_end(json);
	json_out_object_end(json);
}

void json_put_duplicates(struct json_out *json, const struct report *report)
{
	json_out_key(json, "duplicate_classes");
	json_out_array(json);
	for (size_t i = 0; i < report->duplicates_count; i++) {
		const struct report_duplicate *duplicate = &report->duplicates[i];

		json_out_object_flat(json);
		json_put_text(json, "class", duplicate->class_name);
		json_put_text(json, "loaded_from", duplicate->loaded_from);
		json_put_texts(json, "jars", duplicate->jars, duplicate->jar_count);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void json_put_jars(struct json_out *json, const struct report *report, size_t entries_most)
{
	json_out_key(json, "jars");
	json_out_array(json);
	for (size_t i = 0; i < report->jars_count; i++) {
		const struct report_jar *jar = &report->jars[i];

		json_out_object(json);
		json_put_text(json, "path", jar->path);
		json_out_key(json, "nested_in");
		json_out_text(json, jar->nested_in);
		json_put_maybe(json, "size", jar->size);
		json_put_maybe(json, "opens", jar->opens);
		json_put_maybe(json, "open_ns", jar->open_ns);
		json_put_maybe(json, "reads", jar->reads);
		json_put_maybe(json, "bytes_read", jar->bytes_read);
		json_put_maybe(json, "bytes_wanted", jar->bytes_wanted);
		json_put_maybe(json, "bytes_touched", jar->bytes_touched);
		json_put_maybe(json, "directory_reads", jar->directory_reads);
		json_put_maybe(json, "entries_total", jar->entries_total);
		json_put_maybe(json, "entries_read", jar->entries_read);
		json_put_maybe(json, "entries_reread", jar->entries_reread);
		json_put_maybe_bool(json, "unused", jar->is_unused);
		put_jar_phases(json, report, jar);
		json_out_key(json, "entries");
		json_out_array(json);
		for (size_t k = 0; k < jar->entries_count && k < entries_most; k++)
			put_jar_entry(json, &jar->entries[k]);
		json_out_array_end(json);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void json_put_files(struct json_out *json, const struct report *report)
{
	json_out_key(json, "files");
	json_out_array(json);
	for (size_t i = 0; i < report->files_count; i++) {
		const struct report_file *file = &report->files[i];

		json_out_object_flat(json);
		json_put_text(json, "path", file->path);
		json_put_int(json, "opens", file->opens);
		json_put_int(json, "failed_opens", file->failed_opens);
		json_put_int(json, "lookups", file->lookups);
		json_put_int(json, "failed_lookups", file->failed_lookups);
		json_put_int(json, "reads", file->reads);
		json_put_int(json, "bytes_read", file->bytes_read);
		json_put_int(json, "duration_ns", file->duration_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void json_put_searches(struct json_out *json, const struct report *report)
{
	json_out_key(json, "searches");
	json_out_array(json);
	for (size_t i = 0; i < report->searches_count; i++) {
		const struct report_search *search = &report->searches[i];

		json_out_object_flat(json);
		json_put_text(json, "folder", search->folder);
		json_put_text(json, "pattern", search->pattern);
		json_put_observed_text(json, "for", search->purpose);
		json_put_int(json, "failed", search->failed);
		json_put_int(json, "names", search->names);
		json_put_int(json, "duration_ns", search->duration_ns);
		json_out_key(json, "phase_counts");
		json_out_object_flat(json);
		for (int phase = 0; phase < PHASE_COUNT; phase++)
			if (search->phase_failed[phase])
				json_put_int(json, phase_name((enum phase)phase), search->phase_failed[phase]);
		json_out_object_end(json);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void json_put_page_cache(struct json_out *json, const struct report_page_cache *cache)
{
	json_out_key(json, "page_cache");
	json_out_object(json);
	json_out_key(json, "state");
	json_out_text(json, cache->state);
	json_put_bool(json, "dropped", cache->was_dropped);
	if (cache->is_known) {
		json_put_int(json, "size", cache->size);
		json_put_int(json, "resident", cache->resident);
	}
	json_put_int(json, "disk_ns", cache->disk_ns);
	json_out_key(json, "files");
	json_out_array(json);
	for (size_t i = 0; i < cache->files_count; i++) {
		const struct report_cached_file *file = &cache->files[i];

		json_out_object_flat(json);
		json_put_text(json, "path", file->path);
		json_put_maybe(json, "size", file->size);
		json_put_maybe(json, "resident", file->resident);
		json_put_maybe(json, "resident_at_exit", file->resident_at_exit);
		json_put_int(json, "major_faults", file->major_faults);
		json_put_int(json, "disk_ns", file->disk_ns);
		json_put_maybe(json, "read_ahead", file->read_ahead);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_object_end(json);
}

static void put_faults(struct json_out *json, const struct report_faults *faults)
{
	if (!faults->minor.state && !faults->major.state && !faults->by_mapping_count)
		return;
	json_out_key(json, "faults");
	json_out_object(json);
	json_put_maybe(json, "minor", faults->minor);
	json_put_maybe(json, "major", faults->major);
	json_put_maybe(json, "duration_ns", faults->duration_ns);
	json_out_key(json, "by_mapping");
	json_out_array(json);
	for (size_t i = 0; i < faults->by_mapping_count; i++) {
		const struct report_fault_kind *kind = &faults->by_mapping[i];

		json_out_object_flat(json);
		json_put_text(json, "kind", mapping_kind_name(kind->kind));
		json_put_int(json, "minor", kind->minor);
		json_put_int(json, "major", kind->major);
		json_put_maybe(json, "duration_ns", kind->duration_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_key(json, "by_file");
	json_out_array(json);
	for (size_t i = 0; i < faults->by_file_count; i++) {
		const struct report_fault_file *file = &faults->by_file[i];

		json_out_object_flat(json);
		json_put_text(json, "path", file->path);
		json_put_text(json, "kind", mapping_kind_name(file->kind));
		json_put_observed_text(json, "part", file->part);
		json_put_int(json, "minor", file->minor);
		json_put_int(json, "major", file->major);
		json_put_maybe(json, "duration_ns", file->duration_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	json_out_object_end(json);
}

struct named_maybe {
	const char *key;
	struct maybe value;
};

/* An object of numbers; no key at all where none of them was observed. */
static void put_maybes(struct json_out *json, const char *key, const struct named_maybe *values, size_t count)
{
	bool is_known = false;

	for (size_t i = 0; i < count; i++)
		is_known = is_known || values[i].value.state != ABSENT;
	if (!is_known)
		return;
	json_out_key(json, key);
	json_out_object_flat(json);
	for (size_t i = 0; i < count; i++)
		json_put_maybe(json, values[i].key, values[i].value);
	json_out_object_end(json);
}

void json_put_machinery(struct json_out *json, const struct report *report)
{
	const struct named_maybe jit[] = {
		{"compilations", report->jit_compilations},
		{"c1", report->jit_c1},
		{"c2", report->jit_c2},
		{"cpu_ns", report->jit_cpu_ns},
		{"deoptimizations", report->jit_deoptimizations},
		{"deoptimizations_first_request", report->jit_deoptimizations_cold},
		{"deoptimizations_warm", report->jit_deoptimizations_warm},
	};
	const struct named_maybe gc[] = {
		{"collections", report->gc_collections},   {"pauses", report->gc_pauses},
		{"pause_ns", report->gc_pause_ns},	   {"safepoints", report->gc_safepoints},
		{"safepoint_ns", report->gc_safepoint_ns},
	};

	put_faults(json, &report->faults);
	put_maybes(json, "jit", jit, array_length(jit));
	put_maybes(json, "gc", gc, array_length(gc));
}

void json_put_threads(struct json_out *json, const struct report *report)
{
	json_out_key(json, "threads");
	json_out_array(json);
	for (size_t i = 0; i < report->threads_count; i++) {
		const struct report_thread *thread = &report->threads[i];

		json_out_object_flat(json);
		json_put_int(json, "pid", thread->pid);
		json_put_int(json, "tid", thread->tid);
		json_put_text(json, "name", thread->name);
		json_put_text(json, "role", thread->role);
		json_put_int(json, "created_ns", thread->created_ns);
		json_put_maybe(json, "ended_ns", thread->ended_ns);
		json_put_maybe(json, "cpu_ns", thread->cpu_ns);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void json_put_memory(struct json_out *json, const struct report *report)
{
	json_out_key(json, "memory");
	json_out_array(json);
	for (size_t i = 0; i < report->memory_count; i++) {
		const struct report_memory *memory = &report->memory[i];

		json_out_object(json);
		json_put_text(json, "at", memory->at);
		json_put_int(json, "rss", memory->rss);
		json_put_int(json, "pss", memory->pss);
		json_put_maybe(json, "cgroup_current", memory->cgroup_current);
		json_out_key(json, "by_kind");
		json_out_array(json);
		for (size_t k = 0; k < memory->by_kind_count; k++) {
			json_out_object_flat(json);
			json_put_text(json, "kind", mapping_kind_name(memory->by_kind[k].kind));
			json_put_int(json, "reserved", memory->by_kind[k].reserved);
			json_put_int(json, "committed", memory->by_kind[k].committed);
			json_put_int(json, "rss", memory->by_kind[k].rss);
			json_put_int(json, "huge", memory->by_kind[k].huge);
			json_out_object_end(json);
		}
		json_out_array_end(json);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

void json_put_connections(struct json_out *json, const struct report *report)
{
	json_out_key(json, "connections");
	json_out_array(json);
	for (size_t i = 0; i < report->connections_count; i++) {
		const struct report_connection *connection = &report->connections[i];

		json_out_object_flat(json);
		json_put_text(json, "peer", connection->peer);
		json_put_text(json, "phase", phase_name(connection->phase));
		json_put_int(json, "connects", connection->connects);
		json_put_int(json, "failed", connection->failed);
		json_put_int(json, "connect_ns", connection->connect_ns);
		json_put_int(json, "reused", connection->reused);
		json_put_int(json, "most_at_once", connection->most_at_once);
		json_put_int(json, "bytes_out", connection->bytes_out);
		json_put_int(json, "bytes_in", connection->bytes_in);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}
