#include "cli/pictures.h"

#include "analyze/flame.h"
#include "analyze/timeline.h"
#include "render/render.h"

enum { VIEWS = 4, FLAMES_MAX = VIEWS + 1 };

/* What a warm request costs on average, against the cold ones: the page shows either, and the difference. */
static void build_cold_and_warm(const struct model *model, const struct report *report, struct flame *ret_flame)
{
	struct flame cold, warm;

	flame_build(model, report, FLAME_CRITICAL_PATH, PHASE_FIRST_REQUEST, &cold);
	flame_build(model, report, FLAME_CRITICAL_PATH, PHASE_WARM, &warm);
	flame_begin(ret_flame, FLAME_CRITICAL_PATH, PHASE_FIRST_REQUEST);
	ret_flame->is_difference = true;
	ret_flame->requests = cold.requests;
	flame_add_scaled(ret_flame, &cold, false, 1);
	if (warm.requests)
		flame_add_scaled(ret_flame, &warm, true, warm.requests);
	flame_finish(ret_flame);
	flame_done(&cold);
	flame_done(&warm);
}

struct err *pictures_render_html(const struct model *model, const struct report *report, FILE *out)
{
	static const struct {
		enum flame_by by;
		int phase;
		const char *title;
	} views[VIEWS] = {
		{FLAME_ON_CPU, PHASE_STARTUP, "On the CPU during start-up"},
		{FLAME_ON_CPU, PHASE_FIRST_REQUEST, "On the CPU during the first request, all threads"},
		{FLAME_EXCEPTIONS, PHASE_FIRST_REQUEST, "Exceptions of the first request"},
		{FLAME_CLASSES, PHASE_FIRST_REQUEST, "Classes loaded by the first request"},
	};
	struct timeline timeline;
	struct flame flames[FLAMES_MAX];
	struct html_flame shown[FLAMES_MAX];
	size_t count = 0;
	struct err *err;

	timeline_build(model, report, &timeline);
	build_cold_and_warm(model, report, &flames[count]);
	if (flames[count].nodes.items[0].total) {
		shown[count] = (struct html_flame){&flames[count], "Critical path: the first request and a warm one"};
		count++;
	} else {
		flame_done(&flames[count]);
	}
	for (size_t i = 0; i < VIEWS; i++) {
		flame_build(model, report, views[i].by, views[i].phase, &flames[count]);
		if (!flames[count].nodes.items[0].total) {
			flame_done(&flames[count]);
			continue;
		}
		shown[count] = (struct html_flame){&flames[count], views[i].title};
		count++;
	}
	err = render_html(report, &(struct html_pictures){&timeline, shown, count}, out);
	for (size_t i = 0; i < count; i++)
		flame_done(&flames[i]);
	timeline_done(&timeline);
	return err;
}
