/* fidelity.c - compares simulated figures with a table of expected ones, row by row
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: fidelity FIGURES.csv TRACE-FOLDER NETLIST-FOLDER CONFIG=NETLIST...
 * A row of the table is set,case,config,cycles,warp,thread,single,dual,stall,scoreboard,idle,
 * kernel_cycles; its trace is TRACE-FOLDER/set/case/kernelslist.g.  It may go on with l1d,l2,dram,
 * lists of KIND:OUTCOME:count and NAME:count; what they do not name is 0.  An empty figure is not
 * compared.  Rows of other configurations are passed over.  Exit status 0: all equal, 1: not, 77:
 * there is no such table.
 */
#include "kernel/stats/stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIGURES 8
#define LINE 8192
#define FIELDS 15

static const char *const figure_name[FIGURES] = { "cycles", "warp_instructions",
	"thread_instructions", "issue.single", "issue.dual", "issue.stall", "issue.scoreboard",
	"issue.idle" };

struct row {
	char *text, *field[FIELDS];
	int fields; /* 12 or all */
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

	for (r->fields = 0; r->fields < FIELDS && at; r->fields++) {
		r->field[r->fields] = at;
		at = strpbrk(at, ",\r\n");
		if (at && *at != ',')
			*at = '\0', at = NULL;
		else if (at)
			*at++ = '\0';
	}
	return r->fields == 12 || r->fields == FIELDS;
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

/* ---- caches and memory ---- */

/* A statistic, summed over the instances whose path is or ends with `name`, or begins with it and
 * an index. */
static uint64_t total(const json_t *stats, const char *name, const char *stat)
{
	size_t n = strlen(name), length;
	uint64_t sum = 0;
	const char *path;
	json_t *v;

	json_object_foreach(json_object_get(stats, "instances"), path, v) {
		length = strlen(path);
		if ((strncmp(path, name, n) == 0 && (path[n] == '[' || path[n] == '\0'))
		    || (length > n && path[length - n - 1] == '.'
		        && strcmp(path + length - n, name) == 0))
			sum += (uint64_t)json_integer_value(json_object_get(v, stat));
	}
	return sum;
}

/* The number behind "KEY:" in a list separated by blanks; 0 if it is not there. */
static uint64_t listed(const char *list, const char *key)
{
	const char *at = strstr(list, key);

	while (at && at != list && at[-1] != ' ')
		at = strstr(at + 1, key);
	return at ? strtoull(at + strlen(key) + 1, NULL, 10) : 0;
}

static bool one(const struct row *r, const char *what, uint64_t expected, uint64_t got)
{
	if (expected != got)
		printf("DIFFERS %s/%s on %s: %s: expected %" PRIu64 ", got %" PRIu64 "\n", r->field[0],
		       r->field[1], r->field[2], what, expected, got);
	return expected == got;
}

static bool compare_cache(const struct row *r, const json_t *stats, const char *cache,
                          const char *list)
{
	static const char *const kinds[][2] = { { "GLOBAL_ACC_R", "global_read" },
		{ "LOCAL_ACC_R", "local_read" }, { "GLOBAL_ACC_W", "global_write" },
		{ "LOCAL_ACC_W", "local_write" } };
	static const char *const outcomes[][2] = { { "HIT", "hits" },
		{ "HIT_RESERVED", "reserved_hits" }, { "MISS", "misses" },
		{ "SECTOR_MISS", "sector_misses" }, { "RESERVATION_FAIL", "refusals" } };
	bool same = true;

	for (size_t k = 0; k < 4; k++)
		for (size_t o = 0; o < 5; o++) {
			char key[64], stat[64], what[140];

			snprintf(key, sizeof key, "%s:%s", kinds[k][0], outcomes[o][0]);
			snprintf(stat, sizeof stat, "%s_%s", kinds[k][1], outcomes[o][1]);
			snprintf(what, sizeof what, "%s %s", cache, stat);
			same &= one(r, what, listed(list, key), total(stats, cache, stat));
		}
	return same;
}

static bool compare_memory(const struct row *r, const json_t *stats)
{
	static const char *const names[][2] = { { "reads", "reads" }, { "writes", "writes" },
		{ "activate", "activates" }, { "precharge", "precharges" },
		{ "requests", "requests" }, { "commands", "ticks" } };
	const char *dram = r->field[14];
	bool same = compare_cache(r, stats, "l1d", r->field[12]);

	same &= compare_cache(r, stats, "l2", r->field[13]);
	for (size_t i = 0; i < 6; i++)
		same &= one(r, names[i][0], listed(dram, names[i][0]), total(stats, "dram", names[i][1]));
	same &= one(r, "noops", listed(dram, "noops"), total(stats, "dram", "ticks")
	                                               - total(stats, "dram", "active"));
	return same;
}

/* ---- rows ---- */

static bool compare(const struct row *r, const json_t *stats)
{
	char *cycles = kernel_cycles(stats);
	bool same = strcmp(cycles, r->field[11]) == 0;

	if (!same)
		printf("DIFFERS %s/%s on %s: kernel cycles: expected %s, got %s\n", r->field[0],
		       r->field[1], r->field[2], r->field[11], cycles);
	for (int i = 0; i < FIGURES; i++)
		if (*r->field[3 + i])
			same &= one(r, figure_name[i], strtoull(r->field[3 + i], NULL, 10),
			            figure(stats, figure_name[i]));
	if (r->fields == FIELDS)
		same &= compare_memory(r, stats);
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
	n = hd__netlist_read_set(netlist, NULL, 0, &diags);
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
