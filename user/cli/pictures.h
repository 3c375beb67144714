/* Reports as pages: makes the pictures that a page shows, and hands all to render. */
#pragma once

#include <stdio.h>

#include "analyze/comparison.h"
#include "analyze/report.h"
#include "base/err.h"

struct comparing;
struct model;

struct err *pictures_render_html(const struct model *model, const struct report *report, FILE *out) must_check;
struct err *pictures_render_comparison_html(const struct comparing *comparing, const struct comparison *comparison,
					    FILE *out) must_check;
