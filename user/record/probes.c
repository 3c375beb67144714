#include "record/probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"
#include "bpf/config.h"
#include "bpf/hotspot_config.h"
#include "record/syscall_actions.h"
#include "record/uprobe.h"
#include "warmtrace_bpf.skel.h"

enum probe_source {
	SOURCE_TRACEPOINT, /* BTF raw tracepoint, named as the program */
	SOURCE_FAULT_MINOR,
	SOURCE_FAULT_MAJOR,
	SOURCE_SAMPLE,
};

/* One row per program on the kernel: where it sits, which statement of the report rests on it, and whether a run without it
 * means anything. Optional ones whose tracepoint this kernel lacks are left out, and the report says what is missing. */
static const struct probe_row {
	const char *program;
	enum probe_source source;
	bool is_required;
	const char *what;
} probe_rows[] = {
	{"sched_process_fork", SOURCE_TRACEPOINT, true, "processes"},
	{"sched_process_exec", SOURCE_TRACEPOINT, true, "processes"},
	{"sched_process_exit", SOURCE_TRACEPOINT, true, "processes"},
	{"task_rename", SOURCE_TRACEPOINT, false, "thread_names"},
	{"sched_switch", SOURCE_TRACEPOINT, true, "scheduling"},
	{"sched_waking", SOURCE_TRACEPOINT, true, "scheduling"},
	{"softirq_entry", SOURCE_TRACEPOINT, false, "interrupts"},
	{"softirq_exit", SOURCE_TRACEPOINT, false, "interrupts"},
	{"irq_handler_entry", SOURCE_TRACEPOINT, false, "interrupts"},
	{"irq_handler_exit", SOURCE_TRACEPOINT, false, "interrupts"},
	{"hrtimer_expire_entry", SOURCE_TRACEPOINT, false, "interrupts"},
	{"hrtimer_expire_exit", SOURCE_TRACEPOINT, false, "interrupts"},
	{"sys_enter", SOURCE_TRACEPOINT, true, "system_calls"},
	{"sys_exit", SOURCE_TRACEPOINT, true, "system_calls"},
	{"page_fault_user", SOURCE_TRACEPOINT, false, "fault_duration"},
	{"page_fault_kernel", SOURCE_TRACEPOINT, false, "fault_duration"},
	{"page_fault_minor", SOURCE_FAULT_MINOR, false, "page_faults"},
	{"page_fault_major", SOURCE_FAULT_MAJOR, false, "page_faults"},
	{"inet_sock_set_state", SOURCE_TRACEPOINT, false, "sockets"},
	{"tcp_probe", SOURCE_TRACEPOINT, false, "arrival"},
	{"sample_tick", SOURCE_SAMPLE, false, "samples"},
};


static const struct probe_row *row_of(const char *program)
{
	for (size_t i = 0; i < array_length(probe_rows); i++)
		if (strcmp(probe_rows[i].program, program) == 0)
			return &probe_rows[i];
	return NULL;
}

void probes_observe(struct probes *probes, const char *what, enum observed_state state, const char *format, ...)
{
	struct observation *observation = NULL;
	va_list arguments;

	for vec_each(known, &probes->observations)
		if (strcmp(known->what, what) == 0)
			observation = known;
	if (!observation)
		observation = vec_push(&probes->observations);
	observation->what = what;
	observation->state = state;
	va_start(arguments, format);
	vsnprintf(observation->why, sizeof(observation->why), format, arguments);
	va_end(arguments);
}

