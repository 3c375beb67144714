#include "record/jvm_sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "bpf/config.h"
#include "bpf/events.h"
#include "parse/instruction.h"
#include "parse/usdt.h"

enum source {
	SOURCE_USDT,   /* "provider:name" */
	SOURCE_SYMBOL, /* a mangled name's beginning, up to where JDKs differ */
	SOURCE_RETURN, /* the return of the function of that name */
	/* "caller callee": in the caller, behind each call of the callee. A return probe would rewrite the return address on a
	 * stack that HotSpot's own walker reads. */
	SOURCE_AFTER_CALL,
};

enum { NO_ARGUMENT = -1 };

/* One row per site. `first`, `second` and `third` are the function's parameters that the program reads as its arguments 0 to 2. */
static const struct site_row {
	int library;
	const char *program;
	enum source source;
	const char *place;
	uint32_t kind;
	int first, second, third;
	const char *what;
} rows[] = {
	{JVM_SITES, "jvm_state", SOURCE_SYMBOL, "JNI_CreateJavaVM", JVM_STATE_CREATE, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "jvm_milestones"},
	{JVM_SITES, "jvm_state", SOURCE_USDT, "hotspot:vm__init__begin", JVM_STATE_INIT_BEGIN, 0, 0, NO_ARGUMENT, "jvm_milestones"},
	{JVM_SITES, "jvm_state", SOURCE_USDT, "hotspot:vm__init__end", JVM_STATE_INIT_END, 0, 0, NO_ARGUMENT, "jvm_milestones"},
	{JVM_SITES, "jvm_state", SOURCE_USDT, "hotspot:vm__shutdown", JVM_STATE_SHUTDOWN, 0, 0, NO_ARGUMENT, "jvm_milestones"},
	{JVM_SITES, "jvm_state", SOURCE_SYMBOL, "_ZN2os5abortEb", JVM_STATE_ABORT, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, NULL},
	{JVM_SITES, "jvm_thread_known", SOURCE_SYMBOL, "_ZN10JavaThread3runEv", 0, 0, NO_ARGUMENT, NO_ARGUMENT, "java_stacks"},
	{JVM_SITES, "jvm_thread_known", SOURCE_SYMBOL, "_ZN2os22create_attached_threadEP10JavaThread", 0, 0, NO_ARGUMENT, NO_ARGUMENT, "java_stacks"},
	{JVM_SITES, "jvm_thread", SOURCE_USDT, "hotspot:thread__start", STEP_BEGIN, 0, 0, NO_ARGUMENT, "java_threads"},
	{JVM_SITES, "jvm_thread", SOURCE_USDT, "hotspot:thread__stop", STEP_END, 0, 0, NO_ARGUMENT, "java_threads"},
	{JVM_SITES, "jvm_exception_begin", SOURCE_SYMBOL, "JVM_FillInStackTrace", 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "exceptions"},
	{JVM_SITES, "jvm_exception_end", SOURCE_RETURN, "JVM_FillInStackTrace", 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "exceptions"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN18InterpreterRuntime31exception_handler_for_exceptionE", WALKING_THROW_INTERPRETED, 0, 1, NO_ARGUMENT, "exceptions_without_trace"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN10Exceptions6_throwE", WALKING_THROW_BY_VM, 0, 3, NO_ARGUMENT, "exceptions_without_trace"},
	{JVM_SITES, "jvm_class_loaded", SOURCE_USDT, "hotspot:class__loaded", 0, 0, 0, NO_ARGUMENT, "class_loading"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN16SystemDictionary19load_instance_classEP6Symbol6Handle", WALKING_CLASS_LOAD, 0, 1, 2, "class_find"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN16SystemDictionary19load_instance_classEjP6Symbol6Handle", WALKING_CLASS_LOAD, 1, 2, 3, "class_find"},
	{JVM_SITES, "jvm_class_parse", SOURCE_SYMBOL, "_ZN12KlassFactory18create_from_streamEP15ClassFileStreamP6SymbolP15ClassLoaderData", 0, 1, 2, NO_ARGUMENT, "class_parse"},
	{JVM_SITES, "jvm_class_link", SOURCE_SYMBOL, "_ZN8Verifier6verifyEP13InstanceKlass", 0, 0, NO_ARGUMENT, NO_ARGUMENT, "class_link"},
	{JVM_SITES, "jvm_class_return", SOURCE_AFTER_CALL, "_ZN16SystemDictionary30resolve_instance_class_or_nullE _ZN16SystemDictionary19load_instance_classE", CLASS_RETURN_OF_LOAD, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "class_find_ends"},
	{JVM_SITES, "jvm_class_return", SOURCE_SYMBOL, "_ZN13InstanceKlass12link_methodsEP", CLASS_RETURN_OF_LINK, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, NULL},
	{JVM_SITES, "jvm_class_init", SOURCE_USDT, "hotspot:class__initialization__concurrent", CLASS_INIT_CONCURRENT, 0, 0, NO_ARGUMENT, "class_init"},
	{JVM_SITES, "jvm_class_init", SOURCE_USDT, "hotspot:class__initialization__clinit", CLASS_INIT_CLINIT, 0, 0, NO_ARGUMENT, "class_init"},
	{JVM_SITES, "jvm_class_init", SOURCE_USDT, "hotspot:class__initialization__error", CLASS_INIT_ERROR, 0, 0, NO_ARGUMENT, "class_init"},
	{JVM_SITES, "jvm_class_init", SOURCE_USDT, "hotspot:class__initialization__end", CLASS_INIT_END, 0, 0, NO_ARGUMENT, "class_init"},
	{JVM_SITES, "jvm_compile", SOURCE_USDT, "hotspot:method__compile__begin", STEP_BEGIN, 0, 0, NO_ARGUMENT, "jit"},
	{JVM_SITES, "jvm_compile", SOURCE_USDT, "hotspot:method__compile__end", STEP_END, 0, 0, NO_ARGUMENT, "jit"},
	{JVM_SITES, "jvm_compile_queued", SOURCE_SYMBOL, "_ZN12CompileQueue3addEP11CompileTask", 0, 1, NO_ARGUMENT, NO_ARGUMENT, "jit_queue_wait"},
	{JVM_SITES, "jvm_compile_taken", SOURCE_SYMBOL, "_ZN13CompileBroker25invoke_compiler_on_methodEP11CompileTask", 0, 0, NO_ARGUMENT, NO_ARGUMENT, "jit_queue_wait"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN14Deoptimization13uncommon_trapEP10JavaThread", WALKING_DEOPTIMIZE, 0, 1, NO_ARGUMENT, "deoptimization"},
	{JVM_SITES, "jvm_gc", SOURCE_USDT, "hotspot:gc__begin", STEP_BEGIN, 0, 0, NO_ARGUMENT, "gc"},
	{JVM_SITES, "jvm_gc", SOURCE_USDT, "hotspot:gc__end", STEP_END, 0, 0, NO_ARGUMENT, "gc"},
	{JVM_SITES, "jvm_safepoint", SOURCE_USDT, "hs_private:safepoint__begin", STEP_BEGIN, 0, 0, NO_ARGUMENT, "safepoints"},
	{JVM_SITES, "jvm_safepoint", SOURCE_USDT, "hs_private:safepoint__end", STEP_END, 0, 0, NO_ARGUMENT, "safepoints"},
	{JVM_SITES, "jvm_vm_operation", SOURCE_USDT, "hotspot:vmops__begin", STEP_BEGIN, 0, 0, NO_ARGUMENT, "vm_operations"},
	{JVM_SITES, "jvm_vm_operation", SOURCE_USDT, "hotspot:vmops__end", STEP_END, 0, 0, NO_ARGUMENT, "vm_operations"},
	{JVM_SITES, "jvm_walking", SOURCE_USDT, "hotspot:thread__park__begin", VM_WAIT_PARK, 0, 0, NO_ARGUMENT, "vm_waits"},
	{JVM_SITES, "jvm_walking", SOURCE_USDT, "hotspot:thread__sleep__begin", VM_WAIT_SLEEP, 0, 0, NO_ARGUMENT, "vm_waits"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN13ObjectMonitor6EnterIE", VM_WAIT_MONITOR, 0, NO_ARGUMENT, NO_ARGUMENT, "vm_waits"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN13ObjectMonitor14enter_internalEP10JavaThread", VM_WAIT_MONITOR, 0, NO_ARGUMENT, NO_ARGUMENT, "vm_waits"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN13ObjectMonitor4waitE", VM_WAIT_OBJECT, 0, NO_ARGUMENT, NO_ARGUMENT, "vm_waits"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN5Mutex14lock_contendedEP6Thread", VM_WAIT_MUTEX, 0, NO_ARGUMENT, NO_ARGUMENT, "vm_waits"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN20SafepointSynchronize5blockEP10JavaThread", VM_WAIT_SAFEPOINT, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "vm_waits"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN13CompileBroker19wait_for_completionEP11CompileTask", VM_WAIT_COMPILE, 0, NO_ARGUMENT, NO_ARGUMENT, "vm_waits"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN14ZPageAllocator16alloc_page_stallE", VM_WAIT_ALLOCATION, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "allocation_stalls"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN23ShenandoahControlThread20handle_alloc_failureE", VM_WAIT_ALLOCATION, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "allocation_stalls"},
	{JVM_SITES, "jvm_walking", SOURCE_SYMBOL, "_ZN20ShenandoahController20handle_alloc_failureE", VM_WAIT_ALLOCATION, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "allocation_stalls"},
	{CXX_SITES, "native_throw", SOURCE_SYMBOL, "__cxa_throw", 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "native_exceptions"},
	{CXX_SITES, "native_catch", SOURCE_SYMBOL, "__cxa_begin_catch", 0, NO_ARGUMENT, NO_ARGUMENT, NO_ARGUMENT, "native_exceptions"},
};

/* Alternatives of one program serve the same purpose: only when none is there is something missing. */
static bool has_program(const struct probe_sites *sites, const char *program, uint32_t kind)
{
	for vec_each(site, &sites->items)
		if (strcmp(site->program, program) == 0 && site->spec.kind == kind)
			return true;
	return false;
}

static void add_missing(struct probe_sites *sites, const char *what, const char *format, const char *place)
{
	if (!what)
		return;
	for (size_t i = 0; i < sites->missing_count; i++)
		if (strcmp(sites->missing[i].what, what) == 0)
			return;
	if (sites->missing_count == array_length(sites->missing))
		return;
	sites->missing[sites->missing_count].what = what;
	snprintf(sites->missing[sites->missing_count].why, sizeof(sites->missing[0].why), format, place);
	sites->missing_count++;
}

/* ---- function entries ---- */

static const uint8_t x86_parameters[] = {PT_X86_RDI, PT_X86_RSI, PT_X86_RDX, PT_X86_RCX, PT_X86_R8, PT_X86_R9};

static void set_parameter(struct usdt_site_spec *spec, enum elf_machine machine, int index, int parameter)
{
	if (parameter == NO_ARGUMENT)
		return;
	spec->arguments[index] = (struct usdt_argument_spec){
		.kind = USDT_ARGUMENT_REGISTER,
		.register_offset = machine == ELF_X86_64 ? x86_parameters[parameter]
							 : (uint8_t)(PT_ARM64_X0 + 8 * parameter),
		.size = 8,
	};
	spec->argument_count = (uint32_t)index + 1;
}

static void add_function(struct elf_file *file, const struct site_row *row, const struct elf_symbol *symbol,
			 struct probe_sites *sites)
{
	enum elf_machine machine = elf_info(file)->machine;
	uint8_t code[32];
	size_t length = 0, shift = 0;
	struct err *err = elf_read_address(file, symbol->address, code, sizeof(code), &length);

	if (err) {
		err_free(err);
		add_missing(sites, row->what, "the code of %s cannot be read", row->place);
		return;
	}
	if (instruction_probe_offset(machine, code, length, &shift) != INSTRUCTION_EMULATED) {
		add_missing(sites, row->what, "%s begins with an instruction that is too slow to probe", row->place);
		return;
	}

	struct probe_site *site = vec_push(&sites->items);

	/* A return probe rewrites the return address, which must be on top of the stack: it sits at the very entry. */
	site->program = row->program;
	site->what = row->what;
	site->file_offset = symbol->file_offset + shift;
	site->is_return = row->source == SOURCE_RETURN;
	site->spec.kind = row->kind;
	set_parameter(&site->spec, machine, 0, row->first);
	set_parameter(&site->spec, machine, 1, row->second);
	set_parameter(&site->spec, machine, 2, row->third);
}

/* ---- behind calls ---- */

enum { FUNCTION_BYTES_MAX = 65536, CALLS_MAX = 8 };

/* Of a SOURCE_AFTER_CALL row, as far as they were met. */
struct call {
	const struct site_row *row;
	struct elf_symbol caller;
	uint64_t callee_address;
};

static bool is_beginning(const char *name, const char *beginning, size_t length)
{
	return strncmp(name, beginning, length) == 0 && !strstr(name, ".cold") && !strstr(name, ".part");
}

static void see_caller_or_callee(struct call *call, const struct elf_symbol *symbol)
{
	const char *caller = call->row->place, *callee = strchr(caller, ' ') + 1;

	if (!call->caller.address && is_beginning(symbol->name, caller, (size_t)(callee - 1 - caller)))
		call->caller = *symbol;
	else if (!call->callee_address && is_beginning(symbol->name, callee, strlen(callee)))
		call->callee_address = symbol->address;
}

static void add_after_calls(struct elf_file *file, const struct call *call, struct probe_sites *sites)
{
	enum elf_machine machine = elf_info(file)->machine;
	uint64_t length_bytes = call->caller.length_bytes;
	size_t offsets[CALLS_MAX], count = 0, read_bytes = 0;

	if (!call->callee_address || !length_bytes || length_bytes > FUNCTION_BYTES_MAX)
		return;

	auto_free uint8_t *code = malloc(length_bytes);

	if (!code)
		memory_exhausted();

	struct err *err = elf_read_address(file, call->caller.address, code, length_bytes, &read_bytes);

	if (!err && read_bytes == length_bytes)
		count = instruction_after_calls(machine, code, length_bytes, call->caller.address, call->callee_address,
						offsets, array_length(offsets));
	err_free(err);
	for (size_t i = 0; i < count; i++) {
		struct probe_site *site = vec_push(&sites->items);

		site->program = call->row->program;
		site->what = call->row->what;
		site->file_offset = call->caller.file_offset + offsets[i];
		site->spec.kind = call->row->kind;
	}
}

/* ---- symbols ---- */

struct symbol_search {
	struct elf_file *file;
	int library;
	struct probe_sites *sites;
	struct call calls[4];
	size_t call_count;
};

static bool see_symbol(void *context, const struct elf_symbol *symbol)
{
	struct symbol_search *search = context;

	if (!symbol->section || symbol->file_offset == UINT64_MAX)
		return true;
	for (size_t i = 0; i < search->call_count; i++)
		see_caller_or_callee(&search->calls[i], symbol);
	for (size_t i = 0; i < array_length(rows); i++) {
		const struct site_row *row = &rows[i];

		if (row->library != search->library || row->source == SOURCE_USDT || row->source == SOURCE_AFTER_CALL ||
		    !is_beginning(symbol->name, row->place, strlen(row->place)))
			continue;
		/* C names must match whole; mangled ones go on with parameters, and ".cold" parts are no entries. */
		if ((row->place[0] != '_' || row->place[1] == '_') && strcmp(symbol->name, row->place) != 0)
			continue;
		bool is_known = false;

		for vec_each(site, &search->sites->items)
			is_known |= strcmp(site->program, row->program) == 0 && site->file_offset == symbol->file_offset &&
				    site->is_return == (row->source == SOURCE_RETURN);
		/* The same place after an endbr64 is known under its shifted offset. */
		for vec_each(site, &search->sites->items)
			is_known |= strcmp(site->program, row->program) == 0 &&
				    site->file_offset == symbol->file_offset + 4 &&
				    site->is_return == (row->source == SOURCE_RETURN);
		if (!is_known)
			add_function(search->file, row, symbol, search->sites);
	}
	return true;
}

/* ---- USDT ---- */

static void add_usdt(struct elf_file *file, const struct usdt_notes *notes, const struct site_row *row,
		     struct probe_sites *sites)
{
	const char *colon = strchr(row->place, ':');
	size_t provider_length = (size_t)(colon - row->place);

	for (size_t i = 0; i < notes->count; i++) {
		const struct usdt_note *note = &notes->items[i];
		struct usdt_site_spec spec;

		if (strncmp(note->provider, row->place, provider_length) != 0 || note->provider[provider_length] ||
		    strcmp(note->name, colon + 1) != 0)
			continue;
		if (note->file_offset == UINT64_MAX ||
		    !usdt_arguments_parse(note->arguments, elf_info(file)->machine, &spec)) {
			add_missing(sites, row->what, "the place or arguments of %s are not understood", row->place);
			continue;
		}

		struct probe_site *site = vec_push(&sites->items);

		site->program = row->program;
		site->what = row->what;
		site->file_offset = note->file_offset;
		site->spec = spec;
		site->spec.kind = row->kind;
	}
}

static void add_all_missing(struct elf_file *file, int library, struct probe_sites *sites)
{
	for (size_t i = 0; i < array_length(rows); i++) {
		const struct site_row *row = &rows[i];

		if (row->library != library || has_program(sites, row->program, row->kind))
			continue;
		if (row->source == SOURCE_USDT)
			add_missing(sites, row->what, elf_info(file)->has_usdt ? "libjvm has no probe %s"
									       : "libjvm has no USDT notes (%s)",
				    row->place);
		else if (row->source == SOURCE_AFTER_CALL && elf_info(file)->has_symtab)
			add_missing(sites, row->what, "no place behind the calls of %s can be probed", row->place);
		else
			add_missing(sites, row->what, elf_info(file)->has_symtab ? "libjvm has no function %s"
										 : "libjvm is stripped: no symbol %s",
				    row->place);
	}
}

struct err *probe_sites_find(struct elf_file *file, int library, struct probe_sites *ret_sites)
{
	struct symbol_search search = {.file = file, .library = library, .sites = ret_sites};
	struct usdt_notes notes auto_done(usdt_notes_done) = {};

	*ret_sites = (struct probe_sites){};
	if (library == JVM_SITES) {
		TRY(usdt_notes_read(file, &notes));
		for (size_t i = 0; i < array_length(rows); i++)
			if (rows[i].library == library && rows[i].source == SOURCE_USDT)
				add_usdt(file, &notes, &rows[i], ret_sites);
	}
	for (size_t i = 0; i < array_length(rows) && search.call_count < array_length(search.calls); i++)
		if (rows[i].library == library && rows[i].source == SOURCE_AFTER_CALL)
			search.calls[search.call_count++].row = &rows[i];
	TRY(elf_each_symbol(file, see_symbol, &search));
	for (size_t i = 0; i < search.call_count; i++)
		add_after_calls(file, &search.calls[i], ret_sites);
	add_all_missing(file, library, ret_sites);
	return NULL;
}

void probe_sites_done(struct probe_sites *sites)
{
	vec_done(&sites->items);
}
