/* evaluations.c - in a run that is dumped, a stage that has nothing to do sleeps as in one that is not
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The dump records for each cycle why an issue slot stayed empty.  A stage that is evaluated again in each cycle gives
 * the same bytes, and only shows in the number of evaluations.
 */
#include "kernel/netlist/netlist.h"
#include "kernel/record/recorder.h"

#include <inttypes.h>
#include <stdlib.h>

static unsigned failures;

/* Evaluations in a run, which is recorded or not. */
static uint64_t evaluations(const char *netlist, const char *trace, bool recorded)
{
	struct hd_registry registry;
	struct hd_diags diags = { 0 };
	struct hd_options opt = { .input = trace, .last = UINT64_MAX,
		                  .probe = recorded ? &hd__record_probe : NULL };
	struct hd_observe_options dump = { .path = "evaluations.hdump" };
	struct hd_netlist *n;
	struct hd_sim *s;
	enum hd_run_status status = HD_RUN_MORE;
	uint64_t evals = 0;

	hd__registry_init(&registry, &diags);
	n = hd__netlist_read_set(netlist, NULL, 0, &diags);
	s = n ? hd__sim_new(n, &registry, &opt, false, &diags) : NULL;
	if (s && recorded && !hd__observe_open(s, &dump))
		status = HD_RUN_FAILED;
	while (s && status == HD_RUN_MORE)
		status = hd__sim_run(s, 1000);
	if (s)
		evals = s->evals;
	if (s && s->observer)
		hd__observe_close(s, "finished", false);
	if (status != HD_RUN_FINISHED) {
		fprintf(stderr, "%s, %s: status %d; expected a run that ends\n", netlist, trace, (int)status);
		hd__diags_print(&diags, stderr);
		failures++;
	}
	hd__sim_free(s);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return evals;
}

/* At most this many per thousand more are allowed. */
static void check(const char *core, const char *trace, uint64_t limit)
{
	const char *top = getenv("srcdir") ? getenv("srcdir") : ".";
	char *netlist = hd__format("%s/netlists/%s.json", top, core);
	char *list = hd__format("%s/traces/samples/%s/kernelslist.g", top, trace);
	uint64_t plain = evaluations(netlist, list, false), recorded = evaluations(netlist, list, true);

	if (recorded < plain || (recorded - plain) * 1000 > plain * limit) {
		fprintf(stderr, "%s, %s: %" PRIu64 " evaluations, and %" PRIu64 " if recorded; expected at most "
		        "%" PRIu64 " per thousand more\n", core, trace, plain, recorded, limit);
		failures++;
	}
	free(netlist);
	free(list);
}

/* Units with something inside are still asked in each cycle, and an issue stage that issued is
 * evaluated in the next one to find the reason if it can issue nothing then, so the limits are not 0. */
int main(void)
{
	check("volta_sm", "vecadd", 60);
	check("volta_sm", "hist", 110);
	check("ampere_sm", "vecadd", 65);
	check("pascal_sm", "vecadd", 260);
	check("pascal_sm", "gather", 600);
	return failures > 0;
}
