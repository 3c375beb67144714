/* Processes, mappings and machine figures; mounts and cgroups are in procfs_cgroup.c. */
#include "parse/procfs.h"

#include <string.h>

#include "parse/procfs_scan.h"

size_t procfs_unescape(struct procfs_string string, char *out, size_t out_bytes)
{
	size_t length = 0;

	for (size_t i = 0; i < string.length_bytes && length + 1 < out_bytes; i++) {
		const char *at = string.text + i;

		if (*at == '\\' && string.length_bytes - i >= 4 && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' &&
		    at[2] <= '7' && at[3] >= '0' && at[3] <= '7') {
			out[length++] = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
			i += 3;
		} else {
			out[length++] = *at;
		}
	}
	if (out_bytes)
		out[length] = '\0';
	return length;
}

bool procfs_string_is(struct procfs_string string, const char *text)
{
	return string.length_bytes == strlen(text) && memcmp(string.text, text, string.length_bytes) == 0;
}

/* ---- maps and smaps ---- */

static bool ends_with(struct procfs_string string, const char *suffix)
{
	size_t length = strlen(suffix);

	return string.length_bytes >= length &&
	       memcmp(string.text + string.length_bytes - length, suffix, length) == 0;
}

static bool parse_map(struct procfs_text line, struct procfs_map *ret_map)
{
	static const char deleted[] = " (deleted)";
	struct procfs_map map = {};
	struct procfs_string permissions;

	if (!scan_unsigned(&line, 16, &map.start) || !scan_byte(&line, '-') || !scan_unsigned(&line, 16, &map.end) ||
	    !scan_byte(&line, ' ') || map.end < map.start)
		return false;
	permissions = scan_word(&line);
	if (permissions.length_bytes != 4 || !scan_byte(&line, ' '))
		return false;
	map.is_readable = permissions.text[0] == 'r';
	map.is_writable = permissions.text[1] == 'w';
	map.is_executable = permissions.text[2] == 'x';
	map.is_shared = permissions.text[3] == 's';
	if (!scan_unsigned(&line, 16, &map.offset) || !scan_byte(&line, ' ') ||
	    !scan_device(&line, 16, &map.device_major, &map.device_minor) || !scan_byte(&line, ' ') ||
	    !scan_unsigned(&line, 10, &map.inode))
		return false;
	/* The name is padded to a column; a path begins with '/', so that its own leading blanks are not at risk. */
	scan_blanks(&line);
	map.name = scan_rest(&line);
	if (map.inode && ends_with(map.name, deleted)) {
		map.name.length_bytes -= sizeof(deleted) - 1;
		map.is_deleted = true;
	}
	*ret_map = map;
	return true;
}

bool procfs_maps_next(struct procfs_text *text, struct procfs_map *ret_map)
{
	struct procfs_text line;

	while (scan_line(text, &line))
		if (parse_map(line, ret_map))
			return true;
	return false;
}

bool procfs_smaps_next(struct procfs_text *text, struct procfs_smap *ret_smap)
{
	struct procfs_smap smap = {};
	const struct scan_field fields[] = {
		{"Size", &smap.size_bytes},
		{"Rss", &smap.rss_bytes},
		{"Pss", &smap.pss_bytes},
		{"Shared_Clean", &smap.shared_clean_bytes},
		{"Shared_Dirty", &smap.shared_dirty_bytes},
		{"Private_Clean", &smap.private_clean_bytes},
		{"Private_Dirty", &smap.private_dirty_bytes},
		{"Anonymous", &smap.anonymous_bytes},
		{"AnonHugePages", &smap.anonymous_huge_bytes},
		{"Swap", &smap.swap_bytes},
		{"Referenced", &smap.referenced_bytes},
		{"LazyFree", &smap.lazy_free_bytes},
		{"Locked", &smap.locked_bytes},
	};
	size_t field_count = sizeof(fields) / sizeof(fields[0]);

	if (!procfs_maps_next(text, &smap.map))
		return false;
	scan_fields_unknown(fields, field_count);
	while (text->next < text->end) {
		struct procfs_text rest = *text, line;
		struct procfs_map next;

		if (!scan_line(&rest, &line) || parse_map(line, &next))
			break;
		scan_fields(line, fields, field_count);
		*text = rest;
	}
	*ret_smap = smap;
	return true;
}

/* ---- status ---- */

static void parse_ids(struct procfs_text line, uint64_t *ids)
{
	for (int i = 0; i < 4; i++) {
		uint64_t value;

		scan_blanks(&line);
		if (!scan_unsigned(&line, 10, &value))
			return;
		ids[i] = value;
	}
}

