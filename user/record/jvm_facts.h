/* What a JVM says of itself, as texts of the recording (keys jvm.PID.* and region.PID.*). */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "parse/hotspot.h"
#include "record/output.h"

/* Version, collector, arguments, heap and where its parts lie. False, and nothing written, as long as the VM has not set up its
 * version and its code cache. */
bool jvm_facts_write(struct hotspot *hotspot, pid_t pid, struct output *output);

/* Where metaspace and class space lie now: they grow. */
void jvm_facts_write_metaspace(struct hotspot *hotspot, pid_t pid, struct output *output);
