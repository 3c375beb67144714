/* Who listens on a TCP port of this machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether somebody listens on the port in our network namespace; `ret_pid`: a process that does, 0 where it cannot be told. */
bool port_is_held(uint16_t port, pid_t *ret_pid);
