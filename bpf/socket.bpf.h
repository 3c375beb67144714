/* BPF side only: sockets of the tree. Listening and the first wait on it, accepted connections with the head of what is
 * moved over them, outbound connections.
 *
 * A connection is known by its kernel socket's address from the handshake on: data can arrive before accept. The address
 * is reused later, so the entry goes when the connection closes. */
#pragma once

#include "bpf/socket_table.bpf.h"
#include "bpf/syscall.bpf.h"

enum { VECTORS_MAX = 64 };

struct iovec {
	void *base;
	u64 length;
};

struct user_message { /* struct msghdr of the 64-bit ABI */
	void *name;
	u32 name_length, padding;
	struct iovec *vectors;
	u64 vector_count;
};

struct socket_address { /* the fields of sockaddr_in, sockaddr_in6 and sockaddr_un that are read */
	u16 family;
	u16 port_be;
	u8 bytes[26];
};

static __always_inline u32 swap16(u32 value)
{
	return ((value & 0xff) << 8) | ((value >> 8) & 0xff);
}

static __always_inline u32 sock_state(struct sock *sock)
{
	return BPF_CORE_READ(sock, __sk_common.skc_state);
}

/* ---- the first wait on a listening socket ---- */

static __noinline int emit_ready(struct thread_state *thread, u64 socket, u32 descriptor, u32 number)
{
	struct socket_state *state = bpf_map_lookup_elem(&sockets, &socket);

	if (!state || state->is_ready)
		return 0;
	state->is_ready = 1;

	struct event_socket_ready *event =
		event_reserve(socket_ready, SOCKET_READY, 0, bpf_ktime_get_ns(), thread->pid, current_tid(), 0);

	if (!event)
		return 0;
	event->socket = socket;
	event->descriptor = descriptor;
	event->port = state->port;
	event->number = number;
	event_urgent(event, EVENT_FIXED_SIZE(socket_ready));
	event_submit(event);
	return 0;
}

/* The listening socket behind a descriptor, or 0. Inherited and activated sockets, which no listen() of the tree showed,
 * enter the table here. */
static __always_inline u64 listening_socket_of(u32 descriptor)
{
	struct file *file = file_of_descriptor(descriptor);
	struct sock *sock = file ? sock_of_file(file) : NULL;

	if (!sock || sock_state(sock) != TCP_LISTEN)
		return 0;
	socket_table_add_listener(sock);
	return (u64)sock;
}

/* A wait on one descriptor. A function of its own, since the verifier follows each round of the loops that call it. */
__noinline int socket_wait_on(u32 descriptor, u32 number)
{
	struct thread_state *thread = thread_of_current();
	u64 socket = thread ? listening_socket_of(descriptor) : 0;

	if (socket)
		emit_ready(thread, socket, descriptor, number);
	return 0;
}

static __always_inline void poll_enter(struct thread_state *thread, u32 number)
{
	struct {
		i32 descriptor;
		u32 events;
	} polled[4] = {};
	u64 count = thread->arguments[1];

	for (u32 i = 0; i < 4 && i < count; i++) {
		/* No `continue`: a loop whose head follows a call directly is refused by the verifier before Linux 6.5. */
		if (bpf_probe_read_user(&polled[i], sizeof(polled[i]), (void *)(thread->arguments[0] + i * 8)) != 0)
			break;
		socket_wait_on((u32)polled[i].descriptor, number);
	}
}

/* Only the first 64 descriptors of a select are looked at: a listening socket made at start is among them. */
static __always_inline void select_enter(struct thread_state *thread, u32 number)
{
	u64 set = 0;

	if (bpf_probe_read_user(&set, sizeof(set), (void *)thread->arguments[1]) != 0)
		return;
	for (u32 descriptor = 0; descriptor < 64; descriptor++) {
		if (set & (1ull << descriptor))
			socket_wait_on(descriptor, number);
	}
}

__noinline int socket_wait_enter(u32 action, u32 number)
{
	struct thread_state *thread = thread_of_current();

	if (!thread)
		return 0;

	struct watch_key key = {.pid = thread->pid, .descriptor = (u32)thread->arguments[0]};
	u64 *watched;

	switch (action) {
	case SYSCALL_ACCEPT:
		socket_wait_on(key.descriptor, number);
		break;
	case SYSCALL_EPOLL_WAIT:
		watched = bpf_map_lookup_elem(&watches, &key);
		if (watched)
			emit_ready(thread, *watched, key.descriptor, number);
		break;
	case SYSCALL_POLL:
		poll_enter(thread, number);
		break;
	case SYSCALL_SELECT:
		select_enter(thread, number);
		break;
	}
	return 0;
}

