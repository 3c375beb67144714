/* Every system call of x86-64 and aarch64, from the kernel's tables (arch/x86/entry/syscalls/syscall_64.tbl and
 * include/uapi/asm-generic/unistd.h) up to 6.17. Numbers are ABI: they never change. Read by syscalls.c alone.
 *
 * B(x86-64 number, aarch64 number, name, class) for calls of both, X(number, name, class) for those of x86-64 alone. There is
 * none of aarch64 alone. */
#pragma once

#define SYSCALL_TABLE(B, X) \
	B(0, 63, read, READ) \
	B(1, 64, write, WRITE) \
	X(2, open, OPEN) \
	B(3, 57, close, CLOSE) \
	X(4, stat, LOOKUP) \
	B(5, 80, fstat, LOOKUP) \
	X(6, lstat, LOOKUP) \
	X(7, poll, POLL) \
	B(8, 62, lseek, OTHER) \
	B(9, 222, mmap, MAP) \
	B(10, 226, mprotect, MEMORY) \
	B(11, 215, munmap, MEMORY) \
	B(12, 214, brk, MEMORY) \
	B(13, 134, rt_sigaction, SIGNAL) \
	B(14, 135, rt_sigprocmask, SIGNAL) \
	B(15, 139, rt_sigreturn, SIGNAL) \
	B(16, 29, ioctl, OTHER) \
	B(17, 67, pread64, READ) \
	B(18, 68, pwrite64, WRITE) \
	B(19, 65, readv, READ) \
	B(20, 66, writev, WRITE) \
	X(21, access, LOOKUP) \
	X(22, pipe, PIPE) \
	X(23, select, POLL) \
	B(24, 124, sched_yield, PROCESS) \
	B(25, 216, mremap, MEMORY) \
	B(26, 227, msync, SYNC) \
	B(27, 232, mincore, MEMORY) \
	B(28, 233, madvise, MEMORY) \
	B(29, 194, shmget, OTHER) \
	B(30, 196, shmat, OTHER) \
	B(31, 195, shmctl, OTHER) \
	B(32, 23, dup, OTHER) \
	X(33, dup2, OTHER) \
	X(34, pause, SIGNAL) \
	B(35, 101, nanosleep, SLEEP) \
	B(36, 102, getitimer, OTHER) \
	X(37, alarm, OTHER) \
	B(38, 103, setitimer, OTHER) \
	B(39, 172, getpid, PROCESS) \
	B(40, 71, sendfile, WRITE) \
	B(41, 198, socket, OTHER) \
	B(42, 203, connect, CONNECT) \
	B(43, 202, accept, ACCEPT) \
	B(44, 206, sendto, SOCKET_WRITE) \
	B(45, 207, recvfrom, SOCKET_READ) \
	B(46, 211, sendmsg, SOCKET_WRITE) \
	B(47, 212, recvmsg, SOCKET_READ) \
	B(48, 210, shutdown, OTHER) \
	B(49, 200, bind, OTHER) \
	B(50, 201, listen, OTHER) \
	B(51, 204, getsockname, OTHER) \
	B(52, 205, getpeername, OTHER) \
	B(53, 199, socketpair, OTHER) \
	B(54, 208, setsockopt, OTHER) \
	B(55, 209, getsockopt, OTHER) \
	B(56, 220, clone, PROCESS) \
	X(57, fork, PROCESS) \
	X(58, vfork, PROCESS) \
	B(59, 221, execve, PROCESS) \
	B(60, 93, exit, PROCESS) \
	B(61, 260, wait4, CHILD) \
	B(62, 129, kill, PROCESS) \
	B(63, 160, uname, OTHER) \
	B(64, 190, semget, OTHER) \
	B(65, 193, semop, OTHER) \
	B(66, 191, semctl, OTHER) \
	B(67, 197, shmdt, OTHER) \
	B(68, 186, msgget, OTHER) \
	B(69, 189, msgsnd, OTHER) \
	B(70, 188, msgrcv, OTHER) \
	B(71, 187, msgctl, OTHER) \
	B(72, 25, fcntl, OTHER) \
	B(73, 32, flock, LOCK) \
	B(74, 82, fsync, SYNC) \
	B(75, 83, fdatasync, SYNC) \
	B(76, 45, truncate, OTHER) \
	B(77, 46, ftruncate, OTHER) \
	X(78, getdents, READ) \
	B(79, 17, getcwd, OTHER) \
	B(80, 49, chdir, OTHER) \
	B(81, 50, fchdir, OTHER) \
	X(82, rename, OTHER) \
	X(83, mkdir, OTHER) \
	X(84, rmdir, OTHER) \
	X(85, creat, OPEN) \
	X(86, link, OTHER) \
	X(87, unlink, OTHER) \
	X(88, symlink, OTHER) \
	X(89, readlink, LOOKUP) \
	X(90, chmod, OTHER) \
	B(91, 52, fchmod, OTHER) \
	X(92, chown, OTHER) \
	B(93, 55, fchown, OTHER) \
	X(94, lchown, OTHER) \
	B(95, 166, umask, OTHER) \
	B(96, 169, gettimeofday, OTHER) \
	B(97, 163, getrlimit, PROCESS) \
	B(98, 165, getrusage, PROCESS) \
	B(99, 179, sysinfo, OTHER) \
	B(100, 153, times, OTHER) \
	B(101, 117, ptrace, PROCESS) \
	B(102, 174, getuid, OTHER) \
	B(103, 116, syslog, OTHER) \
	B(104, 176, getgid, OTHER) \
	B(105, 146, setuid, OTHER) \
	B(106, 144, setgid, OTHER) \
	B(107, 175, geteuid, OTHER) \
	B(108, 177, getegid, OTHER) \
	B(109, 154, setpgid, PROCESS) \
	B(110, 173, getppid, PROCESS) \
	X(111, getpgrp, PROCESS) \
	B(112, 157, setsid, PROCESS) \
	B(113, 145, setreuid, OTHER) \
	B(114, 143, setregid, OTHER) \
	B(115, 158, getgroups, OTHER) \
	B(116, 159, setgroups, OTHER) \
	B(117, 147, setresuid, OTHER) \
	B(118, 148, getresuid, OTHER) \
	B(119, 149, setresgid, OTHER) \
	B(120, 150, getresgid, OTHER) \
	B(121, 155, getpgid, PROCESS) \
	B(122, 151, setfsuid, OTHER) \
	B(123, 152, setfsgid, OTHER) \
	B(124, 156, getsid, PROCESS) \
	B(125, 90, capget, OTHER) \
	B(126, 91, capset, OTHER) \
	B(127, 136, rt_sigpending, SIGNAL) \
	B(128, 137, rt_sigtimedwait, SIGNAL) \
	B(129, 138, rt_sigqueueinfo, SIGNAL) \
	B(130, 133, rt_sigsuspend, SIGNAL) \
	B(131, 132, sigaltstack, SIGNAL) \
	X(132, utime, OTHER) \
	X(133, mknod, OTHER) \
	X(134, uselib, OTHER) \
	B(135, 92, personality, OTHER) \
	X(136, ustat, OTHER) \
	B(137, 43, statfs, OTHER) \
	B(138, 44, fstatfs, OTHER) \
	X(139, sysfs, OTHER) \
	B(140, 141, getpriority, PROCESS) \
	B(141, 140, setpriority, PROCESS) \
	B(142, 118, sched_setparam, PROCESS) \
	B(143, 121, sched_getparam, PROCESS) \
	B(144, 119, sched_setscheduler, PROCESS) \
	B(145, 120, sched_getscheduler, PROCESS) \
	B(146, 125, sched_get_priority_max, OTHER) \
	B(147, 126, sched_get_priority_min, OTHER) \
	B(148, 127, sched_rr_get_interval, OTHER) \
	B(149, 228, mlock, MEMORY) \
	B(150, 229, munlock, MEMORY) \
	B(151, 230, mlockall, MEMORY) \
	B(152, 231, munlockall, MEMORY) \
	B(153, 58, vhangup, OTHER) \
	X(154, modify_ldt, OTHER) \
	B(155, 41, pivot_root, OTHER) \
	X(156, _sysctl, OTHER) \
	B(157, 167, prctl, PROCESS) \
	X(158, arch_prctl, PROCESS) \
	B(159, 171, adjtimex, OTHER) \
	B(160, 164, setrlimit, PROCESS) \
	B(161, 51, chroot, OTHER) \
	B(162, 81, sync, SYNC) \
	B(163, 89, acct, OTHER) \
	B(164, 170, settimeofday, OTHER) \
	B(165, 40, mount, OTHER) \
	B(166, 39, umount2, OTHER) \
	B(167, 224, swapon, OTHER) \
	B(168, 225, swapoff, OTHER) \
	B(169, 142, reboot, OTHER) \
	B(170, 161, sethostname, OTHER) \
	B(171, 162, setdomainname, OTHER) \
	X(172, iopl, OTHER) \
	X(173, ioperm, OTHER) \
	X(174, create_module, OTHER) \
	B(175, 105, init_module, OTHER) \
	B(176, 106, delete_module, OTHER) \
	X(177, get_kernel_syms, OTHER) \
	X(178, query_module, OTHER) \
	B(179, 60, quotactl, OTHER) \
	B(180, 42, nfsservctl, OTHER) \
	X(181, getpmsg, OTHER) \
	X(182, putpmsg, OTHER) \
	X(183, afs_syscall, OTHER) \
	X(184, tuxcall, OTHER) \
	X(185, security, OTHER) \
	B(186, 178, gettid, PROCESS) \
	B(187, 213, readahead, OTHER) \
	B(188, 5, setxattr, OTHER) \
	B(189, 6, lsetxattr, OTHER) \
	B(190, 7, fsetxattr, OTHER) \
	B(191, 8, getxattr, OTHER) \
	B(192, 9, lgetxattr, OTHER) \
	B(193, 10, fgetxattr, OTHER) \
	B(194, 11, listxattr, OTHER) \
	B(195, 12, llistxattr, OTHER) \
	B(196, 13, flistxattr, OTHER) \
	B(197, 14, removexattr, OTHER) \
	B(198, 15, lremovexattr, OTHER) \
	B(199, 16, fremovexattr, OTHER) \
	B(200, 130, tkill, PROCESS) \
	X(201, time, OTHER) \
	B(202, 98, futex, FUTEX) \
	B(203, 122, sched_setaffinity, PROCESS) \
	B(204, 123, sched_getaffinity, PROCESS) \
	X(205, set_thread_area, OTHER) \
	B(206, 0, io_setup, OTHER) \
	B(207, 1, io_destroy, OTHER) \
	B(208, 4, io_getevents, OTHER) \
	B(209, 2, io_submit, OTHER) \
	B(210, 3, io_cancel, OTHER) \
	X(211, get_thread_area, OTHER) \
	B(212, 18, lookup_dcookie, OTHER) \
	X(213, epoll_create, OTHER) \
	X(214, epoll_ctl_old, OTHER) \
	X(215, epoll_wait_old, OTHER) \
	B(216, 234, remap_file_pages, MEMORY) \
	B(217, 61, getdents64, READ) \
	B(218, 96, set_tid_address, PROCESS) \
	B(219, 128, restart_syscall, OTHER) \
	B(220, 192, semtimedop, OTHER) \
	B(221, 223, fadvise64, OTHER) \
	B(222, 107, timer_create, OTHER) \
	B(223, 110, timer_settime, OTHER) \
	B(224, 108, timer_gettime, OTHER) \
	B(225, 109, timer_getoverrun, OTHER) \
	B(226, 111, timer_delete, OTHER) \
	B(227, 112, clock_settime, OTHER) \
	B(228, 113, clock_gettime, OTHER) \
	B(229, 114, clock_getres, OTHER) \
	B(230, 115, clock_nanosleep, SLEEP) \
	B(231, 94, exit_group, PROCESS) \
	X(232, epoll_wait, POLL) \
	B(233, 21, epoll_ctl, OTHER) \
	B(234, 131, tgkill, PROCESS) \
	X(235, utimes, OTHER) \
	X(236, vserver, OTHER) \
	B(237, 235, mbind, MEMORY) \
	B(238, 237, set_mempolicy, MEMORY) \
	B(239, 236, get_mempolicy, MEMORY) \
	B(240, 180, mq_open, OTHER) \
	B(241, 181, mq_unlink, OTHER) \
	B(242, 182, mq_timedsend, OTHER) \
	B(243, 183, mq_timedreceive, OTHER) \
	B(244, 184, mq_notify, OTHER) \
	B(245, 185, mq_getsetattr, OTHER) \
	B(246, 104, kexec_load, OTHER) \
	B(247, 95, waitid, CHILD) \
	B(248, 217, add_key, OTHER) \
	B(249, 218, request_key, OTHER) \
	B(250, 219, keyctl, OTHER) \
	B(251, 30, ioprio_set, OTHER) \
	B(252, 31, ioprio_get, OTHER) \
	X(253, inotify_init, OTHER) \
	B(254, 27, inotify_add_watch, OTHER) \
	B(255, 28, inotify_rm_watch, OTHER) \
	B(256, 238, migrate_pages, MEMORY) \
	B(257, 56, openat, OPEN) \
	B(258, 34, mkdirat, OTHER) \
	B(259, 33, mknodat, OTHER) \
	B(260, 54, fchownat, OTHER) \
	X(261, futimesat, OTHER) \
	B(262, 79, newfstatat, LOOKUP) \
	B(263, 35, unlinkat, OTHER) \
	B(264, 38, renameat, OTHER) \
	B(265, 37, linkat, OTHER) \
	B(266, 36, symlinkat, OTHER) \
	B(267, 78, readlinkat, LOOKUP) \
	B(268, 53, fchmodat, OTHER) \
	B(269, 48, faccessat, LOOKUP) \
	B(270, 72, pselect6, POLL) \
	B(271, 73, ppoll, POLL) \
	B(272, 97, unshare, PROCESS) \
	B(273, 99, set_robust_list, PROCESS) \
	B(274, 100, get_robust_list, OTHER) \
	B(275, 76, splice, WRITE) \
	B(276, 77, tee, WRITE) \
	B(277, 84, sync_file_range, SYNC) \
	B(278, 75, vmsplice, WRITE) \
	B(279, 239, move_pages, MEMORY) \
	B(280, 88, utimensat, OTHER) \
	B(281, 22, epoll_pwait, POLL) \
	X(282, signalfd, SIGNAL) \
	B(283, 85, timerfd_create, OTHER) \
	X(284, eventfd, OTHER) \
	B(285, 47, fallocate, OTHER) \
	B(286, 86, timerfd_settime, OTHER) \
	B(287, 87, timerfd_gettime, OTHER) \
	B(288, 242, accept4, ACCEPT) \
	B(289, 74, signalfd4, SIGNAL) \
	B(290, 19, eventfd2, OTHER) \
	B(291, 20, epoll_create1, OTHER) \
	B(292, 24, dup3, OTHER) \
	B(293, 59, pipe2, PIPE) \
	B(294, 26, inotify_init1, OTHER) \
	B(295, 69, preadv, READ) \
	B(296, 70, pwritev, WRITE) \
	B(297, 240, rt_tgsigqueueinfo, SIGNAL) \
	B(298, 241, perf_event_open, OTHER) \
	B(299, 243, recvmmsg, SOCKET_READ) \
	B(300, 262, fanotify_init, OTHER) \
	B(301, 263, fanotify_mark, OTHER) \
	B(302, 261, prlimit64, PROCESS) \
	B(303, 264, name_to_handle_at, OTHER) \
	B(304, 265, open_by_handle_at, OTHER) \
	B(305, 266, clock_adjtime, OTHER) \
	B(306, 267, syncfs, SYNC) \
	B(307, 269, sendmmsg, SOCKET_WRITE) \
	B(308, 268, setns, PROCESS) \
	B(309, 168, getcpu, OTHER) \
	B(310, 270, process_vm_readv, PROCESS) \
	B(311, 271, process_vm_writev, PROCESS) \
	B(312, 272, kcmp, OTHER) \
	B(313, 273, finit_module, OTHER) \
	B(314, 274, sched_setattr, OTHER) \
	B(315, 275, sched_getattr, OTHER) \
	B(316, 276, renameat2, OTHER) \
	B(317, 277, seccomp, OTHER) \
	B(318, 278, getrandom, RANDOM) \
	B(319, 279, memfd_create, OTHER) \
	B(320, 294, kexec_file_load, OTHER) \
	B(321, 280, bpf, OTHER) \
	B(322, 281, execveat, PROCESS) \
	B(323, 282, userfaultfd, OTHER) \
	B(324, 283, membarrier, MEMORY) \
	B(325, 284, mlock2, MEMORY) \
	B(326, 285, copy_file_range, WRITE) \
	B(327, 286, preadv2, READ) \
	B(328, 287, pwritev2, WRITE) \
	B(329, 288, pkey_mprotect, MEMORY) \
	B(330, 289, pkey_alloc, MEMORY) \
	B(331, 290, pkey_free, MEMORY) \
	B(332, 291, statx, LOOKUP) \
	B(333, 292, io_pgetevents, OTHER) \
	B(334, 293, rseq, PROCESS) \
	X(335, uretprobe, OTHER) \
	B(424, 424, pidfd_send_signal, SIGNAL) \
	B(425, 425, io_uring_setup, IO_URING) \
	B(426, 426, io_uring_enter, IO_URING) \
	B(427, 427, io_uring_register, IO_URING) \
	B(428, 428, open_tree, OTHER) \
	B(429, 429, move_mount, OTHER) \
	B(430, 430, fsopen, OTHER) \
	B(431, 431, fsconfig, OTHER) \
	B(432, 432, fsmount, OTHER) \
	B(433, 433, fspick, OTHER) \
	B(434, 434, pidfd_open, PROCESS) \
	B(435, 435, clone3, PROCESS) \
	B(436, 436, close_range, CLOSE) \
	B(437, 437, openat2, OPEN) \
	B(438, 438, pidfd_getfd, PROCESS) \
	B(439, 439, faccessat2, LOOKUP) \
	B(440, 440, process_madvise, MEMORY) \
	B(441, 441, epoll_pwait2, POLL) \
	B(442, 442, mount_setattr, OTHER) \
	B(443, 443, quotactl_fd, OTHER) \
	B(444, 444, landlock_create_ruleset, OTHER) \
	B(445, 445, landlock_add_rule, OTHER) \
	B(446, 446, landlock_restrict_self, OTHER) \
	B(447, 447, memfd_secret, OTHER) \
	B(448, 448, process_mrelease, MEMORY) \
	B(449, 449, futex_waitv, FUTEX) \
	B(450, 450, set_mempolicy_home_node, MEMORY) \
	B(451, 451, cachestat, OTHER) \
	B(452, 452, fchmodat2, OTHER) \
	B(453, 453, map_shadow_stack, MEMORY) \
	B(454, 454, futex_wake, FUTEX) \
	B(455, 455, futex_wait, FUTEX) \
	B(456, 456, futex_requeue, FUTEX) \
	B(457, 457, statmount, OTHER) \
	B(458, 458, listmount, OTHER) \
	B(459, 459, lsm_get_self_attr, OTHER) \
	B(460, 460, lsm_set_self_attr, OTHER) \
	B(461, 461, lsm_list_modules, OTHER) \
	B(462, 462, mseal, MEMORY) \
	B(463, 463, setxattrat, OTHER) \
	B(464, 464, getxattrat, OTHER) \
	B(465, 465, listxattrat, OTHER) \
	B(466, 466, removexattrat, OTHER) \
	B(467, 467, open_tree_attr, OTHER) \
	B(468, 468, file_getattr, OTHER) \
	B(469, 469, file_setattr, OTHER)
