/* The event table: every kind of record in a recording, its fields and their meaning.
 *
 * One row of EVENT_TABLE and one FIELDS_ list define a kind. From them come the enum, the C structs (BPF side and user
 * side alike), the size checks, the schema stored in each recording, the text form of a trace and the table in
 * docs/format.md. Adding a kind: a row here, a probe that emits it, a decoder in the model.
 *
 * Rules. Ids are explicit, never reused and never renumbered. Fields are 64-bit ones first, then 32-bit ones, so that a
 * record has no padding (asserted below). At most one variable part, `tail`, whose length is what `size` leaves.
 * `time_ns` is CLOCK_MONOTONIC; where a record has duration_ns the time is the END of what it describes.
 * `pid` is the thread group (the user's word), `tid` the thread. */
#pragma once

#ifndef __bpf__
#include <stddef.h>
#include <stdint.h>
typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int64_t i64;
typedef int32_t i32;
#endif

struct event_header {
	u64 time_ns;
	u32 pid;
	u32 tid;
	u16 kind;
	u16 cpu;
	u32 size; /* of the whole record: header, fields and tail */
};

/* Units: how a field is shown and coded. NS a duration or time, ADDRESS, BYTES, ID an identity (inode, socket,
 * device, stack), COUNT, CODE an enumeration or flag set, RESULT a system call's result (negative errno). */

/* ---- processes and threads ---- */
#define FIELDS_exec(F) F(u32, parent_pid, ID) F(u32, uid, ID)
#define FIELDS_fork(F) F(u32, child_pid, ID) F(u32, child_tid, ID)
#define FIELDS_exit(F) F(u32, status, CODE) F(u32, is_last_thread, CODE)
#define FIELDS_thread_name(F)

/* ---- system calls and files ---- */
#define FIELDS_syscall(F)                                                                                         \
	F(u64, duration_ns, NS) F(i64, result, RESULT) F(u64, argument0, ADDRESS) F(u64, argument1, ADDRESS)      \
		F(u64, argument2, ADDRESS) F(u32, number, CODE) F(u32, file_type, CODE)
#define FIELDS_file_open(F)                                                                                       \
	F(u64, duration_ns, NS) F(i64, result, RESULT) F(u64, inode, ID) F(u32, device, ID) F(u32, flags, CODE)   \
		F(u32, number, CODE) F(u32, path_flags, CODE)
#define FIELDS_file_lookup(F)                                                                                     \
	F(u64, duration_ns, NS) F(i64, result, RESULT) F(u32, number, CODE) F(u32, path_flags, CODE)
#define FIELDS_file_read(F)                                                                                       \
	F(u64, duration_ns, NS) F(i64, result, RESULT) F(u64, inode, ID) F(u64, offset, BYTES)                    \
		F(u64, length, BYTES) F(u32, device, ID) F(u32, descriptor, ID) F(u32, number, CODE)
#define FIELDS_file_write(F) FIELDS_file_read(F)
#define FIELDS_file_map(F)                                                                                        \
	F(u64, duration_ns, NS) F(i64, result, RESULT) F(u64, length, BYTES) F(u64, inode, ID)                    \
		F(u64, offset, BYTES) F(u32, device, ID) F(u32, protection, CODE) F(u32, flags, CODE)

/* ---- memory ---- */
#define FIELDS_fault(F)                                                                                           \
	F(u64, duration_ns, NS) F(u64, address, ADDRESS) F(u64, instruction, ADDRESS) F(u32, is_major, CODE)      \
		F(u32, flags, CODE)

/* ---- scheduling ---- */
#define FIELDS_switch_out(F)                                                                                      \
	F(u64, stack_id, ID) F(u64, user_address, ADDRESS) F(u32, state, CODE) F(u32, flags, CODE)                \
		F(u32, next_pid, ID) F(u32, next_tid, ID) F(u32, syscall_number, CODE)
#define FIELDS_switch_in(F) F(u32, previous_pid, ID) F(u32, previous_tid, ID) F(u32, previous_state, CODE)
#define FIELDS_wake(F) F(u32, target_pid, ID) F(u32, target_tid, ID) F(u32, context, CODE)
#define FIELDS_interrupt(F) F(u64, duration_ns, NS) F(u32, context, CODE) F(u32, number, CODE)

