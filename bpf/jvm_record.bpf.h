/* BPF side only: how the probes of libjvm make records whose tails are texts of the VM's. */
#pragma once

#include "bpf/java_stack.bpf.h"
#include "bpf/site.bpf.h"

enum { NAME_BYTES = 256 };

/* Starts a record with a variable tail in the probes' scratch place. */
#define begin_record(name, NAME, thread)                                                                       \
	({                                                                                                     \
		struct event_##name *begun_ = scratch_at(1);                                                   \
		if (begun_)                                                                                    \
			fill_header(&begun_->header, EVENT_##NAME, 0, bpf_ktime_get_ns(), (thread)->pid, current_tid()); \
		begun_;                                                                                        \
	})

/* A text of known length in user memory, at `offset` of the record; returns the offset behind it. */
static __always_inline u32 append_text(void *record, u32 offset, u64 text, u64 length)
{
	length = length < NAME_BYTES ? length : NAME_BYTES - 1;
	offset = bounded(offset, 4095);
	if (!text || !length || bpf_probe_read_user((char *)record + offset, bounded((u32)length, NAME_BYTES - 1),
						    (void *)text) != 0)
		return offset;
	return offset + (u32)length;
}

static __always_inline u32 append_nul(void *record, u32 offset)
{
	offset = bounded(offset, 4095);
	((char *)record)[offset] = 0;
	return offset + 1;
}

static __always_inline u32 append_symbol(void *record, u32 offset, u64 symbol)
{
	struct hotspot_process *process = java_process_of_current();

	if (!process)
		return offset;
	return offset + java_symbol_read(process, symbol, (char *)record + offset, NAME_BYTES);
}
