/* bench_study.c - studies: time beside the runs, two jobs against one, the database
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "bench.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POINTS 360u  /* of the tutorial's study */
#define SHORT 2000u  /* runs of a tiny trace, for the database */
#define ROUNDS 3u

/* Runs a shell's command in the folder of the benchmark; returns milliseconds, below 0 if it failed. */
static double run(struct bench *b, const char *folder, const char *what, const char *rest)
{
	char command[4000];
	struct child c;
	double ms = -1;

	snprintf(command, sizeof command, "cd '%s' && %s", folder, rest);
	c = child_run((const char *[]){ "sh", "-c", command, NULL }, true);
	if (c.ok)
		ms = c.ms;
	else
		table_failed(b, what, &c);
	free(c.out);
	return ms;
}

/* Seconds that the points of a folder took, as their results have them. */
static double seconds_of(const char *folder)
{
	char path[4200];
	double sum = 0;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof path, "%s/study/points", folder);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		json_t *root;

		snprintf(path, sizeof path, "%s/study/points/%s", folder, e->d_name);
		root = e->d_name[0] != '.' ? json_load_file(path, 0, NULL) : NULL;
		sum += json_number_value(json_object_get(json_object_get(root, "point"), "seconds"));
		json_decref(root);
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* The study of docs/studies.md, `jobs` points at a time: milliseconds, and those beside the runs. */
static double sweep(struct bench *b, const char *folder, unsigned jobs, double *beside)
{
	char command[3000];
	double ms;

	snprintf(command, sizeof command,
	         "rm -rf study && '%s' sweep -q --jobs %u '%s/../../examples/latency_study.json' -o study",
	         b->heddle, jobs, b->traces);
	ms = run(b, folder, "study", command);
	*beside = ms - 1e3 * seconds_of(folder);
	return ms;
}

static void sweeps(struct bench *b, const char *folder)
{
	double one[ROUNDS], two[ROUNDS], beside[ROUNDS], ignored;

	for (unsigned i = 0; i < ROUNDS; i++) {
		one[i] = sweep(b, folder, 1, &beside[i]);
		two[i] = sweep(b, folder, 2, &ignored);
		if (one[i] < 0 || two[i] < 0)
			return;
	}
	table_row(b, &(struct row){ .figure = "360 points, a point beside its run", .unit = "ms",
	                            .value = median(beside, ROUNDS) / POINTS, .limit = 5 });
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		table_missing("two jobs against one", "there is one processor");
	else
		table_row(b, &(struct row){ .figure = "360 points, two jobs against one", .unit = "x",
		                            .value = median(one, ROUNDS) / median(two, ROUNDS), .limit = 1.8,
		                            .at_least = true });
}

/* Of many points with results, the database is written again. */
static void database(struct bench *b, const char *folder)
{
	char command[3000];
	double ms[ROUNDS];

	snprintf(command, sizeof command, "echo '{ \"study\": 1, \"netlists\": [\"%s\"], "
	         "\"traces\": [\"%s/tiny/kernelslist.g\"], "
	         "\"set\": { \"load_store.l1d_latency\": { \"from\": 1, \"to\": %u, \"step\": 1 } } }' >many.json && "
	         "'%s' sweep -q many.json -o many", b->netlist, b->traces, SHORT, b->heddle);
	if (run(b, folder, "database", command) < 0)
		return;
	snprintf(command, sizeof command, "'%s' sweep -q many.json -o many --collect", b->heddle);
	for (unsigned i = 0; i < ROUNDS; i++)
		if ((ms[i] = run(b, folder, "database", command)) < 0)
			return;
	table_row(b, &(struct row){ .figure = "the database", .unit = "points/s",
	                            .value = SHORT / median(ms, ROUNDS) * 1e3, .limit = 2000, .at_least = true });
}

void bench_study(struct bench *b)
{
	table_head("STUDIES");
	sweeps(b, b->folder);
	database(b, b->folder);
}
