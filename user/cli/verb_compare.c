#include <string.h>

#include "base/auto.h"
#include "cli/comparing.h"
#include "cli/verbs.h"

/* "before" for "runs/before.wtr"; with several files what they have in common at their start, "before" for
 * "before-1.wtr" and "before-2.wtr". */
static const char *name_of_set(const struct options *options, uint32_t set, struct arena *arena)
{
	const char *common = NULL;
	size_t length = 0;

	for vec_each(file, &options->files) {
		const char *base = strrchr(file->path, '/') ? strrchr(file->path, '/') + 1 : file->path;
		size_t base_length = strlen(base), same = 0;

		if (file->set != set)
			continue;
		if (base_length > 4 && strcmp(base + base_length - 4, ".wtr") == 0)
			base_length -= 4;
		if (!common) {
			common = base;
			length = base_length;
			continue;
		}
		while (same < length && same < base_length && base[same] == common[same])
			same++;
		length = same;
	}
	while (length > 1 && strchr("-_.", common[length - 1]))
		length--;
	return length ? arena_copy(arena, common, length) : arena_format(arena, "set %u", set + 1);
}

/* Two sets of one name could not be told apart. */
static const char *unlike(const char *name, const char **names, uint32_t count, struct arena *arena)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return arena_format(arena, "%s (%u)", name, count + 1);
	return name;
}

struct err *verb_compare(const struct options *options, struct outcome *outcome)
{
	auto_done(comparing_close) struct comparing comparing = {};
	auto_done(arena_done) struct arena arena = {};
	uint32_t sets = options->files.items[options->files.count - 1].set + 1;
	const char **names = arena_array(&arena, const char *, sets);

	comparing_open(options, &comparing);
	for (uint32_t set = 0; set < sets; set++) {
		names[set] = set < options->names.count
				     ? options->names.items[set]
				     : unlike(name_of_set(options, set, &arena), names, set, &arena);
		comparing_add_scenario(&comparing, names[set], NULL);
	}
	for vec_each(file, &options->files)
		TRY(comparing_add_recording(&comparing, file->set, file->path, NULL, NULL));
	return comparing_report(&comparing, outcome);
}
