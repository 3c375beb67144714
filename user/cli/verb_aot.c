#include "cli/verbs.h"

struct err *verb_aot(const struct options *options, struct outcome *outcome)
{
	(void)options;
	(void)outcome;
	return err_new(ERR_FAILED, "cannot run aot: it is not built in");
}
