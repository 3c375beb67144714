/* The roles of threads, by what was seen on them and by the names that HotSpot gives to its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct model;

#define ROLE_MAIN "main"
#define ROLE_REQUEST "request"
#define ROLE_JAVA "java"
#define ROLE_C1 "c1"
#define ROLE_C2 "c2"
#define ROLE_GC "gc"
#define ROLE_VM "vm"
#define ROLE_NATIVE "native"

/* The role of a thread apart from requests: any of the above but ROLE_REQUEST. */
const char *thread_role(const struct model *model, uint32_t thread);

/* Whether it read or wrote requests. */
bool thread_serves_requests(const struct model *model, uint32_t thread);

/* The thread that called JNI_CreateJavaVM in this process, and so runs main(); NO_INDEX where that was not seen. */
uint32_t java_main_thread(const struct model *model, uint32_t process);
