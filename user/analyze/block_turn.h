/* What a thread that another one woke had waited for: its turn, or a result. */
#pragma once

#include "model/model.h"

/* True for a turn at something that the other had, or may have; false for what the other made. `call` is what it was blocked
 * in, on a regular file or not; `is_fault`: in a page fault. */
bool block_is_for_turn(const struct model *model, const struct interval *interval, bool is_fault, enum call_class call,
		       bool is_regular_file);
