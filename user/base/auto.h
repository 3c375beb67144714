/* Ownership by scope: cleanup attributes for the owners that every folder uses, and `take` to hand a value over.
 *
 * A variable declared with one of these is released when it leaves scope; `take(&variable)` returns the value and
 * leaves the empty value behind, so that ownership moves to the caller. Destructors accept the empty value. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void auto_free_done(void *pointer)
{
	free(*(void **)pointer);
}

static inline void auto_fd_done(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void auto_file_done(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void auto_dir_done(DIR **folder)
{
	if (*folder)
		closedir(*folder);
}

#define auto_dir __attribute__((cleanup(auto_dir_done)))
#define auto_free __attribute__((cleanup(auto_free_done)))
#define auto_fd __attribute__((cleanup(auto_fd_done)))
#define auto_file __attribute__((cleanup(auto_file_done)))
#define auto_done(function) __attribute__((cleanup(function)))

#define take(pointer) ({ __typeof__(*(pointer)) taken_ = *(pointer); *(pointer) = NULL; taken_; })

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define array_length(array) (sizeof(array) / sizeof((array)[0]))
