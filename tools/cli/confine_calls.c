/* confine_calls.c - which calls of the system are possible with --sandbox
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A list of what is allowed: what heddle, the C library and the libraries for files need once a run has begun.  No call
 * in it acts on another process, on the machine, or on what Landlock does not cover, such as owners, modes and times.
 * All others fail with "Operation not permitted".
 */
#include "confine.h"

#ifdef HAVE_SECCOMP

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

/* By name: a machine has only some of them. */
static const char *const whole[] = {
	/* memory */
	"brk", "madvise", "mmap", "mmap2", "mprotect", "mremap", "msync", "munmap",
	/* files that are open */
	"close", "close_range", "dup", "dup2", "dup3", "fadvise64", "fdatasync", "fstat", "fstat64", "fstatfs",
	"fstatfs64", "fsync", "ftruncate", "ftruncate64", "fallocate", "getdents", "getdents64", "lseek",
	"_llseek", "pread64", "preadv", "pwrite64", "pwritev", "read", "readv", "write", "writev",
	/* files by name, which Landlock limits */
	"access", "creat", "faccessat", "faccessat2", "fstatat64", "getcwd", "link", "linkat", "lstat",
	"lstat64", "mkdir", "mkdirat", "newfstatat", "open", "openat", "readlink", "readlinkat", "rename",
	"renameat", "renameat2", "rmdir", "stat", "stat64", "statfs", "statfs64", "statx", "unlink", "unlinkat",
	/* this process, its threads and copies */
	"exit", "exit_group", "futex", "getegid", "geteuid", "getgid", "getpid", "getppid", "getrusage",
	"gettid", "getuid", "rseq", "sched_yield", "set_robust_list", "set_tid_address", "times", "wait4",
	"waitid",
	/* its signals and timers */
	"alarm", "getitimer", "pause", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
	"rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "setitimer", "sigaltstack",
	/* waiting */
	"clock_nanosleep", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait", "eventfd2", "nanosleep",
	"pipe", "pipe2", "poll", "ppoll", "pselect6", "select", "timerfd_create", "timerfd_settime",
	/* what the system tells */
	"clock_getres", "clock_gettime", "getcpu", "getrandom", "getrlimit", "gettimeofday", "sched_getaffinity",
	"sysinfo", "time", "uname",
};

/* A new namespace, a tracer, or a child of another process. */
#define FOREIGN (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID \
                 | CLONE_NEWNET | CLONE_PARENT | CLONE_PTRACE)

/* These only with such an argument. */
struct value {
	const char *call;
	unsigned argument;
	uint64_t value;
};
static const struct value only[] = {
	{ "fcntl", 1, F_DUPFD }, { "fcntl", 1, F_DUPFD_CLOEXEC }, { "fcntl", 1, F_GETFD }, { "fcntl", 1, F_SETFD },
	{ "fcntl", 1, F_GETFL }, { "fcntl", 1, F_SETFL }, { "fcntl", 1, F_GETLK }, { "fcntl", 1, F_SETLK },
	{ "fcntl", 1, F_SETLKW }, /* no signals to others */
	{ "ioctl", 1, TCGETS }, { "ioctl", 1, TIOCGWINSZ }, /* no input for a terminal */
	{ "prctl", 0, PR_SET_NAME }, { "prctl", 0, PR_SET_PDEATHSIG },
	{ "prlimit64", 0, 0 }, /* of this process */
};

static int allow_whole(scmp_filter_ctx filter)
{
	int error = 0;

	for (size_t i = 0; error == 0 && i < sizeof whole / sizeof *whole; i++) {
		int call = seccomp_syscall_resolve_name(whole[i]);

		if (call >= 0)
			error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
	}
	return error;
}

/* The upper half of an argument is not looked at: commands and processes are numbers of 32 bits. */
static int allow_some(scmp_filter_ctx filter)
{
	int error = 0;

	for (size_t i = 0; error == 0 && i < sizeof only / sizeof *only; i++) {
		const struct value *v = &only[i];
		int call = seccomp_syscall_resolve_name(v->call);

		error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
		                         SCMP_CMP64(v->argument, SCMP_CMP_MASKED_EQ, UINT32_MAX, v->value));
	}
	return error;
}

static int allow_own(scmp_filter_ctx filter)
{
	const uint64_t self = (uint64_t)getpid();
	int error;

	/* abort() and raise(); a copy of the process can only signal this one, and abort() ends it otherwise */
	error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
	                         SCMP_A0_64(SCMP_CMP_MASKED_EQ, UINT32_MAX, self));
	if (error == 0)
		error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
		                         SCMP_A0_64(SCMP_CMP_MASKED_EQ, FOREIGN, 0));
	/* its flags are in memory, where a filter does not see them: the C library takes clone() then */
	if (error == 0)
		error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return error;
}

const char *hd__confine_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int error;

	if (!filter)
		return "a filter of calls could not be made";
	/* calls of other machines that this one understands */
	error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
	error = error ? error : allow_whole(filter);
	error = error ? error : allow_some(filter);
	error = error ? error : allow_own(filter);
	error = error ? error : seccomp_load(filter);
	seccomp_release(filter);
	return error ? "this system has no seccomp filters" : NULL;
}

#else

const char *hd__confine_calls(void)
{
	return "this program was built without libseccomp";
}

#endif