/* Programs of user code are loaded for the kind of link that will hold them. */
static void choose_programs(struct probes *probes, bool is_sampling)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, probes->skeleton->obj) {
		const char *name = bpf_program__name(program);
		const struct probe_row *row = row_of(name);
		bool is_wanted = true;

		if (!row) {
			if (probes->features.has[FEATURE_UPROBE_MULTI])
				bpf_program__set_expected_attach_type(
					program, (enum bpf_attach_type)UPROBE_MULTI_ATTACH_TYPE);
			continue;
		}
		if (row->source == SOURCE_TRACEPOINT)
			is_wanted = features_have_tracepoint(&probes->features, name);
		if (strcmp(row->what, "arrival") == 0)
			is_wanted &= probes->features.has[FEATURE_TCP_PROBE];
		if (strcmp(row->what, "fault_duration") == 0)
			is_wanted &= probes->features.has[FEATURE_PAGE_FAULT_START];
		if (strcmp(row->what, "interrupts") == 0)
			is_wanted &= probes->features.has[FEATURE_INTERRUPTS];
		if (row->source == SOURCE_SAMPLE)
			is_wanted = is_sampling;
		bpf_program__set_autoload(program, is_wanted);
		if (is_wanted)
			probes_observe(probes, row->what, OBSERVED_YES, "%s", "");
		else
			probes_observe(probes, row->what, OBSERVED_NO,
				       row->source == SOURCE_SAMPLE ? "switched off" : "this kernel has no tracepoint %s",
				       name);
	}
}

static struct err *attach_per_cpu(struct probes *probes, struct bpf_program *program, struct perf_event_attr attributes)
{
	int cpus = libbpf_num_possible_cpus();

	for (int cpu = 0; cpu < cpus; cpu++) {
		auto_fd int event =
			(int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		/* A CPU that is possible but not online has no events. */
		if (event < 0 && errno == ENODEV)
			continue;
		if (event < 0)
			return err_errno(ERR_FAILED, errno, "cannot open the performance event of %s",
					 bpf_program__name(program));

		struct bpf_link *link = bpf_program__attach_perf_event(program, event);

		if (!link)
			return err_errno(ERR_FAILED, errno, "cannot attach %s", bpf_program__name(program));
		if (attributes.config == PERF_COUNT_SW_CPU_CLOCK)
			*vec_push(&probes->sample_events) = event;
		take_fd(&event);
		*vec_push(&probes->links) = link;
	}
	return NULL;
}

static struct err *attach_row(struct probes *probes, const struct probe_row *row, struct bpf_program *program)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes), .type = PERF_TYPE_SOFTWARE, .sample_period = 1};

	switch (row->source) {
	case SOURCE_TRACEPOINT: {
		struct bpf_link *link = bpf_program__attach(program);

		if (!link)
			return err_errno(ERR_FAILED, errno, "cannot attach to tracepoint %s", row->program);
		*vec_push(&probes->links) = link;
		return NULL;
	}
	case SOURCE_FAULT_MINOR:
		attributes.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
		break;
	case SOURCE_FAULT_MAJOR:
		attributes.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
		break;
	case SOURCE_SAMPLE:
		attributes.config = PERF_COUNT_SW_CPU_CLOCK;
		attributes.sample_period = probes->dense_period_ns * PROBES_IDLE_SAMPLE_DIVISOR;
		break;
	}
	return attach_per_cpu(probes, program, attributes);
}

static struct err *attach_all(struct probes *probes)
{
	for (size_t i = 0; i < array_length(probe_rows); i++) {
		const struct probe_row *row = &probe_rows[i];
		struct bpf_program *program = bpf_object__find_program_by_name(probes->skeleton->obj, row->program);

		if (!program || !bpf_program__autoload(program))
			continue;

		struct err *err = attach_row(probes, row, program);

		if (err && row->is_required)
			return err;
		if (err) {
			auto_free char *line = err_line(err);

			probes_observe(probes, row->what, OBSERVED_NO, "%s", line ? line : "");
			err_free(err);
		}
	}
	return NULL;
}

static void configure(struct probes *probes, const struct probes_options *options)
{
	struct config *config = (struct config *)&probes->skeleton->rodata->config;

	config->has_switch_state = probes->features.has_switch_state;
	config->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	syscall_actions_fill(config->syscall_actions);
	bpf_map__set_max_entries(probes->skeleton->maps.events,
				 (uint32_t)(options->ring_bytes ? options->ring_bytes : PROBES_RING_BYTES_DEFAULT));
}

static void set_sample_period(struct probes *probes, uint64_t period_ns)
{
	for vec_each(event, &probes->sample_events)
		ioctl(*event, PERF_EVENT_IOC_PERIOD, &period_ns);
	__atomic_store_n(&probes->skeleton->bss->control.sample_period_ns, period_ns, __ATOMIC_RELAXED);
}