/* Nothing is waited for before somebody listens, and every wait after all are ready costs one comparison. */
static __always_inline void socket_enter(u32 action, u32 number)
{
	if (action == SYSCALL_ACCEPT ||
	    (action >= SYSCALL_EPOLL_WAIT && action <= SYSCALL_SELECT && listeners_not_ready()))
		socket_wait_enter(action, number);
}

/* An epoll descriptor that watches a listening socket, or another such epoll descriptor, stands for the socket. */
static __always_inline int epoll_ctl_exit(struct syscall_exit *call)
{
	u64 *arguments = call->thread->arguments;
	struct watch_key key = {.pid = call->thread->pid, .descriptor = (u32)arguments[0]};
	struct watch_key inner = {.pid = call->thread->pid, .descriptor = (u32)arguments[2]};
	u64 socket, *watched;

	if (call->result != 0 || arguments[1] == 2 /* EPOLL_CTL_DEL */)
		return 0;
	socket = listening_socket_of((u32)arguments[2]);
	if (!socket) {
		watched = bpf_map_lookup_elem(&watches, &inner);
		socket = watched ? *watched : 0;
	}
	if (socket)
		bpf_map_update_elem(&watches, &key, &socket, BPF_ANY);
	return 0;
}

/* ---- listen, accept, connect ---- */

static __always_inline int listen_exit(struct syscall_exit *call)
{
	u32 descriptor = (u32)call->thread->arguments[0];
	struct file *file = file_of_descriptor(descriptor);
	struct sock *sock = file ? sock_of_file(file) : NULL;

	if (!sock)
		return 0;

	struct event_socket_listen *event = event_reserve(socket_listen, SOCKET_LISTEN, 16, call->end_ns,
							  call->thread->pid, current_tid(), 0);

	if (!event)
		return 1;
	event->socket = (u64)sock;
	event->result = call->result;
	event->descriptor = descriptor;
	event->family = BPF_CORE_READ(sock, __sk_common.skc_family);
	event->port = event->family == AF_UNIX ? 0 : BPF_CORE_READ(sock, __sk_common.skc_num);
	__builtin_memset(event->tail, 0, 16);
	if (event->family == AF_INET)
		bpf_core_read(event->tail, 4, &sock->__sk_common.skc_rcv_saddr);
	event_urgent(event, EVENT_FIXED_SIZE(socket_listen) + 16);
	event_submit(event);
	if (call->result == 0)
		socket_table_add_listener(sock);
	return 1;
}

static __always_inline int accept_exit(struct syscall_exit *call)
{
	struct file *file = call->result >= 0 ? file_of_descriptor((u32)call->result) : NULL;
	struct sock *sock = file ? sock_of_file(file) : NULL;

	/* accept's EAGAIN is a wait that found nothing: a generic call. */
	if (!sock)
		return 0;

	struct event_socket_accept *event = event_reserve(socket_accept, SOCKET_ACCEPT, 16, call->end_ns,
							  call->thread->pid, current_tid(), call->end_ns - call->start_ns);

	if (!event)
		return 1;
	event->duration_ns = call->end_ns - call->start_ns;
	event->result = call->result;
	event->socket = (u64)sock;
	event->family = BPF_CORE_READ(sock, __sk_common.skc_family);
	event->port = event->family == AF_UNIX ? 0 : BPF_CORE_READ(sock, __sk_common.skc_num);
	event->peer_port = event->family == AF_UNIX ? 0 : swap16(BPF_CORE_READ(sock, __sk_common.skc_dport));
	event->number = call->number;
	__builtin_memset(event->tail, 0, 16);
	if (event->family == AF_INET)
		bpf_core_read(event->tail, 4, &sock->__sk_common.skc_daddr);
	else if (event->family == AF_INET6)
		bpf_core_read(event->tail, 16, &sock->__sk_common.skc_v6_daddr.in6_u.u6_addr8);
	socket_table_add_connection(sock, event->port);
	event_submit(event);
	return 1;
}

