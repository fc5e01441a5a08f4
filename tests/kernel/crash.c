/* crash.c - a run with plug-ins is watched, and no longer than it lasts; what is printed when it crashes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Toys count as plug-ins here: the code of each is that of this program.
 */
#include "kernel.h"
#include "kernel/check/module_check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define BODY "'instances': {'a': {'module': 'source'}, 'z': {'module': 'sink'}}, " \
	"'links': [{'from': 'a.out', 'to': 'z.in'}]"

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM, SIGINT };

enum { SIGNALS = sizeof signals / sizeof *signals };

/* The modules of the simulation are from plug-ins, or are built in again. */
static void pretend(const struct hd_sim *s, void *handle)
{
	for (size_t i = 0; i < s->registry->n; i++)
		for (size_t k = 0; k < s->narrays; k++)
			if (s->registry->v[i].module == s->arrays[k].module)
				s->registry->v[i].handle = handle;
}

static long limit(void)
{
	struct itimerval t;

	getitimer(ITIMER_VIRTUAL, &t);
	return (long)t.it_value.tv_sec + (t.it_value.tv_usec > 0);
}

static void test_watched(struct hd_crash *c)
{
	struct sigaction before[SIGNALS], during, after;

	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], NULL, &before[i]);
	NUMBER(limit(), 0);
	hd__crash_watch(c, __builtin_frame_address(0));
		CHECK(limit() > 990 && limit() <= 1001); /* it is rounded up */
	for (size_t i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &during);
		CHECK(during.sa_handler != before[i].sa_handler);
	}
	hd__crash_unwatch(c);
	NUMBER(limit(), 0);
	for (size_t i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &after);
		CHECK(after.sa_handler == before[i].sa_handler);
	}
}

#if defined(__x86_64__) || defined(__aarch64__)
/* A child crashes in the C library while the run is watched, and prints that. */
static void check_crash(struct hd_crash *c, const void *top, const char *expected, int line)
{
	char text[2000];
	ssize_t n, all = 0;
	int ends[2], status;
	pid_t child;

	if (pipe(ends) != 0 || (child = fork()) < 0) {
		check(false, "a child", __FILE__, line);
		return;
	}
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		hd__crash_watch(c, top);
		raise(SIGSEGV);
		_exit(3);
	}
	close(ends[1]);
	while ((n = read(ends[0], text + all, sizeof text - 1 - (size_t)all)) > 0)
		all += n;
	text[all] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status 1", __FILE__, line);
	check_text(text, expected, __FILE__, line);
}

static void test_crashes(struct hd_crash *c)
{
	/* the stack leads to the code that called the library */
	check_crash(c, __builtin_frame_address(0), "heddle: error: a: cycle 0: module 'source' (built in) "
	            "crashed with signal 11 (Segmentation fault)\n", __LINE__);
	/* without one, each may have been it */
	check_crash(c, NULL, "heddle: error: cycle 0: the run crashed with signal 11 (Segmentation fault), maybe "
	            "after an earlier error in module 'source' (built in), module 'sink' (built in)\n", __LINE__);
}
#else
static void test_crashes(struct hd_crash *c)
{
	(void)c;
}
#endif

void test_crash(void)
{
	const struct hd_options o = { .stuck_after = 1000 };
	struct run r;
	struct hd_sim *s = open_sim(BODY, &o, &r);
	struct hd_crash *c;

	if (!s)
		return;
	pretend(s, s);
	c = hd__crash_new(s);
	pretend(s, NULL);
	test_watched(c);
	test_crashes(c);
	hd__crash_free(c);
	close_sim(s, &r);
	done(&r);
}
