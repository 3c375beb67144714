/* Connections as the kernel sees them: made, data arriving, closed. These run in whoever's context the kernel serves the
 * network, so `current` means nothing here; the socket decides. */
#include "bpf/socket_table.bpf.h"

SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(inet_sock_set_state, struct sock *sock, int old_state, int new_state)
{
	u64 socket = (u64)sock;

	/* A child of a listening socket appears as SYN_RECV and shares its port. */
	if (new_state == TCP_SYN_RECV) {
		struct port_key key = port_key_of(sock);

		if (bpf_map_lookup_elem(&ports, &key))
			socket_table_add_connection(sock, key.port);
		return 0;
	}
	if (new_state != TCP_CLOSE)
		return 0;

	struct socket_state *state = bpf_map_lookup_elem(&sockets, &socket);

	if (!state)
		return 0;
	if (state->is_listener) {
		struct port_key key = {.network_namespace = BPF_CORE_READ(sock, __sk_common.skc_net.net, ns.inum),
				       .port = state->port};

		bpf_map_delete_elem(&ports, &key);
		bpf_map_delete_elem(&sockets, &socket);
		return 0;
	}

	u32 port = state->port;

	bpf_map_delete_elem(&sockets, &socket);

	struct event_socket_close *event = event_reserve(socket_close, SOCKET_CLOSE, 0, bpf_ktime_get_ns(),
							 (u32)(bpf_get_current_pid_tgid() >> 32), current_tid(), 0);

	if (!event)
		return 0;
	event->socket = socket;
	event->port = port;
	event_submit(event);
	return 0;
}

/* tcp_probe fires for each segment taken in by an established connection, pure acknowledgements included. */
SEC("tp_btf/tcp_probe")
int BPF_PROG(tcp_probe, struct sock *sock, struct sk_buff *segment)
{
	u64 socket = (u64)sock;
	struct socket_state *state = bpf_map_lookup_elem(&sockets, &socket);
	u8 offset_byte = 0;

	if (!state || !state->is_connection)
		return 0;

	unsigned char *header = BPF_CORE_READ(segment, head) + BPF_CORE_READ(segment, transport_header);

	/* tcphdr: the data offset, in words, is the high half of byte 12. */
	bpf_probe_read_kernel(&offset_byte, 1, header + 12);

	u32 header_bytes = (offset_byte >> 4) * 4, length = BPF_CORE_READ(segment, len);

	if (length <= header_bytes)
		return 0;
	u32 was_in_request = control.is_in_request;

	control.is_in_request = 1;

	struct event_socket_arrival *event = event_reserve(socket_arrival, SOCKET_ARRIVAL, 0, bpf_ktime_get_ns(),
							   (u32)(bpf_get_current_pid_tgid() >> 32), current_tid(), 0);

	if (!event)
		return 0;
	event->socket = socket;
	event->length = length - header_bytes;
	event->port = state->port;
	event->peer_port = BPF_CORE_READ(sock, __sk_common.skc_dport);
	event->peer_port = ((event->peer_port & 0xff) << 8) | (event->peer_port >> 8);
	/* User space opens the window: it makes the samples denser. */
	if (!was_in_request)
		event_urgent(event, EVENT_FIXED_SIZE(socket_arrival));
	event_submit(event);
	return 0;
}
