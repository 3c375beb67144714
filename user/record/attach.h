/* Taking a process that runs already into a session: its threads, its children, its listening sockets, its JVM. */
#pragma once

#include "base/err.h"
#include "record/session.h"

/* Waits for a process of that name to start where the options ask for it. */
struct err *attach_start(struct session *session) must_check;