static void parse_status_line(struct procfs_text line, struct procfs_status *status)
{
	const struct scan_field masks[] = {
		{"SigPnd", &status->signals_pending}, {"ShdPnd", &status->signals_shared_pending},
		{"SigBlk", &status->signals_blocked}, {"SigIgn", &status->signals_ignored},
		{"SigCgt", &status->signals_caught},  {"CapEff", &status->capabilities_effective},
	};
	struct procfs_string key;

	if (!scan_key(&line, &key))
		return;
	if (procfs_string_is(key, "Name")) {
		status->name = scan_rest(&line);
	} else if (procfs_string_is(key, "State")) {
		status->state = line.next < line.end ? *line.next : 0;
	} else if (procfs_string_is(key, "Uid")) {
		parse_ids(line, status->uid);
	} else if (procfs_string_is(key, "Gid")) {
		parse_ids(line, status->gid);
	} else if (procfs_string_is(key, "NStgid")) {
		while (line.next < line.end && scan_unsigned(&line, 10, &status->inner_tgid))
			scan_blanks(&line);
	}
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		if (procfs_string_is(key, masks[i].key))
			scan_unsigned(&line, 16, masks[i].value);
}

void procfs_status_parse(const char *text, size_t length_bytes, struct procfs_status *ret_status)
{
	struct procfs_status status = {};
	const struct scan_field fields[] = {
		{"Tgid", &status.tgid},
		{"Pid", &status.pid},
		{"PPid", &status.parent_pid},
		{"TracerPid", &status.tracer_pid},
		{"VmPeak", &status.vm_peak_bytes},
		{"VmSize", &status.vm_size_bytes},
		{"VmLck", &status.vm_locked_bytes},
		{"VmHWM", &status.vm_hwm_bytes},
		{"VmRSS", &status.vm_rss_bytes},
		{"RssAnon", &status.rss_anon_bytes},
		{"RssFile", &status.rss_file_bytes},
		{"RssShmem", &status.rss_shmem_bytes},
		{"VmData", &status.vm_data_bytes},
		{"VmStk", &status.vm_stack_bytes},
		{"VmSwap", &status.vm_swap_bytes},
		{"Threads", &status.threads},
		{"NoNewPrivs", &status.no_new_privileges},
		{"Seccomp", &status.seccomp},
		{"voluntary_ctxt_switches", &status.voluntary_switches},
		{"nonvoluntary_ctxt_switches", &status.involuntary_switches},
	};
	struct procfs_text rest = procfs_text(text, length_bytes), line;

	scan_fields_unknown(fields, sizeof(fields) / sizeof(fields[0]));
	status.inner_tgid = status.signals_pending = status.signals_shared_pending = status.signals_blocked =
		status.signals_ignored = status.signals_caught = status.capabilities_effective = PROCFS_UNKNOWN;
	for (int i = 0; i < 4; i++)
		status.uid[i] = status.gid[i] = PROCFS_UNKNOWN;
	while (scan_line(&rest, &line)) {
		scan_fields(line, fields, sizeof(fields) / sizeof(fields[0]));
		parse_status_line(line, &status);
	}
	*ret_status = status;
}

/* ---- stat ---- */

bool procfs_stat_parse(const char *text, size_t length_bytes, struct procfs_stat *ret_stat)
{
	struct procfs_stat stat = {
		.last_cpu = PROCFS_UNKNOWN, .block_io_delay_ticks = PROCFS_UNKNOWN, .guest_ticks = PROCFS_UNKNOWN};
	/* By proc(5)'s field numbers from 4 on; NULL: not wanted. */
	uint64_t *const fields[] = {&stat.parent_pid,
				    &stat.process_group,
				    &stat.session,
				    NULL,
				    NULL, /* 8: the terminal's group, may be -1 */
				    &stat.flags,
				    &stat.minor_faults,
				    &stat.child_minor_faults,
				    &stat.major_faults,
				    &stat.child_major_faults,
				    &stat.user_ticks,
				    &stat.system_ticks,
				    &stat.child_user_ticks,
				    &stat.child_system_ticks,
				    NULL,
				    NULL,
				    &stat.threads,
				    NULL,
				    &stat.start_ticks,
				    &stat.virtual_bytes,
				    &stat.rss_pages,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL,
				    NULL, /* 38: exit signal */
				    &stat.last_cpu,
				    NULL,
				    NULL,
				    &stat.block_io_delay_ticks, /* 42 */
				    &stat.guest_ticks};
	struct procfs_text line = procfs_text(text, length_bytes);
	const char *close = NULL;

	if (!scan_unsigned(&line, 10, &stat.pid) || !scan_byte(&line, ' ') || !scan_byte(&line, '('))
		return false;
	/* The name may itself hold ") ": its end is the last parenthesis of the text. */
	for (const char *at = line.next; at < line.end; at++)
		if (*at == ')')
			close = at;
	if (!close)
		return false;
	stat.name = (struct procfs_string){.text = line.next, .length_bytes = (size_t)(close - line.next)};
	line.next = close + 1;
	if (!scan_byte(&line, ' ') || line.next == line.end)
		return false;
	stat.state = *line.next++;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value;

		scan_blanks(&line);

		bool is_negative = scan_byte(&line, '-');

		if (!scan_unsigned(&line, 10, &value))
			break;
		if (i == 4 && value <= INT64_MAX)
			stat.terminal_process_group = is_negative ? -(int64_t)value : (int64_t)value;
		if (fields[i])
			*fields[i] = is_negative ? 0 : value;
	}
	*ret_stat = stat;
	return true;
}

