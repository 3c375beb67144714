/* The pieces of a page's data that several pages share. */
#pragma once

#include "analyze/flame.h"
#include "render/page.h"

/* A flame as one object: {"by", "phase", "title", "unit", "total", "before", "requests", "kinds": …, "nodes": [depth,
 * text, kind, own, own before, …]}, outer frames before inner. Frames below `smallest` parts of the whole (0: none)
 * are added to the frame they are in, so that sums stay. */
void html_put_flame(struct page *page, const struct flame *flame, const char *title, unsigned parts);

/* "causes": {name: words}, "kinds": […], "groups" … */
void html_put_words(struct page *page);
