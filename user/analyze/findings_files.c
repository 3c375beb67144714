/* Findings about files: the page cache, searching the class path, signed jars. */
#include "analyze/findings_internal.h"

#include <string.h>

#include "base/auto.h"

/* ---- cold-page-cache ---- */

struct residency_sums {
	int64_t pages, resident_pages;
	const char *coldest; /* the file with most pages that were not in memory */
	int64_t coldest_missing;
};

/* How the files lay when the run began: the first statement about each counts. */
static struct residency_sums sum_residency(const struct finding_context *context)
{
	const struct model *model = context->model;
	struct map seen auto_done(map_done) = {};
	struct residency_sums sums = {};

	for vec_each(index, &model->texts.residencies) {
		const struct event_residency *event = MODEL_EVENT(model, *index, residency);
		int64_t missing = (int64_t)event->pages - (int64_t)event->resident_pages;
		bool is_new;

		map_set(&seen, hash_combine(event->inode, event->device), 0, &is_new);
		if (!is_new || event->resident_pages > event->pages || event->moment > MOMENT_READY)
			continue;
		sums.pages += (int64_t)event->pages;
		sums.resident_pages += (int64_t)event->resident_pages;
		if (missing > sums.coldest_missing) {
			sums.coldest_missing = missing;
			sums.coldest = event->tail;
		}
	}
	return sums;
}

/* The file that most major faults of the run were about. */
static const char *faulted_file(const struct finding_context *context, int64_t *ret_count)
{
	const struct model *model = context->model;
	struct map counts auto_done(map_done) = {};
	uint32_t most = 0;

	*ret_count = 0;
	for (size_t i = 0; i < model->mappings.faults.count; i++) {
		uint32_t file = model->mappings.fault_files.items[i];
		uint64_t *count;

		if (!MODEL_EVENT(model, model->mappings.faults.items[i], fault)->is_major || file == 0)
			continue;
		count = map_set(&counts, file, 0, NULL);
		if ((int64_t)++ * count > *ret_count) {
			*ret_count = (int64_t)*count;
			most = file;
		}
	}
	return model_file_path(model, most);
}

/* How long the thread that waited most for the disk did so before the service was ready. */
static int64_t startup_disk_waits(const struct finding_context *context)
{
	const struct model *model = context->model;
	uint64_t ready_ns = model->exec_ns + (uint64_t)finding_startup_ns(context);
	int64_t most_ns = 0;

	for (uint32_t i = 0; i < model->threads.list.count; i++) {
		const struct intervals *intervals = &model->threads.list.items[i].intervals;
		int64_t sum_ns = 0;

		for (uint32_t k = 0; k < intervals->count && intervals->items[k].start_ns < ready_ns; k++) {
			if (intervals->items[k].state == INTERVAL_BLOCKED &&
			    intervals->items[k].flags & INTERVAL_IOWAIT)
				sum_ns += (int64_t)(model_interval_end(model, i, k) - intervals->items[k].start_ns);
		}
		if (sum_ns > most_ns)
			most_ns = sum_ns;
	}
	return most_ns;
}

bool finding_cold_page_cache(const struct finding_context *context, struct finding_draft *draft)
{
	enum { PAGE_BYTES = 4096 };
	int64_t waited_ns = finding_cause_sum(context, CAUSE_WAIT_DISK) + finding_faults_sum(context, true);
	int64_t startup_ns = startup_disk_waits(context);
	int64_t major = context->report->faults.major.state == KNOWN ? context->report->faults.major.value : 0;
	struct residency_sums residency = sum_residency(context);
	bool was_cold = startup_ns >= LIMIT_DISK_STARTUP_NS &&
			startup_ns >= finding_startup_ns(context) / 100 * LIMIT_PART_PERCENT;
	bool is_dear = finding_matters(context, waited_ns);
	const char *file;
	int64_t file_faults;

	if (!is_dear && !was_cold && major < LIMIT_MAJOR_FAULTS)
		return false;
	file = faulted_file(context, &file_faults);
	if (residency.pages)
		finding_evidence(draft, "When the run began, %s of the %s of files that it used were in memory%s%s.",
				 fmt_bytes(residency.resident_pages * PAGE_BYTES).text,
				 fmt_bytes(residency.pages * PAGE_BYTES).text, residency.coldest ? "; least of " : "",
				 residency.coldest ? residency.coldest : "");
	finding_evidence(draft, "%s had to read from the disk%s%s.",
			 finding_plural(context, major, "page fault", "page faults"),
			 file_faults ? arena_format(context->arena, ", %s of them ", fmt_count(file_faults).text)
				     : "",
			 file_faults ? file : "");
	if (is_dear) {
		finding_evidence(draft, "Waiting for the disk took %s of the %s of the first %s, on its path (%s).",
				 fmt_duration(waited_ns).text, fmt_duration(context->cold->latency_ns).text,
				 context->cold->route, finding_share(context, waited_ns));
		finding_price(draft, waited_ns, false);
	}
	if (was_cold)
		finding_evidence(draft, "Before the service was ready, one thread waited %s for the disk.",
				 fmt_duration(startup_ns).text);
	if (!is_dear && context->cold)
		finding_evidence(draft, "On the path of the first request the disk cost %s: the start paid for it.",
				 fmt_duration(waited_ns).text);
	finding_remedy(draft,
		       "Compare cold with cold and warm with warm (--drop-caches makes every run cold). To have the "
		       "files in "
		       "memory before the start: cat %s > /dev/null",
		       residency.coldest ? shell_quoted(context->arena, residency.coldest)
		       : *file		 ? shell_quoted(context->arena, file)
					 : "FILE");
	return true;
}

