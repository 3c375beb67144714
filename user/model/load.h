/* How a recording becomes a model: the state of the one pass over its events. Private to the layer.
 *
 * Records are copied as they come (load.c), the recorder's statements are collected (texts.c), all is sorted once,
 * and one pass in order of time hands each event to the subjects that care. A subject's state that is needed only
 * while loading lives here and ends with it. */
#pragma once

#include "model/model.h"
#include "parse/syscalls.h"

struct http_connection;

/* A begin that waits for its end: on a thread's stack of them. */
struct open_span {
	uint64_t stack_pointer; /* 0: not known, so only its own end closes it */
	uint32_t span;		/* index in the thread's spans, still in order of completion or begin */
	uint32_t name;
	uint8_t kind;
	bool has_parse;		/* CLASS_LOAD: a CLASS_PARSE of the class was seen in it */
	uint64_t next_event_ns; /* the first thing that the thread did after it, 0: none yet */
	uint64_t related_ns;	/* the end of the last thing in it that shows it was still going on, 0: none */
	uint32_t read_event;	/* CLASS_LOAD: the last read of a file in it, nested loads excluded */
	uint64_t read_bytes;
};

struct thread_state {
	uint64_t last_event_ns; /* of its own */
	uint64_t wait_stack_pointer;
	uint8_t wait_reason;	/* enum vm_wait_reason it entered and has not been seen leaving */
	uint64_t wait_ns;	/* when it entered it, or last began to run within it */
	bool is_in_wait;	/* it has slept for that reason */
	uint64_t early_wake_ns; /* when it was woken while it seemed to run, and has done nothing since; 0: it was not */
	uint32_t early_wake;	/* the WAKE's event */
	bool is_after_name_query;
	bool has_exited;
	VEC(struct open_span) open;
	uint32_t open_compilation, open_collection; /* indices of the model's, or NO_INDEX */
	uint32_t loaded_name;			    /* of the class that was last loaded, 0: none yet */
	uint64_t loaded_loader;
	uint32_t read_event;			    /* since the last class was loaded */
	uint64_t read_bytes;
};

enum range_what { RANGE_ANONYMOUS, RANGE_FILE, RANGE_STACK, RANGE_BREAK };

/* What an address range is while the pass goes by (ranges.c). */
struct live_range {
	uint64_t start, end;
	uint32_t file;
	uint32_t reservation; /* that it lies in, counted from 1; 0: none */
	uint8_t what;	      /* enum range_what */
	uint8_t part;	      /* of the file: enum mapping_part */
	bool is_fixed;	      /* a file that was mapped in a place of the caller's choice */
};

/* Anonymous address space that was taken without the right to touch it: what it is for shows in what is put there. */
struct reservation {
	uint64_t start, end;
	uint32_t pid;
	bool is_gc; /* of the size of a collector's table, by the thread that reserved the heap just before */
};

struct process_state {
	VEC(struct live_range) ranges; /* by start, disjoint */
	uint64_t break_start;
	uint32_t heap_tid;   /* that reserved the Java heap, 0: not seen */
	uint32_t open_pause; /* index in jvm.pauses while it lasts, or NO_INDEX */
};

struct snapshot_range {
	uint64_t start, end;
	uint32_t file;
	uint8_t kind; /* enum region_kind */
	uint8_t part; /* enum mapping_part */
};

/* A maps or smaps text, read when a fault needs it: what the kernel mapped itself (the program, its loader, the first
 * stack) has no mmap call to be known from. */
struct snapshot {
	uint32_t text; /* index in texts.proc */
	bool is_parsed;
	VEC(struct snapshot_range) ranges;
};

struct connection_state {
	struct http_connection *http; /* accepted streams */
	bool has_written_since_read;
};

enum { THREAD_CACHE_SLOTS = 64 };

