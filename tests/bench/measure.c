/* measure.c - host instructions of a run, and times of several ways to run in turns
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROUNDS 9u

bool measure_have(const char *program)
{
	struct child c = child_run((const char *[]){ program, "--version", NULL }, true);

	free(c.out);
	return c.ok;
}

bool measure_option(struct bench *b, const char *option)
{
	struct child c = child_run((const char *[]){ b->heddle, "run", "--help", NULL }, true);
	const char *at = strstr(c.out, option);
	bool found = c.ok && at && strchr(" =\n[", at[strlen(option)]);

	free(c.out);
	return found;
}

/* Appends those of `heddle` to argv, which has n. */
static void append(struct bench *b, const char **argv, size_t n, const struct command *c)
{
	argv[n++] = b->heddle;
	for (size_t i = 0; c->argv[i]; i++)
		argv[n++] = c->argv[i];
	argv[n] = NULL;
}

/* The number that callgrind's file has for one thread. */
static bool read_thread(const char *path, double *n)
{
	FILE *f = fopen(path, "r");
	char line[4096];
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f))
		found = sscanf(line, "totals: %lf", n) == 1;
	if (f)
		fclose(f);
	return found;
}

double measure_instructions(struct bench *b, const char *title, const struct command *command, enum measured what)
{
	static const char *const options[] = {
		[MEASURE_ALL] = "--separate-threads=no",
		[MEASURE_DECOMPRESSION] = "--toggle-collect=lzma_code",
		[MEASURE_FIRST_THREAD] = "--separate-threads=yes",
	};
	const char *argv[MEASURE_ARGS + 8] = { "valgrind", "--tool=callgrind", "--log-fd=1", options[what] };
	char file[sizeof b->folder + 64], first[sizeof file + 4];
	const char *at;
	struct child c;
	double n = 0;

	if (!measure_have("valgrind")) {
		table_missing(title, "there is no valgrind");
		return 0;
	}
	snprintf(file, sizeof file, "--callgrind-out-file=%s/counts", b->folder);
	snprintf(first, sizeof first, "%s/counts-01", b->folder);
	argv[4] = file;
	append(b, argv, 5, command);
	c = child_run(argv, false);
	at = strstr(c.out, "Collected : ");
	if (!c.ok || !at || sscanf(at, "Collected : %lf", &n) != 1
	    || (what == MEASURE_FIRST_THREAD && !read_thread(first, &n))) {
		table_failed(b, title, &c);
		n = 0;
	}
	free(c.out);
	return n;
}

bool measure_in_turns(struct bench *b, const char *title, struct way *ways, size_t n, unsigned rounds)
{
	double (*ms)[MOST_ROUNDS] = calloc(n, sizeof *ms), (*cpu)[MOST_ROUNDS] = calloc(n, sizeof *cpu);
	const char *argv[MEASURE_ARGS + 1];
	bool ok = ms && cpu && rounds <= MOST_ROUNDS;

	for (unsigned r = 0; ok && r < rounds; r++)
		for (size_t i = 0; ok && i < n; i++) {
			struct child c;

			append(b, argv, 0, &ways[i].command);
			c = child_run(argv, false);
			ms[i][r] = c.ms;
			cpu[i][r] = c.cpu_ms;
			if (c.mbyte > ways[i].mbyte)
				ways[i].mbyte = c.mbyte;
			if (!c.ok)
				table_failed(b, title, &c);
			ok = c.ok;
			free(c.out);
		}
	for (size_t i = 0; ok && i < n; i++) {
		ways[i].ms = median(ms[i], rounds);
		ways[i].cpu_ms = median(cpu[i], rounds);
	}
	free(ms);
	free(cpu);
	return ok;
}
