/* Which requests are cold, which are warm, and which are kept in full: by route, from the model's requests alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

enum { WARM_MAX = 20 };

struct route {
	uint32_t name;		  /* string id */
	VEC(uint32_t) answered;	  /* its completed requests by arrival, as indices of the model's list */
	VEC(uint32_t) warm;	  /* the last K of those with the cold one's status class, by arrival */
	uint32_t cold;		  /* the first to arrive */
	uint32_t repeats;	  /* n: completed after the cold ones, with its status class */
	int64_t requests, errors; /* all of the route; those not answered, or with a 5xx */
};

struct selection {
	VEC(struct route) routes;    /* in order of their first request */
	bool *is_cold;		     /* by request */
	bool *is_kept;		     /* by request */
	uint64_t first_burst_end_ns; /* of the last cold request of the first burst; 0: none */
};

void selection_make(const struct model *model, struct selection *ret_selection);
void selection_done(struct selection *selection);

/* K of n repeats. */
uint32_t warm_count_of(uint32_t repeats);
