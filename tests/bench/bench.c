/* bench.c - make bench: time and memory of the program, compared with limits and peers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: bench HEDDLE RING RING_SYSTEMC NETLIST TRACE-FOLDER ORACLE-FOLDER [GROUP...]; "-"
 * stands for a missing one, the group "help" prints the others.  Times are medians of several runs,
 * taken in turns with the peers.  "x" is the advantage over the peer.  Exit status 1: a program
 * failed or gave a wrong answer; a missed limit is only marked.  2: bad usage.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct group {
	const char *name, *doc;
	void (*run)(struct bench *b);
} groups[] = {
	{ "ring", "the event kernel beside SystemC and plain C", bench_kernel },
	{ "load", "a netlist of 4096 instances, to the first edge", bench_load },
	{ "start", "the program's start with the netlist of a core", bench_start },
	{ "one", "one SM, per warp instruction: simulation alone, and reading the trace", bench_one },
	{ "run", "one SM: whole runs, beside the reference", bench_sm },
	{ "control", "a core that follows control words beside one with a scoreboard", bench_control },
	{ "gpu", "a whole GPU per SM cycle, beside one SM and the reference", bench_gpu },
	{ "threads", "a whole GPU with two threads beside one, and what more would take", bench_threads },
	{ "dump", "what a dump adds to a run", bench_dump },
	{ "study", "studies and their database", bench_study },
};
enum { GROUPS = sizeof groups / sizeof *groups };

static void help(void)
{
	puts("Groups of `make bench`, all of them unless BENCH names some:");
	for (size_t i = 0; i < GROUPS; i++)
		printf("  %-8s %s\n", groups[i].name, groups[i].doc);
}

/* Marks the groups that words name; all without words.  Returns false after printing an error. */
static bool choose(char **words, bool *chosen)
{
	for (size_t i = 0; i < GROUPS; i++)
		chosen[i] = !*words;
	for (; *words; words++) {
		size_t i = 0;

		while (i < GROUPS && strcmp(*words, groups[i].name) != 0)
			i++;
		if (i == GROUPS) {
			fprintf(stderr, "bench: there is no group '%s'; 'help' prints the groups\n", *words);
			return false;
		}
		chosen[i] = true;
	}
	return true;
}

/* Makes the folder for files; false after printing an error. */
static bool make_folder(struct bench *b)
{
	const char *base = getenv("TMPDIR");

	snprintf(b->folder, sizeof b->folder, "%s/heddle-bench-XXXXXX", base && *base ? base : "/tmp");
	if (mkdtemp(b->folder))
		return true;
	perror(b->folder);
	return false;
}

static char *absolute(const char *path)
{
	char *v = strcmp(path, "-") != 0 ? realpath(path, NULL) : NULL;

	if (!v && strcmp(path, "-") != 0) {
		perror(path);
		exit(2);
	}
	return v;
}

int main(int argc, char **argv)
{
	struct bench b = { .failed = false };
	bool chosen[GROUPS];
	const char **const names[] = { &b.heddle, &b.ring, &b.sections, &b.systemc, &b.netlist, &b.traces, &b.oracle };
	enum { NAMES = sizeof names / sizeof *names };

	if (argc == NAMES + 2 && strcmp(argv[NAMES + 1], "help") == 0) {
		help();
		return 0;
	}
	if (argc <= NAMES) {
		fputs("usage: bench HEDDLE RING SECTIONS RING_SYSTEMC NETLIST TRACE-FOLDER ORACLE-FOLDER [GROUP...]\n",
		      stderr);
		return 2;
	}
	if (!choose(argv + NAMES + 1, chosen))
		return 2;
	for (size_t i = 0; i < NAMES; i++)
		*names[i] = absolute(argv[i + 1]);
	if (!make_folder(&b))
		return 2;
	setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
	for (size_t i = 0; i < GROUPS; i++)
		if (chosen[i])
			groups[i].run(&b);
	printf("\n%u limits missed%s\n", b.missed, b.failed ? "; something FAILED" : "");
	free(child_run((const char *[]){ "rm", "-rf", b.folder, NULL }, true).out);
	for (size_t i = 0; i < NAMES; i++)
		free((char *)*names[i]);
	return b.failed ? 1 : 0;
}