struct err *probes_open(const struct probes_options *options, struct probes *ret_probes)
{
	struct probes probes = {.dense_period_ns = options->sample_rate_hz ? 1000000000ull / options->sample_rate_hz : 0};

	TRY(features_detect(&probes.features));
	*ret_probes = probes;
	ret_probes->skeleton = warmtrace_bpf__open();
	if (!ret_probes->skeleton)
		return err_errno(ERR_FAILED, errno, "cannot open the probes");
	choose_programs(ret_probes, probes.dense_period_ns != 0);
	configure(ret_probes, options);

	int result = warmtrace_bpf__load(ret_probes->skeleton);

	/* "Operation not permitted" has many reasons, memory limits among the rarest: libbpf's advice about ulimit is kept out. */
	if (result)
		return err_hint(err_errno(ERR_FAILED, -result, "cannot load the probes into the kernel"),
				"'warmtrace doctor' says what works on this machine; -v shows the kernel's words");
	TRY(attach_all(ret_probes));
	set_sample_period(ret_probes, probes.dense_period_ns * PROBES_IDLE_SAMPLE_DIVISOR);
	return NULL;
}

void probes_close(struct probes *probes)
{
	for vec_each(link, &probes->links)
		bpf_link__destroy(*link);
	vec_done(&probes->links);
	vec_done(&probes->sample_events);
	vec_done(&probes->observations);
	warmtrace_bpf__destroy(probes->skeleton);
	probes->skeleton = NULL;
	features_done(&probes->features);
}

int probes_map_fd(const struct probes *probes, const char *name)
{
	return bpf_object__find_map_fd_by_name(probes->skeleton->obj, name);
}

int probes_program_fd(const struct probes *probes, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(probes->skeleton->obj, name);

	return program ? bpf_program__fd(program) : -1;
}

int probes_events_fd(const struct probes *probes)
{
	return bpf_map__fd(probes->skeleton->maps.events);
}

int probes_urgent_fd(const struct probes *probes)
{
	return bpf_map__fd(probes->skeleton->maps.urgent);
}

struct err *probes_trace_thread(struct probes *probes, pid_t pid, pid_t tid)
{
	size_t value_bytes = bpf_map__value_size(probes->skeleton->maps.threads);
	auto_free char *state = calloc(1, value_bytes);
	uint32_t key = (uint32_t)tid, process = (uint32_t)pid;

	if (!state)
		memory_exhausted();
	/* struct thread_state begins with the pid (bpf/core.bpf.h). */
	memcpy(state, &process, sizeof(process));
	if (bpf_map_update_elem(bpf_map__fd(probes->skeleton->maps.threads), &key, state, BPF_ANY) != 0)
		return err_errno(ERR_FAILED, errno, "cannot trace thread %d of process %d", tid, pid);
	return NULL;
}

struct err *probes_trace_port(struct probes *probes, uint32_t network_namespace, uint16_t port)
{
	uint32_t key[2] = {network_namespace, port};
	uint64_t socket = 1; /* any value: only the key is asked for */

	if (bpf_map_update_elem(bpf_map__fd(probes->skeleton->maps.ports), key, &socket, BPF_ANY) != 0)
		return err_errno(ERR_FAILED, errno, "cannot watch port %u", port);
	return NULL;
}

void probes_set_in_request(struct probes *probes, bool is_in_request)
{
	struct control *control = (struct control *)&probes->skeleton->bss->control;
	uint64_t period_ns = probes->dense_period_ns * (is_in_request ? 1 : PROBES_IDLE_SAMPLE_DIVISOR);

	__atomic_store_n(&control->is_in_request, is_in_request, __ATOMIC_RELAXED);
	if (control->sample_period_ns != period_ns)
		set_sample_period(probes, period_ns);
}

void probes_set_recording(struct probes *probes)
{
	__atomic_store_n(&probes->skeleton->bss->control.is_recording, 1, __ATOMIC_RELAXED);
}

bool probes_is_in_request(const struct probes *probes)
{
	return __atomic_load_n(&probes->skeleton->bss->control.is_in_request, __ATOMIC_RELAXED);
}

