/* A flame graph as a page of its own. */
#include "base/auto.h"
#include "render/export.h"
#include "render/html_data.h"
#include "render/json_common.h"

enum { SMALLEST_PARTS = 20000 };

struct err *render_flame_page(const struct flame *flame, const char *title, const char *command, FILE *out)
{
	struct page page;

	TRY(page_begin(&page));
	html_put_words(&page);
	json_out_key(&page.json, "title");
	json_out_text(&page.json, title);
	json_out_key(&page.json, "command");
	json_out_text(&page.json, command);
	if (flame->is_cold_and_warm) {
		json_out_key(&page.json, "words");
		json_out_object_flat(&page.json);
		json_put_text(&page.json, "now", "first request");
		json_put_text(&page.json, "before", "mean of warm ones");
		json_put_text(&page.json, "change", "first minus warm");
		json_out_object_end(&page.json);
	}
	json_out_key(&page.json, "flames");
	json_out_array(&page.json);
	html_put_flame(&page, flame, title, SMALLEST_PARTS);
	json_out_array_end(&page.json);
	return page_finish(&page, PAGE_FLAME, title, out);
}
