/* Binary search over anything that is found by its place: `first_where(count, i, condition)`.
 *
 * Gives the first i in [0, count) for which `condition`, an expression in i, holds, and `count` where none does. The
 * condition must be false up to some place and true from there on; it is asked about log2(count) times, each time of
 * an i below `count`. `count` is evaluated once and its type is that of i and of the result. What lies just before
 * the border is the last for which the condition does not hold: `first_where(…) - 1`, if not 0. */
#pragma once

#define first_where(count, index, condition)                                                                         \
	({                                                                                                           \
		__typeof__((count) + 0) low_ = 0, high_ = (count);                                                   \
		while (low_ < high_) {                                                                               \
			__typeof__((count) + 0) index = low_ + (high_ - low_) / 2;                                   \
			if (condition)                                                                               \
				high_ = index;                                                                       \
			else                                                                                         \
				low_ = index + 1;                                                                    \
		}                                                                                                    \
		low_;                                                                                                \
	})
