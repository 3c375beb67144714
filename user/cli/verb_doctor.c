#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/term.h"
#include "cli/verbs.h"
#include "record/doctor.h"
#include "record/kernel_words.h"

enum { WHAT_COLUMNS = 44 };

static const struct {
	const char *name;
	enum term_style style;
} states[] = {[OBSERVED_NO] = {"no", TERM_BAD},
	      [OBSERVED_YES] = {"yes", TERM_GOOD},
	      [OBSERVED_PARTLY] = {"partly", TERM_WARNING}};

static void print_row(const struct doctor_row *row, const struct term *term)
{
	struct arena arena = {};
	const char *label = arena_format(&arena, "  %s", row->what);

	printf("%-*s", WHAT_COLUMNS, label);
	term_styled(term, stdout, states[row->state].style, states[row->state].name);
	putchar('\n');
	if (*row->why)
		term_paragraph(term, stdout, TERM_DIM, "      why", 12, TERM_PLAIN, row->why);
	if (*row->fix)
		term_paragraph(term, stdout, TERM_DIM, "      fix", 12, TERM_PLAIN, row->fix);
	arena_done(&arena);
}

struct err *verb_doctor(const struct options *options, struct outcome *outcome)
{
	auto_done(doctor_done) struct doctor_rows rows = {};
	struct term term = term_detect(STDOUT_FILENO, (enum term_colour)options->colour);
	const char *group = NULL;

	(void)outcome;
	kernel_words_show(options->is_verbose);
	doctor_check(&rows);
	for vec_each(row, &rows.items) {
		if (options->is_quiet && row->state == OBSERVED_YES)
			continue;
		if (group != row->group) {
			if (group)
				putchar('\n');
			group = row->group;
			term_styled(&term, stdout, TERM_TITLE, group);
			putchar('\n');
		}
		print_row(row, &term);
	}
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		return err_errno(ERR_FAILED, errno ? errno : EIO, "cannot write 'standard output'");

	const struct doctor_row *obstacle = doctor_obstacle(&rows);

	if (!obstacle)
		return NULL;

	struct err *err =
		err_new(ERR_FAILED, "cannot trace on this machine, on '%s': %s", obstacle->what, obstacle->why);

	return *obstacle->fix ? err_hint(err, "%s", obstacle->fix) : err;
}
