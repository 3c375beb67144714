/* From where on a finding is worth saying: each threshold once, with its reason.
 *
 * A finding costs the reader's attention. Below these, a run of the same program differs from the next by more than
 * the finding is about, or the numbers are what every healthy program shows. */
#pragma once

enum {
	/* ---- what a part of the cold request must cost ---- */

	/* First requests of one program differ from run to run by several per cent, and by a millisecond for one
	 * unlucky preemption: less than both is noise. */
	LIMIT_PART_PERCENT = 2,
	LIMIT_PART_NS = 1000000,
	/* What is told as a share of the whole (classes loaded late, a crowded machine) is in every first request to
	   some degree. */
	LIMIT_BROAD_PERCENT = 5,

	/* ---- classes and exceptions ---- */

	LIMIT_NESTED_CLASSES = 50, /* a launcher that takes a few classes of its own from a nested jar is none yet */
	LIMIT_NESTED_EXCEPTIONS_PERCENT =
		50, /* one for each class is the pattern; half leaves room for loaders that ask less */
	LIMIT_STORM_IN_REQUEST = 50, /* a warm request of a common framework fills a handful */
	LIMIT_STORM_IN_STARTUP = 1000,
	LIMIT_STORM_STARTUP_PERCENT =
		3,		      /* of the time to ready, for filling alone: throwing and catching come on top */
	LIMIT_LAZY_CLASSES = 50,      /* a first request always loads some: its own handlers' lambdas */
	LIMIT_ARCHIVE_CLASSES = 100,  /* fewer parsed classes than this cost less than an archive brings in */
	LIMIT_UNSHARED_CLASSES = 200, /* the JVM's own start needs about 450, nearly all of which its archive holds */

	/* ---- files ---- */

	LIMIT_DISK_STARTUP_NS =
		50000000, /* of one thread; a start with warm files waits some milliseconds, mostly to write */
	LIMIT_MAJOR_FAULTS = 100,    /* a start with warm files has some tens */
	LIMIT_SCANNED_ENTRIES = 500, /* class files that were read and not loaded */
	LIMIT_SCANNED_JARS = 20,     /* jars opened that gave nothing but their directory */
	LIMIT_FAILED_LOOKUPS = 1000, /* a plain JVM start has about a hundred */
	LIMIT_SIGNED_CLASSES = 20,

	/* ---- CPU, collections, waits ---- */

	LIMIT_COMPILER_PERCENT = 25,	     /* of the CPU time that the request's window offered */
	LIMIT_NAME_STARTUP_NS = 1000000000,  /* a resolver that answers does so in milliseconds */
	LIMIT_RANDOM_STARTUP_NS = 100000000, /* a seeded kernel answers in microseconds */
	LIMIT_STARTUP_INITIALIZER_NS = 100000000,
	LIMIT_STARTUP_INITIALIZER_PERCENT = 5, /* of the time to ready */
	LIMIT_CONNECTS = 10,
	LIMIT_REUSE_PERCENT = 20, /* below this share of exchanges on a used connection there is no pool at work */
	LIMIT_THREADS = 20,	  /* a pool that opens with ten is usual */

	/* ---- memory ---- */

	LIMIT_TOUCH_FAULTS = 50000, /* 200 MB in pages of 4 KiB, before main: nobody needs that to begin */
	LIMIT_OUTSIDE_PERCENT = 50, /* of the resident memory; small services have about a third */
	LIMIT_OUTSIDE_MIB = 256,
};
