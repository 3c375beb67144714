/* The JDK's modules file (jimage, lib/modules): from the file to an archive index.
 *
 *     header | redirect table | offset table | locations | strings | resources ...
 *
 * Layout as in the JDK's imageFile.hpp; version 1 in either byte order. All in front of the resources is one
 * directory. Resources are found by walking the offset table; the hash of the redirect table is not needed. */
#pragma once

#include <stdbool.h>

#include "parse/archive.h"

/* Whether the source begins as a jimage does. */
bool jimage_is(const struct archive_source *source);

/* As archive_read; the index has one archive. */
struct err *jimage_read(const struct archive_source *source, struct archive_index **ret_index) must_check;
