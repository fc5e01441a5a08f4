/* hooks.h - what the kernel has its side rooms do: run ahead, check, count, record
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernel includes nothing of a side room and calls none by name: a program puts together the table of the rooms
 * that it links, and runs without the others.
 */
#ifndef KERNEL_HOOKS_H
#define KERNEL_HOOKS_H

#include "base/diag.h"
#include "base/json_write.h"

#include <heddle/module.h>

struct hd_ahead;
struct hd_crash;
struct hd_sim;

/* ---- the table ---- */

/* kernel/parallel: partitions run many periods each in turn, in one or several threads. */
struct hd_parallel_hooks {
	/* Divides the simulation, which is linked, into sections, with several threads into shards (shard.h).  Returns
	 * false if all of it belongs together. */
	bool (*divide)(struct hd_sim *s);
	void (*free_shards)(struct hd_sim *s);
	/* The shards are in the period in which the lock step is. */
	void (*follow)(struct hd_sim *s);
	/* An unused record for a shard, of a view of a pool; 0: none is left. */
	uint32_t (*record)(const struct hd_ctx *c, struct hd_pool *view);
	/* Plans a simulation that has started.  NULL: all of it runs in lock step, for the reason in *why, to be
	 * freed. */
	struct hd_ahead *(*plan)(struct hd_sim *s, char **why);
	void (*free)(struct hd_ahead *a);
	/* Between two periods of the first root: runs the next ones, if they may be run partition by partition.
	 * Returns how many moments it were, 0: none; *busy: a process ran in the last of them.  With hd_sim.rollback
	 * after it they are not those of the lock step, and the run is to be begun again. */
	uint64_t (*run)(struct hd_sim *s, bool *busy);
	/* Have there been windows?  Then processes may have been evaluated that slept in lock step, which shows only in
	 * where a run ends in which nothing happens any more. */
	bool (*has_run)(const struct hd_ahead *a);
};

/* Memory that a child process shares with its parent. */
struct hd_sandbox {
	volatile uint32_t returned; /* the function returned */
	volatile uint32_t step;     /* progress; defined by the function */
	volatile uint32_t value[2]; /* results; defined by the function */
	bool tried;                 /* false: there was no child, the result is unknown */
};

/* kernel/check, as far as it is about plug-ins; what is evaluated is checked by a struct hd_checker. */
struct hd_check_hooks {
	/* Is the descriptor sane?  False after reporting what is not. */
	bool (*module)(const struct hd_module *m, const char *origin, struct hd_diags *d);
	/* Does it leave the figures of the run alone to which another module adds? */
	bool (*figures)(const struct hd_module *m, const char *origin, const struct hd_module *other,
	                struct hd_diags *d);
	/* Runs f(arg, t) in a copy of this process without output.  Returns NULL if f returned or no child
	 * could be started; else what happened to it, "crashed with signal 11 (Segmentation fault)" or that
	 * it did not return in time, which the caller frees.  *seen holds the values that the child left. */
	char *(*try)(void (*f)(void *arg, struct hd_sandbox *t), void *arg, struct hd_sandbox *seen);
	/* From watch to unwatch, a crash of a plug-in is reported on standard error, and the process exits
	 * with status 1.  `top` is where the stack of the run begins.  watch returns false if this thread is watched
	 * already. */
	struct hd_crash *(*crash_new)(const struct hd_sim *s);
	void (*crash_free)(struct hd_crash *c);
	bool (*watch)(struct hd_crash *c, const void *top);
	void (*unwatch)(struct hd_crash *c);
};

/* kernel/stats: statistics, fill of queues, rows of tables, what is pending in a deadlock. */
struct hd_stats_hooks {
	void (*make)(struct hd_sim *s);   /* everything is bound */
	void (*settle)(struct hd_sim *s); /* meters count up to the present edge */
	void (*free)(struct hd_sim *s);
	/* hd_row(); part not NULL: hd_row_part(). */
	void (*row)(const struct hd_ctx *c, const char *table, const struct hd_cell *cells, unsigned n,
	            const uint32_t *part);
	void (*parts)(struct hd_sim *s); /* hd_parts_overlap() */
	/* From here on the instance, which has .parts, counts for that part. */
	void (*part_begins)(const struct hd_instance *in, uint32_t part);
	/* The moment is over in which hd_sim.item_over was set. */
	void (*keep_item)(struct hd_sim *s);
	/* Collects what is pending in all instances: hd_sim.deadlock stays NULL if nothing is. */
	void (*deadlock)(struct hd_sim *s);
	bool (*same_rows)(const struct hd_sim *a, const struct hd_sim *b);
	void (*saved)(struct hd_checkpoint *k);
	/* Statistics of a settled simulation as JSON, whose tables have no rows; and what makes the rows one by one. */
	json_t *(*plain)(const struct hd_sim *s, const char *status);
	struct hd_json_rows (*rows)(const struct hd_sim *s);
};

