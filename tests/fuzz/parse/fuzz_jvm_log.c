/* Any log: what is found lies inside it. */
#include <stdint.h>
#include <stdlib.h>

#include "parse/jvm_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_lie_in(const char *text, size_t size, const char *part, size_t length)
{
	if (part < text || length > size || (size_t)(part - text) > size - length)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *at = text, *part;
	struct jvm_log_exclusion exclusion;
	enum refusal refusal;
	size_t length;

	if (jvm_log_refusal(text, size, &refusal, &part, &length)) {
		must_lie_in(text, size, part, length);
		if (refusal >= REFUSAL_COUNT)
			abort();
	}
	while (jvm_log_exclusion(&at, text + size, &exclusion)) {
		must_lie_in(text, size, exclusion.name, exclusion.name_length);
		must_lie_in(text, size, exclusion.reason, exclusion.reason_length);
	}
	part = jvm_log_complaint(text, size, &length);
	if (part)
		must_lie_in(text, size, part, length);
	return 0;
}
