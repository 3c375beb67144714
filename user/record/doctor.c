#include "record/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "parse/elf.h"
#include "parse/procfs.h"
#include "record/features.h"
#include "record/jvm_sites.h"
#include "record/probes.h"
#include "record/proc_file.h"

static const char without_privilege[] = "not tried: needs root";

static struct doctor_row *add_row(struct doctor_rows *rows, const char *group, const char *what,
				  enum observed_state state, const char *why, const char *fix)
{
	struct doctor_row *row = vec_push(&rows->items);

	*row = (struct doctor_row){
		.group = group,
		.what = what,
		.state = state,
		.why = arena_format(&rows->arena, "%s", why),
		.fix = state == OBSERVED_YES ? "" : arena_format(&rows->arena, "%s", fix),
	};
	return row;
}

/* ---- the kernel ---- */

static const char kernel_group[] = "Kernel";

/* The error of what was tried, as the row's why; the error is consumed. */
static void add_failure(struct doctor_rows *rows, const char *what, struct err *err, const char *fix)
{
	auto_free char *line = err_line(err);

	add_row(rows, kernel_group, what, OBSERVED_NO, line ? line : "", fix)->is_required = true;
	err_free(err);
}

/* Root in a container or sandbox is often root in name only. */
enum { CAPABILITY_SYS_PTRACE = 19, CAPABILITY_SYS_ADMIN = 21, CAPABILITY_PERFMON = 38, CAPABILITY_BPF = 39 };

static bool has_capability(int capability)
{
	auto_free char *text = NULL;
	size_t length = 0;
	struct err *err = proc_file_read(getpid(), "status", &text, &length);
	struct procfs_status status;

	if (err) {
		err_free(err);
		return true;
	}
	procfs_status_parse(text, length, &status);
	return status.capabilities_effective & (1ull << capability);
}

static void check_privilege(struct doctor_rows *rows)
{
	static const char what[] = "privilege";

	if (geteuid() != 0)
		add_row(rows, kernel_group, what, OBSERVED_NO, "tracing needs root", "run it with sudo");
	else if (!has_capability(CAPABILITY_SYS_ADMIN) &&
		 !(has_capability(CAPABILITY_BPF) && has_capability(CAPABILITY_PERFMON)))
		add_row(rows, kernel_group, what, OBSERVED_NO,
			"root without CAP_BPF and CAP_PERFMON: a container or a sandbox",
			"give the container CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE, or run it on the host");
	else
		add_row(rows, kernel_group, what, OBSERVED_YES, "", "");
	rows->items.items[rows->items.count - 1].is_required = true;
}

/* What the report lacks without it, and what brings it. Tracepoints have rows of their own, among the probes. */
static const struct {
	enum feature feature;
	const char *words, *lack, *fix;
} feature_notes[] = {
	{FEATURE_UPROBE_MULTI, "many probes of user code in one link",
	 "they are set and taken away one by one, which is slow", "Linux 6.6 or newer"},
	{FEATURE_USERFAULTFD, "reading a process's memory after its end",
	 "names that were not read before the process ended are lost",
	 "a kernel with CONFIG_USERFAULTFD, outside of a sandbox that forbids the call"},
};

static void check_features(struct doctor_rows *rows, const struct features *features)
{
	add_row(rows, kernel_group, "type information (BTF)", OBSERVED_YES, "", "")->is_required = true;
	for (size_t i = 0; i < array_length(feature_notes); i++) {
		bool has = features->has[feature_notes[i].feature];

		add_row(rows, kernel_group, feature_notes[i].words, has ? OBSERVED_YES : OBSERVED_NO,
			has ? "" : feature_notes[i].lack, feature_notes[i].fix);
	}
}

/* Holding a process needs ptrace: Yama's scope 3 forbids it to everybody, root included. */
static void check_hold(struct doctor_rows *rows)
{
	static const char what[] = "holding a process while it gets probes";
	auto_free char *text = NULL;
	size_t length;
	struct err *err = text_file_read("/proc/sys/kernel/yama/ptrace_scope", &text, &length);
	bool is_forbidden = !err && text[0] == '3';

	err_free(err);
	if (is_forbidden)
		add_row(rows, kernel_group, what, OBSERVED_NO,
			"kernel.yama.ptrace_scope is 3, which forbids ptrace: the first moments of a JVM are missed",
			"set kernel.yama.ptrace_scope to 2 or less in /etc/sysctl.d and restart: it cannot be "
			"lowered "
			"while running");
	else if (geteuid() == 0 && !has_capability(CAPABILITY_SYS_PTRACE))
		add_row(rows, kernel_group, what, OBSERVED_NO,
			"root without CAP_SYS_PTRACE: the first moments of other users' JVMs are missed",
			"give the container CAP_SYS_PTRACE");
	else
		add_row(rows, kernel_group, what, OBSERVED_YES, "", "");
}

