/* What can be traced on this machine, found by trying: privilege, kernel, each probe, the JVM on the path. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "bpf/events.h"

struct doctor_row {
	const char *group; /* heading: rows of a group follow each other */
	const char *what;
	enum observed_state state;
	const char *why;  /* "" where there is nothing to say */
	const char *fix;  /* what to do, "" where it works or nothing can be done */
	bool is_required; /* nothing can be traced without it */
};

struct doctor_rows {
	struct arena arena; /* owns all texts that are not constant */
	VEC(struct doctor_row) items;
};

/* Fills the rows; works without privilege too, and says then what could not be tried. Ends with doctor_done. Takes
 * about as long as the setup of a run, because that is what it tries. */
void doctor_check(struct doctor_rows *ret_rows);

/* The first required row that does not work; NULL: a command can be traced here. */
const struct doctor_row *doctor_obstacle(const struct doctor_rows *rows);

void doctor_done(struct doctor_rows *rows);
