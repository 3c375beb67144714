#include "analyze/report.h"

const char *phase_name(enum phase phase)
{
	static const char *const names[PHASE_COUNT] = {
		[PHASE_LAUNCH] = "launch",
		[PHASE_VM_INIT] = "vm_init",
		[PHASE_STARTUP] = "startup",
		[PHASE_IDLE] = "idle",
		[PHASE_FIRST_REQUEST] = "first_request",
		[PHASE_WARM] = "warm",
		[PHASE_SHUTDOWN] = "shutdown",
	};

	return (unsigned int)phase < PHASE_COUNT ? names[phase] : "";
}

void report_done(struct report *report)
{
	arena_done(&report->arena);
	*report = (struct report){};
}
