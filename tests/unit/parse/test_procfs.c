/* Texts as kernels of several ages write them, and this process's own. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/auto.h"
#include "parse/procfs.h"

#define TEXT(literal) procfs_text(literal, sizeof(literal) - 1)
#define BYTES(literal) literal, sizeof(literal) - 1

static void assert_text(struct procfs_string string, const char *expected)
{
	if (!procfs_string_is(string, expected))
		fail_msg("'%.*s' is not '%s'", (int)string.length_bytes, string.text, expected);
}

/* A whole file under /proc; the caller frees. */
static char *read_file(const char *path, size_t *ret_length)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = malloc(1 << 22);
	ssize_t got;

	*ret_length = 0;
	assert_true(fd >= 0);
	while ((got = read(fd, text + *ret_length, (1 << 22) - *ret_length)) > 0)
		*ret_length += (size_t)got;
	return text;
}

static void maps(void **state)
{
	struct procfs_text text = TEXT(
		"00400000-0040b000 r-xp 00000000 08:01 131 /bin/cat\n"
		"7f0000000000-7f0000001000 rw-s 00002000 1fd:abcde 42                         /a b/c (deleted)\n"
		"7f0000002000-7f0000003000 ---p 00000000 00:00 0 \n"
		"7f0000003000-7f0000004000 rw-p 00000000 00:00 0                              [heap]\n"
		"7f0000004000-7f0000005000 rw-p 00000000 00:00 0                              [anon:Java heap (x)]\n"
		"not a mapping at all\n"
		"7f0000005000-7f0000004000 r--p 00000000 00:00 0 backwards\n"
		"7f0000006000-7f0000007000 r--s 00000000 00:05 7                              /memfd:java\\012x "
		"(deleted)\n"
		"7f0000007000-7f0000008000 rw-p 00000000 00:00 0                              [stack]\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                      [vsyscall]");
	struct procfs_map map;
	char name[64];

	(void)state;
	assert_true(procfs_maps_next(&text, &map));
	assert_int_equal(map.start, 0x400000);
	assert_int_equal(map.end, 0x40b000);
	assert_true(map.is_readable && !map.is_writable && map.is_executable && !map.is_shared && !map.is_deleted);
	assert_int_equal(map.device_major, 8);
	assert_int_equal(map.device_minor, 1);
	assert_int_equal(map.inode, 131);
	assert_text(map.name, "/bin/cat");
	assert_true(procfs_maps_next(&text, &map));
	assert_true(map.is_shared && map.is_writable && map.is_deleted);
	assert_int_equal(map.device_major, 0x1fd);
	assert_int_equal(map.device_minor, 0xabcde);
	assert_int_equal(map.offset, 0x2000);
	assert_text(map.name, "/a b/c");
	assert_true(procfs_maps_next(&text, &map));
	assert_text(map.name, "");
	assert_true(procfs_maps_next(&text, &map));
	assert_text(map.name, "[heap]");
	assert_true(procfs_maps_next(&text, &map));
	assert_text(map.name, "[anon:Java heap (x)]");
	assert_true(procfs_maps_next(&text, &map));
	assert_int_equal(map.start, 0x7f0000006000);
	assert_true(map.is_deleted);
	assert_int_equal(procfs_unescape(map.name, name, sizeof(name)), 13);
	assert_string_equal(name, "/memfd:java\nx");
	assert_true(procfs_maps_next(&text, &map));
	assert_text(map.name, "[stack]");
	assert_true(procfs_maps_next(&text, &map));
	assert_true(map.start == 0xffffffffff600000);
	assert_false(procfs_maps_next(&text, &map));
}

static void own_maps(void **state)
{
	void *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t length, count = 0, lines = 0;
	bool is_page_found = false, is_code_found = false;
	uint64_t end = 0;

	(void)state;
	memset(page, 1, 4096);
	mprotect((char *)page + 4096, 4096, PROT_NONE);

	auto_free char *text = read_file("/proc/self/maps", &length);
	struct procfs_text cursor = procfs_text(text, length);

	for (struct procfs_map map; procfs_maps_next(&cursor, &map); count++) {
		assert_true(map.start >= end && map.start < map.end);
		end = map.end;
		is_page_found |= map.end == (uint64_t)(uintptr_t)page + 4096 && map.is_writable && map.inode == 0;
		is_code_found |= map.start <= (uint64_t)(uintptr_t)own_maps &&
				 map.end > (uint64_t)(uintptr_t)own_maps && map.is_executable && map.inode != 0 &&
				 map.name.text[0] == '/';
	}
	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	assert_int_equal(count, lines);
	assert_true(is_page_found && is_code_found);
	munmap(page, 8192);
}

