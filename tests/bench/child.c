/* child.c - runs another program and measures its time and memory
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "child.h"
#include "ring_work.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Everything read from fd until its end, as a string. */
static char *read_all(int fd)
{
	size_t n = 0, cap = 4096;
	char *v = malloc(cap);
	ssize_t got;

	while (v && (got = read(fd, v + n, cap - n - 1)) > 0) {
		n += (size_t)got;
		if (n + 1 == cap)
			v = realloc(v, cap *= 2);
	}
	if (!v) {
		fputs("bench: out of memory\n", stderr);
		exit(1);
	}
	v[n] = '\0';
	return v;
}

static void become(const char *const *argv, int out, bool both)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(both ? out : null, STDERR_FILENO);
	close(out);
	close(null);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

/* Of the program and the system for it. */
static double seconds(const struct timeval *user, const struct timeval *system)
{
	return (double)(user->tv_sec + system->tv_sec) + (double)(user->tv_usec + system->tv_usec) / 1e6;
}

struct child child_run(const char *const *argv, bool both)
{
	struct child c = { .ok = false };
	struct rusage usage;
	int fd[2], status;
	double start = ring_wall();
	pid_t pid;

	fflush(stdout);
	if (pipe(fd) != 0 || (pid = fork()) < 0) {
		perror("bench");
		exit(1);
	}
	if (pid == 0) {
		close(fd[0]);
		become(argv, fd[1], both);
	}
	close(fd[1]);
	c.out = read_all(fd[0]);
	close(fd[0]);
	if (wait4(pid, &status, 0, &usage) != pid)
		return c;
	c.ms = (ring_wall() - start) / 1e6;
	c.cpu_ms = seconds(&usage.ru_utime, &usage.ru_stime) * 1e3;
	c.mbyte = (double)usage.ru_maxrss / 1024;
	c.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	return c;
}

/* The text after name at the start of a line, or NULL. */
static const char *find(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, n) == 0 && (line[n] == ' ' || line[n] == ':'))
			return line + n + 1;
	}
	return NULL;
}

bool child_figure(const char *text, const char *name, double *value)
{
	const char *at = find(text, name);
	char *end;

	if (!at)
		return false;
	*value = strtod(at, &end);
	return end != at;
}

bool child_word(const char *text, const char *name, char *buf, unsigned size)
{
	const char *at = find(text, name);

	if (at)
		snprintf(buf, size, "%.*s", (int)strcspn(at, "\n"), at);
	return at != NULL;
}