struct load {
	struct model *model;
	VEC(struct thread_state) threads;	  /* beside model->threads.list */
	VEC(struct process_state) processes;	  /* beside model->threads.processes */
	VEC(struct connection_state) connections; /* beside model->requests.connections */
	struct map connection_by_socket;	  /* open ones */
	struct map listener_by_socket;		  /* by socket and port */
	struct map observed_by_name;		  /* string id -> index in texts.observed */
	struct map random_descriptors;		  /* pid and descriptor of open random sources */
	VEC(struct snapshot) snapshots;		  /* by time */
	VEC(struct reservation) reservations;
	uint32_t next_proc_text; /* the first of texts.proc that the pass has not come to */
	uint32_t number_munmap, number_mremap, number_brk;
	enum syscall_arch arch;
	struct {
		uint32_t tid, thread;
	} cache[THREAD_CACHE_SLOTS];
	uint64_t sample_period_ns; /* of the sampling timer as it is now; 0: no sample seen */
	uint64_t last_event_ns;
};

/* ---- threads.c ---- */
uint32_t threads_of_event(struct load *load, const struct event_header *event); /* makes it where it is new */
uint32_t threads_find(struct load *load, uint32_t tid);				/* the living one, or NO_INDEX */
void threads_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event);
uint32_t process_find_or_make(struct load *load, uint32_t pid, uint64_t time_ns);
void threads_done(struct model *model);

/* ---- schedule.c ---- */
void schedule_prove_running(struct load *load, uint32_t thread, uint32_t index, uint64_t time_ns);
void schedule_on_fork(struct load *load, uint32_t child, uint32_t index, uint64_t time_ns);
void schedule_on_switch_out(struct load *load, uint32_t thread, uint32_t index, const struct event_switch_out *event);
void schedule_on_switch_in(struct load *load, uint32_t thread, uint32_t index, uint64_t time_ns);
void schedule_on_wake(struct load *load, uint32_t index, const struct event_wake *event);
void schedule_expect_wait(struct load *load, uint32_t thread, enum vm_wait_reason reason, uint64_t stack_pointer,
			  uint64_t time_ns);
void schedule_note(struct load *load, uint32_t thread, const struct event_header *event); /* wait reasons end */
void schedule_prepare(struct load *load);
void schedule_finish(struct load *load);

/* ---- spans.c ---- */
/* For every event of the thread's own, before its subject sees it. */
void spans_note(struct load *load, uint32_t thread, const struct event_header *event);
/* The innermost open span, if it is a class that was asked for, was still being looked for at this time. */
void spans_prove_load(struct load *load, uint32_t thread, uint64_t time_ns);
struct span *spans_add(struct load *load, uint32_t thread, enum span_kind kind, uint32_t event, uint64_t start_ns,
		       uint64_t end_ns);
void spans_on_stack_pointer(struct load *load, uint32_t thread, uint64_t stack_pointer, uint64_t time_ns);
/* A frame at or below the stack pointer, whose begin is an open span, has returned at this very time. */
void spans_on_return(struct load *load, uint32_t thread, uint64_t stack_pointer, uint64_t time_ns);
struct open_span *spans_open(struct load *load, uint32_t thread, enum span_kind kind, uint32_t event,
			     uint64_t time_ns, uint64_t stack_pointer, uint32_t name);
/* Ends the innermost open span of this kind (and name, where not 0) and all inside it; false where there is none. */
bool spans_close(struct load *load, uint32_t thread, enum span_kind kind, uint32_t name, uint64_t time_ns,
		 uint8_t flags);
void spans_finish(struct load *load);

/* ---- classes.c ---- */
void classes_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event);
void classes_on_read(struct load *load, uint32_t thread, uint32_t index, int64_t bytes);
void classes_before_sort(struct load *load); /* around spans_finish, which gives spans their final places */
void classes_after_sort(struct load *load);

/* The tail of a record as a name. */
#define name_of(load, record)                                                                                        \
	({                                                                                                           \
		size_t length_;                                                                                      \
		const char *name_ = MODEL_TAIL(record, &length_);                                                    \
		strpool_add(&(load)->model->strings, name_, length_);                                                \
	})

/* ---- jvm.c ---- */
void jvm_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event);
void jvm_collect(struct load *load, uint32_t index, const struct event_header *event); /* STACK, FRAME_NAME, SYMBOL */
void jvm_finish(struct load *load);
void stacks_prepare(struct load *load);
void jvm_done(struct model *model);

