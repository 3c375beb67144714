/* How flames are made: nodes, and the frames of stacks. Private to analyze. */
#pragma once

#include "analyze/flame.h"
#include "model/model.h"

uint32_t flame_child(struct flame *flame, uint32_t parent, enum flame_kind kind, const char *name);
uint32_t flame_child_named(struct flame *flame, uint32_t parent, enum flame_kind kind, uint32_t name);

struct flame_frame {
	uint32_t name; /* string id of the flame's names */
	uint8_t kind;
};

/* The frames of one stack, root first. */
struct flame_stack {
	uint32_t first, count; /* in flame_builder.frames */
};

/* A moment at which the whole stack of a thread is known. */
struct flame_point {
	uint64_t time_ns, stack_id;
	uint32_t previous; /* of the same thread, or NO_INDEX */
};

struct flame_builder {
	const struct model *model;
	const struct report *report;
	struct flame *flame;
	uint64_t start_ns, end_ns; /* of the phase, on the model's clock */
	struct map stack_places;   /* stack id -> index in stacks */
	struct map prefixes;	   /* stack and number of frames -> dense id */
	struct map placed;	   /* parent node and prefix -> node: the same stacks come again and again */
	VEC(struct flame_stack) stacks;
	VEC(struct flame_frame) frames;
	struct arena scratch;

	/* flame_known.c */
	bool has_points;
	VEC(struct flame_point) points, ordered; /* as they come; by thread, latest first */
	VEC(struct flame_stack) lists;		 /* of `ordered` */
	struct map last_points, ordered_places;	 /* by thread */
	struct {
		uint64_t before_id, after_id;
		uint32_t count;
	} last_shared;
};

const struct flame_frame *flame_stack_frames(struct flame_builder *builder, uint64_t stack_id, uint32_t *ret_count);

/* The node of a stack's first `count` frames below `parent`. */
uint32_t flame_push_frames(struct flame_builder *builder, uint32_t parent, uint64_t stack_id, uint32_t count);
/* The same of all its frames. */
uint32_t flame_push_stack(struct flame_builder *builder, uint32_t parent, uint64_t stack_id);
uint32_t flame_push(struct flame_builder *builder, uint32_t parent, enum flame_kind kind, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The same where the text is as it is. */
uint32_t flame_push_text(struct flame_builder *builder, uint32_t parent, enum flame_kind kind, const char *text);
uint32_t flame_push_thread(struct flame_builder *builder, uint32_t parent, uint32_t thread, uint64_t time_ns);

/* What a span is, as a frame. */
uint32_t flame_push_span(struct flame_builder *builder, uint32_t parent, const struct span *span);

/* What a blocked or runnable interval waited for, as frames: the call, and who ended it. */
uint32_t flame_push_wait(struct flame_builder *builder, uint32_t parent, uint32_t thread, uint32_t interval);
/* The stack in which the thread left the CPU for a blocked or runnable interval, 0 where it is not known. */
uint64_t flame_wait_stack(const struct model *model, uint32_t thread, uint32_t interval);

/* The frames that were on the thread's stack all through [start, end): the first ones of the stack *ret_stack_id; the
 * number of them, 0 where nothing is known. */
uint32_t flame_known_frames(struct flame_builder *builder, uint32_t thread, uint64_t start_ns, uint64_t end_ns,
			    uint64_t *ret_stack_id);
uint32_t flame_push_known(struct flame_builder *builder, uint32_t node, uint32_t thread, uint64_t start_ns,
			  uint64_t end_ns);
void flame_known_done(struct flame_builder *builder);

void flame_add(struct flame_builder *builder, uint32_t node, int64_t value, int64_t duration_ns);

void flame_build_path(struct flame_builder *builder);	/* flame_path.c */
void flame_build_on_cpu(struct flame_builder *builder); /* flame_threads.c */
void flame_build_off_cpu(struct flame_builder *builder);
void flame_build_events(struct flame_builder *builder); /* flame_events.c: exceptions, faults, classes, files */
