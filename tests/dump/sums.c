/* sums.c - do the reasons in a dump add up to the statistics of the run?
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: dump_sums DUMP...
 *        dump_sums --rows DUMP    prints the name of each table and how many rows it has
 *
 * Over all schedulers the cycles whose reason begins with "idle.", "scoreboard.", "stall." and those
 * in which one or two instructions were issued must equal the run's figures, where an instruction
 * without active lanes counts as a stall as well (docs/sm.md, Z2).  Every instruction that
 * was issued must have one transaction.
 */
#include "dump/dump_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SINGLE, DUAL, IDLE, SCOREBOARD, STALL, GROUPS };

static const char *const groups[] = { "single", "dual", "idle", "scoreboard", "stall" };

static int group_of(const char *reason)
{
	for (int i = 0; i < GROUPS; i++) {
		size_t n = strlen(groups[i]);

		if (strncmp(reason, groups[i], n) == 0 && (reason[n] == '.' || reason[n] == '\0'))
			return i;
	}
	return -1;
}

static bool equal(const char *file, const char *what, uint64_t dumped, uint64_t counted)
{
	if (dumped == counted)
		return true;
	fprintf(stderr, "%s: %s: the dump has %" PRIu64 ", the statistics "
		"%" PRIu64 "\n", file, what,
	        dumped, counted);
	return false;
}

static bool add_slots(struct dump *d, size_t block, uint64_t sum[GROUPS])
{
	struct dump_rows r;
	int n, reason;

	if (!dump_rows(d, block, &r))
		return false;
	n = dump_find_field(r.table, "n");
	reason = dump_find_field(r.table, "reason");
	for (uint32_t i = 0; i < r.n; i++) {
		const char *name = dump_name(d, "reason", r.table->module, r.field[reason][i]);
		int g = name ? group_of(name) : -1;

		if (g < 0)
			return false;
		sum[g] += (uint64_t)r.field[n][i];
	}
	dump_rows_free(&r);
	return true;
}

static bool add_transactions(struct dump *d, size_t block, uint64_t *issued, uint64_t *empty)
{
	struct dump_transaction transaction = { .n = 0 };
	struct dump_rows r;
	int uid, mask;

	if (!dump_rows(d, block, &r))
		return false;
	uid = dump_find_field(r.table, "uid");
	mask = dump_find_field(r.table, "mask");
	while (dump_transaction(&r, &transaction)) {
		*issued += r.field[uid][transaction.row] > 0;
		*empty += r.field[uid][transaction.row] > 0 && r.field[mask][transaction.row] == 0;
	}
	free(transaction.steps);
	dump_rows_free(&r);
	return true;
}

static bool check(const char *file)
{
	struct dump *d = dump_open(file);
	uint64_t sum[GROUPS] = { 0 }, issued = 0, empty = 0;
	json_t *end;
	const json_t *counted;
	bool ok = d != NULL;

	if (!d)
		return false;
	for (size_t i = 0; ok && i < d->nblocks; i++) {
		const char *name = d->tables[d->blocks[i].head.table].name;

		if (strcmp(name, "issue.slot") == 0)
			ok = add_slots(d, i, sum);
		else if (strcmp(name, "inst") == 0)
			ok = add_transactions(d, i, &issued, &empty);
	}
	if (!ok || d->damage || !d->end) {
		fprintf(stderr, "%s: %s\n", file, d->damage ? d->damage : "a reason has no name");
		dump_close(d);
		return false;
	}
	sum[STALL] += empty;
	end = dump_statistics(d, NULL, NULL);
	counted = json_object_get(end, "issue");
	for (int g = 0; g < GROUPS; g++)
		ok = equal(file, groups[g], sum[g], (uint64_t)json_integer_value(
				json_object_get(counted, groups[g]))) && ok;
	ok = equal(file, "instructions", issued, (uint64_t)json_integer_value(
			json_object_get(end, "warp_instructions"))) && ok;
	json_decref(end);
	dump_close(d);
	return ok;
}

static bool print_rows(const char *file)
{
	struct dump *d = dump_open(file);

	for (uint32_t i = 0; d && i < d->ntables; i++)
		printf("%s %" PRIu64 "\n", d->tables[i].name, d->tables[i].rows);
	dump_close(d);
	return d != NULL;
}

int main(int argc, char **argv)
{
	bool ok = argc > 1;

	if (argc == 3 && strcmp(argv[1], "--rows") == 0)
		return print_rows(argv[2]) ? 0 : 1;

	for (int i = 1; i < argc; i++)
		ok = check(argv[i]) && ok;
	return ok ? 0 : 1;
}
