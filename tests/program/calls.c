/* calls.c - a plug-in that makes every call of the system, and tries to reach another process and the machine
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It is for --sandbox: without it some of that would succeed.  Each call is made in a child process, with arguments
 * of -1: there is no such file, address, process or option.
 */
#define _GNU_SOURCE
#include <heddle/module.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 600 /* more calls than a machine has */
#define SECONDS 2 /* a call that waits may do so */

struct state {
	struct hd_ctx *ctx;
	uint32_t victim;    /* a process outside */
	uint32_t opened;    /* a file outside that was open when the program began */
	uint64_t tried, passed, last; /* calls; those that were not refused and are not listed; the last of these */
	uint64_t reached;   /* what was done outside */
	uint64_t done;      /* which, as bits */
};

/* What may pass: calls that only concern the process itself, what it has open, and names that Landlock limits. */
static const int harmless[] = {
	SYS_brk, SYS_madvise, SYS_mmap, SYS_mprotect, SYS_mremap, SYS_msync, SYS_munmap, SYS_close,
	SYS_close_range, SYS_dup, SYS_dup3, SYS_fadvise64, SYS_fallocate, SYS_fdatasync, SYS_fstat, SYS_fstatfs,
	SYS_fsync, SYS_ftruncate, SYS_getdents64, SYS_lseek, SYS_pread64, SYS_preadv, SYS_pwrite64, SYS_pwritev,
	SYS_read, SYS_readv, SYS_write, SYS_writev, SYS_faccessat, SYS_faccessat2, SYS_getcwd, SYS_linkat,
	SYS_mkdirat, SYS_newfstatat, SYS_openat, SYS_readlinkat, SYS_renameat2, SYS_statfs, SYS_statx,
	SYS_unlinkat, SYS_exit, SYS_exit_group, SYS_futex, SYS_getegid, SYS_geteuid, SYS_getgid, SYS_getpid,
	SYS_getppid, SYS_getrusage, SYS_gettid, SYS_getuid, SYS_rseq, SYS_sched_yield, SYS_set_robust_list,
	SYS_set_tid_address, SYS_times, SYS_wait4, SYS_waitid, SYS_getitimer, SYS_restart_syscall,
	SYS_rt_sigaction, SYS_rt_sigpending, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend,
	SYS_rt_sigtimedwait, SYS_setitimer, SYS_sigaltstack, SYS_clock_nanosleep, SYS_epoll_create1,
	SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_nanosleep, SYS_pipe2, SYS_ppoll, SYS_pselect6,
	SYS_timerfd_create, SYS_timerfd_settime, SYS_clock_getres, SYS_clock_gettime, SYS_getcpu, SYS_getrandom,
	SYS_gettimeofday, SYS_sched_getaffinity, SYS_sysinfo, SYS_uname,
#ifdef __x86_64__
	SYS_access, SYS_alarm, SYS_creat, SYS_dup2, SYS_epoll_wait, SYS_getdents, SYS_getrlimit, SYS_link,
	SYS_lstat, SYS_mkdir, SYS_open, SYS_pause, SYS_pipe, SYS_poll, SYS_readlink, SYS_rename, SYS_renameat,
	SYS_rmdir, SYS_select, SYS_stat, SYS_time, SYS_unlink,
	335, 336, /* for probes of the system; no filter is asked, and they end a process that has none */
#endif
};

/* In a child.  Ends with 1: the call was not refused. */
static void call(long number)
{
	long result;

	signal(SIGILL, SIG_DFL); /* rather than a report of the crash */
	signal(SIGSEGV, SIG_DFL);
	alarm(SECONDS);
	errno = 0;
	result = syscall(number, -1L, -1L, -1L, -1L, -1L, -1L);
	_exit(result != -1 || (errno != EPERM && errno != ENOSYS));
}

static void call_all(struct state *st)
{
	for (long number = 0; number < MOST; number++) {
		int how = 0;
		bool listed = false;
		pid_t child = fork();

		if (child == 0)
			call(number);
		st->tried += child > 0 && waitpid(child, &how, 0) == child;
		for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
			listed |= harmless[i] == number;
		if (listed || (WIFEXITED(how) && WEXITSTATUS(how) == 0))
			continue;
		st->passed++;
		st->last = (uint64_t)number;
	}
}

static void note(struct state *st, unsigned bit, bool done)
{
	st->reached += done;
	st->done |= (uint64_t)done << bit;
}

