/* BPF side only: what is done at sites of libjvm where a Java stack is walked. They share one program (jvm_walking), since the
 * verifier goes through the walk once for each program that has it, which takes 12 ms before exec. All for the current thread;
 * `stack_pointer` is that of the site, where the thread stands. */
#pragma once

#include "bpf/core.bpf.h"

/* Entry of SystemDictionary's loading function: the name's Symbol*, the loader's handle. */
int class_load_begin(u64 symbol, u64 loader, u64 java_thread, u64 stack_pointer);

/* Entry of Deoptimization::uncommon_trap: compiled code has met what it was not made for. */
int deoptimize_begin(u64 java_thread, u64 request, u64 stack_pointer);

/* Entry of InterpreterRuntime::exception_handler_for_exception. */
int throw_interpreted(u64 java_thread, u64 object, u64 stack_pointer);

/* Entry of Exceptions::_throw: the handle is a pointer to the object's place. */
int throw_by_vm(u64 java_thread, u64 handle, u64 stack_pointer);

/* Entry of a function in which a thread is about to wait (enum vm_wait_reason). */
int wait_begin(u32 reason, u64 object, u64 stack_pointer);
