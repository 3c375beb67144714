#include "record/kernel_words.h"

#include <bpf/libbpf.h>
#include <stdarg.h>
#include <stdio.h>

/* The verifier's own log comes as a warning when a program is refused. Debug messages are about every relocation. */
static int print(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return level == LIBBPF_DEBUG ? 0 : vfprintf(stderr, format, arguments);
}

void kernel_words_show(bool is_shown)
{
	libbpf_set_print(is_shown ? print : NULL);
}
