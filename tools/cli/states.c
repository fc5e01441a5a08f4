/* states.c - heddle run --save-at and --load: the state of a run in a file
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "states.h"

#include "cmd.h"
#include "kernel/save/save.h"
#include "kernel/flatten.h"

#include <inttypes.h>
#include <stdlib.h>

/* Names the modules that do not save themselves.  Returns false if there are some. */
static bool can_save(const struct hd_sim *s)
{
	char *names = hd__not_saved(s);

	if (names)
		fprintf(stderr, "heddle: --save-at: modules that cannot be saved: %s; expected modules with "
		        "'checkpoint' in their descriptor\n", names);
	free(names);
	return !names;
}

void hd__states_save(struct hd_host *h)
{
	struct hd_states *t = h->saver;
	json_t *netlist = hd__flatten(h->sim, NULL);
	char *why;

	hd__checkpoint_write(h->sim, netlist, t->saved.f, &why); /* an error of the file is reported as it is closed */
	if (why)
		fprintf(stderr, "heddle: --save-at: the state could not be loaded: %s\n", why);
	h->save_failed = !hd__output_close(&t->saved, !why);
	free(why);
	t->saved.f = NULL;
	json_decref(netlist);
	hd__sim_halt(h->sim, UINT64_MAX);
}

bool hd__states_prepare(struct hd_host *h, struct hd_states *t, const struct hd_options *opt)
{
	json_t *netlist;
	bool ok = true;

	if (t->save && !can_save(h->sim))
		return false;
	if (t->load) {
		netlist = hd__flatten(h->sim, NULL);
		ok = hd__checkpoint_read(h->sim, netlist, t->load);
		json_decref(netlist);
	}
	if (!ok || !t->save)
		return ok;
	if (opt->halt_item == 0 && t->save_cycle <= hd__sim_cycles(h->sim) && t->load) {
		fprintf(stderr, "heddle: --save-at: the loaded run is at cycle %" PRIu64 "; expected a later "
		        "one\n", hd__sim_cycles(h->sim));
		return false;
	}
	h->halted = hd__states_save;
	h->saver = t;
	hd__sim_halt(h->sim, t->save_cycle);
	return true;
}

int hd__states_end(struct hd_host *h, struct hd_states *t, int status)
{
	if (!t->save)
		return status;
	if (t->saved.f && h->sim) {
		fprintf(stderr, "heddle: --save-at: the run ended at cycle %" PRIu64 ", before it was to be "
		        "saved\n", hd__sim_cycles(h->sim));
		h->save_failed = true;
	}
	if (t->saved.f)
		hd__output_close(&t->saved, false);
	return h->save_failed && status == HD_EXIT_OK ? HD_EXIT_FAILED : status;
}
