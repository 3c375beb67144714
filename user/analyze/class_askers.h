/* Who asked for each class, and through which loaders: from the Java stacks at the VM's requests for classes.
 *
 * The recorder takes a stack at each request that is not within another one, and at some of those within. A class
 * whose own request has no stack was asked for by what asked for the class around it, whose superclass or loader it
 * serves. */
#pragma once

#include "analyze/report.h"
#include "model/model.h"

struct class_asker {
	uint64_t stack_id;	  /* where it, or the class around it, was asked for; 0 not known */
	uint64_t loader_stack_id; /* of the innermost request for it: loaders at work on top; 0 not known */
};

struct class_request {
	struct class_asker asker;
	uint32_t event; /* CLASS_LOAD */
};

struct class_askers {
	struct class_asker *items;	    /* of model->jvm.classes */
	VEC(struct class_request) requests; /* those that no class of that name on that thread answered, by time */
	struct arena arena;
};

void class_askers_build(const struct model *model, struct class_askers *ret_askers);
void class_askers_done(struct class_askers *askers);

/* Fills requested_by, loader_chain and loader_chain_count. */
void class_asker_words(const struct model *model, const struct class_asker *asker, struct arena *arena,
		       struct report_class *row);

/* "package.Class.method(File.java:12)", "" where it is not known. */
const char *class_asker_frame(const struct model *model, const struct class_asker *asker, struct arena *arena);
