/* probe.h - callbacks of a recorder, called by the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A simulation that may be recorded is built with a probe (hd_options.probe).  The kernel calls its
 * functions in the simulation's thread, and has no other connection to the recorder; a run without
 * one costs nothing.
 */
#ifndef KERNEL_PROBE_H
#define KERNEL_PROBE_H

#include <heddle/module.h>

struct hd_sim;

struct hd_probe {
	/* Of channels with the flag HD_CHAN_WATCHED: a payload was put at `place`, or taken from
	 * there; `taker` is the slot, 0 in a FIFO.  Called, like `mark` and `transaction_over`, for what the kernel
	 * cannot log itself (log.h). */
	void (*put)(struct hd_chan *c, uint32_t place);
	void (*take)(struct hd_chan *c, uint32_t place, uint32_t taker);

	/* Of pools that are watched: the functions of <heddle/module.h> without the "hd_". */
	void (*mark)(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle, unsigned mark,
	             uint32_t arg);
	void (*mark_before)(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle,
	                    unsigned mark, uint32_t cycles);
	void (*transaction_over)(struct hd_pool *p, uint32_t handle);
	uint32_t (*transaction_keep)(struct hd_pool *p, uint32_t handle);
	void (*transaction_mark)(const struct hd_ctx *c, struct hd_pool *p, uint32_t transaction,
	                         unsigned mark, uint32_t arg);
	void (*transaction_end)(struct hd_pool *p, uint32_t transaction);

	/* Called while hd_sim.observer is set. */
	void (*emit)(const struct hd_ctx *c, unsigned event, const int64_t *v);
	/* wakes: as for hd_stall_watch(), or NULL. */
	uint32_t (*stall_cause)(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot, bool *wakes);
	/* The process was evaluated, and has HD_PROCESS_ASKED. */
	void (*asked)(struct hd_sim *s, uint32_t rank);
	/* Called when hd_sim.observe_at periods are over. */
	void (*due)(struct hd_sim *s);

	/* Called always, from the first init on: defines number `id` of the table `names`. */
	void (*define)(struct hd_sim *s, const char *names, uint64_t id, const struct hd_cell *cells,
	               unsigned n);
	/* Called before the simulation is freed, recorded or not. */
	void (*release)(struct hd_sim *s);
};

struct hd_checker; /* checker.h */

/* First member of the data of a channel or pool that is watched: by a recorder or by checks. */
struct hd_watch {
	const struct hd_probe *probe;     /* or NULL */
	struct hd_log_end *log;           /* of the recorder (log.h); or NULL */
	const struct hd_checker *checker; /* or NULL */
};

#endif
