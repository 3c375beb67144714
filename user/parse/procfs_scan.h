/* Scanning of /proc texts, shared by procfs.c and procfs_cgroup.c. Each function moves the cursor past what it took, and leaves it
 * alone where it returns false. Internal to parse. */
#pragma once

#include "parse/procfs.h"

bool scan_line(struct procfs_text *text, struct procfs_text *ret_line); /* without its newline */
bool scan_unsigned(struct procfs_text *text, unsigned int base, uint64_t *ret_value);
bool scan_byte(struct procfs_text *text, char byte);
bool scan_device(struct procfs_text *text, unsigned int base, uint32_t *ret_major, uint32_t *ret_minor); /* "MAJOR:MINOR" */
void scan_blanks(struct procfs_text *text);
struct procfs_string scan_word(struct procfs_text *text); /* up to a blank; may be empty */
struct procfs_string scan_rest(struct procfs_text *text);
