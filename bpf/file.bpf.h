/* BPF side only: opens, look-ups, reads, writes and mappings of files. */
#pragma once

#include "bpf/hold.bpf.h"
#include "bpf/syscall.bpf.h"

enum {
	AT_FDCWD = -100,
	BASE_DEPTH_MAX = 64,
	BASE_BYTES = 4096,
	NAME_BYTES = 256,
	BASE_WALK_CUT = 1 << 30,
};

/* A walk from a folder up to the process's root. It lies at the end of the scratch record, and each step is a global
 * function without arguments: the verifier checks it once, where a loop over it with the state in registers takes it
 * seconds. */
struct base_walk {
	struct dentry *dentry, *root;
	struct vfsmount *mount, *root_mount;
	u32 offset, limit;
	u32 is_cut, padding;
};

static __always_inline struct base_walk *base_walk_of(struct scratch *scratch)
{
	return (void *)(scratch->bytes + SCRATCH_BYTES - sizeof(struct base_walk));
}

/* Appends one folder's name, or leaves a mount's root towards the folder it is mounted on; 0 at the end of the walk. */
__noinline int base_walk_step(void)
{
	struct scratch *scratch = scratch_at(0);

	if (!scratch)
		return 0;

	struct base_walk *walk = base_walk_of(scratch);
	struct dentry *dentry = walk->dentry, *parent;
	struct vfsmount *vfsmount = walk->mount;
	u32 offset = walk->offset;

	if (dentry == walk->root && vfsmount == walk->root_mount)
		return 0;
	parent = BPF_CORE_READ(dentry, d_parent);
	if (dentry == parent || dentry == BPF_CORE_READ(vfsmount, mnt_root)) {
		struct mount *mount = (void *)vfsmount - bpf_core_field_offset(struct mount, mnt);
		struct mount *outer = BPF_CORE_READ(mount, mnt_parent);

		if (outer == mount)
			return 0;
		walk->dentry = BPF_CORE_READ(mount, mnt_mountpoint);
		walk->mount = (void *)outer + bpf_core_field_offset(struct mount, mnt);
		return 1;
	}

	long length = 0;

	if (offset < SCRATCH_BYTES - 2 * NAME_BYTES && offset < walk->limit)
		length = bpf_probe_read_kernel_str(scratch->bytes + offset, NAME_BYTES,
						   BPF_CORE_READ(dentry, d_name.name));
	if (length <= 0) {
		walk->is_cut = 1;
		return 0;
	}
	walk->offset = offset + ((u32)length & (2 * NAME_BYTES - 1));
	walk->dentry = parent;
	return 1;
}

/* Appends the names of the folders from the working folder, or a folder's descriptor, up to the process's root, innermost
 * first, each followed by NUL, at `offset` of the scratch record. The new offset; its top bit: the walk was cut. */
__noinline u32 base_walk(u32 offset, i32 folder)
{
	struct scratch *scratch = scratch_at(0);
	struct task_struct *task = bpf_get_current_task_btf();
	struct fs_struct *fs = BPF_CORE_READ(task, fs);
	struct file *file = folder == AT_FDCWD ? NULL : file_of_descriptor((u32)folder);

	if (!scratch)
		return offset;

	struct base_walk *walk = base_walk_of(scratch);
	int step = 0;

	walk->root = BPF_CORE_READ(fs, root.dentry);
	walk->root_mount = BPF_CORE_READ(fs, root.mnt);
	walk->dentry = file ? BPF_CORE_READ(file, f_path.dentry) : BPF_CORE_READ(fs, pwd.dentry);
	walk->mount = file ? BPF_CORE_READ(file, f_path.mnt) : BPF_CORE_READ(fs, pwd.mnt);
	walk->offset = offset;
	walk->limit = offset + BASE_BYTES;
	walk->is_cut = folder != AT_FDCWD && !file;
	for (; step < BASE_DEPTH_MAX && !walk->is_cut; step++)
		if (!base_walk_step())
			break;
	if (step == BASE_DEPTH_MAX)
		walk->is_cut = 1;
	return walk->offset | (walk->is_cut ? BASE_WALK_CUT : 0);
}

