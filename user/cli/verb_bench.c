#include "cli/verbs.h"

struct err *verb_bench(const struct options *options, struct outcome *outcome)
{
	(void)options;
	(void)outcome;
	return err_new(ERR_FAILED, "cannot run bench: it is not built in");
}
