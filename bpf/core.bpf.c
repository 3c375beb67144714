/* Defines all maps and shared data, and the licence.
 *
 * Every map is defined here, and this object is linked first: libbpf's linker (1.1) leaves a map's offset at 0 when an
 * object that declares it extern comes before the one that defines it, and the result cannot be opened. */
#include "bpf/core.bpf.h"
#include "bpf/site.bpf.h"
#include "bpf/socket_table.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile struct config config = {};
struct control control = {};

struct threads_map threads SEC(".maps");
struct events_map events SEC(".maps");
struct urgent_map urgent SEC(".maps");
struct kind_counts_map kind_counts SEC(".maps");
struct losses_map losses SEC(".maps");
struct scratches_map scratches SEC(".maps");
struct cpu_contexts_map cpu_contexts SEC(".maps");
struct sockets_map sockets SEC(".maps");
struct ports_map ports SEC(".maps");
struct watches_map watches SEC(".maps");
u32 listener_count = 0;
struct sites_map sites SEC(".maps");
