/* A made-up stream of records like those of a Java server's start: class loading with its nested spans and names,
 * page faults that walk through mappings, reads of a jar, exceptions, threads that wake each other. Same seed, same
 * stream. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "format/text.h"

/* At least `count` records, a few more where an activity was under way. */
struct err *stream_make(size_t count, uint64_t seed, text_sink *sink, void *context) must_check;
