/* From where on a finding is worth saying: each threshold once, with its reason.
 *
 * A finding costs the reader's attention. Below these, a run of the same program differs from the next by more than the
 * finding is about, or the numbers are what every healthy program shows. */
#pragma once

enum {
	/* Two first requests of one program differ by more than either: repeated runs of the same start vary by several per cent, and a
	 * millisecond is what one preemption costs. */
	LIMIT_PART_PERCENT = 2,
	LIMIT_PART_NS = 1000000,
};
