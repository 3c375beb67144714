#include "cli/pictures.h"

#include "analyze/flame.h"
#include "analyze/timeline.h"
#include "base/auto.h"
#include "cli/comparing.h"
#include "render/render.h"

enum { VIEWS = 4, FLAMES_MAX = VIEWS + 1 };

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
	flame_cold_and_warm(model, report, FLAME_CRITICAL_PATH, &flames[count]);
	if (flames[count].nodes.items[0].total) {
		shown[count] = (struct html_flame){&flames[count], "Critical path: the first request and warm ones"};
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

/* One difference for each scenario but the baseline, means of the runs on both sides. */
struct err *pictures_render_comparison_html(const struct comparing *comparing, const struct comparison *comparison,
					    FILE *out)
{
	size_t most = comparing->flames.count, count = 0;
	auto_done(arena_done) struct arena arena = {};
	struct flame *flames = arena_array(&arena, struct flame, most + 1);
	struct html_flame *shown = arena_array(&arena, struct html_flame, most + 1);
	struct err *err;

	for (size_t i = 1; i < most && i < comparison->scenarios_count; i++) {
		const struct scenario_flame *first = &comparing->flames.items[0],
					    *other = &comparing->flames.items[i];

		if (!first->runs || !other->runs)
			continue;
		flame_begin(&flames[count], FLAME_CRITICAL_PATH, PHASE_FIRST_REQUEST);
		flames[count].is_difference = true;
		flame_add_scaled(&flames[count], &first->sum, true, first->runs);
		flame_add_scaled(&flames[count], &other->sum, false, other->runs);
		flame_finish(&flames[count]);
		shown[count] = (struct html_flame){
			&flames[count],
			arena_format(&arena, "%s against %s", comparison->scenarios[i].name, comparison->baseline)};
		count++;
	}
	err = render_comparison_html(comparison, shown, count, out);
	while (count)
		flame_done(&flames[--count]);
	return err;
}
