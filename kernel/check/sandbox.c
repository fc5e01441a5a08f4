/* sandbox.c - runs code of a plug-in in a child process first, to find out whether it crashes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A process cannot recover from a crash: its heap may be corrupt and its locks held.  So the code
 * of a plug-in before a run (constructors, init, start) runs in a copy of the process first.  Only
 * if the copy returns in time does it run in this process.
 */
#include "module_check.h"
#include "base/child.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 30u /* more than the slowest start should need, and still bearable to wait for */

/* The child prints nothing: the parent prints the same messages when it runs the same code. */
static void be_silent(void)
{
	const struct rlimit none = { 0, 0 };
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	setrlimit(RLIMIT_CORE, &none);
}

/* The signals end the process: no handlers, not even those of sanitizers. */
static void let_signals_kill(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS,
		                     SIGALRM };

	sigset_t alarm;

	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		signal(fatal[i], SIG_DFL);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
}

/* Time limit of the child. */
static unsigned seconds(void)
{
	const char *text = getenv("HEDDLE_PLUGIN_SECONDS");
	unsigned long n = text != NULL ? strtoul(text, NULL, 10) : 0;

	return n > 0 && n < 1000000 ? (unsigned)n : SECONDS;
}

static char *verdict(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return hd__format("did not return within %u s (HEDDLE_PLUGIN_SECONDS sets the "
		                  "limit)", seconds());
	if (WIFSIGNALED(status))
		return hd__format("crashed with signal %d (%s)", WTERMSIG(status),
		                  strsignal(WTERMSIG(status)));
	return hd__format("ended the program with status %d", WEXITSTATUS(status));
}

char *hd__sandbox_try(void (*f)(void *arg, struct hd_sandbox *t), void *arg, struct hd_sandbox *seen)
{
	struct hd_sandbox *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE,
	                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	char *text = NULL;
	pid_t child;

	if (t == MAP_FAILED)
		return NULL; /* no child could be started */
	fflush(NULL);
	child = hd__fork(SIGKILL);
	if (child == 0) {
		be_silent();
		let_signals_kill();
		alarm(seconds());
		f(arg, t);
		t->returned = 1;
		_exit(0);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child > 0 && !t->returned)
		text = verdict(status);
	*seen = *t;
	seen->tried = child > 0;
	munmap(t, sizeof *t);
	return text;
}
