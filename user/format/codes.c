#include "format/codes.h"

#include <string.h>

#include "base/auto.h"

static const struct code_name path_flags[] = {
	{PATH_TRUNCATED, "truncated"},
	{PATH_UNREADABLE, "unreadable"},
	{PATH_RELATIVE, "relative"},
	{PATH_BASE_CUT, "base_cut"},
};

static const struct code_name switch_flags[] = {
	{SWITCH_IOWAIT, "iowait"},
	{SWITCH_THROTTLED, "throttled"},
	{SWITCH_PREEMPTED, "preempted"},
};

/* The two low bits of the kernel's task state; 0 is runnable. */
static const struct code_name task_states[] = {
	{1, "interruptible"},
	{2, "uninterruptible"},
};

static const struct code_name contexts[] = {
	{CONTEXT_THREAD, "thread"}, {CONTEXT_TIMER, "timer"},	      {CONTEXT_NETWORK, "network"},
	{CONTEXT_DISK, "disk"},	    {CONTEXT_INTERRUPT, "interrupt"},
};

static const struct code_name fault_flags[] = {
	{FAULT_NO_START, "no_start"},
	{FAULT_IN_KERNEL, "in_kernel"},
};

static const struct code_name socket_flags[] = {
	{SOCKET_ACCEPTED, "accepted"}, {SOCKET_DATAGRAM, "datagram"}, {SOCKET_LOCAL, "local"},
	{SOCKET_HEAD_CUT, "head_cut"}, {SOCKET_PEEK, "peek"},
};

static const struct code_name jvm_states[] = {
	{JVM_STATE_MAPPED, "mapped"},	  {JVM_STATE_CREATE, "create"},	    {JVM_STATE_INIT_BEGIN, "init_begin"},
	{JVM_STATE_INIT_END, "init_end"}, {JVM_STATE_SHUTDOWN, "shutdown"}, {JVM_STATE_ABORT, "abort"},
};

static const struct code_name steps[] = {
	{STEP_BEGIN, "begin"},
	{STEP_END, "end"},
};

static const struct code_name class_init_steps[] = {
	{CLASS_INIT_REQUIRED, "required"},
	{CLASS_INIT_RECURSIVE, "recursive"},
	{CLASS_INIT_CONCURRENT, "concurrent"},
	{CLASS_INIT_ERRONEOUS, "erroneous"},
	{CLASS_INIT_SUPER_FAILED, "super_failed"},
	{CLASS_INIT_CLINIT, "clinit"},
	{CLASS_INIT_ERROR, "error"},
	{CLASS_INIT_END, "end"},
};

static const struct code_name sample_modes[] = {
	{SAMPLE_USER, "user"},
	{SAMPLE_KERNEL, "kernel"},
};

static const struct code_name code_types[] = {
	{CODE_UNKNOWN, "unknown"},
	{CODE_INTERPRETED, "interpreted"},
	{CODE_C1, "c1"},
	{CODE_C2, "c2"},
	{CODE_NATIVE_METHOD, "native_method"},
	{CODE_VM, "vm"},
	{CODE_STUB, "stub"},
	{CODE_NATIVE, "native"},
	{CODE_COMPILED, "compiled"},
};

static const struct code_name throw_origins[] = {{THROW_INTERPRETED, "interpreted"}, {THROW_BY_VM, "by_vm"}};
static const struct code_name vm_wait_reasons[] = {
	{VM_WAIT_MONITOR, "monitor"}, {VM_WAIT_OBJECT, "object"},	  {VM_WAIT_PARK, "park"},
	{VM_WAIT_MUTEX, "mutex"},     {VM_WAIT_SAFEPOINT, "safepoint"},	  {VM_WAIT_COMPILE, "compile"},
	{VM_WAIT_SLEEP, "sleep"},     {VM_WAIT_ALLOCATION, "allocation"}, {VM_WAIT_CLASS_INIT, "class_init"},
};

static const struct code_name proc_files[] = {
	{PROC_FILE_MAPS, "maps"},
	{PROC_FILE_SMAPS, "smaps"},
	{PROC_FILE_STATUS, "status"},
	{PROC_FILE_CMDLINE, "cmdline"},
	{PROC_FILE_ENVIRON, "environ"},
	{PROC_FILE_CPU_STAT, "cpu_stat"},
	{PROC_FILE_MEMORY_STAT, "memory_stat"},
	{PROC_FILE_LIMITS, "limits"},
	{PROC_FILE_STAT, "stat"},
	{PROC_FILE_MACHINE_STAT, "machine_stat"},
};

