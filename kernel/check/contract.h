/* contract.h - checks in a run that the modules keep their contract with the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is wrong fails the run, with a message that names instance, module, port and cycle.
 */
#ifndef KERNEL_CHECK_CONTRACT_H
#define KERNEL_CHECK_CONTRACT_H

#include "kernel/sim.h"

#include <setjmp.h>

/* Data of a channel that is checked: the watch is its first member. */
struct hd_checked {
	struct hd_watch watch;
	struct hd_sim *sim;
	const struct hd_channel *channel;
	const struct hd_instance *const *running; /* where it stands which instance is evaluated */
	uint64_t *moves;                  /* by end, producers first: payloads that it has put or taken */
	struct hd_puts *puts;             /* by producer */
};

/* Payloads that a producer has put in an edge. */
struct hd_puts {
	uint64_t edge;
	uint32_t n;
};

/* An end of a channel: whose it is, and which slots. */
struct hd_owner {
	const struct hd_instance *instance;
	const struct hd_port *port;
	uint64_t slots;
	uint64_t *moves;
};

/* contract_ends.c: the end that is used now, at this slot of a register set; of a channel that is checked. */
struct hd_owner hd__producer(const struct hd_chan *c, unsigned slot);
struct hd_owner hd__consumer(const struct hd_chan *c, unsigned slot);

/* Checks or counts what passes the channels of the simulation; an array in the order of hd_sim.channels. */
struct hd_checked *hd__checked_make(struct hd_sim *s, const struct hd_checker *checker,
                                    const struct hd_instance *const *running);
void hd__checked_free(const struct hd_sim *s, struct hd_checked *v);
/* Only counts. */
extern const struct hd_checker hd__counter;

struct hd_judged;
struct hd_order_check;
struct hd_keeper;
struct hd_sleeper;

/* What an instance got from hd_memory(). */
struct hd_guarded {
	struct hd_piece {
		unsigned char *v;
		size_t bytes;
	} *piece;
	size_t n;
};

/* Static variables of a plug-in that declares 'confined', as they were when it was loaded. */
struct hd_statics {
	const struct hd_module *module;
	const unsigned char *at;
	unsigned char *was;
	size_t bytes;
};

struct hd_contract {
	struct hd_statics *statics;
	size_t nstatics;
	struct hd_checked *channels;      /* in the order of hd_sim.channels */
	const struct hd_instance **by_rank; /* NULL: a hole */
	struct hd_sleeper *sleepers;      /* by rank */
	struct hd_keeper *keepers;        /* those of one instance's slots together */
	size_t nkeepers;
	struct hd_guarded *guarded;       /* by number of the instance */
	struct hd_judged **judged;        /* interface structs with rules */
	size_t njudged;
	bool looks_found;                 /* hd_looks.own of all instances */
	struct hd_looks {
		struct hd_look_list {
			struct hd_judged **v;
			size_t n;
		} own, all;
		bool found;
	} *looks;                         /* by number of the instance: those with data that it shares, and with those
	                                   * of the instances behind it */
	unsigned char *before;            /* room for the states that a `skipped` changes, */
	uint64_t *awake;                  /* and for hd_sim.awake */
	const struct hd_instance *running; /* being evaluated; NULL: none */
	uint64_t moves;                   /* payloads put and taken, records taken and released, so far */
	const struct hd_instance *mover;  /* the last end that was used: whose it is, */
	const struct hd_port *moved;      /* NULL: a record of a pool */
	jmp_buf *out;                     /* out of the present edge; NULL: none is under way */
	struct hd_order_check *order_check;           /* NULL: none */
};

/* The checks (hooks.h). */
extern const struct hd_checker hd__contract;

/* The run has failed: ends the edge.  Returns only outside of the run loop. */
static inline void hd__violation(struct hd_contract *k)
{
	if (k->out != NULL)
		longjmp(*k->out, 1);
}

/* contract_run.c: the run loop that evaluates sleeping processes, too, which must change nothing. */
void hd__sleepers_make(struct hd_sim *s);
void hd__sleepers_free(struct hd_sim *s);
int hd__contract_run(struct hd_sim *s, uint64_t edges);
/* The order of evaluation in this period, a list of hd_sim.nplaced ranks: of several another one each time. */
static inline const uint32_t *hd__order_now(const struct hd_sim *s)
{
	uint64_t by_chance = s->roots[0].period * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	return s->orders + by_chance % (s->opt.others + 1) * s->nplaced;
}

/* contract_slots.c: what is kept by slot is 0 when something new comes into the slot. */
void hd__look_at_slot(const struct hd_instance *of, uint32_t slot);

/* contract_rules.c: puts checks between the users and the providers of interfaces that have rules, and looks at
 * data that
 * they share. */
void hd__rules_stand(const struct hd_instance *in);
void hd__rules_look(const struct hd_instance *in, const struct hd_instance *const *behind, size_t n);
void hd__rules_free(struct hd_sim *s);
/* contract_memory.c: nothing is written behind what hd_memory() gave, or behind a state, nor are static variables of
 * plug-ins that declare 'confined'. */
void hd__statics_make(struct hd_sim *s);
void hd__statics_free(struct hd_contract *k);
void *hd__guarded_memory(const struct hd_ctx *c, size_t n, size_t size);
void hd__look_behind(struct hd_sim *s, const struct hd_instance *in);

/* contract_pool.c: pools in which no two records share a page, and those that are not in use are
 * inaccessible. */
void hd__guard_new(struct hd_sim *s, struct hd_pool *p, const struct hd_type *type);
void hd__guard_free(struct hd_pool *p);
uint32_t hd__guard_alloc(const struct hd_ctx *c, struct hd_pool *p);
void hd__guard_release(struct hd_pool *p, uint32_t handle);
uint32_t hd__guard_used(const struct hd_pool *p);
bool hd__guard_find(const struct hd_sim *s, uintptr_t address, struct hd_stale *found);

/* order_check.c: the same simulation twice more, evaluated only when awake, and in another order. */
enum { HD_OTHER_RUNS = 2 };
/* Builds them from the same netlist.  Returns false after adding an error to *d. */
bool hd__order_check_make(struct hd_sim *s, const char *netlist, struct hd_diags *d);
/* So many cycles are over in `s`: runs the others up to there and compares.  Fails the run if they
 * differ. */
void hd__order_check_follow(struct hd_sim *s);
/* The run has ended with this status: so must the others. */
enum hd_run_status hd__order_check_end(struct hd_sim *s, enum hd_run_status status);
void hd__order_check_free(struct hd_sim *s);

#endif