/* ---- sockets ---- */
#define FIELDS_socket_listen(F)                                                                                   \
	F(u64, socket, ID) F(i64, result, RESULT) F(u32, descriptor, ID) F(u32, port, ID) F(u32, family, CODE)
#define FIELDS_socket_ready(F) F(u64, socket, ID) F(u32, descriptor, ID) F(u32, port, ID) F(u32, number, CODE)
#define FIELDS_socket_accept(F)                                                                                   \
	F(u64, duration_ns, NS) F(i64, result, RESULT) F(u64, socket, ID) F(u32, port, ID) F(u32, peer_port, ID)  \
		F(u32, family, CODE) F(u32, number, CODE)
#define FIELDS_socket_connect(F)                                                                                  \
	F(u64, duration_ns, NS) F(i64, result, RESULT) F(u64, socket, ID) F(u32, descriptor, ID)                  \
		F(u32, family, CODE) F(u32, type, CODE) F(u32, peer_port, ID)
#define FIELDS_socket_arrival(F) F(u64, socket, ID) F(u32, length, BYTES) F(u32, port, ID) F(u32, peer_port, ID)
#define FIELDS_socket_read(F)                                                                                     \
	F(u64, duration_ns, NS) F(i64, result, RESULT) F(u64, socket, ID) F(u64, last_bytes, CODE)                \
		F(u32, descriptor, ID) F(u32, number, CODE) F(u32, flags, CODE) F(u32, port, ID)                  \
			F(u32, peer_port, ID)
#define FIELDS_socket_write(F) FIELDS_socket_read(F)
#define FIELDS_socket_close(F) F(u64, socket, ID) F(u32, port, ID)

/* ---- inside the JVM and the C++ runtime ---- */
#define FIELDS_jvm_state(F) F(u32, state, CODE)
#define FIELDS_exception(F)                                                                                       \
	F(u64, duration_ns, NS) F(u64, class_address, ADDRESS) F(u64, stack_id, ID) F(u64, stack_pointer, ADDRESS) \
		F(u32, count, COUNT) F(u32, flags, CODE)
#define FIELDS_native_throw(F) F(u64, object, ADDRESS) F(u64, stack_pointer, ADDRESS)
#define FIELDS_native_catch(F) F(u64, object, ADDRESS) F(u64, stack_pointer, ADDRESS)
#define FIELDS_throw(F)                                                                                           \
	F(u64, class_address, ADDRESS) F(u64, stack_id, ID) F(u64, stack_pointer, ADDRESS) F(u32, origin, CODE)   \
		F(u32, has_trace, CODE)
#define FIELDS_class_load(F) F(u64, stack_pointer, ADDRESS) F(u64, loader, ADDRESS) F(u64, stack_id, ID)
#define FIELDS_class_loaded(F) F(u64, stack_pointer, ADDRESS) F(u64, loader, ADDRESS) F(u32, is_shared, CODE)
#define FIELDS_class_parse(F) F(u64, stack_pointer, ADDRESS) F(u64, loader, ADDRESS)
#define FIELDS_class_link(F) F(u64, stack_pointer, ADDRESS) F(u64, class_address, ADDRESS)
#define FIELDS_class_init(F) F(u64, stack_pointer, ADDRESS) F(u64, loader, ADDRESS) F(u32, step, CODE)
#define FIELDS_class_return(F) F(u64, stack_pointer, ADDRESS)
#define FIELDS_compile(F)                                                                                         \
	F(u64, queue_wait_ns, NS) F(u32, step, CODE) F(u32, is_success, CODE) F(u32, level, CODE)
#define FIELDS_gc(F) F(u32, step, CODE) F(u32, is_full, CODE)
#define FIELDS_safepoint(F) F(u32, step, CODE)
#define FIELDS_vm_operation(F) F(u32, step, CODE) F(u32, mode, CODE)
#define FIELDS_java_thread(F) F(u64, java_id, ID) F(u32, step, CODE) F(u32, native_tid, ID)
#define FIELDS_deoptimize(F)                                                                                      \
	F(u64, stack_pointer, ADDRESS) F(u64, stack_id, ID) F(u32, reason, CODE) F(u32, action, CODE)
