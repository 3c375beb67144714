/* BPF side only: the listening sockets and accepted connections of the tree, keyed by the kernel socket's address. */
#pragma once

#include "bpf/core.bpf.h"

struct socket_state {
	u32 port;
	u8 is_listener, is_ready, is_connection;
	u8 padding;
};

struct sockets_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, u64);
	__type(value, struct socket_state);
};
extern struct sockets_map sockets SEC(".maps");

struct port_key {
	u32 network_namespace;
	u32 port;
};

struct ports_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, struct port_key);
	__type(value, u64);
};
/* Ports that the tree listens on, per network namespace: a new connection's socket carries only its port. */
extern struct ports_map ports SEC(".maps");

struct watch_key {
	u32 pid;
	u32 descriptor;
};

struct watches_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct watch_key);
	__type(value, u64);
};
/* Epoll descriptors that watch a listening socket → that socket. */
extern struct watches_map watches SEC(".maps");

extern u32 listener_count;

static __always_inline bool listeners_not_ready(void)
{
	return listener_count != 0;
}

static __always_inline struct port_key port_key_of(struct sock *sock)
{
	return (struct port_key){
		.network_namespace = BPF_CORE_READ(sock, __sk_common.skc_net.net, ns.inum),
		.port = BPF_CORE_READ(sock, __sk_common.skc_num),
	};
}

static __always_inline void socket_table_add_listener(struct sock *sock)
{
	struct port_key key = port_key_of(sock);
	struct socket_state state = {.port = key.port, .is_listener = 1};
	u64 socket = (u64)sock;

	if (bpf_map_update_elem(&sockets, &socket, &state, BPF_NOEXIST) != 0)
		return;
	__sync_fetch_and_add(&listener_count, 1);
	if (BPF_CORE_READ(sock, __sk_common.skc_family) != AF_UNIX)
		bpf_map_update_elem(&ports, &key, &socket, BPF_ANY);
}

static __always_inline void socket_table_add_connection(struct sock *sock, u32 port)
{
	struct socket_state state = {.port = port, .is_connection = 1};
	u64 socket = (u64)sock;

	bpf_map_update_elem(&sockets, &socket, &state, BPF_NOEXIST);
}