static void smaps(void **state)
{
	struct procfs_text text =
		TEXT("00400000-0040b000 r-xp 00000000 08:01 131 /bin/cat\n"
		     "Size:                 44 kB\nKernelPageSize:        4 kB\nRss:                  40 kB\n"
		     "Pss:                   5 kB\nShared_Clean:         36 kB\nPrivate_Dirty:         4 kB\n"
		     "VmFlags: rd ex mr mw me dw sd \n"
		     "7f0000003000-7f0000004000 rw-p 00000000 00:00 0 [heap]\n"
		     "Size:                  4 kB\nRss:                   0 kB\nAnonymous:             0 kB\n"
		     "AnonHugePages:      2048 kB\nSwap: 18446744073709551615 kB\n");
	struct procfs_smap smap;

	(void)state;
	assert_true(procfs_smaps_next(&text, &smap));
	assert_text(smap.map.name, "/bin/cat");
	assert_int_equal(smap.size_bytes, 44 * 1024);
	assert_int_equal(smap.rss_bytes, 40 * 1024);
	assert_int_equal(smap.pss_bytes, 5 * 1024);
	assert_int_equal(smap.shared_clean_bytes, 36 * 1024);
	assert_int_equal(smap.private_dirty_bytes, 4 * 1024);
	assert_true(smap.lazy_free_bytes == PROCFS_UNKNOWN);
	assert_true(procfs_smaps_next(&text, &smap));
	assert_text(smap.map.name, "[heap]");
	assert_int_equal(smap.rss_bytes, 0);
	assert_int_equal(smap.anonymous_huge_bytes, 2048 * 1024);
	assert_true(smap.pss_bytes == PROCFS_UNKNOWN);
	assert_true(smap.swap_bytes == PROCFS_UNKNOWN); /* too large to be true */
	assert_false(procfs_smaps_next(&text, &smap));
}

static void own_smaps(void **state)
{
	enum { PAGES = 37 };
	size_t length, found = 0, page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 64 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	madvise(memory, 64 * page_bytes, MADV_NOHUGEPAGE);
	mprotect(memory, page_bytes, PROT_NONE); /* so that it is a mapping of its own */
	mprotect(memory + 63 * page_bytes, page_bytes, PROT_NONE);
	for (size_t i = 1; i <= PAGES; i++)
		memory[i * page_bytes] = 1;

	auto_free char *text = read_file("/proc/self/smaps", &length);
	struct procfs_text cursor = procfs_text(text, length);

	for (struct procfs_smap smap; procfs_smaps_next(&cursor, &smap);) {
		if (smap.map.start != (uint64_t)(uintptr_t)memory + page_bytes)
			continue;
		found++;
		assert_int_equal(smap.size_bytes, 62 * page_bytes);
		assert_int_equal(smap.rss_bytes, PAGES * page_bytes);
		assert_int_equal(smap.private_dirty_bytes, PAGES * page_bytes);
		assert_int_equal(smap.anonymous_bytes, PAGES * page_bytes);
	}
	assert_int_equal(found, 1);
	munmap(memory, 64 * page_bytes);
}

