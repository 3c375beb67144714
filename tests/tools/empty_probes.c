/* Runs a command with probes that do nothing:
 *
 *	empty_probes kernel COMMAND...				the tracepoints and events of warmtrace
 *	empty_probes entry FILE SYMBOL COMMAND...		at the entry of a function of FILE
 *	empty_probes entry_and_return FILE SYMBOL COMMAND...	and at its return */
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "empty.skel.h"

static void fail(const char *what)
{
	fprintf(stderr, "empty_probes: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void attach_kernel(struct empty *probes)
{
	struct bpf_program *programs[] = {probes->progs.sys_enter, probes->progs.sys_exit, probes->progs.sched_switch,
					  probes->progs.sched_waking, probes->progs.page_fault_user};
	struct perf_event_attr attributes = {.size = sizeof(attributes), .type = PERF_TYPE_SOFTWARE, .sample_period = 1,
					     .config = PERF_COUNT_SW_PAGE_FAULTS_MIN};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (bpf_program__autoload(programs[i]) && !bpf_program__attach(programs[i]))
			fail(bpf_program__name(programs[i]));
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++) {
		int event = (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (event < 0 && errno == ENODEV)
			continue;
		if (event < 0 || !bpf_program__attach_perf_event(probes->progs.page_fault_minor, event))
			fail("page faults");
	}
}

static void attach_function(struct empty *probes, const char *file, const char *symbol, int with_return)
{
	LIBBPF_OPTS(bpf_uprobe_opts, options, .func_name = symbol);

	if (!bpf_program__attach_uprobe_opts(probes->progs.entered, -1, file, 0, &options))
		fail(symbol);
	options.retprobe = true;
	if (with_return && !bpf_program__attach_uprobe_opts(probes->progs.returned, -1, file, 0, &options))
		fail(symbol);
}

int main(int argc, char **argv)
{
	int is_kernel = argc > 2 && strcmp(argv[1], "kernel") == 0;
	char **command = argv + (is_kernel ? 2 : 4);
	struct empty *probes;
	int status;

	if (argc < (is_kernel ? 3 : 5)) {
		fprintf(stderr, "usage: empty_probes kernel COMMAND... | entry|entry_and_return FILE SYMBOL COMMAND...\n");
		return 2;
	}
	probes = empty__open();
	if (!probes)
		fail("cannot open the probes");
	/* Where the kernel has no tracepoint for the start of a fault warmtrace has none either. */
#if !defined(__x86_64__)
	bpf_program__set_autoload(probes->progs.page_fault_user, false);
#endif
	if (empty__load(probes) != 0)
		fail("cannot load the probes");
	if (is_kernel)
		attach_kernel(probes);
	else
		attach_function(probes, argv[2], argv[3], strcmp(argv[1], "entry_and_return") == 0);

	pid_t pid = fork();

	if (pid == 0) {
		execvp(command[0], command);
		fail(command[0]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		fail("cannot run the command");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
