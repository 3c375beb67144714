/* BPF side only: from a descriptor of the current process to its file, inode and socket. */
#pragma once

#include "bpf/core.bpf.h"

struct file_identity {
	u64 inode;
	u32 device;
	u32 mode; /* S_IFMT bits and permissions; 0 for anonymous inodes */
};

static __always_inline struct file *file_of_descriptor(u32 descriptor)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file *file = NULL;

	if (!table || descriptor >= BPF_CORE_READ(table, max_fds))
		return NULL;

	struct file **files = BPF_CORE_READ(table, fd);

	bpf_probe_read_kernel(&file, sizeof(file), &files[descriptor]);
	return file;
}

static __always_inline void identity_of_file(struct file *file, struct file_identity *identity)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	identity->inode = BPF_CORE_READ(inode, i_ino);
	identity->device = BPF_CORE_READ(inode, i_sb, s_dev);
	identity->mode = BPF_CORE_READ(inode, i_mode);
}

/* NULL where the file is not a socket. */
static __always_inline struct sock *sock_of_file(struct file *file)
{
	u32 mode = BPF_CORE_READ(file, f_inode, i_mode);

	if ((mode & S_IFMT) != S_IFSOCK)
		return NULL;

	struct socket *socket = BPF_CORE_READ(file, private_data);

	return BPF_CORE_READ(socket, sk);
}