static void status(void **state)
{
	static const char text[] =
		"Name:\tmy \\n app\nUmask:\t0022\nState:\tt (tracing stop)\nTgid:\t12\nNgid:\t0\nPid:\t13\n"
		"PPid:\t1\nTracerPid:\t99\nUid:\t1000\t1001\t1002\t1003\nGid:\t5\t6\t7\t8\nNStgid:\t12\t3\t1\n"
		"VmHWM:\t  1234 kB\nVmRSS:\t      12 kB\nThreads:\t42\nSigQ:\t0/256\n"
		"SigBlk:\t0000000000010000\nSigIgn:\tffffffffffffffff\nNoNewPrivs:\t1\n"
		"nonvoluntary_ctxt_switches:\t7\n";
	struct procfs_status status;

	(void)state;
	procfs_status_parse(BYTES(text), &status);
	assert_text(status.name, "my \\n app");
	assert_int_equal(status.state, 't');
	assert_int_equal(status.tgid, 12);
	assert_int_equal(status.pid, 13);
	assert_int_equal(status.parent_pid, 1);
	assert_int_equal(status.tracer_pid, 99);
	assert_int_equal(status.uid[0], 1000);
	assert_int_equal(status.uid[3], 1003);
	assert_int_equal(status.gid[2], 7);
	assert_int_equal(status.inner_tgid, 1);
	assert_int_equal(status.vm_hwm_bytes, 1234 * 1024);
	assert_int_equal(status.threads, 42);
	assert_int_equal(status.signals_blocked, 0x10000);
	assert_true(status.signals_ignored == UINT64_MAX);
	assert_int_equal(status.no_new_privileges, 1);
	assert_int_equal(status.involuntary_switches, 7);
	/* What an old kernel does not say. */
	assert_true(status.rss_anon_bytes == PROCFS_UNKNOWN && status.voluntary_switches == PROCFS_UNKNOWN &&
		    status.signals_caught == PROCFS_UNKNOWN && status.seccomp == PROCFS_UNKNOWN);
	procfs_status_parse("", 0, &status);
	assert_int_equal(status.state, 0);
	assert_true(status.uid[0] == PROCFS_UNKNOWN && status.inner_tgid == PROCFS_UNKNOWN);
}