static __always_inline int connect_exit(struct syscall_exit *call)
{
	struct socket_address address = {};
	struct file *file = file_of_descriptor((u32)call->thread->arguments[0]);
	struct sock *sock = file ? sock_of_file(file) : NULL;
	struct event_socket_connect *event = scratch_at(0);
	u64 length = call->thread->arguments[2];

	if (!sock || !event)
		return 0;
	if (length > sizeof(address))
		length = sizeof(address);
	bpf_probe_read_user(&address, (u32)length & 31, (void *)call->thread->arguments[1]);
	fill_header(&event->header, EVENT_SOCKET_CONNECT, 0, call->end_ns, call->thread->pid, current_tid());
	event->duration_ns = call->end_ns - call->start_ns;
	event->result = call->result;
	event->socket = (u64)sock;
	event->descriptor = (u32)call->thread->arguments[0];
	event->family = address.family;
	event->type = BPF_CORE_READ(sock, sk_type);
	event->peer_port = address.family == AF_UNIX ? 0 : swap16(address.port_be);
	__builtin_memset(event->tail, 0, 128);

	u64 tail = 0;

	if (address.family == AF_INET) {
		__builtin_memcpy(event->tail, address.bytes, 4);
		tail = 4;
	} else if (address.family == AF_INET6) {
		__builtin_memcpy(event->tail, address.bytes + 4, 16);
		tail = 16;
	} else if (address.family == AF_UNIX) {
		long copied = bpf_probe_read_user_str(event->tail, 108, (void *)(call->thread->arguments[1] + 2));

		tail = copied > 0 ? (u64)(copied - 1) & 127 : 0;
	}
	event_output(&event->header, EVENT_FIXED_SIZE(socket_connect) + tail, event->duration_ns);
	return 1;
}

__noinline int socket_control_exit(void)
{
	struct syscall_exit exit, *call = &exit;

	if (!syscall_exit_get(call))
		return 0;

	switch (call->action) {
	case SYSCALL_LISTEN:
		return listen_exit(call);
	case SYSCALL_ACCEPT:
		return accept_exit(call);
	case SYSCALL_CONNECT:
		return connect_exit(call);
	case SYSCALL_EPOLL_CTL:
		return epoll_ctl_exit(call);
	default:
		return 0;
	}
}

/* ---- transfers ---- */

static __always_inline bool is_write_transfer(u32 action)
{
	return action == SYSCALL_WRITE || action == SYSCALL_WRITEV || action == SYSCALL_SENDTO ||
	       action == SYSCALL_SENDMSG || action == SYSCALL_SENDFILE;
}

/* The first bytes of a transfer over several buffers, and where its last byte lies: kept and walked as base_walk is. */
struct capture {
	struct iovec *vectors;
	u64 count, left, last_end, last_length;
	u32 captured, padding;
};

static __always_inline struct capture *capture_of(struct scratch *scratch)
{
	return (void *)(scratch->bytes + SCRATCH_BYTES - sizeof(struct capture));
}

__noinline int capture_step(void)
{
	struct scratch *scratch = scratch_at(0);
	struct iovec vector = {};

	if (!scratch)
		return 0;

	struct capture *capture = capture_of(scratch);
	struct event_socket_read *event = (void *)scratch;

	if (!capture->left || !capture->count ||
	    bpf_probe_read_user(&vector, sizeof(vector), capture->vectors) != 0)
		return 0;

	u64 here = vector.length < capture->left ? vector.length : capture->left;
	u32 captured = capture->captured;

	if (here && captured < CAPTURE_BYTES) {
		u64 room = CAPTURE_BYTES - captured;
		u64 copied = here < room ? here : room;

		captured = bounded(captured, CAPTURE_BYTES - 1);
		if (bpf_probe_read_user(event->tail + captured, bounded((u32)copied, 2 * CAPTURE_BYTES - 1), vector.base) != 0)
			return 0;
		capture->captured = captured + (u32)copied;
	}
	capture->left -= here;
	capture->last_end = (u64)vector.base + here;
	capture->last_length = here;
	capture->vectors++;
	capture->count--;
	return 1;
}

static __always_inline u32 capture_vectors(struct event_socket_read *event, struct iovec *user_vectors, u64 count,
					   u64 moved, u64 *ret_last_end, u64 *ret_last_length)
{
	struct capture *capture = capture_of((struct scratch *)event);

	capture->vectors = user_vectors;
	capture->count = count;
	capture->left = moved;
	capture->last_end = 0;
	capture->captured = 0;
	for (int i = 0; i < VECTORS_MAX; i++)
		if (!capture_step())
			break;
	/* Where the walk ended early the last byte's place is not known. */
	*ret_last_end = capture->left ? 0 : capture->last_end;
	*ret_last_length = capture->last_length;
	return bounded(capture->captured, 2 * CAPTURE_BYTES - 1);
}

