/* probe.h - what a recorder gives the kernel, to be told what happens
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A run without a recorder has no probe, and pays nothing.  The events, marks and transactions of
 * modules go to the recorder directly: it implements those functions of <heddle/module.h>.
 */
#ifndef KERNEL_PROBE_H
#define KERNEL_PROBE_H

#include <heddle/module.h>

struct hd_sim;

/* Functions that the kernel calls, in the simulation's thread. */
struct hd_probe {
	/* A payload was put at `place`, or taken from there; `taker` is the slot, 0 in a FIFO.  Called
	 * for channels with the flag HD_CHAN_WATCHED. */
	void (*put)(struct hd_chan *c, uint32_t place);
	void (*take)(struct hd_chan *c, uint32_t place, uint32_t taker);
	/* What number `id` of the table `names` stands for; from the first init on. */
	void (*define)(struct hd_sim *s, const char *names, uint64_t id, const struct hd_cell *cells,
	               unsigned n);
	/* hd_sim.observe_at periods are over. */
	void (*due)(struct hd_sim *s);
	/* The simulation is about to be freed, recorded or not. */
	void (*release)(struct hd_sim *s);
};

/* What the recorder keeps of a channel begins with this. */
struct hd_watch {
	const struct hd_probe *probe;
};

#endif