/* ---- limits, strings, auxv, the machine's stat ---- */

/* Columns are padded with blanks, and names hold single ones: two or more blanks end a column. */
static struct procfs_string scan_column(struct procfs_text *line)
{
	struct procfs_string column = {.text = line->next};
	const char *at = line->next;

	while (at < line->end && !(at[0] == ' ' && (at + 1 == line->end || at[1] == ' ')))
		at++;
	column.length_bytes = (size_t)(at - column.text);
	line->next = at;
	scan_blanks(line);
	return column;
}

static bool parse_limit_value(struct procfs_text *line, uint64_t *ret_value)
{
	struct procfs_string word = scan_word(line);
	struct procfs_text number = procfs_text(word.text, word.length_bytes);

	scan_blanks(line);
	if (procfs_string_is(word, "unlimited")) {
		*ret_value = PROCFS_UNLIMITED;
		return true;
	}
	return scan_unsigned(&number, 10, ret_value);
}

bool procfs_limits_next(struct procfs_text *text, struct procfs_limit *ret_limit)
{
	struct procfs_text line;

	while (scan_line(text, &line)) {
		struct procfs_limit limit = {.name = scan_column(&line)};

		if (!parse_limit_value(&line, &limit.soft) || !parse_limit_value(&line, &limit.hard))
			continue;
		limit.units = scan_word(&line);
		*ret_limit = limit;
		return true;
	}
	return false;
}

bool procfs_strings_next(struct procfs_text *text, struct procfs_string *ret_string)
{
	const char *end;

	if (text->next >= text->end)
		return false;
	end = memchr(text->next, '\0', (size_t)(text->end - text->next));
	ret_string->text = text->next;
	ret_string->length_bytes = (size_t)((end ? end : text->end) - text->next);
	text->next = end ? end + 1 : text->end;
	return true;
}

bool procfs_auxv_find(const void *bytes, size_t length_bytes, uint64_t type, uint64_t *ret_value)
{
	for (size_t at = 0; length_bytes - at >= 16; at += 16) {
		uint64_t entry[2];

		memcpy(entry, (const char *)bytes + at, sizeof(entry));
		if (entry[0] == type) {
			*ret_value = entry[1];
			return true;
		}
		if (entry[0] == 0)
			break;
	}
	return false;
}

bool procfs_cpu_next(struct procfs_text *text, struct procfs_cpu *ret_cpu)
{
	struct procfs_text line;

	while (scan_line(text, &line)) {
		struct procfs_cpu cpu = {.cpu = -1};
		uint64_t *const fields[] = {&cpu.user, &cpu.nice,    &cpu.system, &cpu.idle,  &cpu.iowait,
					    &cpu.irq,  &cpu.softirq, &cpu.steal,  &cpu.guest, &cpu.guest_nice};
		struct procfs_string name = scan_word(&line);
		uint64_t number;

		if (name.length_bytes < 3 || memcmp(name.text, "cpu", 3) != 0)
			continue;
		if (name.length_bytes > 3) {
			struct procfs_text digits = procfs_text(name.text + 3, name.length_bytes - 3);

			if (!scan_unsigned(&digits, 10, &number) || digits.next != digits.end || number > INT32_MAX)
				continue;
			cpu.cpu = (int)number;
		}
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			*fields[i] = PROCFS_UNKNOWN;
			scan_blanks(&line);
			scan_unsigned(&line, 10, fields[i]);
		}
		*ret_cpu = cpu;
		return true;
	}
	return false;
}