static void check_cgroup(struct doctor_rows *rows)
{
	auto_free char *cgroup = NULL, *mounts = NULL;
	size_t cgroup_length = 0, mounts_length = 0;
	struct err *err = proc_file_read(getpid(), "cgroup", &cgroup, &cgroup_length);
	char cpu[PATH_MAX], memory[PATH_MAX];
	int version = 0;

	if (!err)
		err = proc_file_read(getpid(), "mountinfo", &mounts, &mounts_length);
	if (err) {
		err_free(err);
		return;
	}

	bool has_cpu =
		procfs_cgroup_folder(cgroup, cgroup_length, mounts, mounts_length, "cpu", cpu, sizeof(cpu), &version);
	bool has_memory = procfs_cgroup_folder(cgroup, cgroup_length, mounts, mounts_length, "memory", memory,
					       sizeof(memory), &version);
	enum observed_state state = has_cpu && has_memory   ? OBSERVED_YES
				    : has_cpu || has_memory ? OBSERVED_PARTLY
							    : OBSERVED_NO;

	add_row(rows, kernel_group, "cgroup limits and throttling", state,
		state == OBSERVED_YES ? ""
		: has_cpu	      ? "no memory controller is mounted"
		: has_memory	      ? "no CPU controller is mounted"
				      : "no cgroup file system is mounted",
		"mount -t cgroup2 none /sys/fs/cgroup");
}

/* ---- the probes ---- */

static const char probe_group[] = "Probes";

static const struct {
	const char *what, *words, *fix;
} probe_notes[] = {
	{"processes", "process tree", ""},
	{"thread_names", "names of threads", ""},
	{"scheduling", "scheduling and wake-ups", ""},
	{"interrupts", "interrupts and timers", "a kernel with the tracepoints of irq and timer"},
	{"system_calls", "files and other system calls", ""},
	{"fault_duration", "duration of page faults", "an x86-64 kernel; others have no tracepoint for it"},
	{"page_faults", "page faults", "a kernel and a sandbox that allow performance events (perf_event_open)"},
	{"sockets", "connections", "a kernel with the tracepoint inet_sock_set_state (Linux 4.16)"},
	{"arrival", "arrival of requests", "a kernel with the tracepoint tcp_probe (Linux 4.16)"},
	{"samples", "samples of running code",
	 "a kernel and a sandbox that allow performance events (perf_event_open)"},
};

static void add_observation(struct doctor_rows *rows, const struct observation *observation)
{
	const char *words = observation->what, *fix = "";

	for (size_t i = 0; i < array_length(probe_notes); i++)
		if (strcmp(probe_notes[i].what, observation->what) == 0) {
			words = probe_notes[i].words;
			fix = probe_notes[i].fix;
		}
	add_row(rows, probe_group, words, observation->state, observation->why, fix);
}

/* Loads and attaches what a run would. */
static void check_probes(struct doctor_rows *rows)
{
	struct probes_options options = {.sample_rate_hz = PROBES_SAMPLE_RATE_DEFAULT_HZ};
	struct probes probes = {};
	struct features features;
	struct err *err = features_detect(&features);

	if (err) {
		const char *hint = err_hint_text(err);

		add_failure(rows, "type information (BTF)", err, hint ? arena_format(&rows->arena, "%s", hint) : "");
		return;
	}
	check_features(rows, &features);
	features_done(&features);
	check_hold(rows);
	check_cgroup(rows);
	err = probes_open(&options, &probes);
	if (err)
		add_failure(rows, "loading the probes", err, "'warmtrace doctor -v' shows the kernel's words");
	else
		for vec_each(observation, &probes.observations)
			add_observation(rows, observation);
	probes_close(&probes);
}

static void check_machine(struct doctor_rows *rows)
{
	check_privilege(rows);
	if (geteuid() == 0) {
		check_probes(rows);
		return;
	}
	check_hold(rows);
	check_cgroup(rows);
	add_row(rows, kernel_group, "type information and tracepoints", OBSERVED_NO, without_privilege,
		"run it with sudo");
	add_row(rows, probe_group, "all", OBSERVED_NO, without_privilege, "run it with sudo");
}

/* ---- libraries ---- */

static const char library_group[] = "Libraries";

