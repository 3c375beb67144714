/* What a JVM's own log says of an archive of classes: why it was refused, and what was left out when it was made.
 *
 * Lines are those of -Xlog (decorations in brackets, or none). Messages are matched whole, with the places where the
 * JVM puts names left open: single words such as "cache" and "failed" stand in messages that are no refusal (stubs
 * and adapters have a cache of their own, whose absence does not matter). Wordings are those of JDK 13 to 26. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* R(NAME, "in words"): the cause is what differs from the run that made the cache. */
#define REFUSAL_TABLE(R)                                                                                             \
	R(MISSING, "the file was not found")                                                                         \
	R(UNREADABLE, "the file could not be opened")                                                                \
	R(DAMAGED, "the file is damaged")                                                                            \
	R(OTHER_BUILD, "it was made by another build of the JDK")                                                    \
	R(OTHER_IMAGE, "it was made with another runtime image of the JDK")                                          \
	R(COMPACT_HEADERS, "it was made with the other setting of compact object headers")                           \
	R(ENCODING,                                                                                                  \
	  "it was made with other object references (another collector such as ZGC, or a heap of 32 GB and "         \
	  "more)")                                                                                                   \
	R(JAR_CHANGED, "a jar of the class path was changed since it was made")                                      \
	R(JAR_MISSING, "a jar of the class path is missing")                                                         \
	R(CLASS_PATH, "the class path differs from the one that it was made with")                                   \
	R(AGENT, "an agent is loaded, which a cache made without it does not allow")                                 \
	R(FLIGHT_RECORDER, "a flight recording is started, which a cache made without it does not allow")            \
	R(MODULES, "options of modules differ from those that it was made with")                                     \
	R(SETTING, "a setting of the JVM differs from the one that it was made with")                                \
	R(MEMORY, "its memory could not be mapped or its heap objects do not fit")                                   \
	R(PROCESSOR, "the processor lacks what it was made for")                                                     \
	R(UNNAMED, "the JVM refused it")

enum refusal {
#define R(NAME, words) REFUSAL_##NAME,
	REFUSAL_TABLE(R)
#undef R
		REFUSAL_COUNT
};

const char *refusal_words(enum refusal refusal);

/* The refusal that a log tells of: of several messages the one that names the cause best. False where it tells of
 * none. *ret_message is that message inside the text, without decorations, *ret_length bytes long. */
bool jvm_log_refusal(const char *text, size_t length, enum refusal *ret_refusal, const char **ret_message,
		     size_t *ret_length);

/* A class that was left out of an archive ("Skipping NAME: REASON"). Neither is NUL-terminated. */
struct jvm_log_exclusion {
	const char *name, *reason;
	size_t name_length, reason_length;
};

/* The next one at or after *at in [*at, end); moves *at past it. */
bool jvm_log_exclusion(const char **at, const char *end, struct jvm_log_exclusion *ret_exclusion);

/* The line that says best why a program did not start, or ended: a JVM's complaint, else the last line that is not
 * empty. Inside the text, *ret_length bytes long; NULL where there is none. */
const char *jvm_log_complaint(const char *text, size_t length, size_t *ret_length);
