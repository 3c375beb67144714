/* Which of the programs' actions each system call of this machine gets (bpf/config.h). */
#pragma once

#include <stdint.h>

/* Fills a table of SYSCALL_NUMBER_END entries. */
void syscall_actions_fill(uint8_t *actions);
