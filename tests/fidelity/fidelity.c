/* fidelity.c - compares simulated figures with a table of expected ones, row by row
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: fidelity FIGURES.csv TRACE-FOLDER NETLIST-FOLDER CONFIG=NETLIST...
 * A row of the table is set,case,config,cycles,warp,thread,single,dual,stall,scoreboard,idle,
 * kernel_cycles; its trace is TRACE-FOLDER/set/case/kernelslist.g.  Rows of other configurations
 * are passed over.  Exit status 0: all equal, 1: not, 77: there is no such table.
 */
#include "kernel/sim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIGURES 8
#define LINE 8192

static const char *const figure_name[FIGURES] = { "cycles", "warp_instructions",
	"thread_instructions", "issue.single", "issue.dual", "issue.stall", "issue.scoreboard",
	"issue.idle" };

struct row {
	char *text, *field[12];
};

static uint64_t figure(const json_t *stats, const char *name)
{
	const char *dot = strchr(name, '.');
	char group[32];

	if (!dot)
		return (uint64_t)json_integer_value(json_object_get(stats, name));
	snprintf(group, sizeof group, "%.*s", (int)(dot - name), name);
	return figure(json_object_get(stats, group), dot + 1);
}

static bool split(struct row *r)
{
	char *at = r->text;

	for (int i = 0; i < 12; i++) {
		r->field[i] = at;
		at = strpbrk(at, ",\r\n");
		if (!at)
			return i == 11;
		*at++ = '\0';
	}
	return true;
}

/* Kernel cycles as the table writes them: separated by blanks. */
static char *kernel_cycles(const json_t *stats)
{
	char *text = hd__format("%s", ""), *longer;
	size_t i;
	json_t *k;

	json_array_foreach(json_object_get(stats, "kernels"), i, k) {
		longer = hd__format("%s%s%" JSON_INTEGER_FORMAT, text, i ? " " : "",
		                    json_integer_value(json_object_get(k, "cycles")));
		free(text);
		text = longer;
	}
	return text;
}

static bool compare(const struct row *r, const json_t *stats)
{
	char *cycles = kernel_cycles(stats);
	bool same = strcmp(cycles, r->field[11]) == 0;

	for (int i = 0; i < FIGURES; i++)
		same = same && figure(stats, figure_name[i]) == strtoull(r->field[3 + i], NULL, 10);
	if (!same) {
		printf("DIFFERS %s/%s on %s\n", r->field[0], r->field[1], r->field[2]);
		for (int i = 0; i < FIGURES; i++)
			if (figure(stats, figure_name[i]) != strtoull(r->field[3 + i], NULL, 10))
				printf("  %s: expected %s, got %" PRIu64 "\n", figure_name[i],
				       r->field[3 + i], figure(stats, figure_name[i]));
		if (strcmp(cycles, r->field[11]) != 0)
			printf("  kernel cycles: expected %s, got %s\n", r->field[11], cycles);
	}
	free(cycles);
	return same;
}

static bool run_row(const struct row *r, const char *traces, const char *netlist)
{
	char *input = hd__format("%s/%s/%s/kernelslist.g", traces, r->field[0], r->field[1]);
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	struct hd_options opt = { .input = input };
	struct hd_netlist *n;
	struct hd_sim *s = NULL;
	enum hd_run_status status = HD_RUN_MORE;
	bool same = false;

	hd__registry_init(&registry, &diags);
	n = hd__netlist_read(netlist, &diags);
	if (n)
		s = hd__sim_new(n, &registry, &opt, false, &diags);
	while (s && status == HD_RUN_MORE)
		status = hd__sim_run(s, 1 << 20);
	if (s && status == HD_RUN_FINISHED) {
		json_t *stats;

		hd__sim_settle(s);
		stats = hd__stats_json(s, "finished");
		same = compare(r, stats);
		json_decref(stats);
	} else {
		printf("FAILED %s/%s on %s\n", r->field[0], r->field[1], r->field[2]);
		if (s && s->deadlock)
			fputs(s->deadlock, stdout);
		hd__diags_print(&diags, stdout);
	}
	hd__sim_free(s);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	free(input);
	return same;
}

static const char *netlist_for(int n, char **pairs, const char *config)
{
	size_t len = strlen(config);

	for (int i = 0; i < n; i++)
		if (strncmp(pairs[i], config, len) == 0 && pairs[i][len] == '=')
			return pairs[i] + len + 1;
	return NULL;
}

/* Every `of`-th row, from `part`: the parts run side by side. */
static int run_part(FILE *f, char **argv, int argc, unsigned part, unsigned of)
{
	char line[LINE];
	unsigned long rows = 0, bad = 0, number = 0;

	while (fgets(line, sizeof line, f)) {
		struct row r = { .text = line };
		const char *netlist;
		char *path;

		if (!split(&r) || !(netlist = netlist_for(argc - 4, argv + 4, r.field[2])))
			continue;
		if (number++ % of != part)
			continue;
		path = hd__format("%s/%s", argv[3], netlist);
		rows++;
		if (!run_row(&r, argv[2], path))
			bad++;
		free(path);
	}
	printf("%lu rows compared, %lu differ\n", rows, bad);
	fflush(stdout);
	return bad ? 1 : rows ? 0 : 77;
}

int main(int argc, char **argv)
{
	unsigned parts = 2, failed = 0, ran = 0;

	if (argc < 5) {
		fputs("usage: fidelity FIGURES.csv TRACES NETLISTS CONFIG=NETLIST...\n", stderr);
		return 2;
	}
	for (unsigned i = 0; i < parts; i++) {
		if (fork() == 0) {
			FILE *f = fopen(argv[1], "r");

			if (!f) {
				printf("SKIP: %s is not there\n", argv[1]);
				fflush(stdout);
				_exit(77);
			}
			_exit(run_part(f, argv, argc, i, parts));
		}
	}
	for (unsigned i = 0; i < parts; i++) {
		int status;

		if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 1)
			failed++;
		else if (WEXITSTATUS(status) == 0)
			ran++;
	}
	return failed ? 1 : ran ? 0 : 77;
}
