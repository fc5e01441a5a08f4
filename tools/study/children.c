/* children.c - runs commands of this program, several at a time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "children.h"
#include "base/child.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_MESSAGE 2000 /* bytes */
#define NOT_STARTED 125

struct child {
	pid_t pid; /* 0: none */
	struct child_task *task;
	FILE *err;
};

struct children {
	struct child *v;
	unsigned most, running;
};

static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
enum { ENDS = sizeof ends / sizeof *ends };

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	(void)number;
	stopped = 1;
}

void children_word(struct child_task *t, const char *word)
{
	t->argv = hd__xrealloc(t->argv, (t->n + 2) * sizeof *t->argv);
	t->argv[t->n++] = hd__xstrdup(word);
	t->argv[t->n] = NULL;
}

void children_option(struct child_task *t, const char *name, const char *value)
{
	char *word = hd__join(name, "=", value);

	children_word(t, word);
	free(word);
}

/* In the child. */
static void become(const struct child_task *t, FILE *err)
{
	int nowhere = open("/dev/null", O_RDWR);

	for (int i = 0; i < ENDS; i++)
		signal(ends[i], SIG_DFL);
	setpgid(0, 0); /* Ctrl-C is for the parent, which ends its children */
	if (nowhere < 0 || dup2(nowhere, 0) < 0 || dup2(nowhere, 1) < 0 || dup2(fileno(err), 2) < 0)
		_exit(NOT_STARTED);
	if (t->folder != NULL && chdir(t->folder) != 0) {
		fprintf(stderr, "heddle: folder '%s': %s\n", t->folder, strerror(errno));
		_exit(NOT_STARTED);
	}
	if (t->seconds > 0)
		alarm(t->seconds); /* the program that comes now has it, too */
	execv("/proc/self/exe", t->argv);
	fprintf(stderr, "heddle: /proc/self/exe: %s\n", strerror(errno));
	_exit(NOT_STARTED);
}

static void start(struct children *c, struct child *child, struct child_task *t)
{
	if (t->label != NULL)
		fprintf(stderr, "heddle: %s\n", t->label);
	t->how = -1;
	*child = (struct child){ .task = t, .err = tmpfile() };
	child->pid = child->err != NULL ? hd__fork(SIGTERM) : -1;
	if (child->pid == 0)
		become(t, child->err);
	if (child->pid > 0) {
		c->running++;
		return;
	}
	t->err = hd__format("a process could not be started: %s", strerror(errno));
	if (child->err != NULL)
		fclose(child->err);
	child->pid = 0;
}

static void finish(struct children *c, struct child *child, int how)
{
	char text[MOST_MESSAGE + 1];
	size_t n;

	rewind(child->err);
	n = fread(text, 1, MOST_MESSAGE, child->err);
	while (n > 0 && text[n - 1] == '\n')
		n--;
	fclose(child->err);
	child->task->err = hd__xstrndup(text, n);
	child->task->how = how;
	child->pid = 0;
	c->running--;
}

static void wait_for_one(struct children *c)
{
	int how;
	pid_t pid = waitpid(-1, &how, 0);

	for (unsigned i = 0; pid > 0 && i < c->most; i++)
		if (c->v[i].pid == pid)
			finish(c, &c->v[i], how);
}

static struct child *free_child(struct children *c)
{
	for (unsigned i = 0; i < c->most; i++)
		if (c->v[i].pid == 0)
			return &c->v[i];
	return NULL;
}

bool children_run(struct child_task *v, size_t n, unsigned most)
{
	struct sigaction act = { .sa_handler = on_signal }, was[ENDS];
	struct children c = { .most = most, .v = hd__xcalloc(most, sizeof *c.v) };

	stopped = 0;
	sigemptyset(&act.sa_mask);
	for (int i = 0; i < ENDS; i++)
		sigaction(ends[i], &act, &was[i]);
	for (size_t i = 0; !stopped && (i < n || c.running > 0);) {
		struct child *child = i < n ? free_child(&c) : NULL;

		if (child != NULL)
			start(&c, child, &v[i++]);
		else
			wait_for_one(&c);
	}
	for (unsigned i = 0; i < most; i++)
		if (c.v[i].pid > 0)
			kill(c.v[i].pid, SIGTERM);
	while (c.running > 0)
		wait_for_one(&c);
	for (int i = 0; i < ENDS; i++)
		sigaction(ends[i], &was[i], NULL);
	free(c.v);
	return !stopped;
}

void children_free(struct child_task *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < v[i].n; k++)
			free(v[i].argv[k]);
		free(v[i].argv);
		free(v[i].label);
		free(v[i].err);
	}
	free(v);
}
