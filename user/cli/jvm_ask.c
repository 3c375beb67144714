#include "cli/jvm_ask.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "cli/helper_run.h"
#include "parse/jvm_log.h"

static const struct {
	const char *name, *flag, *option;
} collectors[] = {
	{"g1", "UseG1GC", "-XX:+UseG1GC"},
	{"zgc", "UseZGC", "-XX:+UseZGC"},
	{"serial", "UseSerialGC", "-XX:+UseSerialGC"},
	{"parallel", "UseParallelGC", "-XX:+UseParallelGC"},
	{"shenandoah", "UseShenandoahGC", "-XX:+UseShenandoahGC"},
};

const char *collector_option(const char *name)
{
	for (size_t i = 0; i < array_length(collectors); i++)
		if (strcmp(collectors[i].name, name) == 0)
			return collectors[i].option;
	return NULL;
}

/* ---- the list of flags ---- */

/* The value of a flag in a list such as "     bool UseG1GC    = true    {product} {ergonomic}"; NULL where it is not
 * in it. */
static const char *flag_value(const char *text, const char *name, size_t *ret_length)
{
	size_t name_length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += name_length) {
		const char *after = at + name_length;

		if (at == text || at[-1] != ' ' || *after != ' ')
			continue;
		after += strspn(after, " ");
		if (*after == ':')
			after++; /* ":=": not the default (before JDK 9) */
		if (*after != '=')
			continue;
		after++;
		after += strspn(after, " ");
		*ret_length = strcspn(after, " \n");
		return after;
	}
	return NULL;
}

static bool has_flag(const char *text, const char *name)
{
	size_t length;

	return flag_value(text, name, &length);
}

static bool is_flag_on(const char *text, const char *name)
{
	size_t length;
	const char *value = flag_value(text, name, &length);

	return value && length == 4 && memcmp(value, "true", 4) == 0;
}

bool ability_is_taken_for_absent(const char *ability)
{
	const char *list = getenv("WARMTRACE_WITHOUT");

	for (const char *at = list; at && *at;) {
		size_t length = strcspn(at, ",");

		if (length == strlen(ability) && strncmp(at, ability, length) == 0)
			return true;
		at += length + (at[length] == ',');
	}
	return false;
}

/* Flags and not versions decide: vendors carry such things over to older versions. */
static enum cache_method method_of(const char *flags, int major)
{
	if (has_flag(flags, "AOTCacheOutput") && !ability_is_taken_for_absent("aot_cache_output"))
		return CACHE_ONE_STEP;
	if (has_flag(flags, "AOTMode") && !ability_is_taken_for_absent("aot_mode"))
		return CACHE_TWO_STEP;
	if (has_flag(flags, "ArchiveClassesAtExit") && !ability_is_taken_for_absent("archive_classes_at_exit"))
		return CACHE_DYNAMIC;
	/* A script's JVM does not say its version: archives of applications came soon after this flag (9). */
	return (major ? major >= 10 : has_flag(flags, "SharedArchiveConfigFile")) ? CACHE_STATIC : CACHE_NONE;
}

/* openjdk version "25.0.3" …, java version "1.8.0_392" …; in a VM's own log <release>, a line, 25.0.3+9. */
static void read_version(const char *text, struct arena *arena, struct jvm_facts *facts)
{
	static const char printed[] = " version \"", logged[] = "<release>\n";
	const char *at = strstr(text, printed);
	char *end;

	facts->version = "";
	if (at)
		at += strlen(printed);
	else if ((at = strstr(text, logged)))
		at += strlen(logged);
	else
		return;
	facts->version = arena_copy(arena, at, strcspn(at, "\"\n"));
	facts->major = (int)strtol(at, &end, 10);
	if (facts->major == 1 && *end == '.')
		facts->major = (int)strtol(end + 1, NULL, 10);
}

static void read_facts(const char *text, struct arena *arena, struct jvm_facts *facts)
{
	read_version(text, arena, facts);
	facts->method = method_of(text, facts->major);
	facts->needs_app_cds = has_flag(text, "UseAppCDS") && facts->method == CACHE_STATIC;
	facts->has_training_switch = has_flag(text, "AOTReplayTraining");
	facts->has_linking_switch = has_flag(text, "AOTClassLinking");
	facts->collector = "other";
	for (size_t i = 0; i < array_length(collectors); i++)
		if (is_flag_on(text, collectors[i].flag))
			facts->collector = collectors[i].name;
}

