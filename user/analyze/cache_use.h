/* Whether the cache of classes that a JVM was asked to use (an AOT cache, or an AppCDS archive) really was used.
 *
 * Truth from outside, with no log flag: the file was opened, its regions were mapped over the JVM's reserved space, they
 * stayed there, and classes came from it. Which run made the cache is not known here. */
#pragma once

#include "analyze/report.h"
#include "base/arena.h"

struct model;

struct cache_use {
	struct maybe_text requested; /* as the JVM was told; NONE: none was asked for */
	bool is_archive;	     /* an AppCDS archive, not an AOT cache */
	bool was_opened, is_mapped;
	const char *reason; /* why it was not used, as far as the recording shows; NULL where it was */
	struct maybe is_heap_used; /* the archived heap objects were mapped or read */
	/* Classes of the service's JVM before the first request and in it: all of them, and those that came from an
	 * archive. An AppCDS archive lies on top of the JDK's own: both count. */
	struct maybe startup_classes, startup_shared, request_classes, request_shared;
};

/* Whether a JVM that ran before recording began has this file mapped. */
bool cache_is_mapped_since_before(const struct model *model, uint32_t pid, const char *told);

/* `report` is the model's. Texts are put into `arena`. */
void cache_use_find(const struct model *model, const struct report *report, struct arena *arena,
		    struct cache_use *ret_use);
