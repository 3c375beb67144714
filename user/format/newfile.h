/* Creates a file for somebody else, with more rights than they have, where others may write too (/tmp).
 *
 * What stands under the name is moved to "NAME.old" and never opened; the new file is made anew (O_EXCL), so that no
 * link that was planted there decides what is written. */
#pragma once

#include <sys/types.h>

#include "base/err.h"

/* On success `*ret_fd` is open for reading and writing, the file empty, mode 0600, owned by the owner. Refused are: a
 * name under which stands anything but a regular file, and a folder reached through a symbolic link that belongs
 * neither to root nor to us nor to the owner. Where the new file cannot be made, the older one has its name again. */
struct err *newfile_create(const char *path, uid_t owner_uid, gid_t owner_gid, int *ret_fd) must_check;