struct probes_kind_count probes_kind_count(const struct probes *probes, enum event_kind kind)
{
	struct probes_kind_count total = {};
	int cpus = libbpf_num_possible_cpus();
	auto_free struct probes_kind_count *counts = calloc((size_t)cpus, sizeof(*counts));
	uint32_t key = kind;

	if (!counts)
		memory_exhausted();
	if (bpf_map_lookup_elem(bpf_map__fd(probes->skeleton->maps.kind_counts), &key, counts) != 0)
		return total;
	for (int cpu = 0; cpu < cpus; cpu++) {
		total.count += counts[cpu].count;
		total.lost += counts[cpu].lost;
		total.sum_ns += counts[cpu].sum_ns;
	}
	return total;
}

static uint64_t walk_ends(const struct probes *probes, enum java_walk_end end)
{
	int cpus = libbpf_num_possible_cpus();
	auto_free uint64_t *counts = calloc((size_t)cpus, sizeof(*counts));
	uint64_t total = 0;
	uint32_t key = end;

	if (!counts)
		memory_exhausted();
	if (bpf_map_lookup_elem(bpf_map__fd(probes->skeleton->maps.java_walk_ends), &key, counts) != 0)
		return 0;
	for (int cpu = 0; cpu < cpus; cpu++)
		total += counts[cpu];
	return total;
}

/* The miss of one walk in so many is stated of the whole run. */
enum { WALKS_PER_MISS_STATED = 1000 };

void probes_observe_walks(struct probes *probes)
{
	uint64_t cut = walk_ends(probes, JAVA_WALK_TRUNCATED), skipped = walk_ends(probes, JAVA_WALK_NO_ROOM);
	uint64_t broken = walk_ends(probes, JAVA_WALK_UNREADABLE) + walk_ends(probes, JAVA_WALK_NO_CODE) +
			  walk_ends(probes, JAVA_WALK_NOT_RISING) + walk_ends(probes, JAVA_WALK_FROZEN);
	uint64_t all =
		cut + skipped + broken + walk_ends(probes, JAVA_WALK_COMPLETE) + walk_ends(probes, JAVA_WALK_LIMITED);

	for vec_each(known, &probes->observations)
		if (strcmp(known->what, "java_stacks") == 0 && known->state == OBSERVED_NO)
			return;
	/* A walk meets a frame that is being made or taken down now and then; such a stack is marked where it is kept. */
	if ((cut + skipped + broken) * WALKS_PER_MISS_STATED > all)
		probes_observe(probes, "java_stacks", OBSERVED_PARTLY,
			       "of %lu walks %lu were cut at their longest, %lu broke off, %lu were not made",
			       (unsigned long)all, (unsigned long)cut, (unsigned long)broken, (unsigned long)skipped);
}

void probes_each_unsent(const struct probes *probes, probes_unsent_callback *callback, void *context)
{
	int fd = bpf_map__fd(probes->skeleton->maps.unsent_exceptions);
	struct unsent_exceptions_key key, next;
	struct unsent_exceptions exceptions;

	for (void *previous = NULL; bpf_map_get_next_key(fd, previous, &next) == 0; previous = &key) {
		key = next;
		if (bpf_map_lookup_elem(fd, &key, &exceptions) == 0)
			callback(context, &key, &exceptions);
	}
}

void probes_each_loss(const struct probes *probes, probes_loss_callback *callback, void *context)
{
	enum { BUCKET_SHIFT = 27 }; /* LOSS_BUCKET_SHIFT of bpf/core.bpf.h */
	int fd = bpf_map__fd(probes->skeleton->maps.losses);
	uint32_t key[2], next[2];
	uint64_t count;

	for (void *previous = NULL; bpf_map_get_next_key(fd, previous, next) == 0; previous = key) {
		memcpy(key, next, sizeof(key));
		if (bpf_map_lookup_elem(fd, key, &count) == 0)
			callback(context, key[0], (uint64_t)key[1] << BUCKET_SHIFT,
				 ((uint64_t)key[1] + 1) << BUCKET_SHIFT, count);
	}
}