/* ---- class-path-scan ---- */

struct scan {
	int64_t read_entries, loaded_entries; /* class files */
	int64_t idle_jars;		      /* opened, and nothing wanted of them but their directory */
	int64_t giving_jars;
};

static void scan_archive(const struct finding_context *context, uint32_t archive, struct scan *scan)
{
	const struct archive_use *use = &context->sources->archives[archive];
	struct archive_facts facts;
	bool has_class = false;
	uint64_t reads = 0;

	if (!model_archive_facts(context->model, archive, 0, &facts) || facts.is_jimage)
		return;
	for (uint32_t i = 0; i < use->inner_count; i++)
		reads += use->inners[i].reads;
	for (uint32_t i = 0; i < use->entry_count; i++) {
		struct archive_entry_facts entry;
		size_t length;

		if (!use->entries[i].phases || !model_archive_entry(context->model, archive, i, &entry))
			continue;
		length = strlen(entry.name);
		if (length < 6 || strcmp(entry.name + length - 6, ".class") != 0)
			continue;
		scan->read_entries++;
		scan->loaded_entries += use->entries[i].is_class;
		has_class |= use->entries[i].is_class;
	}
	scan->giving_jars += has_class;
	scan->idle_jars += !has_class && reads;
}

static int64_t failed_lookups(const struct finding_context *context, int64_t *ret_all, const char **ret_folder)
{
	struct map by_folder auto_done(map_done) = {};
	int64_t failed = 0;
	uint64_t most = 0;

	*ret_all = 0;
	*ret_folder = "";
	for (size_t i = 0; i < context->report->files_count; i++) {
		const struct report_file *file = &context->report->files[i];
		const char *slash = strrchr(file->path, '/');
		size_t length = slash ? (size_t)(slash - file->path) : 0;
		uint64_t *count;

		*ret_all += file->opens + file->lookups;
		if (file->failed_opens + file->failed_lookups == 0)
			continue;
		failed += file->failed_opens + file->failed_lookups;
		count = map_set(&by_folder, hash_bytes(file->path, length), 0, NULL);
		*count += (uint64_t)(file->failed_opens + file->failed_lookups);
		if (*count > most) {
			most = *count;
			*ret_folder = arena_format(context->arena, "%.*s", (int)length, file->path);
		}
	}
	return failed;
}

