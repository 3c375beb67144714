/* What the inventory's tables share: the run that they describe, and small questions about times, names and stacks.
 *
 * Private to analyze. Each table has a file of its own, inventory_<subject>.c, with one function that fills its part
 * of the report; what could not be observed stays ABSENT. */
#pragma once

#include "analyze/report.h"
#include "model/model.h"

struct class_sources;

struct inventory {
	const struct model *model;
	struct report *report;
	const struct class_sources *sources;
	uint32_t main_process; /* index, NO_INDEX where the recording shows none */
	bool has_jvm;	       /* some process of the tree is a JVM */
};

void inventory_threads(const struct inventory *inventory);
void inventory_archives(const struct inventory *inventory); /* the runtime's CDS archive and AOT cache */
void inventory_files(const struct inventory *inventory);
void inventory_searches(const struct inventory *inventory); /* what was looked for and not found */
void inventory_jars(const struct inventory *inventory);
void inventory_duplicates(const struct inventory *inventory);
void inventory_classes(const struct inventory *inventory);
void inventory_exceptions(const struct inventory *inventory);
void inventory_faults(const struct inventory *inventory);
void inventory_jvm(const struct inventory *inventory);
void inventory_page_cache(const struct inventory *inventory); /* after the jars */
void inventory_jvm_work(const struct inventory *inventory); /* after the threads */
void inventory_throws(const struct inventory *inventory);
void inventory_deoptimizations(const struct inventory *inventory);
void inventory_memory(const struct inventory *inventory);
void inventory_connections(const struct inventory *inventory);
void inventory_limits(const struct inventory *inventory); /* the cgroup's counters, and how memory ended the run */

/* ---- times and phases ---- */

static inline int64_t time_from_exec(const struct model *model, uint64_t time_ns)
{
	return (int64_t)(time_ns - model->exec_ns);
}

/* The phase that a time (of the model's clock) lies in: the last that has begun. */
enum phase phase_of_time(const struct report *report, const struct model *model, uint64_t time_ns);

/* ---- what was observed ---- */

static inline struct maybe known(int64_t value)
{
	return (struct maybe){.state = KNOWN, .value = value};
}

static inline bool is_observed(const struct model *model, const char *what)
{
	return model_observed(model, what) != OBSERVED_NO;
}

bool is_stated(const struct model *model, const char *what); /* the recorder said that it observes this */
bool tree_has_jvm(const struct model *model);

/* ---- names ---- */

/* A class name of the JVM ('/') as people write it. */
const char *class_name_dotted(struct arena *arena, const char *name);

/* A type name of the C++ ABI, demangled where it can be. */
const char *type_name_demangled(struct arena *arena, const char *mangled);

/* A hidden class (a lambda, a method handle's form): its name ends in an address, and no file holds it. */
bool class_is_hidden(const char *name);

/* A name that libraries give to classes that they make at run time. */
bool class_name_is_generated(const char *name);

/* ---- stacks ---- */

struct frame_line {
	const char *class_name; /* with '/', "" for native frames */
	const char *method;
	struct frame_text text;
};

enum { FRAME_LINES_MAX = 256 };

/* The named frames of a stack, top first, inlined ones apart; those without a name are left out. Returns their
 * number. */
uint32_t stack_lines(const struct model *model, uint64_t stack_id, struct frame_line *ret_lines, uint32_t most);

/* "package.Class.method(File.java:12)" */
const char *frame_line_text(struct arena *arena, const struct frame_line *line);

/* The frame that made an exception: the first that is not a constructor of the exception or what fills its stack. */
uint32_t thrower_of(const struct frame_line *lines, uint32_t count, const char *exception_class);

/* Part of a class loader at work. */
bool frame_is_loader(const struct frame_line *line);

/* ---- lists ---- */

/* Hands the rows of a VEC over to the report as one of its lists. */
#define inventory_put(inventory_, list, rows)                                                                        \
	do {                                                                                                         \
		(inventory_)->report->list##_count = (rows)->count;                                                  \
		(inventory_)->report->list = (const void *)arena_copy(&(inventory_)->report->arena, (rows)->items,   \
								      (rows)->count * sizeof((rows)->items[0]));     \
		vec_done(rows);                                                                                      \
	} while (0)
