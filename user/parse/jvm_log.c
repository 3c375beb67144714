#include "parse/jvm_log.h"

#include <string.h>

static const char *const words[REFUSAL_COUNT] = {
#define R(NAME, text) [REFUSAL_##NAME] = text,
	REFUSAL_TABLE(R)
#undef R
};

const char *refusal_words(enum refusal refusal)
{
	return (unsigned int)refusal < REFUSAL_COUNT ? words[refusal] : "";
}

/* In the order in which they name a cause: earlier rows win over later ones, which often only follow from them. '*'
 * stands for any text. */
static const struct {
	const char *pattern;
	enum refusal refusal;
} patterns[] = {
	{"Specified * not found (*)*", REFUSAL_MISSING},
	{"Base archive * does not exist", REFUSAL_MISSING},
	{"Failed to open shared archive file (*)*", REFUSAL_UNREADABLE},
	{"Failed to open * (Permission denied)*", REFUSAL_UNREADABLE},

	{"The * has been truncated.", REFUSAL_DAMAGED},
	{"The * has a bad magic number*", REFUSAL_DAMAGED},
	{"The * has an incorrect header size.", REFUSAL_DAMAGED},
	{"The * file has been truncated.", REFUSAL_DAMAGED},
	{"Archive file header larger than archive file", REFUSAL_DAMAGED},
	{"Header checksum verification failed.", REFUSAL_DAMAGED},
	{"Checksum verification failed.", REFUSAL_DAMAGED},
	{"relocation bitmap CRC error", REFUSAL_DAMAGED},
	{"Invalid base_archive_name offset/size*", REFUSAL_DAMAGED},

	{"The * was created by a different version or build of HotSpot*", REFUSAL_OTHER_BUILD},
	{"The * has the wrong version.", REFUSAL_OTHER_BUILD},
	{"The * version * does not match the required version *.", REFUSAL_OTHER_BUILD},
	{"JVM version identifier is corrupted.", REFUSAL_OTHER_BUILD},
	{"Cannot handle shared archive file version *. Must be at least *.", REFUSAL_OTHER_BUILD},
	{"Dynamic archive cannot be used: static archive * checksum verification failed.", REFUSAL_OTHER_BUILD},

	{"This file is not the one used while building the *: '*/lib/modules'*", REFUSAL_OTHER_IMAGE},
	{"A jar/jimage file is not the one used while building the shared archive file: */lib/modules",
	 REFUSAL_OTHER_IMAGE},
	{"A jar file is not the one used while building the shared archive file: */lib/modules", REFUSAL_OTHER_IMAGE},
	{"Modules image * validation: failed", REFUSAL_OTHER_IMAGE},
	{"CDS is not supported in exploded JDK build", REFUSAL_OTHER_IMAGE},
	{"The * cannot be used with an exploded module build.", REFUSAL_OTHER_IMAGE},

	{"*UseCompactObjectHeaders setting (*) does not equal the current UseCompactObjectHeaders setting (*).",
	 REFUSAL_COMPACT_HEADERS},
	{"The saved state of UseCompressedOops and UseCompressedClassPointers is different from runtime, *",
	 REFUSAL_ENCODING},

	{"This file is not the one used while building the *: '*'*", REFUSAL_JAR_CHANGED},
	{"A jar file is not the one used while building the *: *", REFUSAL_JAR_CHANGED},
	{"A jar/jimage file is not the one used while building the *: *", REFUSAL_JAR_CHANGED},
	{"Required classpath entry does not exist: *", REFUSAL_JAR_MISSING},

	{"*It cannot be used with JDWP agent*", REFUSAL_AGENT},
	{"*It cannot be used when JVMTI *", REFUSAL_AGENT},
	{"CDS is disabled because early JVMTI ClassFileLoadHook is in use.", REFUSAL_AGENT},
	{"The setting of the AllowArchivingWithJavaAgent is different from the setting in the shared archive.",
	 REFUSAL_AGENT},
	{"Mismatched values for property jdk.module.addmods: *java.instrument*", REFUSAL_AGENT},
	{"Mismatched values for property jdk.module.addmods: *jdk.jfr*", REFUSAL_FLIGHT_RECORDER},
	{"Mismatched values for property *: *", REFUSAL_MODULES},
	{"* is disabled when the * option is specified.", REFUSAL_MODULES},
	{"*CDS is disabled when java.base module is patched.", REFUSAL_MODULES},

	{"The name of * classpath [*] does not match: expected '*', got '*'", REFUSAL_CLASS_PATH},
	{"class path and/or module path are not compatible with the ones specified when the * was *",
	 REFUSAL_CLASS_PATH},
	{"[APP classpath mismatch, actual: *", REFUSAL_CLASS_PATH},
	{"[BOOT classpath mismatch, actual *", REFUSAL_CLASS_PATH},
	{"shared class paths mismatch*", REFUSAL_CLASS_PATH},

	{"The * setting (*) does not equal the current * setting (*).", REFUSAL_SETTING},
	{"The * of * does not equal the current * of *.", REFUSAL_SETTING},
	{"The * was created with less restrictive verification setting than the current setting.", REFUSAL_SETTING},
	{"*It cannot be used when the java.system.class.loader property is specified.", REFUSAL_SETTING},
	{"*It cannot be used with -Djava.security.manager=*", REFUSAL_SETTING},
	{"CDS archive has aot-linked classes. It cannot be used because the file * exists", REFUSAL_SETTING},

	{"* has aot-linked classes but the archived heap objects cannot be loaded. *", REFUSAL_MEMORY},
	{"Unable to map * shared space at *", REFUSAL_MEMORY},
	{"Unable to allocate memory for shared space", REFUSAL_MEMORY},
	{"Unable to reserve *shared*", REFUSAL_MEMORY},
	{"*CPU features *not *", REFUSAL_PROCESSOR},
	{"*required CPU features *", REFUSAL_PROCESSOR},

	/* Consequences: they say that, and not why. */
	{"* has aot-linked classes. It cannot be used when archived full module graph is not used.", REFUSAL_MODULES},
	{"Not a valid shared archive file (*)", REFUSAL_DAMAGED},
	{"Unable to use AOT cache: *", REFUSAL_UNNAMED},
	{"Unable to use shared archive: *", REFUSAL_UNNAMED},
	{"Unable to use shared archive. The top archive failed to load: *", REFUSAL_UNNAMED},
	{"Unable to read the file header.", REFUSAL_DAMAGED},
	{"Unable to use AOT cache.", REFUSAL_UNNAMED},
	{"Unable to use shared archive.", REFUSAL_UNNAMED},
	{"Unable to use shared archive", REFUSAL_UNNAMED},
	{"Loading * archive failed.", REFUSAL_UNNAMED},
	{"Unable to map shared spaces", REFUSAL_UNNAMED},
};