/* A library that was looked for, and how many of its probes can be placed. */
static void add_library(struct doctor_rows *rows, const char *what, const char *path, int library, const char *fix)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_done(elf_close_auto) struct elf_file *file = NULL;
	struct probe_sites sites = {};
	struct err *err = fd < 0 ? err_errno(ERR_FAILED, errno, "cannot open '%s'", path) : elf_open(fd, path, &file);

	if (!err)
		err = probe_sites_find(file, library, &sites);
	if (err) {
		auto_free char *line = err_line(err);

		add_row(rows, library_group, what, OBSERVED_NO, line ? line : "", fix);
		err_free(err);
		probe_sites_done(&sites);
		return;
	}

	auto_free char *why = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&why, &size);

	if (!stream)
		memory_exhausted();
	fprintf(stream, "%s: %zu probes", path, sites.items.count);
	for (size_t i = 0; i < sites.missing_count; i++)
		fprintf(stream, "%s%s", i ? ", " : "; missing: ", sites.missing[i].what);
	if (sites.missing_count)
		fprintf(stream, " (%s%s)", sites.missing[0].why, sites.missing_count > 1 ? ", and more" : "");
	fclose(stream);
	add_row(rows, library_group, what,
		!sites.items.count    ? OBSERVED_NO
		: sites.missing_count ? OBSERVED_PARTLY
				      : OBSERVED_YES,
		why, fix);
	probe_sites_done(&sites);
}

/* The real file of `java` in JAVA_HOME, else on the path. */
static bool find_java(char java[PATH_MAX])
{
	const char *home = getenv("JAVA_HOME"), *path = getenv("PATH");
	char candidate[PATH_MAX];

	if (home && *home && snprintf(candidate, sizeof(candidate), "%s/bin/java", home) < (int)sizeof(candidate) &&
	    access(candidate, X_OK) == 0 && realpath(candidate, java))
		return true;
	for (const char *at = path ? path : ""; *at;) {
		int length = (int)strcspn(at, ":");

		if (snprintf(candidate, sizeof(candidate), "%.*s/java", length, at) < (int)sizeof(candidate) &&
		    access(candidate, X_OK) == 0 && realpath(candidate, java))
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}

/* HOME/bin/java has its VM in HOME/lib/server, up to JDK 8 in HOME/lib/ARCH/server. */
static bool find_libjvm(const char *java, char library[PATH_MAX])
{
	static const char *const places[] = {
		"lib/server/libjvm.so",		  "lib/amd64/server/libjvm.so",	      "lib/aarch64/server/libjvm.so",
		"jre/lib/amd64/server/libjvm.so", "jre/lib/aarch64/server/libjvm.so",
	};
	const char *bin = strrchr(java, '/');

	while (bin > java && bin[-1] != '/')
		bin--;
	for (size_t i = 0; i < array_length(places); i++)
		if (snprintf(library, PATH_MAX, "%.*s%s", (int)(bin - java), java, places[i]) < PATH_MAX &&
		    access(library, R_OK) == 0)
			return true;
	return false;
}

static void check_java(struct doctor_rows *rows)
{
	static const char what[] = "Java virtual machine";
	char java[PATH_MAX], library[PATH_MAX];

	if (!find_java(java)) {
		add_row(rows, library_group, what, OBSERVED_NO, "no java in JAVA_HOME or on the path",
			"only Java programs need it; sudo has a path of its own: sudo env \"PATH=$PATH\" warmtrace "
			"doctor");
		return;
	}
	if (!find_libjvm(java, library)) {
		add_row(rows, library_group, what, OBSERVED_NO,
			arena_format(&rows->arena,
				     "'%s' is not in a JDK with libjvm.so: a script, or another kind of VM", java),
			"set JAVA_HOME to the JDK's folder");
		return;
	}
	add_library(rows, what, library, JVM_SITES,
		    "a build of OpenJDK with its symbol table and USDT probes, such as Debian's or Eclipse Temurin");
}

static void check_cxx(struct doctor_rows *rows)
{
	static const char *const places[] = {
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/aarch64-linux-gnu/libstdc++.so.6",
		"/usr/lib64/libstdc++.so.6",
		"/usr/lib/libstdc++.so.6",
	};

	for (size_t i = 0; i < array_length(places); i++)
		if (access(places[i], R_OK) == 0) {
			add_library(rows, "C++ runtime", places[i], CXX_SITES, "");
			return;
		}
}

void doctor_check(struct doctor_rows *ret_rows)
{
	*ret_rows = (struct doctor_rows){};
	check_machine(ret_rows);
	check_java(ret_rows);
	check_cxx(ret_rows);
}

const struct doctor_row *doctor_obstacle(const struct doctor_rows *rows)
{
	for vec_each(row, &rows->items)
		if (row->is_required && row->state != OBSERVED_YES)
			return row;
	return NULL;
}

void doctor_done(struct doctor_rows *rows)
{
	vec_done(&rows->items);
	arena_done(&rows->arena);
}
