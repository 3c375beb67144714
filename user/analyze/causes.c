#include "analyze/causes.h"

#include <stdio.h>
#include <string.h>

struct cause_text {
	const char *name, *words;
};

static const struct cause_text texts[CAUSE_COUNT] = {
#define C(NAME, name, words) [CAUSE_##NAME] = {name, words},
	CAUSE_TABLE(C)
#undef C
#define M(NAME, name, words)                                                                                         \
	[CAUSE_FAULT_MINOR + MAPPING_##NAME] = {"fault.minor." name, "page faults (minor): " words},                 \
			     [CAUSE_FAULT_MAJOR + MAPPING_##                                                         \
				     NAME] = {"fault.major." name, "page faults (major, from disk): " words},
		MAPPING_KIND_TABLE(M)
#undef M
};

static const char *const mapping_names[MAPPING_KIND_COUNT] = {
#define M(NAME, name, words) [MAPPING_##NAME] = name,
	MAPPING_KIND_TABLE(M)
#undef M
};

const char *cause_name(enum cause cause)
{
	return (unsigned int)cause < CAUSE_COUNT ? texts[cause].name : "unexplained";
}

const char *cause_words(enum cause cause)
{
	return (unsigned int)cause < CAUSE_COUNT ? texts[cause].words : "not explained";
}

bool cause_from_name(const char *name, enum cause *ret_cause)
{
	for (int cause = 0; cause < CAUSE_COUNT; cause++) {
		if (strcmp(texts[cause].name, name) == 0) {
			*ret_cause = (enum cause)cause;
			return true;
		}
	}
	return false;
}

const char *mapping_kind_name(enum mapping_kind kind)
{
	return (unsigned int)kind < MAPPING_KIND_COUNT ? mapping_names[kind] : "other";
}
