/* checker.h - callbacks that check what modules do, called by the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A simulation whose modules are checked is built with hd_options.checker.  The kernel has no other
 * connection to the checks; a run without them costs nothing.  There is one, hd__contract
 * (contract.h).  A simulation that is recorded is not checked.
 */
#ifndef KERNEL_CHECK_CHECKER_H
#define KERNEL_CHECK_CHECKER_H

#include <heddle/module.h>

struct hd_sim;

/* A record that is not in use. */
struct hd_stale {
	const struct hd_type *type;
	uint32_t handle;
	uint64_t cycle;                   /* in which it was released; 0: it was never in use */
	const struct hd_instance *by;     /* evaluated then, or NULL */
};

struct hd_checker {
	/* Before init of the instances, and when the simulation is freed, which may be before that. */
	void (*attach)(struct hd_sim *s);
	void (*detach)(struct hd_sim *s);
	/* Takes the place of the run loop; returns enum hd_run_status. */
	int (*run)(struct hd_sim *s, uint64_t edges);

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

	/* For signal handlers: the instance that is evaluated, or NULL; is the address in a record that
	 * is not in use? */
	const struct hd_instance *(*running)(const struct hd_sim *s);
	bool (*find)(const struct hd_sim *s, uintptr_t address, struct hd_stale *found);
};

/* Bytes from one state to the next, each at the beginning of a cache line.  Those behind a state that is checked
 * have the value HD_GUARD. */
#define HD_GUARD 0xa5
static inline size_t hd__state_room(const struct hd_module *m, bool checked)
{
	return (m->state_size + 63) / 64 * 64 + (checked ? 64 : 0);
}

/* Bytes of a channel with so many places: payloads of a wrong size must not reach the next one. */
static inline size_t hd__slack(size_t places, size_t size)
{
	return places * (size > 512 ? size : 512) + 4096;
}

#endif
