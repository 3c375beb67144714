#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/auto.h"
#include "unit/model/trace.h"

#define ANSWER "\"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok\"\n"

static void requests_are_found_whoever_the_client_is(void **state)
{
	struct model *model auto_done(model_free) = trace_model(
		"0 1/1 exec \"a\"\n"
		"1 1/1 socket_listen socket=1 port=80\n"
		"2 1/1 socket_ready socket=1 port=80\n"
		"3 1/1 socket_ready socket=1 port=80\n"
		"10 9/9 socket_arrival socket=7 length=25 port=80 peer_port=5000\n" /* before it is accepted */
		"12 1/1 socket_accept result=4 socket=7 port=80 peer_port=5000 \"10.0.0.9\"\n"
		"15 1/1 socket_read result=25 socket=7 flags=accepted port=80 \"GET /a/b?x=1 HTTP/1.1\\r\\n\\r\\n\"\n"
		"20 1/2 socket_write result=40 socket=7 flags=accepted port=80 " ANSWER
		"30 1/1 socket_close socket=7\n"
		"40 1/1 socket_accept result=4 socket=7 port=80 peer_port=5001 \"10.0.0.9\"\n" /* the address again */
		"45 1/1 socket_read result=18 socket=7 flags=accepted port=80 \"GET / HTTP/1.1\\r\\n\\r\\n\"\n"
		"46 1/1 socket_close socket=7\n"
		"50 0/0 client_request start=8 total=15 local_port=5000 status=200 \"GET\" \"http://x/a/b?x=1\"\n");
	const struct model_requests *requests = &model->requests;

	(void)state;
	assert_int_equal(requests->listeners.count, 1);
	assert_int_equal(requests->listeners.items[0].listening_ns, 1);
	assert_int_equal(requests->listeners.items[0].ready_ns, 2);
	assert_int_equal(requests->connections.count, 2);
	assert_int_equal(requests->list.count, 2);

	const struct request *answered = &requests->list.items[0], *given_up = &requests->list.items[1];

	assert_string_equal(model_text(model, answered->route), "GET /a/b");
	assert_string_equal(model_text(model, answered->method), "GET");
	assert_int_equal(answered->arrival_ns, 10);
	assert_int_equal(answered->end_ns, 20);
	assert_int_equal(answered->status, 200);
	assert_true(answered->is_complete);
	assert_false(answered->is_arrival_estimated);
	assert_int_equal(model->threads.list.items[answered->reader].tid, 1);
	assert_int_equal(model->threads.list.items[answered->writer].tid, 2);
	assert_int_equal(model->events[answered->read_event]->kind, EVENT_SOCKET_READ);
	assert_int_equal(model->events[answered->write_event]->kind, EVENT_SOCKET_WRITE);
	assert_int_equal(model->events[answered->client_event]->kind, EVENT_CLIENT_REQUEST);
	assert_false(given_up->is_complete);
	assert_true(given_up->is_arrival_estimated);
	assert_int_equal(given_up->client_event, NO_INDEX);
	assert_int_equal(model_connection_at(model, 7, 20), 0);
	assert_int_equal(model_connection_at(model, 7, 41), 1);
	assert_int_equal(model_connection_at(model, 7, 5), NO_INDEX);
	assert_int_equal(requests->connections.items[0].closed_ns, 30);
	assert_int_equal(requests->connections.items[0].bytes_in, 25);
}

static void windows_that_overlap_are_marked(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"a\"\n"
			    "10 9/9 socket_arrival socket=7 length=18 port=80\n"
			    "11 1/1 socket_read result=18 socket=7 flags=accepted \"GET / HTTP/1.1\\r\\n\\r\\n\"\n"
			    "12 9/9 socket_arrival socket=8 length=18 port=80\n"
			    "13 1/1 socket_read result=18 socket=8 flags=accepted \"GET / HTTP/1.1\\r\\n\\r\\n\"\n"
			    "14 1/1 socket_write result=40 socket=8 flags=accepted " ANSWER
			    "20 1/1 socket_write result=40 socket=7 flags=accepted " ANSWER
			    "30 9/9 socket_arrival socket=7 length=18 port=80\n"
			    "31 1/1 socket_read result=18 socket=7 flags=accepted \"GET / HTTP/1.1\\r\\n\\r\\n\"\n"
			    "32 1/1 socket_write result=40 socket=7 flags=accepted " ANSWER);
	const struct model_requests *requests = &model->requests;

	(void)state;
	assert_int_equal(requests->list.count, 3);
	assert_true(requests->list.items[0].is_shared);
	assert_true(requests->list.items[1].is_shared);
	assert_false(requests->list.items[2].is_shared);
}

static void outbound_connections_count_exchanges(void **state)
{
	struct model *model auto_done(model_free) =
		trace_model("0 1/1 exec \"a\"\n"
			    "5..9 1/1 socket_connect socket=7 type=1 peer_port=5432 result=-115 \"10.0.0.2\"\n"
			    "10 1/1 socket_write result=5 socket=7\n"
			    "11 1/1 socket_write result=5 socket=7\n"
			    "12 1/1 socket_read result=-11 socket=7\n"
			    "13 1/1 socket_read result=9 socket=7\n"
			    "14 1/1 socket_write result=5 socket=7\n"
			    "15 1/1 socket_read result=9 socket=7\n"
			    "20..21 1/1 socket_connect socket=8 type=1 peer_port=1 result=-111 \"10.0.0.3\"\n");
	const struct connection *database = &model->requests.connections.items[0],
				*refused = &model->requests.connections.items[1];

	(void)state;
	assert_int_equal(model->requests.list.count, 0);
	assert_int_equal(database->connect_result, 0);
	assert_int_equal(database->connect_ns, 4);
	assert_int_equal(database->requests, 2);
	assert_int_equal(database->bytes_out, 15);
	assert_int_equal(database->bytes_in, 18);
	assert_string_equal(model_text(model, database->peer), "10.0.0.2");
	assert_false(database->is_accepted);
	assert_int_equal(refused->connect_result, -111);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_found_whoever_the_client_is),
		cmocka_unit_test(windows_that_overlap_are_marked),
		cmocka_unit_test(outbound_connections_count_exchanges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
