/* Where a recording is written: the older one kept, planted links, folders of others, full disks, limits of size. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/auto.h"
#include "format/newfile.h"
#include "format/reader.h"
#include "format/writer.h"
#include "unit/format/made.h"

enum { STRANGER = 4242 /* a user that owns nothing here */ };

struct place {
	char folder[64], path[96], old[104], other[96];
};

static int set_up(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	made_folder(place->folder);
	snprintf(place->path, sizeof(place->path), "%s/run.wtr", place->folder);
	snprintf(place->old, sizeof(place->old), "%s.old", place->path);
	snprintf(place->other, sizeof(place->other), "%s/other", place->folder);
	*state = place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;

	made_folder_remove(place->folder);
	free(place);
	return 0;
}

static void write_text(const char *path, const char *text)
{
	auto_file FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
}

static void assert_text(const char *path, const char *text)
{
	size_t length;
	auto_free char *bytes = made_file_bytes(path, &length);

	assert_int_equal(length, strlen(text));
	assert_memory_equal(bytes, text, length);
}

static void create(const char *path, uid_t uid, gid_t gid)
{
	int fd = -1;

	made_assert_ok(newfile_create(path, uid, gid, &fd));
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "new", 3), 3);
	close(fd);
}

static void assert_refused(const char *path, const char *format)
{
	char line[512];
	int fd = -1;

	snprintf(line, sizeof(line), format, path);
	made_assert_error(newfile_create(path, geteuid(), getegid(), &fd), line);
	assert_int_equal(fd, -1);
}

static void makes_a_private_file(void **state)
{
	struct place *place = *state;
	struct stat status;
	mode_t mask = umask(0);

	create(place->path, geteuid(), getegid());
	umask(mask);
	assert_int_equal(stat(place->path, &status), 0);
	assert_int_equal(status.st_mode, S_IFREG | 0600);
	assert_int_equal(status.st_uid, geteuid());
}

static void gives_it_to_its_owner(void **state)
{
	struct place *place = *state;
	struct stat status;

	if (geteuid() != 0)
		skip();
	create(place->path, STRANGER, STRANGER);
	assert_int_equal(stat(place->path, &status), 0);
	assert_int_equal(status.st_uid, STRANGER);
	assert_int_equal(status.st_gid, STRANGER);
	assert_int_equal(status.st_mode, S_IFREG | 0600);
}

static void keeps_the_older_file(void **state)
{
	struct place *place = *state;

	write_text(place->path, "first");
	create(place->path, geteuid(), getegid());
	assert_text(place->old, "first");
	assert_text(place->path, "new");
	write_text(place->path, "second");
	create(place->path, geteuid(), getegid());
	assert_text(place->old, "second");
}

static void works_in_the_working_folder(void **state)
{
	struct place *place = *state;
	char *before = getcwd(NULL, 0);

	assert_int_equal(chdir(place->folder), 0);
	create("run.wtr", geteuid(), getegid());
	create("./run.wtr", geteuid(), getegid());
	assert_int_equal(chdir(before), 0);
	free(before);
	assert_text(place->path, "new");
	assert_text(place->old, "new");
}

static void never_writes_through_a_planted_link(void **state)
{
	struct place *place = *state;
	struct stat status;

	write_text(place->other, "precious");
	assert_int_equal(symlink(place->other, place->path), 0);
	assert_refused(place->path, "cannot write '%s': it exists and is a symbolic link");
	assert_text(place->other, "precious");

	/* A link to nothing is no better: the file would be made wherever it points. */
	unlink(place->path);
	unlink(place->other);
	assert_int_equal(symlink(place->other, place->path), 0);
	assert_refused(place->path, "cannot write '%s': it exists and is a symbolic link");
	assert_int_not_equal(lstat(place->other, &status), 0);

	/* Under the name of the older file, a link is replaced, not followed. */
	unlink(place->path);
	write_text(place->other, "precious");
	assert_int_equal(symlink(place->other, place->old), 0);
	write_text(place->path, "first");
	create(place->path, geteuid(), getegid());
	assert_text(place->other, "precious");
	assert_text(place->old, "first");

	/* A second name for the file of somebody else: it is moved away, not written. */
	unlink(place->path);
	assert_int_equal(link(place->other, place->path), 0);
	create(place->path, geteuid(), getegid());
	assert_text(place->other, "precious");
}

