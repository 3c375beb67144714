/* Where the arguments of one USDT site are: made by parse/usdt.h from the site's note, read by the BPF programs from
 * a map.
 *
 * libbpf 1.1 cannot attach USDT sites through uprobe.multi links, the only kind that detaches quickly; so a site is
 * attached as a plain offset, its cookie names a usdt_site_spec, and the program reads each argument as the spec
 * says:
 *
 *     raw = CONSTANT: value
 *           REGISTER: the 8 bytes at register_offset of pt_regs
 *           MEMORY:   8 bytes of user memory at [register] + value
 *           INDEXED:  8 bytes of user memory at [register] + ([index] << scale_shift) + value
 *     argument = (raw << left_shift) >> right_shift        (the right shift arithmetic where is_signed)
 *
 * MEMORY and INDEXED may read `size` bytes only, where 8 would cross into a page that is not there; the little-endian
 * low bytes are the same. An argument of kind NONE has a form that cannot be read (a floating point register, say):
 * the others of its site stay valid. No pointers, no padding: the layout is the same on both sides. */
#pragma once

#include "events.h"

enum usdt_argument_kind {
	USDT_ARGUMENT_NONE = 0,
	USDT_ARGUMENT_CONSTANT = 1,
	USDT_ARGUMENT_REGISTER = 2,
	USDT_ARGUMENT_MEMORY = 3,
	USDT_ARGUMENT_INDEXED = 4,
};

struct usdt_argument_spec {
	i64 value;	    /* the constant, or the displacement */
	u8 kind;	    /* enum usdt_argument_kind */
	u8 register_offset; /* in bytes, in struct pt_regs (x86-64) or user_pt_regs (arm64) */
	u8 index_offset;    /* likewise */
	u8 scale_shift;	    /* log2 of the index's scale */
	u8 size;	    /* bytes: 1, 2, 4 or 8 */
	u8 left_shift;	    /* 64 - 8 * size, less for the second byte of a register (%ah) */
	u8 right_shift;	    /* 64 - 8 * size */
	u8 is_signed;
};

/* HotSpot's largest probe (mem__pool__gc__begin) has 8; SystemTap's header allows 12. */
enum { USDT_ARGUMENTS_MAX = 12 };

struct usdt_site_spec {
	u32 argument_count;
	u32 kind; /* free for the attaching side: what the site stands for */
	struct usdt_argument_spec arguments[USDT_ARGUMENTS_MAX];
};

_Static_assert(sizeof(struct usdt_argument_spec) == 16, "shared with BPF programs: no padding");
_Static_assert(sizeof(struct usdt_site_spec) == 8 + 16 * USDT_ARGUMENTS_MAX, "shared with BPF programs: no padding");

/* Byte offsets in the pt_regs that a uprobe program gets. */
enum pt_regs_offset_x86_64 {
	PT_X86_R15 = 0,
	PT_X86_R14 = 8,
	PT_X86_R13 = 16,
	PT_X86_R12 = 24,
	PT_X86_RBP = 32,
	PT_X86_RBX = 40,
	PT_X86_R11 = 48,
	PT_X86_R10 = 56,
	PT_X86_R9 = 64,
	PT_X86_R8 = 72,
	PT_X86_RAX = 80,
	PT_X86_RCX = 88,
	PT_X86_RDX = 96,
	PT_X86_RSI = 104,
	PT_X86_RDI = 112,
	PT_X86_RIP = 128,
	PT_X86_RSP = 152,
};

enum pt_regs_offset_arm64 {
	PT_ARM64_X0 = 0, /* xN at 8 * N up to x30 */
	PT_ARM64_SP = 248,
};