#define FIELDS_sample(F)                                                                                          \
	F(u64, address, ADDRESS) F(u64, stack_id, ID) F(u64, period_ns, NS) F(u64, stack_pointer, ADDRESS)        \
		F(u32, mode, CODE) F(u32, code, CODE)
#define FIELDS_stack(F) F(u64, stack_id, ID) F(u32, frame_count, COUNT) F(u32, flags, CODE)
#define FIELDS_vm_wait(F) F(u64, stack_pointer, ADDRESS) F(u64, object, ADDRESS) F(u32, reason, CODE)

/* ---- what the recorder adds from user space ---- */
#define FIELDS_run_text(F)
#define FIELDS_proc_text(F) F(u32, file, CODE) F(u32, moment, CODE)
#define FIELDS_client_request(F)                                                                                  \
	F(u64, start_ns, NS) F(u64, name_ns, NS) F(u64, connect_ns, NS) F(u64, tls_ns, NS) F(u64, wait_ns, NS)    \
		F(u64, receive_ns, NS) F(u64, total_ns, NS) F(u64, body_length, BYTES) F(u32, status, CODE)       \
			F(u32, local_port, ID) F(u32, error, CODE) F(u32, round, COUNT)
#define FIELDS_loss(F) F(u64, start_ns, NS) F(u64, end_ns, NS) F(u64, count, COUNT) F(u32, lost_kind, CODE)
#define FIELDS_kind_total(F) F(u64, count, COUNT) F(u64, sum_ns, NS) F(u32, counted_kind, CODE)
#define FIELDS_archive(F) F(u64, inode, ID) F(u32, device, ID) F(u32, flags, CODE)
#define FIELDS_frame_name(F) F(u64, method, ADDRESS) F(u64, code, ADDRESS) F(u64, at, ADDRESS) F(u32, type, CODE)
#define FIELDS_observed(F) F(u32, state, CODE)
#define FIELDS_stop_signal(F) F(u32, signal, CODE) F(u32, target_pid, ID)
#define FIELDS_hold(F) F(u64, duration_ns, NS) F(u32, reason, CODE)
#define FIELDS_residency(F)                                                                                       \
	F(u64, inode, ID) F(u64, pages, COUNT) F(u64, resident_pages, COUNT) F(u32, device, ID) F(u32, moment, CODE)
#define FIELDS_library(F) F(u64, inode, ID) F(u64, base_address, ADDRESS) F(u32, device, ID) F(u32, flags, CODE)
#define FIELDS_symbol(F) F(u64, address, ADDRESS) F(u64, length, BYTES)

