/* Input bytes as choices: a conversation of known truth and a way to deliver it (see http_conversation.h). Without
 * hidden bytes the tracker must report it exactly, with hidden bytes nothing that is not true. */
#include "http_conversation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct conversation conversation;
	struct choices choices = {.bytes = data, .length = size};
	bool is_pipelining = choose(&choices, 2), has_arrivals = choose(&choices, 2),
	     is_hidden = choose(&choices, 4) == 3;
	uint64_t previous_end_ns = 0;

	choices.is_luring = !is_hidden;
	make_conversation(&choices, &conversation);
	deliver_conversation(&choices, &conversation, is_hidden ? 5000 : 1 + choose(&choices, 1032), is_pipelining,
			     has_arrivals);
	check_again(&conversation);
	if (!is_hidden)
		CONVERSATION_CHECK(conversation.seen.count == conversation.count);
	for (size_t i = 0; i < conversation.seen.count; i++) {
		const struct seen *seen = &conversation.seen.items[i];

		if (seen->request.protocol == HTTP_OPAQUE) {
			CONVERSATION_CHECK(is_hidden);
			break;
		}
		/* Whether a client pipelines at all shows only the first time it is seen: the next request may have
		 * been taken for a part of this one, and its response for a part of this one's. */
		if (is_pipelining && seen->request.is_bytes_in_estimated)
			break;
		check_request(&conversation.truths[i], seen, previous_end_ns, has_arrivals);
		previous_end_ns = seen->request.end_ns;
	}
	return 0;
}