/* The path's text at `offset` of the scratch record, and what it is relative to. Returns the record's size. */
static __always_inline u32 append_path(struct scratch *scratch, u32 offset, const char *path, i32 folder, u32 *ret_flags)
{
	u32 flags = 0;
	char *text = scratch->bytes + offset;
	long length = bpf_probe_read_user_str(text, PATH_BYTES, path);

	if (length <= 0) {
		*ret_flags = PATH_UNREADABLE;
		return offset;
	}
	if (length == PATH_BYTES)
		flags |= PATH_TRUNCATED;
	offset += (u32)length & (2 * PATH_BYTES - 1);
	if (text[0] != '/') {
		flags |= PATH_RELATIVE;
		offset = base_walk(offset, folder);
		if (offset & BASE_WALK_CUT)
			flags |= PATH_BASE_CUT;
		offset &= BASE_WALK_CUT - 1;
	}
	*ret_flags = flags;
	return offset;
}

static __always_inline int file_open_exit(struct syscall_exit *call, const char *path, i32 folder, u32 open_flags)
{
	struct scratch *scratch = scratch_at(0);
	struct file_identity identity = {};
	u32 flags = 0;

	if (!scratch)
		return 0;

	u32 size = append_path(scratch, EVENT_FIXED_SIZE(file_open), path, folder, &flags);
	struct event_file_open *event = (void *)scratch;

	if (call->result >= 0) {
		struct file *file = file_of_descriptor((u32)call->result);

		if (file)
			identity_of_file(file, &identity);
	}
	fill_header(&event->header, EVENT_FILE_OPEN, 0, call->end_ns, call->thread->pid, current_tid());
	event->duration_ns = call->end_ns - call->start_ns;
	event->result = call->result;
	event->inode = identity.inode;
	event->device = identity.device;
	event->flags = open_flags;
	event->number = call->number;
	event->path_flags = flags;
	event_output(&event->header, size, event->duration_ns);
	return 1;
}

static __always_inline int file_lookup_exit(struct syscall_exit *call, const char *path, i32 folder)
{
	struct scratch *scratch = scratch_at(0);
	u32 flags = 0;

	if (!scratch)
		return 0;

	u32 size = append_path(scratch, EVENT_FIXED_SIZE(file_lookup), path, folder, &flags);
	struct event_file_lookup *event = (void *)scratch;

	fill_header(&event->header, EVENT_FILE_LOOKUP, 0, call->end_ns, call->thread->pid, current_tid());
	event->duration_ns = call->end_ns - call->start_ns;
	event->result = call->result;
	event->number = call->number;
	event->path_flags = flags;
	event_output(&event->header, size, event->duration_ns);
	return 1;
}

__noinline int file_path_exit(void)
{
	struct syscall_exit call;
	u32 action;
	char first = 1;

	if (!syscall_exit_get(&call))
		return 0;
	action = call.action;

	u64 *arguments = call.thread->arguments;
	bool has_folder = action == SYSCALL_OPENAT || action == SYSCALL_OPENAT2 || action == SYSCALL_LOOKUPAT;
	const char *path = (void *)(has_folder ? arguments[1] : arguments[0]);
	i32 folder = has_folder ? (i32)arguments[0] : AT_FDCWD;
	u64 flags = action == SYSCALL_OPEN ? arguments[1] : arguments[2];

	if (action == SYSCALL_LOOKUP)
		return file_lookup_exit(&call, path, folder);
	if (action == SYSCALL_LOOKUPAT) {
		/* newfstatat(fd, "") and statx(fd, "") are fstat: a question about an open file, not a look-up. */
		if (!path || (bpf_probe_read_user(&first, 1, path) == 0 && first == 0))
			return 0;
		return file_lookup_exit(&call, path, folder);
	}
	if (action == SYSCALL_CREAT)
		flags = 0x241; /* O_CREAT|O_WRONLY|O_TRUNC */
	else if (action == SYSCALL_OPENAT2)
		bpf_probe_read_user(&flags, sizeof(flags), (void *)arguments[2]);
	return file_open_exit(&call, path, folder, (u32)flags);
}

static __always_inline bool is_write_action(u32 action)
{
	return action == SYSCALL_WRITE || action == SYSCALL_PWRITE || action == SYSCALL_WRITEV ||
	       action == SYSCALL_PWRITEV || action == SYSCALL_SENDTO || action == SYSCALL_SENDMSG;
}

