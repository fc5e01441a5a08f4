/* dram_parts.h - private to the dram module: its state, shared by its files
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A timer is the tick up to which an action is not allowed.
 */
#ifndef MODULES_DRAM_DRAM_PARTS_H
#define MODULES_DRAM_DRAM_PARTS_H

#include <heddle/gpu/map.h>
#include <heddle/gpu/time.h>
#include <heddle/gpu/mem.h>

struct list {
	hd_mem_ref head, tail; /* linked by hd_mem.next; 0: empty */
	uint32_t count;
};

/* Requests of one bank that wait for their turn, oldest first. */
struct waiting {
	struct list all;
	bool selected;  /* those of `row` are served until there are none */
	uint32_t row;
};

struct bank {
	bool open;
	uint32_t row;
	uint32_t group;
	hd_mem_ref current; /* whose commands are being issued; 0: none */
	uint32_t issued;    /* bytes of it for which commands were issued */
	int64_t rcd, rcdwr, ras, rp, rc, wtp, rtp;
	struct waiting read, write; /* write: only if there is a queue for writes */
};

struct group {
	int64_t ccdl, rtpl;
};

#define DRAM_BANKS 1024u /* most */

/* Some banks, as a set. */
struct banks {
	uint64_t word[DRAM_BANKS / 64];
};

/* For dumps: where a request is in the channel. */
enum { MARK_LATENCY, MARK_QUEUE, MARK_BANK, MARK_RETURNED };

enum { SCHEDULER_FRFCFS, SCHEDULER_FIFO, SCHEDULER_NONE };

struct dram {
	struct hd_ctx *ctx;
	struct hd_ends request, reply; /* by slice */
	const struct hd_map_if *map;
	const struct hd_time *time;
	struct hd_time base; /* as it is seen */
	struct hd_pool *pool;

	/* parameters */
	uint32_t latency, scheduler, queue, return_size, atom, burst_cycles;
	uint32_t write_queue, write_high, write_low, nbanks, ngroups, group_by;
	bool separate_writes, dual_bus, no_turnaround;
	uint32_t t_ccd, t_rrd, t_rcd, t_ras, t_rp, t_rc, cl, wl, t_cdlr, t_wr, t_ccdl, t_rtpl;
	int64_t t_rcdwr, t_rtw, t_wtr, t_wtp;

	int64_t tick;
	struct list delayed, input, returned;
	struct bank *bank;
	struct group *group;
	uint32_t prio;
	uint32_t pending_reads, pending_writes; /* in the queues of the banks */
	uint32_t current;     /* banks with a current request: */
	struct banks hits;    /* to the row that they have open, */
	struct banks misses;  /* and to another */
	struct banks waits[2]; /* those without one, for which loads, stores are waiting */
	bool write_mode;      /* the queue for writes is served */
	bool writing;         /* direction of the bus */
	int64_t ccd, rrd, rtw, wtr;
	hd_mem_ref *pipe;     /* ring of slots, 0: empty */
	uint32_t pipe_mask, pipe_head, pipe_length, pipe_least, pipe_used;

	uint32_t last;        /* slice that was served last */
	uint32_t shared_credits, shared_used;
	bool *own_used;       /* by slice: its own credit is taken */

	uint64_t ticks, active, activates, precharges, reads, allocate_reads, writes, requests, row_hits, assigned;
	uint64_t asked[2];      /* atoms, by loads and by stores */
	uint64_t written_back, bytes_read, bytes_written, bus_busy;
	struct hd_meter latency_meter, queue_meter, writes_meter, returned_meter;
};

static inline void dram_add(struct banks *s, uint32_t j)
{
	s->word[j / 64] |= hd_bit(j % 64);
}

static inline void dram_drop(struct banks *s, uint32_t j)
{
	s->word[j / 64] &= ~hd_bit(j % 64);
}

static inline bool dram_has(const struct banks *s, uint32_t j)
{
	return hd_bits_has(s->word[j / 64], j % 64);
}

/* The first bank of the set from this one on; `to` if there is none before that. */
static inline uint32_t dram_next(const struct banks *s, uint32_t from, uint32_t to)
{
	while (from < to) {
		uint64_t rest = s->word[from / 64] >> from % 64;

		if (rest) {
			from += hd_bits_first(rest);
			return from < to ? from : to;
		}
		from = (from / 64 + 1) * 64;
	}
	return to;
}

static inline void dram_append(const struct dram *d, struct list *l, hd_mem_ref ref)
{
	hd_mem(d->pool, ref)->next = 0;
	if (l->count++ == 0)
		l->head = ref;
	else
		hd_mem(d->pool, l->tail)->next = ref;
	l->tail = ref;
}

static inline hd_mem_ref dram_remove(const struct dram *d, struct list *l)
{
	hd_mem_ref ref = l->head;

	l->head = hd_mem(d->pool, ref)->next;
	l->count--;
	hd_mem_fetch(d->pool, l->head);
	return ref;
}

static inline bool dram_is_write(const struct dram *d, hd_mem_ref ref)
{
	return hd_mem(d->pool, ref)->line.req.flags & HD_MEM_WRITE;
}

/* dram_schedule.c */
void hd__dram_schedule(struct dram *d);
bool hd__dram_full(const struct dram *d, bool write);

/* dram_command.c */
void hd__dram_transfer(struct dram *d);
void hd__dram_command(struct dram *d);

/* The channel has moved data of this request. */
static inline void dram_moved(struct dram *d, hd_mem_ref ref, uint32_t bytes)
{
	if (dram_is_write(d, ref))
		d->bytes_written += bytes;
	else
		d->bytes_read += bytes;
	d->bus_busy += (uint64_t)((bytes + d->atom - 1) / d->atom) * d->burst_cycles;
}

/* dram_credit.c */
bool hd__dram_has_credit(const struct dram *d, uint32_t slice);
void hd__dram_take_credit(struct dram *d, uint32_t slice);
void hd__dram_give_credit(struct dram *d, hd_mem_ref ref);

#endif
