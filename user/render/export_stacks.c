#include "render/export_stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/utf8.h"

void flame_each_stack(const struct flame *flame, flame_stack_function *function, void *context)
{
	VEC(uint32_t) open = {};
	uint32_t at = flame->nodes.items[0].first_child;

	while (at != FLAME_NO_NODE) {
		const struct flame_node *node = &flame->nodes.items[at];

		*vec_push(&open) = at;
		if (node->value || node->before)
			function(context, flame, open.items, open.count);
		if (node->first_child != FLAME_NO_NODE) {
			at = node->first_child;
			continue;
		}
		at = node->next_sibling;
		open.count--;
		while (at == FLAME_NO_NODE && open.count) {
			at = flame->nodes.items[open.items[open.count - 1]].next_sibling;
			open.count--;
		}
	}
	vec_done(&open);
}

const char **flame_safe_names(const struct flame *flame, struct arena *arena)
{
	const char **names = arena_array(arena, const char *, flame->nodes.count);
	const char **by_id = calloc(flame->names.strings.count + 1, sizeof(*by_id));

	if (!by_id)
		memory_exhausted();
	for (size_t i = 0; i < flame->nodes.count; i++) {
		uint32_t id = flame->nodes.items[i].name;

		if (!by_id[id])
			by_id[id] = utf8_safe(arena, flame_name(flame, &flame->nodes.items[i]), true);
		names[i] = *by_id[id] ? by_id[id] : "(no name)";
	}
	free(by_id);
	return names;
}

const char *export_safe(struct arena *scratch, const char *text)
{
	const char *at = text;

	/* Nearly all are: the same names come a million times. */
	while (*at >= ' ' && *at <= '~')
		at++;
	return *at ? utf8_safe(scratch, text, true) : text;
}

const char *flame_phase_name(int phase)
{
	return phase == FLAME_ALL_PHASES ? "all" : phase_name((enum phase)phase);
}

struct err *export_finish(FILE *out)
{
	if (fflush(out) != 0 || ferror(out))
		return err_errno(ERR_FAILED, errno, "cannot write the export");
	return NULL;
}
