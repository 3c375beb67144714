/* The cause tree's leaves (docs: what each means and what proves it). Order is the order of ties in reports.
 *
 * fault causes exist once per mapping kind: cause_fault(is_major, kind). */
#pragma once

#include <stdbool.h>

/* M(NAME, "json name", "words for people") */
#define MAPPING_KIND_TABLE(M)                        \
	M(HEAP, "heap", "Java heap")                 \
	M(METASPACE, "metaspace", "metaspace")       \
	M(CLASS_SPACE, "class_space", "class space") \
	M(CODE_CACHE, "code_cache", "code cache")    \
	M(CDS, "cds", "CDS archive")                 \
	M(AOT, "aot", "AOT cache")                   \
	M(LIBRARY, "library", "shared library")      \
	M(JAR, "jar", "jar")                         \
	M(STACK, "stack", "thread stack")            \
	M(MALLOC, "malloc", "malloc and other anonymous memory") \
	M(GC, "gc", "GC tables")                     \
	M(FILE, "file", "other file")                \
	M(OTHER, "other", "other")

enum mapping_kind {
#define M(NAME, name, words) MAPPING_##NAME,
	MAPPING_KIND_TABLE(M)
#undef M
		MAPPING_KIND_COUNT
};

/* C(NAME, "json name", "words for people") */
#define CAUSE_TABLE(C)                                                                 \
	C(CODE_INTERPRETED, "code.interpreted", "Java code, interpreted")              \
	C(CODE_C1, "code.c1", "Java code, compiled by C1")                             \
	C(CODE_C2, "code.c2", "Java code, compiled by C2")                             \
	C(CODE_NATIVE_METHOD, "code.native_method", "native methods of Java classes")  \
	C(CODE_VM, "code.vm", "inside the JVM")                                        \
	C(CODE_NATIVE, "code.native", "native code")                                   \
	C(CODE_UNSPLIT, "code.unsplit", "running code, not split further")             \
	C(CLASS_FIND, "class.find", "finding classes (class path, loaders)")           \
	C(CLASS_READ, "class.read", "reading classes from jars")                       \
	C(CLASS_PARSE, "class.parse", "parsing and defining classes")                  \
	C(CLASS_LINK, "class.link", "linking and verifying classes")                   \
	C(CLASS_INIT, "class.init", "static initialisers")                             \
	C(EXCEPTION_FILL, "exception.fill", "filling exceptions' stack traces")        \
	C(EXCEPTION_NATIVE, "exception.native", "native exceptions, throw to catch")   \
	C(FILE_OPEN, "file.open", "opening files")                                     \
	C(FILE_LOOKUP, "file.lookup", "looking files up")                              \
	C(FILE_READ, "file.read", "reading files")                                     \
	C(FILE_WRITE, "file.write", "writing files")                                   \
	C(FILE_MAP, "file.map", "mapping memory and files")                            \
	C(FILE_CLOSE, "file.close", "closing files")                                   \
	C(JIT_WAIT, "jit.wait", "waiting for a compilation")                           \
	C(JIT_DEOPT, "jit.deopt", "deoptimisation")                                    \
	C(GC_PAUSE, "gc.pause", "stopped for a collection")                            \
	C(GC_STALL, "gc.stall", "stalled on an allocation")                            \
	C(SAFEPOINT_WAIT, "safepoint.wait", "stopped for a safepoint")                 \
	C(LOCK_MONITOR, "lock.monitor", "waiting for a Java monitor")                  \
	C(LOCK_PARK, "lock.park", "parked")                                            \
	C(LOCK_VM, "lock.vm", "waiting for a mutex of the VM")                         \
	C(WAIT_DISK, "wait.disk", "waiting for the disk")                              \
	C(WAIT_NETWORK, "wait.network", "waiting for the network")                     \
	C(WAIT_NAME, "wait.name", "waiting for a name look-up")                        \
	C(WAIT_CLIENT, "wait.client", "waiting for the client")                        \
	C(WAIT_TIMER, "wait.timer", "sleeping")                                        \
	C(WAIT_CHILD, "wait.child", "waiting for a child process")                     \
	C(WAIT_PIPE, "wait.pipe", "waiting for a pipe")                                \
	C(WAIT_RANDOM, "wait.random", "waiting for the random source")                 \
	C(WAIT_OTHER, "wait.other", "waiting for something else")                      \
	C(CPU_RUNNABLE, "cpu.runnable", "ready to run, but the CPU was taken")         \
	C(CPU_THROTTLED, "cpu.throttled", "throttled by the CPU quota")                \
	C(CPU_STOLEN, "cpu.stolen", "CPU taken by the hypervisor")                     \
	C(KERNEL_SYSCALL, "kernel.syscall", "other system calls")                      \
	C(KERNEL_INTERRUPT, "kernel.interrupt", "interrupts")                          \
	C(UNEXPLAINED, "unexplained", "not explained")

enum cause {
#define C(NAME, name, words) CAUSE_##NAME,
	CAUSE_TABLE(C)
#undef C
		CAUSE_FAULT_MINOR,
	CAUSE_FAULT_MAJOR = CAUSE_FAULT_MINOR + MAPPING_KIND_COUNT,
	CAUSE_COUNT = CAUSE_FAULT_MAJOR + MAPPING_KIND_COUNT
};

static inline enum cause cause_fault(bool is_major, enum mapping_kind kind)
{
	return (enum cause)((is_major ? CAUSE_FAULT_MAJOR : CAUSE_FAULT_MINOR) + (int)kind);
}

const char *cause_name(enum cause cause);  /* interface.md's name, e.g. "fault.minor.heap" */
const char *cause_words(enum cause cause); /* for people */
bool cause_from_name(const char *name, enum cause *ret_cause);
const char *mapping_kind_name(enum mapping_kind kind);