/* Calls that are useful with some arguments, with others. */
static void reach(struct state *st)
{
	const long pid = (long)st->victim, fd = (long)st->opened;
	struct rlimit limit = { 10, 10 };
	struct sched_param idle = { 0 };
	siginfo_t info = { .si_code = SI_QUEUE };
	cpu_set_t one;
	char name[65] = "";
	unsigned n = 0;

	gethostname(name, sizeof name - 1);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	note(st, n++, syscall(SYS_prlimit64, pid, RLIMIT_CORE, NULL, &limit) == 0);
	note(st, n++, syscall(SYS_prlimit64, pid, RLIMIT_CORE, &limit, NULL) == 0);
	note(st, n++, syscall(SYS_sched_setaffinity, pid, sizeof one, &one) == 0);
	note(st, n++, syscall(SYS_setpriority, PRIO_PROCESS, pid, 19) == 0);
	note(st, n++, syscall(SYS_ioprio_set, 1, pid, 3 << 13) == 0);
	note(st, n++, syscall(SYS_sched_setscheduler, pid, SCHED_IDLE, &idle) == 0);
	note(st, n++, syscall(SYS_tgkill, pid, pid, SIGUSR1) == 0);
	note(st, n++, syscall(SYS_tkill, pid, SIGUSR1) == 0);
	note(st, n++, syscall(SYS_kill, pid, SIGUSR1) == 0);
	note(st, n++, syscall(SYS_rt_sigqueueinfo, pid, SIGUSR1, &info) == 0);
	note(st, n++, syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGUSR1, &info) == 0);
	note(st, n++, syscall(SYS_pidfd_open, pid, 0) >= 0);
	note(st, n++, fcntl((int)fd, F_SETOWN, (int)pid) == 0);
	note(st, n++, fcntl((int)fd, F_SETSIG, SIGUSR1) == 0);
	note(st, n++, fcntl((int)fd, F_SETLEASE, F_RDLCK) == 0);
	note(st, n++, ioctl((int)fd, TIOCSTI, "x") == 0 || errno != EPERM);
	note(st, n++, syscall(SYS_fchmod, fd, 0600) == 0);
	note(st, n++, syscall(SYS_fchown, fd, getuid(), getgid()) == 0);
	note(st, n++, syscall(SYS_fsetxattr, fd, "user.x", "x", 1, 0) == 0 || errno != EPERM);
	note(st, n++, syscall(SYS_utimensat, fd, NULL, NULL, 0) == 0);
	note(st, n++, syscall(SYS_flock, fd, 2 | 4) == 0);
	note(st, n++, syscall(SYS_unshare, CLONE_NEWUSER) == 0);
	note(st, n++, syscall(SYS_chroot, "/") == 0);
	note(st, n++, syscall(SYS_chdir, "/") == 0);
	note(st, n++, syscall(SYS_sethostname, name, strlen(name)) == 0);
	note(st, n++, syscall(SYS_acct, NULL) == 0);
	note(st, n++, syscall(SYS_setsid) >= 0 || errno != EPERM);
	note(st, n++, syscall(SYS_memfd_create, "x", 0) >= 0);
	note(st, n++, syscall(SYS_seccomp, 2, 0, NULL) == 0);
	note(st, n++, prctl(PR_SET_DUMPABLE, 1) == 0);
	for (int flag = 0; flag < 2; flag++) {
		pid_t child = (pid_t)syscall(SYS_clone, (flag ? CLONE_NEWUSER : CLONE_PARENT) | SIGCHLD, 0, 0, 0, 0);

		if (child == 0)
			_exit(0);
		note(st, n++, child > 0);
	}
}

static uint64_t eval(void *state)
{
	struct state *st = state;

	if (hd_now(st->ctx) == 5) {
		call_all(st);
		reach(st);
	}
	return hd_now(st->ctx) < 5 ? 5 - hd_now(st->ctx) : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->ctx = ctx;
	return 0;
}

#define AT(member) .offset = offsetof(struct state, member)
#define NUMBER(member) { .name = #member, .unit = "", .doc = #member, .type = HD_U32, .max = UINT32_MAX, AT(member) }
#define COUNT(member) { .name = #member, .unit = "", .doc = #member, AT(member) }

const struct hd_module hd_module_calls = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "calls", .doc = "makes every call of the system", .init = init, .eval = eval,
	.params = (const struct hd_param[]){ NUMBER(victim), NUMBER(opened), { .name = NULL } },
	.stats = (const struct hd_stat[]){
		COUNT(tried), COUNT(passed), COUNT(last), COUNT(reached), COUNT(done), { .name = NULL } },
};