static void own_status_and_stat(void **state)
{
	size_t length, stat_length;
	auto_free char *text = read_file("/proc/self/status", &length);
	auto_free char *stat_text = read_file("/proc/self/stat", &stat_length);
	struct procfs_status status;
	struct procfs_stat stat;
	struct rusage usage;

	(void)state;
	procfs_status_parse(text, length, &status);
	assert_int_equal(status.tgid, getpid());
	assert_int_equal(status.parent_pid, getppid());
	assert_int_equal(status.uid[1], geteuid());
	assert_int_equal(status.threads, 1);
	assert_true(status.vm_rss_bytes > 4096 && status.vm_rss_bytes != PROCFS_UNKNOWN);
	assert_true(procfs_stat_parse(stat_text, stat_length, &stat));
	getrusage(RUSAGE_SELF, &usage);
	assert_int_equal(stat.pid, getpid());
	assert_int_equal(stat.parent_pid, getppid());
	assert_int_equal(stat.process_group, getpgrp());
	assert_int_equal(stat.session, getsid(0));
	assert_int_equal(stat.state, 'R');
	assert_int_equal(stat.threads, 1);
	assert_true(stat.minor_faults > 0 && stat.minor_faults <= (uint64_t)usage.ru_minflt);
	assert_int_equal(stat.major_faults, usage.ru_majflt);
	assert_true(stat.start_ticks > 0 && stat.rss_pages > 0);
	assert_true(stat.last_cpu < (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
	assert_true(stat.guest_ticks == 0);
}

static void stat_lines(void **state)
{
	/* Fields 1 to 44 hold their number, where they are numbers; 8 is -1, 19 is -5. */
	static const char line[] =
		"1 (a) b\n) R ) S 4 5 6 7 -1 9 10 11 12 13 14 15 16 17 18 -5 20 21 22 23 24 25 26 27 28 29 30 31 "
		"32 33 34 35 36 37 38 39 40 41 42 43 44\n";
	static const char old[] = "1 (x) Z 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24";
	struct procfs_stat stat;

	(void)state;
	assert_true(procfs_stat_parse(BYTES(line), &stat));
	assert_text(stat.name, "a) b\n) R ");
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.parent_pid, 4);
	assert_int_equal(stat.session, 6);
	assert_int_equal(stat.terminal_process_group, -1);
	assert_int_equal(stat.flags, 9);
	assert_int_equal(stat.minor_faults, 10);
	assert_int_equal(stat.child_major_faults, 13);
	assert_int_equal(stat.user_ticks, 14);
	assert_int_equal(stat.child_system_ticks, 17);
	assert_int_equal(stat.threads, 20);
	assert_int_equal(stat.start_ticks, 22);
	assert_int_equal(stat.virtual_bytes, 23);
	assert_int_equal(stat.rss_pages, 24);
	assert_int_equal(stat.last_cpu, 39);
	assert_int_equal(stat.block_io_delay_ticks, 42);
	assert_int_equal(stat.guest_ticks, 43);
	assert_true(procfs_stat_parse(BYTES(old), &stat));
	assert_int_equal(stat.rss_pages, 24);
	assert_true(stat.last_cpu == PROCFS_UNKNOWN);
	assert_false(procfs_stat_parse(BYTES(""), &stat));
	assert_false(procfs_stat_parse(BYTES("1 (x"), &stat));
	assert_false(procfs_stat_parse(BYTES("1 (x) "), &stat));
}

static void limits(void **state)
{
	struct procfs_text text =
		TEXT("Limit                     Soft Limit           Hard Limit           Units     \n"
		     "Max cpu time              unlimited            unlimited            seconds   \n"
		     "Max nice priority         0                    19                             \n"
		     "Max open files            1024                 1048576              files     \n");
	struct procfs_limit limit;

	(void)state;
	assert_true(procfs_limits_next(&text, &limit));
	assert_text(limit.name, "Max cpu time");
	assert_true(limit.soft == PROCFS_UNLIMITED && limit.hard == PROCFS_UNLIMITED);
	assert_text(limit.units, "seconds");
	assert_true(procfs_limits_next(&text, &limit));
	assert_text(limit.name, "Max nice priority");
	assert_int_equal(limit.hard, 19);
	assert_text(limit.units, "");
	assert_true(procfs_limits_next(&text, &limit));
	assert_int_equal(limit.soft, 1024);
	assert_int_equal(limit.hard, 1048576);
	assert_text(limit.units, "files");
	assert_false(procfs_limits_next(&text, &limit));
}

static void strings_and_auxv(void **state)
{
	struct procfs_text text = TEXT("java\0-jar\0\0last");
	struct procfs_string string;
	size_t length;
	uint64_t value;
	auto_free char *auxv = read_file("/proc/self/auxv", &length);

	(void)state;
	assert_true(procfs_strings_next(&text, &string));
	assert_text(string, "java");
	assert_true(procfs_strings_next(&text, &string));
	assert_text(string, "-jar");
	assert_true(procfs_strings_next(&text, &string));
	assert_text(string, "");
	assert_true(procfs_strings_next(&text, &string));
	assert_text(string, "last");
	assert_false(procfs_strings_next(&text, &string));
	assert_true(procfs_auxv_find(auxv, length, AT_PAGESZ, &value));
	assert_int_equal(value, getauxval(AT_PAGESZ));
	assert_true(procfs_auxv_find(auxv, length, AT_ENTRY, &value));
	assert_int_equal(value, getauxval(AT_ENTRY));
	assert_false(procfs_auxv_find(auxv, length, 12345, &value));
	assert_false(procfs_auxv_find(auxv, 8, AT_PAGESZ, &value));
}

static void cpus(void **state)
{
	struct procfs_text text =
		TEXT("cpu  10 2 3 400 5 6 7 88 9 0\ncpu0 1 2 3 4\ncpu12 1 2 3 4 5 6 7 8\ncpufreq 3\nintr 5\n");
	struct procfs_cpu cpu;

	(void)state;
	assert_true(procfs_cpu_next(&text, &cpu));
	assert_int_equal(cpu.cpu, -1);
	assert_int_equal(cpu.user, 10);
	assert_int_equal(cpu.idle, 400);
	assert_int_equal(cpu.steal, 88);
	assert_int_equal(cpu.guest_nice, 0);
	assert_true(procfs_cpu_next(&text, &cpu));
	assert_int_equal(cpu.cpu, 0);
	assert_int_equal(cpu.idle, 4);
	assert_true(cpu.steal == PROCFS_UNKNOWN && cpu.iowait == PROCFS_UNKNOWN);
	assert_true(procfs_cpu_next(&text, &cpu));
	assert_int_equal(cpu.cpu, 12);
	assert_int_equal(cpu.steal, 8);
	assert_false(procfs_cpu_next(&text, &cpu));
}

/* ---- mounts and cgroups ---- */

static void mountinfo(void **state)
{
	struct procfs_text text =
		TEXT("36 35 98:0 /mnt1 /mnt2\\040x rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue\n"
		     "nonsense\n"
		     "25 1 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate");
	struct procfs_mount mount;
	char point[32];

	(void)state;
	assert_true(procfs_mountinfo_next(&text, &mount));
	assert_int_equal(mount.id, 36);
	assert_int_equal(mount.parent_id, 35);
	assert_int_equal(mount.device_major, 98);
	assert_text(mount.root, "/mnt1");
	procfs_unescape(mount.point, point, sizeof(point));
	assert_string_equal(point, "/mnt2 x");
	assert_text(mount.options, "rw,noatime");
	assert_text(mount.type, "ext3");
	assert_text(mount.source, "/dev/root");
	assert_text(mount.super_options, "rw,errors=continue");
	assert_true(procfs_mountinfo_next(&text, &mount));
	assert_text(mount.type, "cgroup2");
	assert_false(procfs_mountinfo_next(&text, &mount));
}

static void assert_folder(const char *cgroup, const char *mounts, const char *controller, const char *expected,
			  int expected_version)
{
	char folder[256] = "";
	int version = 0;
	bool is_found = procfs_cgroup_folder(cgroup, strlen(cgroup), mounts, strlen(mounts), controller, folder,
					     sizeof(folder), &version);

	assert_int_equal(is_found, expected != NULL);
	if (expected) {
		assert_string_equal(folder, expected);
		assert_int_equal(version, expected_version);
	}
}

static void cgroup_folders(void **state)
{
	static const char two[] = "25 1 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
	static const char one[] = "30 1 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
				  "31 1 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
				  "32 1 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
	static const char one_groups[] =
		"4:memory:/user.slice/a b\n3:cpu,cpuacct:/jobs\n1:name=systemd:/x\n0::/unified\n";
	/* A container: the mount shows only its own part. */
	static const char part[] = "40 1 0:26 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";

	(void)state;
	assert_folder("0::/user.slice/s.scope\n", two, "cpu", "/sys/fs/cgroup/user.slice/s.scope", 2);
	assert_folder("0::/\n", two, "cpu", "/sys/fs/cgroup", 2);
	assert_folder("0::/../outside\n", two, "cpu", NULL, 0);
	assert_folder(one_groups, one, "cpu", "/sys/fs/cgroup/cpu,cpuacct/jobs", 1);
	assert_folder(one_groups, one, "memory", "/sys/fs/cgroup/memory/user.slice/a b", 1);
	assert_folder(one_groups, one, "pids", "/sys/fs/cgroup/unified/unified", 2);
	assert_folder("3:cpu:/docker/abc\n", part, "cpu", "/sys/fs/cgroup/cpu", 1);
	assert_folder("3:cpu:/docker/abc/in\n", part, "cpu", "/sys/fs/cgroup/cpu/in", 1);
	assert_folder("3:cpu:/docker/abcd\n", part, "cpu", NULL, 0);
	assert_folder("3:cpu:/elsewhere\n", part, "cpu", NULL, 0);
	assert_folder("", two, "cpu", NULL, 0);
	assert_folder("0::/x\n", "", "cpu", NULL, 0);

	char folder[8];
	int version;

	assert_false(
		procfs_cgroup_folder(BYTES("0::/user.slice\n"), BYTES(two), "cpu", folder, sizeof(folder), &version));
}

static void cgroup_files(void **state)
{
	struct procfs_cpu_stat cpu;
	struct procfs_memory_events events;
	uint64_t quota, period, value;

	(void)state;
	assert_true(procfs_cpu_max_parse(BYTES("20000 100000\n"), &quota, &period));
	assert_int_equal(quota, 20000);
	assert_int_equal(period, 100000);
	assert_true(procfs_cpu_max_parse(BYTES("max 100000\n"), &quota, &period));
	assert_true(quota == PROCFS_UNLIMITED);
	assert_false(procfs_cpu_max_parse(BYTES("20000\n"), &quota, &period));
	assert_false(procfs_cpu_max_parse(BYTES("1 0\n"), &quota, &period));
	assert_false(procfs_cpu_max_parse(BYTES(""), &quota, &period));

	assert_true(procfs_number_parse(BYTES("-1\n"), &value) && value == PROCFS_UNLIMITED);
	assert_true(procfs_number_parse(BYTES("max\n"), &value) && value == PROCFS_UNLIMITED);
	assert_true(procfs_number_parse(BYTES("9223372036854771712\n"), &value) && value == PROCFS_UNLIMITED);
	assert_true(procfs_number_parse(BYTES("536870912\n"), &value) && value == 536870912);
	assert_true(procfs_number_parse(BYTES("0"), &value) && value == 0);
	assert_false(procfs_number_parse(BYTES("x"), &value));

	procfs_cpu_stat_parse(BYTES("usage_usec 1500\nuser_usec 1000\nsystem_usec 500\nnr_periods 7\nnr_throttled "
				    "3\nthrottled_usec 250\n"),
			      &cpu);
	assert_int_equal(cpu.usage_ns, 1500000);
	assert_int_equal(cpu.periods, 7);
	assert_int_equal(cpu.throttled_periods, 3);
	assert_int_equal(cpu.throttled_ns, 250000);
	assert_true(cpu.bursts == PROCFS_UNKNOWN && cpu.burst_ns == PROCFS_UNKNOWN);
	procfs_cpu_stat_parse(
		BYTES("nr_periods 7\nnr_throttled 3\nthrottled_time 250123\nnr_bursts 1\nburst_time 9\n"), &cpu);
	assert_int_equal(cpu.throttled_ns, 250123);
	assert_int_equal(cpu.burst_ns, 9);
	assert_true(cpu.usage_ns == PROCFS_UNKNOWN);

	procfs_memory_events_parse(BYTES("low 0\nhigh 2\nmax 31\noom 1\noom_kill 1\noom_group_kill 0\n"), &events);
	assert_int_equal(events.max, 31);
	assert_int_equal(events.oom_kill, 1);
	assert_true(events.under_oom == PROCFS_UNKNOWN);
	procfs_memory_events_parse(BYTES("oom_kill_disable 0\nunder_oom 1\noom_kill 4\n"), &events);
	assert_int_equal(events.oom_kill, 4);
	assert_int_equal(events.under_oom, 1);
	assert_true(events.max == PROCFS_UNKNOWN);
	assert_int_equal(procfs_key_value(BYTES("current 5\nlimit 6\n"), "limit"), 6);
	assert_true(procfs_key_value(BYTES("limits 5\nlimit x\n"), "limit") == PROCFS_UNKNOWN);
}

static void own_cgroup(void **state)
{
	size_t cgroup_length, mounts_length, lines = 0, mounts = 0;
	auto_free char *cgroup = read_file("/proc/self/cgroup", &cgroup_length);
	auto_free char *text = read_file("/proc/self/mountinfo", &mounts_length);
	struct procfs_text cursor = procfs_text(text, mounts_length);
	char folder[4096], file[4200];
	int version;

	(void)state;
	for (size_t i = 0; i < mounts_length; i++)
		lines += text[i] == '\n';
	for (struct procfs_mount mount; procfs_mountinfo_next(&cursor, &mount); mounts++)
		assert_true(mount.point.length_bytes > 0 && mount.point.text[0] == '/' &&
			    mount.type.length_bytes > 0);
	assert_int_equal(mounts, lines);
	if (!procfs_cgroup_folder(cgroup, cgroup_length, text, mounts_length, "cpu", folder, sizeof(folder),
				  &version))
		skip(); /* none is mounted here */
	snprintf(file, sizeof(file), "%s/cgroup.procs", folder);

	size_t length;
	auto_free char *members = read_file(file, &length);
	char own[32];

	members[length] = '\0';
	snprintf(own, sizeof(own), "%d\n", getpid());
	assert_non_null(strstr(members, own));
}

static void unescaping(void **state)
{
	struct procfs_string string = {.text = "a\\040b\\134\\01x\\4567\\", .length_bytes = 20};
	char out[32], cut[3];

	(void)state;
	assert_int_equal(procfs_unescape(string, out, sizeof(out)), 14);
	assert_string_equal(out, "a b\\\\01x\\4567\\"); /* 456 is no byte */
	assert_int_equal(procfs_unescape(string, cut, sizeof(cut)), 2);
	assert_string_equal(cut, "a ");
	assert_int_equal(procfs_unescape(string, out, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps),		cmocka_unit_test(own_maps),   cmocka_unit_test(smaps),
		cmocka_unit_test(own_smaps),	cmocka_unit_test(status),     cmocka_unit_test(own_status_and_stat),
		cmocka_unit_test(stat_lines),	cmocka_unit_test(limits),     cmocka_unit_test(strings_and_auxv),
		cmocka_unit_test(cpus),		cmocka_unit_test(mountinfo),  cmocka_unit_test(cgroup_folders),
		cmocka_unit_test(cgroup_files), cmocka_unit_test(own_cgroup), cmocka_unit_test(unescaping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
