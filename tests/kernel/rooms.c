/* rooms.c - the kernel without a side room, or without any: built once for each (tests.am)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/bytes.h"
#include "kernel/check/contract.h"
#include "kernel/record/recorder.h"
#include "kernel/save/save.h"
#include "kernel/sim.h"
#include "tests/kernel/toy/toy.h"

#include <stdlib.h>

#ifdef ALONE
#define WITHOUT_PARALLEL
#define WITHOUT_CHECK
#define WITHOUT_STATS
#define WITHOUT_SAVE
#define WITHOUT_RECORD
#endif

const struct hd_hooks hd__hooks = {
#ifndef WITHOUT_PARALLEL
	.parallel = &hd__parallel_room,
#endif
#ifndef WITHOUT_CHECK
	.check = &hd__check_room,
#endif
#ifndef WITHOUT_STATS
	.stats = &hd__stats_room,
#endif
};

const struct hd_module *const hd__builtin_wide[] = { NULL };
const struct hd_module *const hd__builtin_modules[] = {
	&hd_module_sink, &hd_module_source, &hd_module_worker, NULL,
};

static unsigned failures;

static void check(bool ok, int line)
{
	if (!ok)
		fprintf(stderr, "%s:%d: not so\n", __FILE__, line);
	failures += !ok;
}
#define CHECK(x) check((x), __LINE__)

#define CLOCKS(more) "{\"heddle\": 1, \"clocks\": {\"core\": {\"mhz\": 1000}" more "}, \"instances\": {"
/* The worker appends rows and ends the run. */
#define WORK CLOCKS("") "\"w\": {\"module\": \"worker\", \"params\": {\"parts\": [4, 9, 999]}}, " PAIRS
/* Two pairs that only a channel joins, of which one end is slower. */
#define PAIRS "\"s\": {\"module\": \"source\", \"count\": 2, \"params\": {\"count\": 300, \"every\": 4}}, " \
	"\"k\": {\"module\": \"sink\", \"count\": 2, \"params\": {\"every\": 5}}}, \"links\": [" \
	"{\"from\": \"s[0].out\", \"to\": \"k[0].in\", \"capacity\": 512}, " \
	"{\"from\": \"s[1].out\", \"to\": \"k[1].in\", \"capacity\": 512}]}"
/* No instance opens the clock of the sink. */
#define SHUT CLOCKS(", \"shut\": {\"of\": \"core\", \"gate\": \"s\"}") \
	"\"s\": {\"module\": \"source\", \"clock\": \"core\"}, \"k\": {\"module\": \"sink\", \"clock\": \"shut\"}}, " \
	"\"links\": [{\"from\": \"s.out\", \"to\": \"k.in\", \"capacity\": 9}]}"

static void run(const char *netlist, struct hd_options o, enum hd_run_status expected, uint64_t cycles)
{
	struct hd_registry r;
	struct hd_diags d = { .n = 0 };
	struct hd_netlist *n;
	struct hd_sim *s;
	enum hd_run_status status = HD_RUN_MORE;

	hd__registry_init(&r, &d);
	n = hd__netlist_parse("n.json", netlist, strlen(netlist), &d);
	s = n ? hd__sim_new(n, &r, &o, false, &d) : NULL;
	CHECK(s != NULL);
	while (s && status == HD_RUN_MORE)
		status = hd__sim_run(s, 100);
	CHECK(status == expected);
	if (s) {
		hd__sim_settle(s);
		CHECK(hd__sim_cycles(s) == cycles);
		CHECK((status == HD_RUN_DEADLOCK) == (s->deadlock != NULL));
		CHECK((s->nrow_tables > 0) == (strstr(netlist, "worker") && hd__hooks.stats));
		CHECK((s->ahead != NULL) == (o.ahead > 0 && hd__hooks.parallel != NULL));
#ifndef WITHOUT_SAVE
		struct hd_bytes saved = { .n = 0 };

		CHECK(hd__sim_save(s, &saved) == NULL && saved.n > 0);
		free(saved.v);
#endif
	}
	hd__sim_free(s);
	hd__registry_free(&r);
	hd__diags_print(&d, stderr);
	hd__diags_free(&d);
}

int main(void)
{
	run(WORK, (struct hd_options){ .per_item = true }, HD_RUN_FINISHED, 1000);
	run(WORK, (struct hd_options){ .max_cycles = 500 }, HD_RUN_LIMIT, 500);
	run(SHUT, (struct hd_options){ .input = NULL }, HD_RUN_DEADLOCK, 5);
	run(CLOCKS("") PAIRS, (struct hd_options){ .ahead = UINT64_MAX, .threads = 2, .max_cycles = 800 },
	    HD_RUN_LIMIT, 800);
#ifndef WITHOUT_CHECK
	run(WORK, (struct hd_options){ .checker = &hd__contract }, HD_RUN_FINISHED, 1000);
#endif
#ifndef WITHOUT_RECORD
	run(WORK, (struct hd_options){ .probe = &hd__record_probe }, HD_RUN_FINISHED, 1000);
#endif
	return failures > 0;
}
