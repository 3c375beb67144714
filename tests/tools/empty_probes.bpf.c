/* Programs that do nothing, one for each type that warmtrace attaches: what a probe costs on a kernel before it does anything. */
#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter)
{
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(sys_exit)
{
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch)
{
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking)
{
	return 0;
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(page_fault_user)
{
	return 0;
}

SEC("perf_event")
int page_fault_minor(void *ctx)
{
	return 0;
}

SEC("uprobe")
int entered(void *ctx)
{
	return 0;
}

SEC("uretprobe")
int returned(void *ctx)
{
	return 0;
}