static const char *complaint(const struct helper_result *result, struct arena *arena)
{
	size_t length;
	const char *line = jvm_log_complaint(result->text, result->length, &length);

	if (line)
		return arena_copy(arena, line, length);
	if (result->is_timed_out)
		return "it did not answer";
	return WIFSIGNALED(result->wait_status)
		       ? arena_format(arena, "it was ended by signal %d", WTERMSIG(result->wait_status))
		       : arena_format(arena, "it ended with status %d", WEXITSTATUS(result->wait_status));
}

/* ---- asking ---- */

enum { ASK_TIMEOUT_S = 30 };

/* The list is in alphabetical order: with its end the rest does not matter. */
static bool has_all_flags(const char *text, size_t length)
{
	(void)length;
	return has_flag(text, "YoungPLABSize") || strstr(text, " ZUncommit");
}

static struct err *ask_java(const struct java_command *command, const char *const *options,
			    const struct invoker *invoker, const char *output_path, struct arena *arena,
			    struct jvm_facts *facts)
{
	static const char *const flags[] = {"-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal", NULL};
	struct helper_result result;
	char **words = java_command_asking(command, options_joined(arena, options, flags), arena);
	struct helper helper = {
		.invoker = invoker, .output_path = output_path, .timeout_ns = ASK_TIMEOUT_S * 1000000000ull};

	unlink(output_path);
	TRY(helper_run(&helper, words, arena, &result));
	if (!has_all_flags(result.text, result.length))
		facts->refusal = complaint(&result, arena);
	read_facts(result.text, arena, facts);
	return NULL;
}

/* Dumping is all that the JVM does then: the application does not start. What it prints goes to a log of its own,
 * wherever the script sends its output. */
static struct err *ask_script(const struct java_command *command, const char *const *options,
			      const struct invoker *invoker, struct work_folder *folder, const char *output_path,
			      struct arena *arena, struct jvm_facts *facts)
{
	const char *log = work_folder_file(folder, "asked", ".xml"),
		   *archive = work_folder_file(folder, "asked", ".jsa");
	const char *const flags[] = {
		"-XX:+UnlockDiagnosticVMOptions",
		"-XX:+PrintFlagsFinal",
		"-XX:+LogVMOutput",
		arena_format(arena, "-XX:LogFile=%s", log),
		"-Xshare:dump",
		arena_format(arena, "-XX:SharedArchiveFile=%s", archive),
		NULL,
	};
	struct helper helper = {
		.invoker = invoker,
		.output_path = output_path,
		.timeout_ns = ASK_TIMEOUT_S * 1000000000ull,
		.is_enough = has_all_flags,
		.watched_path = log,
	};
	struct helper_result result;
	const char *text;
	size_t length;

	/* Answers of an earlier run in the same folder are not this one's. */
	unlink(output_path);
	unlink(log);
	TRY(helper_run(&helper, java_command_with(command, options_joined(arena, options, flags), NULL, arena), arena,
		       &result));
	unlink(archive);
	text = helper_text(log, arena, &length);
	if (!has_all_flags(text, length))
		facts->refusal = length ? complaint(&result, arena)
					: arena_format(arena, "no JVM was started (%s)", complaint(&result, arena));
	read_facts(text, arena, facts);
	return NULL;
}

struct err *jvm_ask(const struct java_command *command, const char *const *options, const struct invoker *invoker,
		    struct work_folder *folder, struct arena *arena, struct jvm_facts *ret_facts)
{
	struct jvm_facts facts = {.version = "", .collector = "other"};
	const char *output_path = work_folder_file(folder, "asked", ".log");

	if (command->java == NO_WORD)
		TRY(ask_script(command, options, invoker, folder, output_path, arena, &facts));
	else
		TRY(ask_java(command, options, invoker, output_path, arena, &facts));
	*ret_facts = facts;
	return NULL;
}