static void refuses_what_is_no_file(void **state)
{
	struct place *place = *state;
	char line[512];
	int fd;

	assert_int_equal(mkdir(place->path, 0700), 0);
	assert_refused(place->path, "cannot write '%s': it exists and is a folder");
	assert_int_equal(rmdir(place->path), 0);
	assert_int_equal(mkfifo(place->path, 0600), 0);
	assert_refused(place->path, "cannot write '%s': it exists and is not a regular file");
	unlink(place->path);
	assert_refused("/dev/null", "cannot write '%s': it exists and is not a regular file");
	assert_refused("/", "cannot write '%s': it names no file");
	assert_refused("", "cannot write '%s': it names no file");
	assert_refused("/tmp/..", "cannot write '%s': it names no file");
	assert_refused("/nonexistent/run.wtr",
		       "cannot write '%s': its folder cannot be used: No such file or directory");
	assert_refused("/dev/null/run.wtr", "cannot write '%s': its folder cannot be used: Not a directory");

	/* The older file cannot be kept: nothing has changed. */
	write_text(place->path, "first");
	assert_int_equal(mkdir(place->old, 0700), 0);
	snprintf(line, sizeof(line), "cannot write '%s': the older file cannot be kept as '%s.old': Is a directory",
		 place->path, place->path);
	made_assert_error(newfile_create(place->path, geteuid(), getegid(), &fd), line);
	assert_text(place->path, "first");
}

/* A folder behind a link of somebody who is neither root nor we nor the owner. */
static void refuses_folders_behind_links_of_others(void **state)
{
	struct place *place = *state;
	char path[160], line[512];
	int fd = -1;

	assert_int_equal(mkdir(place->other, 0700), 0);
	snprintf(path, sizeof(path), "%s/link", place->folder);
	assert_int_equal(symlink("other/./", path), 0);
	snprintf(path, sizeof(path), "%s/link//run.wtr", place->folder);
	create(path, geteuid(), getegid());
	if (geteuid() != 0)
		return;
	snprintf(path, sizeof(path), "%s/link", place->folder);
	assert_int_equal(lchown(path, STRANGER, STRANGER), 0);
	snprintf(path, sizeof(path), "%s/link/second.wtr", place->folder);
	snprintf(line, sizeof(line), "cannot write '%s': its folder cannot be used: Permission denied", path);
	made_assert_error(newfile_create(path, 0, 0, &fd), line);
	made_assert_error(newfile_create(path, STRANGER + 1, 0, &fd), line);
	create(path, STRANGER, STRANGER); /* their own link */
}

static void gives_up_in_a_loop_of_links(void **state)
{
	struct place *place = *state;
	char path[160], line[512];
	int fd = -1;

	assert_int_equal(symlink("other", place->other), 0);
	snprintf(path, sizeof(path), "%s/run.wtr", place->other);
	snprintf(line, sizeof(line),
		 "cannot write '%s': its folder cannot be used: Too many levels of symbolic links", path);
	made_assert_error(newfile_create(path, geteuid(), getegid(), &fd), line);
}

