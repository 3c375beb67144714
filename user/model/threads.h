/* Processes and threads of the tree: who made whom, their names over time, and what each did.
 *
 * A thread is one life of a thread id: where the kernel gave an id again, there are two threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

#include "model/schedule.h"
#include "model/spans.h"

struct model;

struct thread_name {
	uint64_t time_ns; /* from when on */
	uint32_t thread;
	uint32_t name;	   /* string id */
	uint32_t previous; /* the same thread's entry before it, or NO_INDEX */
	bool is_java_name; /* from the JVM (whole), else the kernel's (cut to 15 bytes) */
};

struct thread {
	uint32_t pid, tid;
	uint32_t process;			      /* index */
	uint32_t previous_life;			      /* the thread that had this id before, or NO_INDEX */
	uint32_t creator;			      /* thread that forked it, or NO_INDEX */
	uint32_t fork_event;			      /* or NO_INDEX */
	uint32_t name, java_name;		      /* the last of each, 0 where none */
	uint32_t last_name;			      /* its last entry in model_threads.names, or NO_INDEX */
	uint64_t created_ns;			      /* fork, or its first event */
	uint64_t ended_ns;			      /* 0: it was not seen ending */
	bool is_start_known;			      /* created_ns is its fork or its process's exec */
	bool is_java;				      /* a Java thread by the JVM's own word (JAVA_THREAD) */
	bool has_compiled, has_vm_operations, has_gc; /* such work of the JVM was seen on it */
	struct intervals intervals;		      /* schedule.h, by time, without gap from its first event on */
	struct spans spans;			      /* spans.h, by start, outer before inner */
	struct thread_events samples, vm_waits;	      /* event indices by time */
};

struct process {
	uint32_t pid, parent_pid;
	uint32_t parent;			/* process index or NO_INDEX */
	uint32_t main_thread;			/* thread index, NO_INDEX where it was never seen */
	uint32_t program;			/* string id of the program last executed (EXEC tail), 0 unknown */
	uint64_t created_ns, exec_ns, ended_ns; /* 0: not seen */
	uint32_t exit_status;			/* wait status; valid where ended_ns is not 0 */
	bool is_jvm;				/* it mapped libjvm or sent any event of the JVM */
	uint64_t jvm_mapped_ns, jvm_create_ns, jvm_init_begin_ns, jvm_init_end_ns, jvm_shutdown_ns; /* 0: not seen */
	bool has_aborted; /* JVM_STATE_ABORT */
};

struct model_threads {
	VEC(struct thread) list;
	VEC(struct process) processes; /* at least one */
	VEC(struct thread_name) names;	   /* by time */
	struct map by_tid, process_by_pid; /* the last life of an id; earlier ones are reached by the next */
	bool has_schedule;		   /* any switch was recorded */
	uint32_t command_process;	   /* index: the command itself */
};

/* The life of `tid` at a time, or NO_INDEX. */
uint32_t model_thread_at(const struct model *model, uint32_t tid, uint64_t time_ns);
uint32_t model_process_of(const struct model *model, uint32_t pid); /* its last life, or NO_INDEX */

/* The best name at a time: the JVM's, else the kernel's, else "". */
const char *model_thread_name(const struct model *model, uint32_t thread, uint64_t time_ns);

/* CPU time of a thread in [start, end): the length of its running intervals there. */
uint64_t model_thread_cpu_ns(const struct model *model, uint32_t thread, uint64_t start_ns, uint64_t end_ns);
