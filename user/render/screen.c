#include "render/screen.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/fmt.h"

void words_add(struct words *words, const char *format, ...)
{
	auto_free char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		memory_exhausted();
	va_end(arguments);
	if (words->bytes.count)
		words->bytes.count--;
	for (const char *at = text; *at; at++)
		*vec_push(&words->bytes) = *at;
	*vec_push(&words->bytes) = 0;
}

const char *words_text(const struct words *words)
{
	return words->bytes.count ? words->bytes.items : "";
}

void words_done(struct words *words)
{
	vec_done(&words->bytes);
}

static char *format_text(struct screen *screen, const char *format, va_list arguments)
{
	auto_free char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		memory_exhausted();
	return arena_copy(&screen->arena, text, strlen(text));
}

void screen_blank(struct screen *screen)
{
	putc('\n', screen->out);
}

void screen_heading(struct screen *screen, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *text = format_text(screen, format, arguments);
	va_end(arguments);
	term_line(&screen->term, screen->out, TERM_TITLE, text);
}

void screen_line(struct screen *screen, enum term_style style, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *text = format_text(screen, format, arguments);
	va_end(arguments);
	term_line(&screen->term, screen->out, style, text);
}

void screen_paragraph(struct screen *screen, enum term_style style, const char *label, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *text = format_text(screen, format, arguments);
	va_end(arguments);
	term_paragraph(&screen->term, screen->out, TERM_TITLE, label ? label : "", label ? SCREEN_LABEL_COLUMNS : 0,
		       style, text);
}

void screen_table(struct screen *screen, struct table *table)
{
	table_print(table, &screen->term, screen->out);
	table_done(table);
}

const char *phase_words(enum phase phase)
{
	static const char *const words[PHASE_COUNT] = {
		[PHASE_LAUNCH] = "launch",     [PHASE_VM_INIT] = "JVM start",		[PHASE_STARTUP] = "startup",
		[PHASE_IDLE] = "idle",	       [PHASE_FIRST_REQUEST] = "first request", [PHASE_WARM] = "warm",
		[PHASE_SHUTDOWN] = "shutdown",
	};

	return words[phase];
}

const char *mapping_kind_words(enum mapping_kind kind)
{
	static const char *const words[MAPPING_KIND_COUNT] = {
#define M(NAME, name, text) [MAPPING_##NAME] = text,
		MAPPING_KIND_TABLE(M)
#undef M
	};

	return words[kind];
}

/* Page faults come in 26 leaves; their words are made of the kind of fault and what was touched. */
static const char *const fault_labels[] = {
#define M(NAME, name, text) "page faults, " text,
	MAPPING_KIND_TABLE(M)
#undef M
#define M(NAME, name, text) "page faults from disk, " text,
		MAPPING_KIND_TABLE(M)
#undef M
};

static const char *const fault_labels_in_group[] = {
#define M(NAME, name, text) text,
	MAPPING_KIND_TABLE(M)
#undef M
#define M(NAME, name, text) "from disk: " text,
		MAPPING_KIND_TABLE(M)
#undef M
};

const char *cause_label(enum cause cause)
{
	return cause < CAUSE_FAULT_MINOR ? cause_words(cause) : fault_labels[cause - CAUSE_FAULT_MINOR];
}

const char *cause_label_in_group(enum cause cause)
{
	return cause < CAUSE_FAULT_MINOR ? cause_words(cause) : fault_labels_in_group[cause - CAUSE_FAULT_MINOR];
}

const char *cause_label_short(struct screen *screen, const char *label)
{
	const char *aside = strstr(label, " (");

	return aside ? arena_format(&screen->arena, "%.*s", (int)(aside - label), label) : label;
}

static const struct {
	const char *prefix, *words;
} groups[GROUP_COUNT] = {
	[GROUP_CODE] = {"code.", "running code"},
	[GROUP_CLASS] = {"class.", "loading classes"},
	[GROUP_EXCEPTION] = {"exception.", "exceptions"},
	[GROUP_FAULT] = {"fault.", "page faults"},
	[GROUP_FILE] = {"file.", "files"},
	[GROUP_JIT] = {"jit.", "JIT compiler"},
	[GROUP_GC] = {"gc.", "garbage collection"},
	[GROUP_SAFEPOINT] = {"safepoint.", "safepoints"},
	[GROUP_LOCK] = {"lock.", "locks"},
	[GROUP_WAIT] = {"wait.", "waiting"},
	[GROUP_CPU] = {"cpu.", "no CPU to run on"},
	[GROUP_KERNEL] = {"kernel.", "kernel"},
	[GROUP_UNEXPLAINED] = {"unexplained", "not explained"},
};

