#include "cli/verbs.h"

struct err *verb_export(const struct options *options, struct outcome *outcome)
{
	(void)options;
	(void)outcome;
	return err_new(ERR_FAILED, "cannot run export: it is not built in");
}
