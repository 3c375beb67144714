/* Reports as pages: makes the pictures that a page shows, and hands all to render. */
#pragma once

#include <stdio.h>

#include "analyze/report.h"
#include "base/err.h"

struct model;

struct err *pictures_render_html(const struct model *model, const struct report *report, FILE *out) must_check;