enum cause_group cause_group_of(enum cause cause)
{
	const char *name = cause_name(cause);

	for (int group = 0; group < GROUP_COUNT; group++)
		if (strncmp(name, groups[group].prefix, strlen(groups[group].prefix)) == 0)
			return (enum cause_group)group;
	return GROUP_UNEXPLAINED;
}

const char *cause_group_words(enum cause_group group)
{
	return groups[group].words;
}

struct scale scale_for(int64_t largest_ns)
{
	if (largest_ns < 0)
		largest_ns = largest_ns < -INT64_MAX ? INT64_MAX : -largest_ns;
	if (largest_ns >= 10000000000)
		return (struct scale){10000000, 2, "s"};
	if (largest_ns >= 100000000)
		return (struct scale){100000, 1, "ms"};
	if (largest_ns >= 1000000)
		return (struct scale){10000, 2, "ms"};
	return (struct scale){100, 1, "µs"};
}

const char *in_scale(struct screen *screen, int64_t value_ns, struct scale scale)
{
	return arena_format(&screen->arena, "%s",
			    fmt_fixed(fmt_round(value_ns, scale.step_ns), scale.decimals, false).text);
}

const char *in_scale_signed(struct screen *screen, int64_t value_ns, struct scale scale)
{
	return arena_format(&screen->arena, "%s",
			    fmt_fixed(fmt_round(value_ns, scale.step_ns), scale.decimals, true).text);
}

const char *request_name(struct screen *screen, const struct report_request *request)
{
	if (!request->route)
		return request->method ? request->method : "";
	if (request->route[0] != '/' || !request->method || !*request->method)
		return request->route;
	return arena_format(&screen->arena, "%s %s", request->method, request->route);
}

const char *command_text(struct screen *screen, const char *const *arguments, size_t count)
{
	auto_done(words_done) struct words words = {};

	for (size_t i = 0; i < count; i++) {
		const char *quote = !arguments[i][0] || strpbrk(arguments[i], " \t\"$&;|<>()`") ? "'" : "";

		words_add(&words, "%s%s%s%s", i ? " " : "", quote, arguments[i], quote);
	}
	return arena_format(&screen->arena, "%s", words_text(&words));
}

const char *moment_text(struct screen *screen, int64_t time_ns)
{
	if (!time_ns)
		return "0";
	if (time_ns < 1000000000 || time_ns >= 600000000000)
		return arena_format(&screen->arena, "%s", fmt_duration(time_ns).text);
	return arena_format(&screen->arena, "%s s", fmt_fixed(fmt_round(time_ns, 10000000), 2, false).text);
}

static const char *maybe_text(struct screen *screen, struct maybe value, struct fmt (*format)(int64_t))
{
	if (value.state == ABSENT)
		return "?";
	if (value.state == NONE)
		return "-";
	return arena_format(&screen->arena, "%s", format(value.value).text);
}

const char *maybe_count(struct screen *screen, struct maybe value)
{
	return maybe_text(screen, value, fmt_count);
}

const char *maybe_duration(struct screen *screen, struct maybe value)
{
	return maybe_text(screen, value, fmt_duration);
}

const char *maybe_bytes(struct screen *screen, struct maybe value)
{
	return maybe_text(screen, value, fmt_bytes);
}

const struct report_request *cold_request_of(const struct report *report, const struct report_cold_vs_warm *pair)
{
	const struct report_request *first = NULL;

	for (size_t i = 0; i < report->requests_count; i++) {
		const struct report_request *request = &report->requests[i];

		if (!request->is_cold)
			continue;
		if (pair && request->latency_ns == pair->cold_ns)
			return request;
		if (!first)
			first = request;
	}
	return first;
}

static int lowest_first(const void *left, const void *right)
{
	const struct report_what_if *a = *(const struct report_what_if *const *)left;
	const struct report_what_if *b = *(const struct report_what_if *const *)right;

	if (a->cold_ns != b->cold_ns)
		return a->cold_ns < b->cold_ns ? -1 : 1;
	return (a > b) - (a < b); /* the report's order */
}

const struct report_what_if **what_ifs_by_saving(struct screen *screen, const struct report *report)
{
	const struct report_what_if **order =
		arena_array(&screen->arena, const struct report_what_if *, report->what_if_count + 1);

	for (size_t i = 0; i < report->what_if_count; i++)
		order[i] = &report->what_if[i];
	qsort(order, report->what_if_count, sizeof(*order), lowest_first);
	return order;
}
