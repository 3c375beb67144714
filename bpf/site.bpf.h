/* BPF side only: probes in user code. A site's cookie is its index in `sites`, where user space put what the site stands for
 * and where its arguments are (usdt_spec.h); sites at a function's entry are described the same way, by registers. */
#pragma once

#include "bpf/core.bpf.h"
#include "bpf/usdt_spec.h"

enum { SITES_MAX = 1024 };

struct sites_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SITES_MAX);
	__type(key, u32);
	__type(value, struct usdt_site_spec);
};
extern struct sites_map sites SEC(".maps");

static __always_inline struct usdt_site_spec *site_of(void *ctx)
{
	u32 cookie = (u32)bpf_get_attach_cookie(ctx);

	return bpf_map_lookup_elem(&sites, &cookie);
}

static __always_inline u64 site_register(struct pt_regs *ctx, u32 offset)
{
	u64 value = 0;

	/* The context can only be read at constant offsets; as kernel memory it can be read anywhere, at 30 to 40 ns. (A switch over
	 * the registers spares those, and costs the verifier 40 ms before exec.) */
	bpf_probe_read_kernel(&value, sizeof(value), (void *)ctx + offset);
	return value;
}

static __always_inline u64 site_argument(struct pt_regs *ctx, const struct usdt_site_spec *site, u32 index)
{
	const struct usdt_argument_spec *spec = &site->arguments[index];
	u64 raw = 0, address;

	switch (spec->kind) {
	case USDT_ARGUMENT_CONSTANT:
		raw = (u64)spec->value;
		break;
	case USDT_ARGUMENT_REGISTER:
		raw = site_register(ctx, spec->register_offset);
		break;
	case USDT_ARGUMENT_MEMORY:
	case USDT_ARGUMENT_INDEXED:
		address = site_register(ctx, spec->register_offset) + (u64)spec->value;
		if (spec->kind == USDT_ARGUMENT_INDEXED)
			address += site_register(ctx, spec->index_offset) << (spec->scale_shift & 63);
		bpf_probe_read_user(&raw, sizeof(raw), (void *)address);
		break;
	}
	raw <<= spec->left_shift & 63;
	return spec->is_signed ? (u64)((i64)raw >> (spec->right_shift & 63)) : raw >> (spec->right_shift & 63);
}
