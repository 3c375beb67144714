/* The kernel types that warmtrace's programs touch, and only their fields that are read.
 *
 * CO-RE relocates every access to the running kernel's layout, so a struct here needs the field's name and type, not its
 * place. Names with ___suffix are older or newer shapes of the same kernel type (libbpf drops the suffix). */
#pragma once

/* bpf_tracing.h then takes the kernel's own names of registers (di, si, …) instead of the user header's. */
#define __VMLINUX_H__

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef i8 __s8;
typedef i16 __s16;
typedef i32 __s32;
typedef i64 __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

/* Constants of the BPF system call's header, which cannot be included beside our own types. */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum { BPF_ANY = 0, BPF_NOEXIST = 1, BPF_EXIST = 2 };
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };
enum { BPF_F_NO_PREALLOC = 1 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs {
#if defined(__TARGET_ARCH_x86)
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
#elif defined(__TARGET_ARCH_arm64)
	u64 regs[31], sp, pc, pstate;
#endif
};

struct qstr {
	u32 len;
	const unsigned char *name;
};

struct super_block {
	u32 s_dev;
};

struct inode {
	u16 i_mode;
	unsigned long i_ino;
	struct super_block *i_sb;
	i64 i_size;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	void *private_data;
	i64 f_pos;
	u32 f_flags;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct fs_struct {
	struct path root, pwd;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
	int group_exit_code;
};

struct cfs_rq {
	int throttle_count;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct task_struct {
	int pid, tgid;
	char comm[16];
	unsigned int __state;
	unsigned in_iowait : 1;
	unsigned int ptrace;
	int exit_code;
	struct task_struct *real_parent;
	struct files_struct *files;
	struct fs_struct *fs;
	struct signal_struct *signal;
	struct sched_entity se;
};

struct task_struct___with_throttled {
	bool throttled; /* 6.18: per-task throttling */
};

struct task_struct___with_state {
	long state; /* before 5.14 */
};

struct linux_binprm {
	const char *filename;
};

struct net {
	struct {
		unsigned int inum;
	} ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	unsigned short skc_family;
	volatile unsigned char skc_state;
	__be16 skc_dport;
	__u16 skc_num;
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	struct {
		union {
			u8 u6_addr8[16];
		} in6_u;
	} skc_v6_daddr;
	possible_net_t skc_net;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_type;
};

struct socket {
	struct sock *sk;
};

struct sk_buff {
	unsigned int len;
	__u16 transport_header;
	unsigned char *head;
};

struct hrtimer;
struct irqaction;

struct bpf_perf_event_data {
	struct pt_regs regs;
	u64 sample_period;
	u64 addr;
};

#pragma clang attribute pop

enum {
	S_IFMT = 0170000,
	S_IFSOCK = 0140000,
	S_IFREG = 0100000,
	S_IFDIR = 0040000,
};

enum { AF_UNIX = 1, AF_INET = 2, AF_INET6 = 10 };
enum { SOCK_STREAM = 1, SOCK_DGRAM = 2 };
enum { TCP_ESTABLISHED = 1, TCP_SYN_RECV = 3, TCP_CLOSE = 7, TCP_LISTEN = 10 };