static void says_that_a_folder_is_not_writable(void **state)
{
	struct place *place = *state;
	int status;
	pid_t child = fork();

	if (child == 0) {
		int fd = -1;

		/* cmocka's failures must not unwind into the parent's copy of the tests. */
		if (geteuid() == 0 && (setgid(STRANGER) != 0 || setuid(STRANGER) != 0))
			_exit(2);
		if (geteuid() != STRANGER && chmod(place->folder, 0500) != 0)
			_exit(3);

		struct err *err = newfile_create(place->path, geteuid(), getegid(), &fd);
		auto_free char *line = err ? err_line(err) : NULL;

		_exit(line && strstr(line, "Permission denied") ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* ---- writes that fail ---- */

/* Appends until the writer fails or `count` records are in; returns how many calls failed. */
static size_t append_until(struct writer *writer, struct made_list *written, size_t count, char **ret_line)
{
	struct event_builder builder = {};
	struct made_random random = {17};
	size_t failures = 0;

	for (size_t i = 0; i < count; i++) {
		const struct event_header *event = made_event(&builder, &random, EVENT_FILE_OPEN);
		struct err *err = writer_append(writer, event);

		made_list_add(written, event);
		if (err) {
			*ret_line = err_line(err);
			err_free(err);
			failures++;
		}
	}
	event_builder_done(&builder);
	return failures;
}

/* One error, every call after it succeeds, what was written before can be read, and what is missing is counted. */
static void assert_fails_once(const char *path, const char *why, bool is_urgent)
{
	enum { COUNT = 150000 };
	struct writer *writer;
	struct reader *reader;
	struct made_list written = {}, read = {};
	const struct event_header *left = NULL, *right = NULL;
	char *line = NULL, expected[256];

	made_assert_ok(writer_open(path, geteuid(), getegid(), "warmtrace test", &writer));
	made_assert_ok(writer_set_urgent(writer, is_urgent));
	assert_int_equal(append_until(writer, &written, COUNT, &line), 1);
	snprintf(expected, sizeof(expected), "cannot write '%s': %s", path, why);
	assert_string_equal(line, expected);
	free(line);
	made_assert_ok(writer_flush(writer));
	made_assert_ok(writer_set_urgent(writer, false));

	struct writer_totals totals = writer_totals(writer);

	assert_int_equal(totals.events, COUNT);
	assert_true(totals.dropped_events > 0);
	made_assert_ok(writer_close(&writer));

	made_assert_ok(reader_open(path, &reader));
	made_read_all(reader, &read);
	assert_int_equal(reader_status(reader)->damaged_frames, 0);
	assert_int_equal(read.count, COUNT - totals.dropped_events);
	while ((right = made_list_next(&read, right))) {
		left = made_list_next(&written, left);
		made_assert_same(left, right);
	}
	assert_true(reader_status(reader)->is_cut || reader_status(reader)->dropped_events == totals.dropped_events);
	reader_close(&reader);
	made_list_done(&written);
	made_list_done(&read);
}

static void survives_a_limit_of_size(void **state)
{
	struct place *place = *state;
	struct rlimit before, limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = (struct rlimit){3 << 20, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_fails_once(place->path, "File too large", false);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/* In a mount namespace of this process, so that the machine sees nothing of it. */
static void survives_a_full_disk(void **state)
{
	struct place *place = *state;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", place->folder, "tmpfs", 0, "size=3m") != 0)
		skip();
	assert_fails_once(place->path, "No space left on device", false);
	assert_int_equal(unlink(place->path), 0);
	assert_fails_once(place->path, "No space left on device", true);
	assert_int_equal(umount(place->folder), 0);
}

static void says_that_nothing_can_be_written(void **state)
{
	struct writer *writer = NULL;

	(void)state;
	made_assert_error(
		writer_open("/nonexistent/run.wtr", geteuid(), getegid(), "warmtrace test", &writer),
		"cannot write '/nonexistent/run.wtr': its folder cannot be used: No such file or directory");
	assert_null(writer);
}

int main(void)
{
#define WITH_PLACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_PLACE(makes_a_private_file),
		WITH_PLACE(gives_it_to_its_owner),
		WITH_PLACE(keeps_the_older_file),
		WITH_PLACE(works_in_the_working_folder),
		WITH_PLACE(never_writes_through_a_planted_link),
		WITH_PLACE(refuses_what_is_no_file),
		WITH_PLACE(refuses_folders_behind_links_of_others),
		WITH_PLACE(gives_up_in_a_loop_of_links),
		WITH_PLACE(says_that_a_folder_is_not_writable),
		WITH_PLACE(survives_a_limit_of_size),
		WITH_PLACE(survives_a_full_disk),
		WITH_PLACE(says_that_nothing_can_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
