/* Where each class came from, and which entries of archives were wanted by what was read of them.
 *
 * Archives are read in blocks that cover more than what was asked for. The entry that a read wanted is known from the
 * class that was loaded next on the thread, else from where the read begins: readers that fill a buffer fill it from
 * the byte they need. Entries that were merely covered by a block are told apart and not counted.
 *
 * Built once from the model; everything refers to its archives and entries by index. */
#pragma once

#include "analyze/report.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/model.h"

enum class_source {
	CLASS_FROM_OTHER = 0,
	CLASS_FROM_CDS,
	CLASS_FROM_AOT,
	CLASS_FROM_JAR,
	CLASS_FROM_JRT,
	CLASS_FROM_DIRECTORY,
	CLASS_FROM_GENERATED,
	CLASS_SOURCE_COUNT,
};

struct class_origin {
	uint8_t source;	  /* enum class_source */
	uint32_t file;	  /* model's file: the archive, or the class file of a directory; 0 none */
	uint32_t archive; /* model's archive, NO_INDEX where its table is not known */
	uint32_t inner;	  /* which of the archives in it */
	uint32_t entry;	  /* NO_INDEX where not known */
};

struct entry_use {
	uint64_t bytes_wanted; /* each byte once */
	uint64_t header_bytes;
	uint64_t phase_bytes[PHASE_COUNT]; /* of its header, name and data that reads covered, wanted or not */
	uint32_t phase_reads[PHASE_COUNT]; /* that covered any of it */
	uint32_t last_read;		   /* the last of them, counted from 1 */
	uint32_t class;			   /* that was loaded from it, counted from 1 in model->jvm.classes; 0 none */
	uint32_t first_wanted; /* the first read that wanted it (an event) and its thread; NO_INDEX none */
	uint32_t first_thread;
	uint32_t starts; /* reads that wanted it and covered its beginning */
	uint8_t phases;	 /* a bit each (enum phase) in which it was wanted */
	bool is_class;	 /* a class was loaded from it */
};

struct inner_use { /* one of the archives in a file, those nested in it apart */
	uint64_t reads, bytes_read, directory_bytes, end_bytes;
	uint64_t directory_reads, directory_ns; /* reads that began in its directory or its end */
	uint64_t touched_bytes;			/* that some read covered, each byte once; nested ones included */
	uint64_t phase_reads[PHASE_COUNT], phase_bytes[PHASE_COUNT];
};

struct archive_use {
	struct entry_use *entries;
	struct inner_use *inners;
	uint32_t entry_count, inner_count;
};

/* The shared archives of one process's JVM. */
struct shared_archives {
	uint32_t cds_file, aot_file; /* model's file that was opened or mapped, 0 none */
	const char *cds_path;	     /* where no event showed it, from a snapshot; NULL: none */
	bool is_cds_mapped, is_aot_mapped;
	uint64_t boot_loader; /* what the JVM's events call the loader of java.lang.Object, 0 unknown */
};

struct class_link {
	uint32_t archive, entry, next;
};

struct class_sources {
	struct class_origin *origins; /* one for each of model->jvm.classes */
	struct archive_use *archives; /* one for each of model->files.archives */
	uint32_t archive_count;
	struct shared_archives *processes; /* one for each of model->threads.processes */
	struct arena arena;
	VEC(struct class_link) links;
	struct map by_name; /* hash of a class name ('/') -> first of links */
};

void class_sources_build(const struct model *model, const struct report *report, struct class_sources *ret_sources);
void class_sources_done(struct class_sources *sources);

/* Whether the class came from an archive that lies in another one. */
static inline bool origin_is_nested(const struct class_origin *origin)
{
	return origin->source == CLASS_FROM_JAR && origin->archive != NO_INDEX && origin->inner != 0;
}

/* "jar:/srv/app.jar!/BOOT-INF/lib/a.jar", "jrt:java.sql", "CDS archive" … */
const char *origin_text(const struct model *model, const struct class_origin *origin, struct arena *arena);

/* The path of an archive in a file: "/srv/app.jar!/BOOT-INF/lib/a.jar". */
const char *archive_path(const struct model *model, uint32_t archive, uint32_t inner, struct arena *arena);

/* The class whose code, or else whose loading, asked for an entry when it was first wanted; "" where nothing tells. */
const char *entry_requester(const struct model *model, const struct entry_use *use, struct arena *arena);

/* An option of the form -XX:NAME=VALUE that the process's JVM was given: its value, or NULL. In `arena`. */
const char *jvm_option_value(const struct model *model, uint32_t pid, const char *name, struct arena *arena);

/* Calls `function` for each argument that the JVM got: its own list, the environment's, the command line. True where
 * one of the calls returned true. */
typedef bool jvm_argument_function(void *context, const char *argument);
bool jvm_each_argument(const struct model *model, uint32_t pid, jvm_argument_function *function, void *context);

/* ---- inventory_reads.c, for class_sources_build ---- */

/* Walks the archives' reads and the classes loaded between them: fills archives and, of origins, what reads prove. */
void sources_read(const struct model *model, const struct report *report, struct class_sources *sources);

/* The first link of a class's candidates (`after` NO_INDEX), or the next one; NO_INDEX where no archive holds more.
 */
uint32_t sources_candidates(const struct model *model, const struct class_sources *sources, uint32_t after,
			    const char *class_name);
