/* The first burst (--concurrency): several cold requests at once, and who of them waited for whom. */
#pragma once

struct report;

/* A sentence about the burst, in the report's arena; NULL where the first requests came one at a time. Rests on the requests'
 * paths: a tile on another cold request's own thread is a wait for it. */
const char *burst_sentence(struct report *report);
