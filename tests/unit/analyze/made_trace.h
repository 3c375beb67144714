/* Made-up recordings that are too long to write out: the text form of records (format/text.h) with a few directives.
 *
 *	%include common/server.inc
 *	%for 60
 *	@10000+50 main class_load stack_pointer=1000 "com/example/C$i"     times: 10000 us and 50 us more each turn
 *	%end
 *	%archive 5 "/srv/app.jar" [ META-INF/MANIFEST.MF:100 BOOT-INF/lib/a.jar[ com/example/C$i.class:500*60 ] ]
 *	%jimage 4 "/usr/lib/jvm/lib/modules" java.base/java/util/List.class
 *	20ms main file_read inode=5 offset={header com/example/C1.class} ...
 *
 * $i counts from 0, also in {…}. &A+B is the number A and B more each turn. An archive is a real one, all of its
 * entries stored: NAME:BYTES, NAME:BYTES*COUNT, NAME[ … ] for an archive in it; the number is its inode on device 1.
 * {header NAME} and {data NAME} are where the local header and the data of the first entry of that name lie in the
 *file. */
#pragma once

#include "base/err.h"
#include "model/model.h"

/* Loads the trace of a file; includes are relative to traces/. Fails the test where it cannot be read. */
struct model *made_trace_load(const char *path);