enum { PATTERN_COUNT = sizeof(patterns) / sizeof(patterns[0]) };

/* A message of the codecache is one about its stubs, not about the classes. */
static bool is_of_code_cache(const char *line, const char *message)
{
	for (const char *at = line; at + 9 <= message; at++)
		if (memcmp(at, "codecache", 9) == 0)
			return true;
	return false;
}

/* Past "[0.163s][warning][aot] " and what older JVMs put before their messages. */
static const char *skip_decorations(const char *line, const char *end)
{
	static const char prefix[] = "UseSharedSpaces: ";
	const size_t prefix_length = sizeof(prefix) - 1;
	const char *at = line;

	while (at < end && *at == '[') {
		const char *close = memchr(at, ']', (size_t)(end - at));

		/* "[APP classpath mismatch" is a message: decorations are short and without commas followed by
		 * blanks. */
		if (!close || (size_t)(end - at) < 5 || memcmp(at, "[APP ", 5) == 0 || memcmp(at, "[BOO", 4) == 0)
			break;
		at = close + 1;
	}
	while (at < end && *at == ' ')
		at++;
	if ((size_t)(end - at) > prefix_length && memcmp(at, prefix, prefix_length) == 0)
		at += prefix_length;
	return at;
}

/* Glob match of a whole message, linear in practice: each '*' goes back to its last place only. */
static bool matches(const char *pattern, const char *text, const char *end)
{
	const char *star = NULL, *retry = NULL;

	while (text < end) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (*pattern && *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

static const char *trim(const char *start, const char *end)
{
	while (end > start && (end[-1] == '\r' || end[-1] == ' '))
		end--;
	return end;
}

bool jvm_log_refusal(const char *text, size_t length, enum refusal *ret_refusal, const char **ret_message,
		     size_t *ret_length)
{
	const char *end = text + length;
	size_t best = PATTERN_COUNT;

	for (const char *at = text; at < end;) {
		const char *after = line_end(at, end);
		const char *message = skip_decorations(at, after), *message_end = trim(message, after);

		for (size_t i = 0; i < best && !is_of_code_cache(at, message); i++)
			if (matches(patterns[i].pattern, message, message_end)) {
				best = i;
				*ret_refusal = patterns[i].refusal;
				*ret_message = message;
				*ret_length = (size_t)(message_end - message);
			}
		at = after < end ? after + 1 : end;
	}
	return best < PATTERN_COUNT;
}

bool jvm_log_exclusion(const char **at, const char *end, struct jvm_log_exclusion *ret_exclusion)
{
	static const char skipping[] = "Skipping ";
	const size_t skipping_length = sizeof(skipping) - 1;

	while (*at < end) {
		const char *after = line_end(*at, end);
		const char *message = skip_decorations(*at, after), *message_end = trim(message, after);
		const char *name = message + skipping_length, *colon;

		*at = after < end ? after + 1 : end;
		if ((size_t)(message_end - message) <= skipping_length ||
		    memcmp(message, skipping, skipping_length) != 0)
			continue;
		colon = memchr(name, ':', (size_t)(message_end - name));
		if (!colon || colon == name || memchr(name, ' ', (size_t)(colon - name)))
			continue;

		const char *reason = colon + 1;

		while (reason < message_end && *reason == ' ')
			reason++;
		*ret_exclusion = (struct jvm_log_exclusion){
			.name = name,
			.name_length = (size_t)(colon - name),
			.reason = reason,
			.reason_length = (size_t)(message_end - reason),
		};
		return true;
	}
	return false;
}

/* From the most telling on. A JVM's own last lines on its failure to start say only that it failed. */
static const struct {
	const char *pattern;
	bool is_before; /* the line after it is the one */
} complaints[] = {
	{"Error occurred during initialization of VM", true},
	{"Error: Could not find or load main class *", false},
	{"Error: Unable to access jarfile *", false},
	{"Unrecognized * option*", false},
	{"Unrecognized option: *", false},
	{"Error: VM option *", false},
	{"* is not supported*", false},
	{"Improperly specified *", false},
	{"Invalid * option*", false},
	{"Exception in thread *", false},
	{"*Error: *", false},
	{"*rror: *", false},
};

enum { COMPLAINT_COUNT = sizeof(complaints) / sizeof(complaints[0]) };

const char *jvm_log_complaint(const char *text, size_t length, size_t *ret_length)
{
	const char *end = text + length, *found = NULL;
	size_t best = COMPLAINT_COUNT;
	bool is_next = false;

	for (const char *at = text; at < end;) {
		const char *after = line_end(at, end), *message = skip_decorations(at, after);
		const char *message_end = trim(message, after);
		bool is_telling = message_end > message && (is_next || !found || best == COMPLAINT_COUNT);

		for (size_t i = 0; i < best && message_end > message && !is_next; i++)
			if (matches(complaints[i].pattern, message, message_end)) {
				best = i;
				is_telling = true;
				break;
			}
		if (is_telling) {
			found = message;
			*ret_length = (size_t)(message_end - message);
			is_next = !is_next && best < COMPLAINT_COUNT && complaints[best].is_before;
		}
		at = after < end ? after + 1 : end;
	}
	return found;
}
