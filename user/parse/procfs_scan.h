/* Scanning of /proc texts, for procfs.c and procfs_cgroup.c. Each function moves the cursor past what it took,
 * and leaves it alone where it returns false. Internal to parse. */
#pragma once

#include "parse/procfs.h"

bool scan_line(struct procfs_text *text, struct procfs_text *ret_line); /* without its newline */
bool scan_unsigned(struct procfs_text *text, unsigned int base, uint64_t *ret_value);
bool scan_byte(struct procfs_text *text, char byte);
bool scan_device(struct procfs_text *text, unsigned int base, uint32_t *ret_major,
		 uint32_t *ret_minor); /* "MAJOR:MINOR" */
void scan_blanks(struct procfs_text *text);
struct procfs_string scan_word(struct procfs_text *text); /* up to a blank; may be empty */
struct procfs_string scan_rest(struct procfs_text *text);

/* A line "Key:   value"; also with a unit: " kB" multiplies by 1024. */
struct scan_field {
	const char *key;
	uint64_t *value;
};

bool scan_key(struct procfs_text *line, struct procfs_string *ret_key); /* up to the colon, and the blanks after it */

/* All fields to PROCFS_UNKNOWN; then, for each line, the value into the field that it names. */
void scan_fields_unknown(const struct scan_field *fields, size_t count);
void scan_fields(struct procfs_text line, const struct scan_field *fields, size_t count);
