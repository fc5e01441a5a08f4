/* load.c - reads and builds a netlist, for every command that needs a simulation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "kernel/check/lint.h"

struct hd_sim *hd__load(const char *netlist, struct hd_registry *r, const struct hd_options *o,
                        bool check_only, struct hd_diags *d)
{
	struct hd_netlist *n;
	struct hd_sim *s = NULL;

	n = hd__netlist_read_set(netlist, o->sets, o->nsets, d);
	if (n)
		s = hd__sim_new(n, r, o, check_only, d);
	if (s && d->errors) {
		hd__sim_free(s);
		s = NULL;
	}
	if (s && s->nopen == 0)
		hd__lint(s);
	if (!s || (d->warnings && o->nleft_out == 0 && !o->again)) /* not for each repetition */
		hd__diags_print(d, stderr);
	return s;
}
