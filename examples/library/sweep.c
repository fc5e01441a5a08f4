/* sweep.c - runs a netlist with several values of a parameter at once, by libheddle
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -pthread -o sweep sweep.c $(pkg-config --cflags --libs heddle)
 *	./sweep volta_sm.json kernelslist.g cycles 'collector.sets[0].units' 4 8 16
 *
 * Prints a line for each value when all are done.  "" instead of a trace: the netlist reads none.
 */
#include <heddle/simulate.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
	const char *netlist, *trace, *figure, *path, *value; /* path=value is the change */
	pthread_t thread;
	int result;
	struct heddle *simulation; /* its texts belong to it */
	struct heddle_value found;
};

static void *run(void *arg)
{
	struct job *j = arg;
	struct heddle *h = j->simulation = heddle_new();
	char change[1000];

	snprintf(change, sizeof change, "%s=%s", j->path, j->value);
	heddle_set(h, change);
	if (j->trace[0] != '\0')
		heddle_input(h, j->trace);
	j->result = heddle_load(h, j->netlist);
	if (j->result >= 0)
		j->result = heddle_run(h, HEDDLE_TO_THE_END);
	if (j->result >= 0) {
		j->found.size = sizeof j->found;
		j->result = heddle_value(h, j->figure, &j->found);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct job *jobs = calloc((size_t)argc + 1, sizeof *jobs);
	int bad = 0, n = argc - 5;

	if (n < 1 || !jobs) {
		fputs("usage: sweep NETLIST TRACE FIGURE PATH VALUE...\n", stderr);
		return 2;
	}
	for (int i = 0; i < n; i++) {
		jobs[i] = (struct job){ .netlist = argv[1], .trace = argv[2], .figure = argv[3], .path = argv[4],
		                        .value = argv[5 + i] };
		if (pthread_create(&jobs[i].thread, NULL, run, &jobs[i]) != 0) {
			perror("sweep");
			return 1;
		}
	}
	for (int i = 0; i < n; i++)
		pthread_join(jobs[i].thread, NULL);
	for (int i = 0; i < n; i++) {
		struct job *j = &jobs[i];

		if (j->result >= 0)
			printf("%s=%-8s %s %.10g %s\n",
			       j->path, j->value, j->found.path, j->found.number, j->found.unit);
		else
			printf("%s=%-8s %s\n", j->path, j->value, heddle_result_name(j->result));
		fputs(heddle_messages(j->simulation), stderr);
		bad |= j->result < 0;
		heddle_free(j->simulation);
	}
	free(jobs);
	return bad;
}
