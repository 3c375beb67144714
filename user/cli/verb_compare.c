#include "cli/verbs.h"

struct err *verb_compare(const struct options *options, struct outcome *outcome)
{
	(void)options;
	(void)outcome;
	return err_new(ERR_FAILED, "cannot run compare: it is not built in");
}
