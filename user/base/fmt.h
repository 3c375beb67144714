/* Numbers as people read them: durations, sizes, counts, shares, points in time.
 *
 * Results are small values returned by value (`fmt_duration(ns).text` is good until the end of the full expression).
 * Digits are three where that is enough to compare ("434 ms", "8.9 s", "12.3 µs"); in columns the caller fixes unit
 * and decimals (fmt_fixed). Text is UTF-8 ("µ"); the terminal layer spells it in ASCII where it must. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fmt {
	char text[48];
};

struct fmt fmt_duration(int64_t duration_ns);
struct fmt fmt_bytes(int64_t size_bytes); /* binary multiples: "59.5 MiB" */
struct fmt fmt_count(int64_t count);	  /* "12,441" */
struct fmt fmt_percent(double fraction);  /* "31 %", "0.4 %", "-3 %" */
struct fmt fmt_change(double fraction);	  /* the same with its sign: "+5.2 %" */
struct fmt fmt_factor(double factor);	  /* "32", "1.8" */

/* UNIX time as RFC 3339 in UTC with nanoseconds: "2026-03-01T12:00:00.000000000Z". */
struct fmt fmt_time(int64_t unix_ns);

/* `units` are the smallest step shown: 4341 with 1 decimal is "434.1". A sign is always shown where has_sign is true.
 */
struct fmt fmt_fixed(int64_t units, unsigned decimals, bool has_sign);

/* Rounds each value to units of step_units so that the results add up to the rounded sum (largest remainder; ties by
 * order): a table then adds up as printed. Values may be negative. */
void fmt_round_together(const int64_t *values, size_t count, int64_t step, int64_t *ret_units);
int64_t fmt_round(int64_t value, int64_t step);

/* Sums and differences of figures from a recording that may be damaged: they stop at the ends of the range. */
int64_t fmt_add(int64_t left, int64_t right);
int64_t fmt_subtract(int64_t left, int64_t right);