/* read and write families on regular files; 0 for anything else. For sendfile, splice and copy_file_range the file read from. */
__noinline int file_transfer_exit(void)
{
	struct syscall_exit exit, *call = &exit;

	if (!syscall_exit_get(call))
		return 0;

	u64 *arguments = call->thread->arguments;
	u32 action = call->action;
	u32 descriptor = (u32)(action == SYSCALL_SENDFILE ? arguments[1] : arguments[0]);
	struct file *file = file_of_descriptor(descriptor);
	struct file_identity identity;

	if (!file)
		return 0;
	identity_of_file(file, &identity);
	if ((identity.mode & S_IFMT) != S_IFREG)
		return 0;

	bool is_write = is_write_action(action);
	u64 moved = call->result > 0 ? (u64)call->result : 0, offset;

	if (action == SYSCALL_PREAD || action == SYSCALL_PWRITE || action == SYSCALL_PREADV || action == SYSCALL_PWRITEV)
		offset = arguments[3];
	else
		offset = (u64)BPF_CORE_READ(file, f_pos) - moved;
	/* The kernel has moved the caller's own offset on by then. */
	u64 place = action == SYSCALL_SENDFILE ? arguments[2] : action == SYSCALL_COPY_RANGE ? arguments[1] : 0;

	if (place) {
		bpf_probe_read_user(&offset, sizeof(offset), (void *)place);
		offset -= moved;
	}

	u64 duration_ns = call->end_ns - call->start_ns;
	struct event_file_read *event;

	/* file_write has the layout of file_read. */
	if (is_write)
		event = (void *)event_reserve(file_write, FILE_WRITE, 0, call->end_ns, call->thread->pid,
					      current_tid(), duration_ns);
	else
		event = event_reserve(file_read, FILE_READ, 0, call->end_ns, call->thread->pid, current_tid(),
				      duration_ns);
	if (!event)
		return 1;
	event->duration_ns = duration_ns;
	event->result = call->result;
	event->inode = identity.inode;
	event->offset = offset;
	event->length = arguments[2];
	if (action == SYSCALL_SENDFILE)
		event->length = arguments[3];
	else if (action == SYSCALL_COPY_RANGE)
		event->length = arguments[4];
	else if (action == SYSCALL_READV || action == SYSCALL_WRITEV || action == SYSCALL_PREADV ||
		 action == SYSCALL_PWRITEV)
		event->length = moved; /* the sum over the vectors is not worth reading them */
	event->device = identity.device;
	event->descriptor = descriptor;
	event->number = call->number;
	event_submit(event);
	return 1;
}

__noinline int file_map_exit(void)
{
	struct syscall_exit exit, *call = &exit;

	if (!syscall_exit_get(call))
		return 0;

	u64 *arguments = call->thread->arguments;
	struct event_file_map *event = scratch_at(0);
	struct file_identity identity = {};
	u64 size = EVENT_FIXED_SIZE(file_map);
	bool is_failed = call->result < 0 && call->result > -4096;

	if (!event)
		return 0;
	if (!(arguments[3] & 0x20 /* MAP_ANONYMOUS */)) {
		struct file *file = file_of_descriptor((u32)arguments[4]);

		if (file) {
			const unsigned char *name = BPF_CORE_READ(file, f_path.dentry, d_name.name);
			long length;

			identity_of_file(file, &identity);
			length = bpf_probe_read_kernel_str(event->tail, NAME_BYTES, name);
			if (length > 0)
				size += (u64)(length - 1) & (NAME_BYTES - 1);
		}
	}
	fill_header(&event->header, EVENT_FILE_MAP, 0, call->end_ns, call->thread->pid, current_tid());
	event->duration_ns = call->end_ns - call->start_ns;
	event->result = call->result;
	event->length = arguments[1];
	event->inode = identity.inode;
	event->offset = arguments[5];
	event->device = identity.device;
	event->protection = (u32)arguments[2];
	event->flags = (u32)arguments[3];
	event_output(&event->header, size, event->duration_ns);

	/* The C++ runtime and libjvm get their probes when they are first mapped executable: that is urgent, and the
	 * process is held until they are in. */
	if (!is_failed && identity.inode && (arguments[2] & 4 /* PROT_EXEC */)) {
		event->header.size = EVENT_FIXED_SIZE(file_map) + 32;
		event_urgent(event, EVENT_FIXED_SIZE(file_map) + 32);
		hold_if_probed_library(call->thread, event->tail);
	}
	return 1;
}