static __always_inline u32 capture_transfer(struct event_socket_read *event, struct syscall_exit *call)
{
	u64 *arguments = call->thread->arguments;
	u64 moved = (u64)call->result, last_end = 0, last_length = 0;
	struct user_message message = {};
	u32 captured = 0;

	switch (call->action) {
	case SYSCALL_READV:
	case SYSCALL_WRITEV:
		captured = capture_vectors(event, (void *)arguments[1], arguments[2], moved, &last_end,
					   &last_length);
		break;
	case SYSCALL_RECVMSG:
	case SYSCALL_SENDMSG:
		bpf_probe_read_user(&message, sizeof(message), (void *)arguments[1]);
		captured = capture_vectors(event, message.vectors, message.vector_count, moved, &last_end,
					   &last_length);
		break;
	case SYSCALL_SENDFILE:
		break;
	default:
		captured = moved < CAPTURE_BYTES ? (u32)moved : CAPTURE_BYTES;
		captured = bounded(captured, 2 * CAPTURE_BYTES - 1);
		if (bpf_probe_read_user(event->tail, captured, (void *)arguments[1]) != 0)
			captured = 0;
		last_end = arguments[1] + moved;
		last_length = moved;
	}
	/* Only bytes that are this transfer's: of the last buffer, when it holds fewer than 8. They are shifted so that the last
	 * one is the top byte; NUL below means "not known". */
	if (last_end && last_length >= 8)
		bpf_probe_read_user(&event->last_bytes, 8, (void *)(last_end - 8));
	else if (last_end && last_length > 0 &&
		 bpf_probe_read_user(&event->last_bytes, bounded((u32)last_length, 7), (void *)(last_end - last_length)) == 0)
		event->last_bytes <<= 8 * (8 - last_length);
	return captured;
}

__noinline int socket_transfer_exit(void)
{
	struct syscall_exit exit, *call = &exit;

	if (!syscall_exit_get(call))
		return 0;

	u64 *arguments = call->thread->arguments;
	struct file *file = file_of_descriptor((u32)arguments[0]);
	struct sock *sock = file ? sock_of_file(file) : NULL;
	struct scratch *scratch = scratch_at(0);
	struct event_socket_read *event = (void *)scratch;
	u64 socket = (u64)sock;

	if (!sock || !scratch)
		return 0;

	bool is_write = is_write_transfer(call->action);
	u32 family = BPF_CORE_READ(sock, __sk_common.skc_family);
	struct socket_state *state = bpf_map_lookup_elem(&sockets, &socket);
	u64 size = EVENT_FIXED_SIZE(socket_read), moved = call->result > 0 ? (u64)call->result : 0;

	fill_header(&event->header, is_write ? EVENT_SOCKET_WRITE : EVENT_SOCKET_READ, 0, call->end_ns,
		    call->thread->pid, current_tid());
	event->duration_ns = call->end_ns - call->start_ns;
	event->result = call->result;
	event->socket = socket;
	event->last_bytes = 0;
	event->descriptor = (u32)arguments[0];
	event->number = call->number;
	event->flags = 0;
	event->port = 0;
	event->peer_port = 0;
	if (family == AF_UNIX) {
		event->flags |= SOCKET_LOCAL;
	} else {
		event->port = BPF_CORE_READ(sock, __sk_common.skc_num);
		event->peer_port = swap16(BPF_CORE_READ(sock, __sk_common.skc_dport));
	}
	if (BPF_CORE_READ(sock, sk_type) == SOCK_DGRAM) {
		struct socket_address address = {};

		event->flags |= SOCKET_DATAGRAM;
		if (call->action == SYSCALL_SENDTO && !event->peer_port && arguments[4] &&
		    bpf_probe_read_user(&address, 8, (void *)arguments[4]) == 0)
			event->peer_port = swap16(address.port_be);
	}
	if ((call->action == SYSCALL_RECVFROM && (arguments[3] & 2 /* MSG_PEEK */)) ||
	    (call->action == SYSCALL_RECVMSG && (arguments[2] & 2)))
		event->flags |= SOCKET_PEEK;
	if (state && state->is_connection) {
		event->flags |= SOCKET_ACCEPTED;
		if (moved) {
			u32 captured = capture_transfer(event, call);

			if (captured < moved)
				event->flags |= SOCKET_HEAD_CUT;
			size += captured;
		}
	}
	event_output(&event->header, size, event->duration_ns);
	return 1;
}
