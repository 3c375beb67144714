/* Secrets and payloads leave no trace in a recording: Authorization and Cookie headers, user-info and secret
 * parameters of URLs, arguments and variables whose name looks like a secret's. The value becomes `***`.
 *
 * A name is a secret's when it contains password, passwd, passphrase, secret, token, credential, apikey, signature or
 * sessionid, or when one of its words (split at punctuation and camelCase) ends in key, pwd, pass, auth or sig. Too
 * much is redacted rather than too little; PWD and OLDPWD (the working directory) are not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool redact_is_secret_name(const char *name, size_t length_bytes);

/* Header names: the rule above, and Authorization, Proxy-Authorization, Cookie, Set-Cookie whatever their case. */
bool redact_is_secret_header(const char *name, size_t length_bytes);

/* In place and with lengths kept, because the stream's byte counts must still agree: bodies become NUL bytes, secrets
 * as many `*` (what that tells of a secret's length, the transfer's length tells as well). `classes` as
 * http_feed_read/write filled them. Returns how many bytes of `head` are worth storing (trailing body bytes are cut).
 * Bytes of a connection that no tracker follows are not to be stored at all. */
size_t redact_transfer(const uint8_t *classes, uint8_t *head, size_t head_length, uint64_t *last_bytes);

/* A copy (caller frees) of a URL or of any text with URLs in it: user-info and secret query parameters replaced. */
char *redact_url(const char *url);

/* A header line "Name: value", as given to -H; copy, caller frees. */
char *redact_header(const char *line);

/* A NAME=VALUE environment string; copy, caller frees. URLs in the value are redacted too, and values of variables
 * that hold a command line (JAVA_TOOL_OPTIONS, _JAVA_OPTIONS, JDK_JAVA_OPTIONS, CATALINA_OPTS ...) argument by
 * argument. */
char *redact_variable(const char *assignment);

/* Whether this variable concerns a JVM: JAVA*, JDK*, _JAVA_OPTIONS, *_OPTS, CLASSPATH, LD_*, MALLOC_*,
 * GLIBC_TUNABLES. */
bool redact_is_runtime_variable(const char *assignment);

/* Arguments, NUL separated (as /proc/PID/cmdline; a last NUL is kept if there). Redacted: --password=x, --password x,
 * -Dname=x, name=x, user-info and secret parameters in URLs, secret headers after -H/--header. The caller frees;
 * *ret_length_bytes is its length. */
char *redact_arguments(const char *arguments, size_t length_bytes, size_t *ret_length_bytes);
