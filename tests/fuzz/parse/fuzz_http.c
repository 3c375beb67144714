/* Any bytes, moved by any calls in any order. Each step: a byte that chooses the call, a byte or two of length, the
 * bytes. What the recording keeps must give the same requests as the bytes did, and times and counts must be
 * possible. */
#include "http_conversation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct totals {
	struct seen_list seen, again;
};

static void check_possible(const struct seen *seen)
{
	const struct http_request *request = &seen->request;

	CONVERSATION_CHECK(request->start_ns <= request->end_ns);
	CONVERSATION_CHECK(request->is_arrival_estimated || request->arrival_ns <= request->first_read_ns);
	CONVERSATION_CHECK(request->first_read_ns <= request->last_read_ns);
	CONVERSATION_CHECK(request->bytes_in > 0);
	CONVERSATION_CHECK((request->bytes_out > 0) == (request->writer_tid > 0));
	CONVERSATION_CHECK(strlen(request->method) <= HTTP_METHOD_MAX && strlen(request->target) <= HTTP_TARGET_MAX);
	CONVERSATION_CHECK((request->status == 0) || (request->status >= 101 && request->status <= 999));
}

static void on_request(void *context, const struct http_request *request)
{
	struct seen_list *list = context;

	if (list->count == sizeof(list->items) / sizeof(list->items[0]))
		list->count--; /* the last one is compared, the others were */
	keep_request(list, request);
	list->items[list->count - 1].request.method = list->items[list->count - 1].method;
	list->items[list->count - 1].request.target = list->items[list->count - 1].target;
	check_possible(&list->items[list->count - 1]);
}

static void compare(const struct totals *totals)
{
	CONVERSATION_CHECK(totals->seen.count == totals->again.count);
	for (size_t i = 0; i < totals->seen.count; i++) {
		const struct seen *first = &totals->seen.items[i], *second = &totals->again.items[i];

		CONVERSATION_CHECK(strcmp(first->method, second->method) == 0);
		CONVERSATION_CHECK(strcmp(first->target, second->target) == 0);
		CONVERSATION_CHECK(is_same_request(&first->request, &second->request));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct totals totals;
	struct delivery delivery = {.visible = 1 + (size ? data[0] : 0) * 4, .now_ns = 100};
	size_t at = 1;

	totals.seen.count = totals.again.count = 0;
	delivery.tracker = http_connection_new(on_request, &totals.seen);
	delivery.again = http_connection_new(on_request, &totals.again);
	while (at + 2 <= size) {
		uint8_t call = data[at] & 15;
		size_t length = data[at + 1] + (data[at] & 16 ? 256 * (size_t)(data[at] >> 5) : 0),
		       left = size - at - 2;

		at += 2;
		delivery.now_ns += 10;
		if (call == 0) {
			http_feed_arrival(delivery.tracker, delivery.now_ns, length);
			http_feed_arrival(delivery.again, delivery.now_ns, length);
			continue;
		}
		if (call == 1) {
			http_feed_close(delivery.tracker, delivery.now_ns);
			http_feed_close(delivery.again, delivery.now_ns);
			continue;
		}
		if (call == 2) {
			struct http_transfer nothing = {.time_start_ns = delivery.now_ns, .result = -11};

			http_feed_read(delivery.tracker, &nothing);
			http_feed_read(delivery.again, &nothing);
			continue;
		}
		if (length > left)
			length = left;
		if (length)
			deliver(&delivery, call & 1, data + at, length, 1 + (call >> 2));
		at += length;
		CONVERSATION_CHECK(http_pending(delivery.tracker) <= HTTP_PENDING_MAX);
		CONVERSATION_CHECK(http_pending(delivery.tracker) == http_pending(delivery.again));
	}
	http_feed_finish(delivery.tracker, delivery.now_ns + 10);
	http_feed_finish(delivery.again, delivery.now_ns + 10);
	compare(&totals);
	http_connection_free(delivery.tracker);
	http_connection_free(delivery.again);
	return 0;
}