/* The rooms; NULL: it is not there. */
struct hd_hooks {
	const struct hd_parallel_hooks *parallel;
	const struct hd_check_hooks *check;
	const struct hd_stats_hooks *stats;
};

/* Of the program. */
extern const struct hd_hooks hd__hooks;
extern const struct hd_parallel_hooks hd__parallel_room;
extern const struct hd_check_hooks hd__check_room;
extern const struct hd_stats_hooks hd__stats_room;

/* What hd_report_pending() gets: `add` has the text, in which no line ends. */
struct hd_pending {
	void (*add)(struct hd_pending *h, const char *text);
	const struct hd_instance *instance;
	char *text;
	unsigned n; /* by this instance */
};

/* ---- of a simulation that is recorded ---- */

/* Built with hd_options.probe, kernel/record's, it may be recorded; a run without one costs nothing. */
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
	/* What such a number, not 0, stands for: the instance, and *why, the name of its reason. */
	const struct hd_instance *(*cause)(const struct hd_sim *s, uint32_t cause, const char **why);
	/* The process was evaluated, and has HD_PROCESS_ASKED. */
	void (*asked)(struct hd_sim *s, uint32_t rank);
	/* Called when hd_sim.record_at periods are over. */
	void (*due)(struct hd_sim *s);
	/* Between two cycles: entries from now on belong to the next one, or again to that of the simulation. */
	void (*next)(struct hd_sim *s, bool next);

	/* Called always, from the first init on: defines number `id` of the table `names`. */
	void (*define)(struct hd_sim *s, const char *names, uint64_t id, const struct hd_cell *cells,
	               unsigned n);
	/* Called before the simulation is freed, recorded or not. */
	void (*release)(struct hd_sim *s);
};

/* ---- of a simulation whose modules are checked ---- */

/* A record that is not in use. */
struct hd_stale {
	const struct hd_type *type;
	uint32_t handle;
	uint64_t cycle;                   /* in which it was released; 0: it was never in use */
	const struct hd_instance *by;     /* evaluated then, or NULL */
};

/* Built with hd_options.checker, kernel/check's, it is checked; a run without one costs nothing.  A simulation that is
 * recorded is not checked. */
struct hd_checker {
	/* Before init of the instances, and when the simulation is freed, which may be before that. */
	void (*attach)(struct hd_sim *s);
	void (*detach)(struct hd_sim *s);

	/* Of channels with the flag HD_CHAN_CHECKED: after a put, after a take, once the payload is in
	 * the slot, before a take from a slot.  After a mistake they do not return. */
	void (*put)(const struct hd_chan *c, size_t size);
	void (*take)(const struct hd_chan *c);
	void (*slot_put)(const struct hd_chan *c, unsigned slot, size_t size);
	void (*slot_take)(const struct hd_chan *c, unsigned slot);

	/* Pools of the simulation: makes one of such records, and what its functions do. */
	void (*pool_new)(struct hd_sim *s, struct hd_pool *p, const struct hd_type *type);
	void (*pool_free)(struct hd_pool *p);
	uint32_t (*alloc)(const struct hd_ctx *c, struct hd_pool *p);
	void (*release)(struct hd_pool *p, uint32_t handle);
	uint32_t (*used)(const struct hd_pool *p);

	/* The instance has filled the interfaces that it provides: after its init, and again after its start. */
	void (*filled)(const struct hd_instance *in);
	/* hd_memory() */
	void *(*memory)(const struct hd_ctx *c, size_t n, size_t size);

	/* hd_slot_taken() */
	void (*slot_taken)(const struct hd_instance *of, uint32_t slot);

	/* For signal handlers: the instance that is evaluated, or NULL; is the address in a record that
	 * is not in use? */
	const struct hd_instance *(*running)(const struct hd_sim *s);
	bool (*find)(const struct hd_sim *s, uintptr_t address, struct hd_stale *found);
};

/* First member of the data of a channel or pool that is watched: by a recorder or by checks. */
struct hd_watch {
	const struct hd_probe *probe;     /* or NULL */
	struct hd_log_end *log;           /* of the recorder (log.h); or NULL */
	const struct hd_checker *checker; /* or NULL */
};

#endif