/* ---- files.c ---- */
void files_collect(struct load *load, uint32_t index, const struct event_header *event); /* ARCHIVE, LIBRARY */
void files_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event);
uint32_t files_find_or_make(struct model *model, uint32_t device, uint64_t inode);
void files_name(struct model *model, uint32_t file, uint32_t path, bool is_better);
bool files_is_random(struct load *load, uint32_t pid, uint64_t descriptor);
void files_on_close(struct load *load, uint32_t pid, uint64_t descriptor);
void files_add_archive(struct model *model, uint32_t device, uint64_t inode, uint32_t path, uint32_t archive);
void archives_free(struct packed_archive *archive);
void files_done(struct model *model);

/* ---- mappings.c ---- */
void mappings_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event);
void mappings_on_fork(struct load *load, uint32_t parent_process, uint32_t child_process);
void mappings_on_exec(struct load *load, uint32_t process);
void mappings_until(struct load *load, uint64_t time_ns); /* names the lines of snapshots up to then, by what is mapped */
void mappings_prepare(struct load *load); /* regions and snapshots, once the texts are there */
void mappings_load_done(struct load *load);
void mappings_done(struct model *model);

/* ---- regions.c ---- */
void regions_prepare(struct model *model);
const struct jvm_region *regions_at(const struct model *model, uint32_t pid, uint64_t address); /* NULL: none */
const struct jvm_region *regions_heap_of(const struct model *model, uint32_t pid);		/* NULL: not told */
enum region_kind regions_kind_of_reservation(const struct model *model, const struct reservation *reservation,
					     uint64_t address);

/* ---- ranges.c ---- */
const struct live_range *ranges_at(const struct process_state *process, uint64_t address); /* NULL: nothing is known */
uint64_t ranges_next_edge(const struct process_state *process, uint64_t address); /* where another range begins or ends */
void ranges_on_map(struct load *load, struct process_state *process, const struct event_file_map *event);
void ranges_on_syscall(struct load *load, struct process_state *process, const struct event_syscall *event);

/* ---- requests.c ---- */
void requests_on_event(struct load *load, uint32_t thread, uint32_t index, const struct event_header *event);
void requests_finish(struct load *load);
void requests_done(struct model *model);

/* ---- texts.c ---- */
void texts_collect(struct load *load, uint32_t index, const struct event_header *event);
void texts_finish(struct load *load);
void texts_done(struct model *model);

/* ---- sort.c ---- */
/* Sorts events by time, equal times in their given order: linear where they nearly are. */
void events_sort(const struct event_header **events, size_t count);

/* The duration of kinds that have one, else NULL. */
static inline uint64_t *event_duration(struct event_header *event)
{
	switch (event->kind) {
	case EVENT_SYSCALL:
	case EVENT_FILE_OPEN:
	case EVENT_FILE_LOOKUP:
	case EVENT_FILE_READ:
	case EVENT_FILE_WRITE:
	case EVENT_FILE_MAP:
	case EVENT_FAULT:
	case EVENT_INTERRUPT:
	case EVENT_SOCKET_ACCEPT:
	case EVENT_SOCKET_CONNECT:
	case EVENT_SOCKET_READ:
	case EVENT_SOCKET_WRITE:
	case EVENT_EXCEPTION:
	case EVENT_HOLD:
		return &((struct event_fault *)event)->duration_ns;
	default:
		return NULL;
	}
}
#define DURATION_IS_FIRST(name)                                                                                      \
	_Static_assert(offsetof(struct event_##name, duration_ns) == sizeof(struct event_header),                    \
		       "event_duration relies on duration_ns being the first field")
DURATION_IS_FIRST(syscall);
DURATION_IS_FIRST(file_open);
DURATION_IS_FIRST(file_lookup);
DURATION_IS_FIRST(file_read);
DURATION_IS_FIRST(file_write);
DURATION_IS_FIRST(file_map);
DURATION_IS_FIRST(fault);
DURATION_IS_FIRST(interrupt);
DURATION_IS_FIRST(socket_accept);
DURATION_IS_FIRST(socket_connect);
DURATION_IS_FIRST(socket_read);
DURATION_IS_FIRST(socket_write);
DURATION_IS_FIRST(exception);
DURATION_IS_FIRST(hold);