bool finding_class_path_scan(const struct finding_context *context, struct finding_draft *draft)
{
	int64_t path_ns = finding_cause_sum(context, CAUSE_FILE_LOOKUP) + finding_cause_sum(context, CAUSE_FILE_OPEN);
	struct scan scan = {};
	int64_t all, failed;
	const char *folder;
	bool scans_entries, scans_jars, searches;

	for (uint32_t i = 0; i < context->sources->archive_count; i++)
		scan_archive(context, i, &scan);
	failed = failed_lookups(context, &all, &folder);
	scans_entries = scan.read_entries - scan.loaded_entries >= LIMIT_SCANNED_ENTRIES &&
			scan.read_entries > 2 * scan.loaded_entries;
	scans_jars = scan.idle_jars >= LIMIT_SCANNED_JARS && scan.idle_jars > scan.giving_jars;
	searches = failed >= LIMIT_FAILED_LOOKUPS && failed > all / 2;
	if (!scans_entries && !scans_jars && !searches)
		return false;
	if (scans_entries)
		finding_evidence(
			draft,
			"%s class files were read from jars and %s of them became classes: something looks into the "
			"others.",
			fmt_count(scan.read_entries).text, fmt_count(scan.loaded_entries).text);
	if (scans_jars)
		finding_evidence(draft, "%s jars were opened and read without giving a class; %s gave one.",
				 fmt_count(scan.idle_jars).text, fmt_count(scan.giving_jars).text);
	if (searches)
		finding_evidence(draft, "%s of %s opens and look-ups of files found nothing, most of them in %s.",
				 fmt_count(failed).text, fmt_count(all).text, folder);
	if (finding_matters(context, path_ns)) {
		finding_evidence(
			draft,
			"Opening and looking up files took %s of the first %s's %s, on its path: at most that is "
			"saved.",
			fmt_duration(path_ns).text, context->cold->route,
			fmt_duration(context->cold->latency_ns).text);
		finding_price(draft, path_ns, true);
	}
	finding_remedy(
		draft,
		"Name the packages to scan instead of all, let the build write an index of what is sought, and take "
		"jars that give nothing off the class path.");
	return true;
}

/* ---- signed-jar-verification ---- */

static bool is_of_signed_jar(const struct finding_context *context, uint32_t class)
{
	const struct class_origin *origin = &context->sources->origins[class];
	struct archive_facts facts;

	return origin->source == CLASS_FROM_JAR && origin->archive != NO_INDEX &&
	       model_archive_facts(context->model, origin->archive, origin->inner, &facts) && facts.is_signed;
}

static bool is_signed_tile(const struct finding_context *context, const struct tile *tile, void *unused)
{
	uint32_t class;

	(void)unused;
	if (!finding_is_own_work(tile) || tile->cause == CAUSE_CLASS_PARSE || tile->cause == CAUSE_CLASS_LINK)
		return false;
	class = finding_class_at(context, tile);
	return class != NO_INDEX && is_of_signed_jar(context, class);
}

bool finding_signed_jar_verification(const struct finding_context *context, struct finding_draft *draft)
{
	const struct model *model = context->model;
	int64_t path_ns = finding_path_sum(context, is_signed_tile, NULL), classes = 0, span_ns = 0;
	const struct class_origin *origin = NULL;
	const char *path;

	for (uint32_t i = 0; i < model->jvm.classes.count; i++) {
		const struct loaded_class *class = &model->jvm.classes.items[i];

		if (!is_of_signed_jar(context, i))
			continue;
		classes++;
		origin = &context->sources->origins[i];
		if (class->span != NO_INDEX) {
			const struct span *span = &model->threads.list.items[class->thread].spans.items[class->span];

			span_ns += (int64_t)(span->end_ns - span->start_ns);
		}
	}
	if (classes < LIMIT_SIGNED_CLASSES || (context->cold && !finding_matters(context, path_ns) &&
					       span_ns < finding_startup_ns(context) / 100 * LIMIT_PART_PERCENT))
		return false;
	path = archive_path(model, origin->archive, origin->inner, context->arena);
	finding_evidence(draft,
			 "%s classes came from signed jars (%s). Their digests are checked as they are read, and the "
			 "signature "
			 "before the first of them.",
			 fmt_count(classes).text, path);
	finding_evidence(draft, "The requests for these classes took %s in all, loading what they need included.",
			 fmt_duration(span_ns).text);
	if (finding_matters(context, path_ns)) {
		finding_evidence(draft,
				 "On the first %s's path, loading them without parsing and linking took %s of %s: at "
				 "most that "
				 "is saved, since an unsigned jar is read and searched too.",
				 context->cold->route, fmt_duration(path_ns).text,
				 fmt_duration(context->cold->latency_ns).text);
		finding_price(draft, path_ns, true);
	}
	finding_remedy(draft,
		       "Where nothing relies on the signature, use a copy without it: zip -d %s 'META-INF/*.SF' "
		       "'META-INF/*.RSA' 'META-INF/*.DSA' 'META-INF/*.EC' (a security provider may need its own).",
		       shell_quoted(context->arena, finding_base_name(path)));
	return true;
}
