/* Errors as values with a cause chain.
 *
 * A function that can fail returns `struct err *`: NULL is success. The caller owns the value and passes it up
 * (TRY, TRY_CONTEXT), or ends it with err_free. Only main prints. A link says what failed and on what thing, in the form
 * "cannot open 'x'", without a capital or a full stop; the hint says what to do, where that is sure.
 * Not for hot paths: what a ring-buffer callback meets is counted instead. */
#pragma once

#include <stdbool.h>

/* The exit statuses of interface.md that an error can carry. */
enum err_kind {
	ERR_FAILED = 125,	 /* warmtrace itself failed, or its input is unreadable */
	ERR_USAGE = 2,		 /* wrong usage */
	ERR_NOT_EXECUTABLE = 126, /* the command could not be executed */
	ERR_NOT_FOUND = 127,	 /* the command was not found */
};

struct err {
	enum err_kind kind;
	char *message;	   /* owned */
	char *hint;	   /* owned, or NULL */
	struct err *cause; /* owned, or NULL */
};

#define must_check __attribute__((warn_unused_result))

/* Never returns NULL; when memory is exhausted it returns a static value, which err_free accepts. */
struct err *err_new(enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull)) must_check;

/* As err_new, with ": " and the text of `errno_value` at the end. */
struct err *err_errno(enum err_kind kind, int errno_value, const char *format, ...)
	__attribute__((format(printf, 3, 4), returns_nonnull)) must_check;

/* Adds the hint to the outermost link and returns the same error. */
struct err *err_hint(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3))) must_check;

/* Wraps `cause` (owned by the result) with a link that keeps its kind. */
struct err *err_wrap(struct err *cause, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull)) must_check;

void err_free(struct err *err);

/* The first hint found from the outermost link inwards, or NULL. Borrowed. */
const char *err_hint_text(const struct err *err);

/* The whole chain as one line "outer: inner: innermost"; the caller frees. NULL when memory is exhausted. */
char *err_line(const struct err *err) must_check;

#define TRY(expression)                      \
	do {                                 \
		struct err *try_ = (expression); \
		if (try_)                    \
			return try_;         \
	} while (0)

#define TRY_CONTEXT(expression, ...)                        \
	do {                                                \
		struct err *try_ = (expression);            \
		if (try_)                                   \
			return err_wrap(try_, __VA_ARGS__); \
	} while (0)
