/* What libbpf and the kernel's verifier say while probes are loaded: many lines where one error is enough. */
#pragma once

#include <stdbool.h>

/* Shows them on standard error (--verbose), or keeps them quiet. To be called before anything is loaded. */
void kernel_words_show(bool is_shown);
