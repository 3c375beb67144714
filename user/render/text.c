#include "render/render.h"

#include <errno.h>

#include "base/auto.h"
#include "render/screen.h"

struct screen screen_open(const struct render_options *options, FILE *out)
{
	return (struct screen){
		.out = out,
		.term = {.columns = options->width < TERM_COLUMNS_MIN ? TERM_COLUMNS_MIN : options->width,
			 .has_colour = options->colour,
			 .has_utf8 = options->utf8},
	};
}

struct err *screen_close(struct screen *screen)
{
	arena_done(&screen->arena);
	errno = 0;
	if (fflush(screen->out) != 0 || ferror(screen->out))
		return err_errno(ERR_FAILED, errno ? errno : EIO, "cannot write the report");
	return NULL;
}

struct err *render_text(const struct report *report, const struct render_options *options, FILE *out)
{
	struct screen screen = screen_open(options, out);

	text_summary(&screen, report, options);
	if (options->is_full)
		text_details(&screen, report);
	return screen_close(&screen);
}
