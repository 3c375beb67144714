/* The first burst (--concurrency): several cold requests at once, and who of them waited for whom. */
#pragma once

struct report;

/* Fills burst from the report's requests; leaves it without members where the first requests came one at a time. Rests on their
 * paths: a tile on another cold request's own thread is a wait for it. */
void analyze_burst(struct report *report);