/* E(id, NAME, name, tail, doc): `tail` names the variable part, or is "" where there is none. */
#define EVENT_TABLE(E)                                                                                               \
	E(1, EXEC, exec, "file name", "a process of the tree executed a program")                                    \
	E(2, FORK, fork, "", "a thread of the tree made a thread (child_pid == pid) or a process")                   \
	E(3, EXIT, exit, "", "a thread ended; status is the wait status of its process when it was the last")        \
	E(4, THREAD_NAME, thread_name, "name", "a thread (header tid) took a name, cut to 15 bytes by the kernel")   \
	E(5, SYSCALL, syscall, "", "a system call that no other kind describes")                                     \
	E(6, FILE_OPEN, file_open, "path, NUL, folder names upwards", "open, openat, openat2, creat")                \
	E(7, FILE_LOOKUP, file_lookup, "path, NUL, folder names upwards", "stat family, access, readlink")           \
	E(8, FILE_READ, file_read, "", "a read-family call on a regular file; offset is where it read")              \
	E(9, FILE_WRITE, file_write, "", "a write-family call on a regular file")                                    \
	E(10, FILE_MAP, file_map, "file's own name", "mmap; inode 0 for anonymous memory")                           \
	E(11, FAULT, fault, "", "a page fault of the tree was served")                                               \
	E(12, SWITCH_OUT, switch_out, "next thread's name if not of the tree", "a thread of the tree left the CPU")  \
	E(13, SWITCH_IN, switch_in, "previous thread's name if not of the tree", "a thread of the tree got the CPU") \
	E(14, WAKE, wake, "waker's name if not of the tree", "the header's thread woke target_tid of the tree")      \
	E(15, INTERRUPT, interrupt, "", "an interrupt was served on the time of a thread of the tree")               \
	E(20, SOCKET_LISTEN, socket_listen, "address", "listen() returned")                                          \
	E(21, SOCKET_READY, socket_ready, "", "a thread first waits on a listening socket")                          \
	E(22, SOCKET_ACCEPT, socket_accept, "peer address", "accept returned (result: the descriptor)")              \
	E(23, SOCKET_CONNECT, socket_connect, "peer address or path", "connect returned")                            \
	E(24, SOCKET_ARRIVAL, socket_arrival, "", "a segment with data reached a socket of the tree's port")         \
	E(25, SOCKET_READ, socket_read, "first bytes", "a read-family call on a socket")                             \
	E(26, SOCKET_WRITE, socket_write, "first bytes", "a write-family call on a socket")                          \
	E(27, SOCKET_CLOSE, socket_close, "", "the socket's connection ended")                                       \
	E(30, JVM_STATE, jvm_state, "", "the VM reached a state of its life")                                        \
	E(31, EXCEPTION, exception, "class name", "a Java stack trace was filled")                                   \
	E(32, NATIVE_THROW, native_throw, "type name, mangled", "__cxa_throw entered")                               \
	E(33, NATIVE_CATCH, native_catch, "", "__cxa_begin_catch entered")                                           \
	E(34, CLASS_LOAD, class_load, "class name", "the VM was asked for a class (begin)")                          \
	E(35, CLASS_LOADED, class_loaded, "class name", "a class was loaded")                                        \
	E(36, CLASS_PARSE, class_parse, "class name", "the VM parses a class file (begin)")                          \
	E(37, CLASS_LINK, class_link, "class name", "the VM links a class: verifies it first (begin)")                 \
	E(38, CLASS_INIT, class_init, "class name", "a step of a class's initialisation")                            \
	E(39, CLASS_RETURN, class_return, "", "what was begun for a class deeper in the stack ended")                \
	E(40, COMPILE, compile, "compiler, class, method, signature", "a compilation began or ended")                \
	E(41, GC, gc, "", "a collection began or ended")                                                             \
	E(42, SAFEPOINT, safepoint, "", "a safepoint step")                                                          \
	E(43, VM_OPERATION, vm_operation, "name", "a VM operation began or ended")                                   \
	E(44, JAVA_THREAD, java_thread, "name", "a Java thread started or stopped")                                  \
	E(45, DEOPTIMIZE, deoptimize, "", "compiled code was given up")                                              \
	E(46, SAMPLE, sample, "", "a thread of the tree was seen running")                                           \
	E(47, STACK, stack, "frames", "a call stack, once per stack_id; top frame first")                            \
	E(48, VM_WAIT, vm_wait, "", "a thread of the VM is about to wait (begin)")                                   \
	E(49, THROW, throw, "class name", "an exception was thrown for which no Java code filled a stack trace")     \
	E(60, RUN_TEXT, run_text, "key, NUL, value", "a fact about the run or the machine")                          \
	E(61, PROC_TEXT, proc_text, "text", "the text of a file under /proc or the cgroup at some moment")           \
	E(62, CLIENT_REQUEST, client_request, "method, NUL, URL", "a request as warmtrace's own client saw it")      \
	E(63, LOSS, loss, "", "records of lost_kind that could not be recorded in a stretch of time")                \
	E(64, KIND_TOTAL, kind_total, "", "what the kernel counted of a kind in this run")                           \
	E(65, ARCHIVE, archive, "path, NUL, packed entry table", "an archive's entries, see parse/zip.h")            \
	E(66, FRAME_NAME, frame_name, "class, NUL, method, NUL, file, NUL, line", "a frame's name")                  \
	E(67, OBSERVED, observed, "what, NUL, why", "whether something could be observed in this run")               \
	E(68, STOP_SIGNAL, stop_signal, "", "warmtrace sent a signal to end the command")                            \
	E(69, HOLD, hold, "", "warmtrace held a process for this long (to be taken off its times)")                  \
	E(70, RESIDENCY, residency, "path", "how much of a file was in the page cache")                              \
	E(71, LIBRARY, library, "path, NUL, build id", "a library that a process mapped")                            \
	E(72, SYMBOL, symbol, "name", "a native symbol that addresses of this recording fall into")

