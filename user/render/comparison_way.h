/* Private to render: the waterfall of a comparison's text. */
#pragma once

#include "analyze/comparison.h"
#include "render/screen.h"

/* Prints the rows' way from difference->baseline to difference->scenario: the `most` largest changes in the order
 * given, the rest as one line. Prints nothing of no rows. */
void comparison_way(struct screen *screen, const char *title, const struct comparison_difference *difference,
		    const struct comparison_cause_row *rows, size_t count, size_t most);