static const struct code_name moments[] = {
	{MOMENT_OTHER, "other"},   {MOMENT_EXEC, "exec"},
	{MOMENT_READY, "ready"},   {MOMENT_FIRST_REQUEST, "first_request"},
	{MOMENT_WARM, "warm"},	   {MOMENT_EXIT, "exit"},
	{MOMENT_MAPPED, "mapped"},
};

static const struct code_name observed_states[] = {
	{OBSERVED_NO, "no"},
	{OBSERVED_YES, "yes"},
	{OBSERVED_PARTLY, "partly"},
};

static const struct code_name hold_reasons[] = {
	{HOLD_ATTACH, "attach"},
};

static const struct code_name kind_names[] = {
#define E(id, NAME, name, tail, doc) {id, #name},
	EVENT_TABLE(E)
#undef E
};

/* Which field has which names: of one kind, or of every kind that has a field of that name. */
static const struct code_row {
	enum event_kind kind; /* 0: every */
	const char *field;
	struct code_table table;
} rows[] = {
#define ENUM(names)                                                                                                  \
	{                                                                                                            \
		false, array_length(names), names                                                                    \
	}
#define FLAGS(names)                                                                                                 \
	{                                                                                                            \
		true, array_length(names), names                                                                     \
	}
	{(enum event_kind)0, "path_flags", FLAGS(path_flags)},
	{EVENT_SWITCH_OUT, "flags", FLAGS(switch_flags)},
	{EVENT_SWITCH_OUT, "state", FLAGS(task_states)},
	{EVENT_SWITCH_IN, "previous_state", FLAGS(task_states)},
	{(enum event_kind)0, "context", ENUM(contexts)},
	{EVENT_FAULT, "flags", FLAGS(fault_flags)},
	{EVENT_SOCKET_READ, "flags", FLAGS(socket_flags)},
	{EVENT_SOCKET_WRITE, "flags", FLAGS(socket_flags)},
	{EVENT_JVM_STATE, "state", ENUM(jvm_states)},
	{EVENT_CLASS_INIT, "step", ENUM(class_init_steps)},
	{(enum event_kind)0, "step", ENUM(steps)},
	{EVENT_SAMPLE, "mode", ENUM(sample_modes)},
	{EVENT_SAMPLE, "code", ENUM(code_types)},
	{EVENT_FRAME_NAME, "type", ENUM(code_types)},
	{EVENT_VM_WAIT, "reason", ENUM(vm_wait_reasons)},
	{EVENT_THROW, "origin", ENUM(throw_origins)},
	{EVENT_PROC_TEXT, "file", ENUM(proc_files)},
	{(enum event_kind)0, "moment", ENUM(moments)},
	{EVENT_OBSERVED, "state", ENUM(observed_states)},
	{EVENT_HOLD, "reason", ENUM(hold_reasons)},
	{EVENT_LOSS, "lost_kind", ENUM(kind_names)},
	{EVENT_KIND_TOTAL, "counted_kind", ENUM(kind_names)},
#undef ENUM
#undef FLAGS
};

const struct code_table *codes_of_frame_type(void)
{
	static const struct code_table table = {false, array_length(code_types), code_types};

	return &table;
}

const struct code_table *codes_of(const struct schema_kind *kind, const struct schema_field *field)
{
	if (field->unit != UNIT_CODE)
		return NULL;
	for (size_t i = 0; i < array_length(rows); i++)
		if ((!rows[i].kind || rows[i].kind == kind->id) && strcmp(rows[i].field, field->name) == 0)
			return &rows[i].table;
	return NULL;
}

const char *code_name(const struct code_table *table, uint64_t value)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->names[i].value == value)
			return table->names[i].name;
	return NULL;
}

bool code_value(const struct code_table *table, const char *name, size_t length, uint64_t *ret_value)
{
	for (size_t i = 0; i < table->count; i++)
		/* A name from outside may hold a NUL, so its length decides first. */
		if (strlen(table->names[i].name) == length && memcmp(table->names[i].name, name, length) == 0) {
			*ret_value = table->names[i].value;
			return true;
		}
	return false;
}