enum event_kind {
#define E(id, NAME, name, tail, doc) EVENT_##NAME = id,
	EVENT_TABLE(E)
#undef E
		EVENT_KIND_END = 128, /* ids are below this */
};

#define EVENT_FIELD_MEMBER(type, name, unit) type name;
#define E(id, NAME, name, tail_name, doc)           \
	struct event_##name {                       \
		struct event_header header;         \
		FIELDS_##name(EVENT_FIELD_MEMBER) char tail[]; \
	};
EVENT_TABLE(E)
#undef E

#define EVENT_FIELD_SIZE(type, name, unit) +sizeof(type)
#define E(id, NAME, name, tail_name, doc)                                                                      \
	_Static_assert(__builtin_offsetof(struct event_##name, tail) ==                                        \
			       sizeof(struct event_header) + 0 FIELDS_##name(EVENT_FIELD_SIZE),                 \
		       "event_" #name " has padding: put its 64-bit fields first");
EVENT_TABLE(E)
#undef E
#undef EVENT_FIELD_SIZE
#undef EVENT_FIELD_MEMBER

/* The largest record: a file_open with its longest path and folder names, or a stack. */
enum { EVENT_SIZE_MAX = 64 * 1024 * 1024 }; /* archive and proc_text records of user space; kernel records are < 16 KiB */

/* ---- codes ---- */

enum path_flag {
	PATH_TRUNCATED = 1,  /* longer than the record takes; the END of the path is kept */
	PATH_UNREADABLE = 2, /* the text could not be read, at entry and at exit */
	PATH_RELATIVE = 4,   /* folder names follow */
	PATH_BASE_CUT = 8,   /* more folders than the walk allows: the path's head is unknown */
};

enum switch_flag {
	SWITCH_IOWAIT = 1,
	SWITCH_THROTTLED = 2,
	SWITCH_PREEMPTED = 4,
};

/* On whose behalf a wakeup or an interrupt ran. */
enum context {
	CONTEXT_THREAD = 0, /* the header's thread itself */
	CONTEXT_TIMER = 1,
	CONTEXT_NETWORK = 2, /* network softirq, also when loopback runs it inside the sender's call */
	CONTEXT_DISK = 3,
	CONTEXT_INTERRUPT = 4, /* any other */
};

enum fault_flag {
	FAULT_NO_START = 1, /* the start was not seen: duration_ns is 0 and means unknown */
	FAULT_IN_KERNEL = 2, /* the kernel touched the page for the thread */
};

enum socket_flag {
	SOCKET_ACCEPTED = 1, /* a connection that the tree accepted */
	SOCKET_DATAGRAM = 2,
	SOCKET_LOCAL = 4, /* AF_UNIX */
	SOCKET_HEAD_CUT = 8, /* tail holds fewer bytes than were moved */
	SOCKET_PEEK = 16,
};

enum jvm_state {
	JVM_STATE_MAPPED = 1, /* libjvm mapped executable */
	JVM_STATE_CREATE = 2, /* JNI_CreateJavaVM entered */
	JVM_STATE_INIT_BEGIN = 3,
	JVM_STATE_INIT_END = 4,
	JVM_STATE_SHUTDOWN = 5,
	JVM_STATE_ABORT = 6,
};

enum step {
	STEP_BEGIN = 1,
	STEP_END = 2,
};

/* Steps of CLASS_INIT, in the order of HotSpot's hotspot:class__initialization__* probes. */
enum class_init_step {
	CLASS_INIT_REQUIRED = 1,
	CLASS_INIT_RECURSIVE = 2,
	CLASS_INIT_CONCURRENT = 3,
	CLASS_INIT_ERRONEOUS = 4,
	CLASS_INIT_SUPER_FAILED = 5,
	CLASS_INIT_CLINIT = 6, /* its static initialiser begins */
	CLASS_INIT_ERROR = 7,
	CLASS_INIT_END = 8,
};

enum sample_mode {
	SAMPLE_USER = 1,
	SAMPLE_KERNEL = 2,
};

/* What a sampled address, or the top frame of a stack, is. */
enum code_type {
	CODE_UNKNOWN = 0,
	CODE_INTERPRETED = 1,
	CODE_C1 = 2,
	CODE_C2 = 3,
	CODE_NATIVE_METHOD = 4, /* native code called by a Java native method */
	CODE_VM = 5,		/* libjvm */
	CODE_STUB = 6,
	CODE_NATIVE = 7, /* other native code */
	CODE_COMPILED = 8, /* compiled, by which compiler is not known */
};

/* Why a thread of the VM waits (VM_WAIT): which function of libjvm it entered. */
enum vm_wait_reason {
	VM_WAIT_MONITOR = 1,  /* ObjectMonitor::enter: a Java monitor */
	VM_WAIT_OBJECT = 2,   /* Object.wait */
	VM_WAIT_PARK = 3,     /* Unsafe.park */
	VM_WAIT_MUTEX = 4,    /* a VM mutex */
	VM_WAIT_SAFEPOINT = 5,
	VM_WAIT_COMPILE = 6,
	VM_WAIT_SLEEP = 7,
	VM_WAIT_ALLOCATION = 8,
	VM_WAIT_CLASS_INIT = 9,
};

enum proc_file {
	PROC_FILE_MAPS = 1,
	PROC_FILE_SMAPS = 2,
	PROC_FILE_STATUS = 3,
	PROC_FILE_CMDLINE = 4,
	PROC_FILE_ENVIRON = 5, /* JVM-related variables only, redacted */
	PROC_FILE_CPU_STAT = 6, /* of the cgroup */
	PROC_FILE_MEMORY_STAT = 7, /* lines "current N", "peak N", "limit N", "oom N", "oom_kill N", "max N" */
	PROC_FILE_LIMITS = 8,
	PROC_FILE_STAT = 9,
	PROC_FILE_MACHINE_STAT = 10, /* the first line of /proc/stat: all CPUs, in ticks of 10 ms */
};

enum moment {
	MOMENT_OTHER = 0,
	MOMENT_EXEC = 1,
	MOMENT_READY = 2,
	MOMENT_FIRST_REQUEST = 3,
	MOMENT_WARM = 4,
	MOMENT_EXIT = 5,
	MOMENT_MAPPED = 6, /* libjvm was mapped and the process is held */
};

enum observed_state {
	OBSERVED_NO = 0,
	OBSERVED_YES = 1,
	OBSERVED_PARTLY = 2,
};

enum hold_reason {
	HOLD_ATTACH = 1,
};

enum exception_flag {
	EXCEPTION_STACK_OF_EARLIER = 1, /* stack_id is that of an earlier one of its class with the same top frames */
	EXCEPTION_COUNTED = 2,		/* of a stretch of time in which the ring was full: duration_ns is their sum, time_ns the first's */
};

/* Where a THROW was seen. */
enum throw_origin {
	THROW_INTERPRETED = 1, /* in the first interpreted frame that it reached */
	THROW_BY_VM = 2,       /* as the VM threw it; has_trace: filled by the VM itself, or long ago by Java */
};

enum stack_flag {
	STACK_TRUNCATED = 1, /* more frames than were recorded */
	STACK_BROKEN = 2,    /* the walk could not go on: callers are missing */
	STACK_VIRTUAL = 4,   /* a virtual thread's frames, then those of its carrier from Continuation.enterSpecial on */
	STACK_FROZEN = 8,    /* some of the virtual thread's frames lay in the Java heap */
};

/* Bit 0 of an exception's stack_id: the stack is that of an earlier exception of the same class with the same top frames;
 * what lies further down may differ. The ids of STACK records are even. */
#define STACK_ID_BORROWED 1ull

/* One frame of a STACK record. */
struct stack_frame {
	u64 method; /* Method*, or the nmethod for compiled frames, 0 for native addresses */
	u64 at;	    /* interpreted: bytecode index; compiled and native: program counter */
	u32 type;   /* enum code_type */
	u32 cookie; /* compiled: compile id, so that a reused nmethod is recognised */
};
