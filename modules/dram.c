/* dram.c - a memory channel: DRAM banks behind a scheduler, and the queues around them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Slices of the second-level cache submit requests, one a tick, as long as they have credit.
 * A request waits `latency` cycles, then for its bank, then for its commands.  dram/dram_schedule.c
 * chooses requests, dram/dram_command.c issues commands.
 */

#include "dram/dram_parts.h"

enum { PORT_REQUEST, PORT_REPLY, PORT_MAP, PORT_TIME };

/* ---- one tick ---- */

static void send_reply(struct dram *d)
{
	hd_mem_ref ref = d->returned.head;
	const struct hd_end *to;

	if (d->returned.count == 0)
		return;
	to = &d->reply.v[hd_mem(d->pool, ref)->slice];
	if (hd_room(to) == 0)
		return;
	dram_remove(d, &d->returned);
	hd__dram_give_credit(d, ref);
	hd_put(to, &ref, sizeof ref);
}

/* One request from the slices, in a ring. */
static void take_request(struct dram *d)
{
	for (uint32_t p = 0; p < d->request.n; p++) {
		uint32_t q = (d->last + 1 + p) % d->request.n;
		hd_mem_ref ref = hd_mem_front(&d->request.v[q]);
		struct hd_mem *m;

		if (!ref || !hd__dram_has_credit(d, q) || hd_room(&d->reply.v[q]) == 0)
			continue;
		if (hd__dram_full(d, dram_is_write(d, ref)))
			return;
		m = hd_mem(d->pool, ref);
		m->due = *d->base.now + d->latency;
		m->slice = (uint16_t)q;
		hd_take(&d->request.v[q]);
		hd_mem_fetch_behind(d->pool, &d->request.v[q], 0);
		dram_append(d, &d->delayed, ref);
		hd_mem_at(d->ctx, d->pool, ref, MARK_LATENCY, *d->base.now, HD_MEM_AT_DRAM);
		hd__dram_take_credit(d, q);
		d->last = q;
		return;
	}
}

static void enter_scheduler(struct dram *d)
{
	hd_mem_ref ref = d->delayed.head;
	uint32_t bank, row;
	struct hd_mem *m;

	if (d->delayed.count == 0)
		return;
	m = hd_mem(d->pool, ref);
	if (m->due > *d->base.now || hd__dram_full(d, dram_is_write(d, ref)))
		return;
	dram_remove(d, &d->delayed);
	d->map->place(d->map->self, m->line.req.addr, &bank, &row);
	m->bank = (uint16_t)(bank % d->nbanks);
	m->row = row;
	m->moved = 0;
	d->requests++;
	d->asked[dram_is_write(d, ref)] += (m->line.req.size + d->atom - 1) / d->atom;
	dram_append(d, &d->input, ref);
	hd_mem_at(d->ctx, d->pool, ref, MARK_QUEUE, *d->base.now, HD_MEM_AT_DRAM_QUEUE);
}

static bool idle(const struct dram *d)
{
	return !(d->input.count | d->returned.count | d->pending_reads | d->pending_writes
	         | d->current | d->pipe_used);
}

static uint64_t rest(const struct dram *d)
{
	if (!idle(d))
		return HD_NEXT;
	for (uint32_t q = 0; q < d->request.n; q++)
		if (hd_mem_front(&d->request.v[q]))
			return HD_NEXT;
	if (d->delayed.count)
		return hd_edges_until(d->ctx, &d->base, hd_mem(d->pool, d->delayed.head)->due);
	return HD_SLEEP;
}

/* Without banks: requests that have waited long enough go back. */
static void answer_delayed(struct dram *d)
{
	hd_mem_ref ref = d->delayed.head;
	struct hd_mem *m;
	const struct hd_end *to;

	if (d->delayed.count == 0)
		return;
	m = hd_mem(d->pool, ref);
	to = &d->reply.v[m->slice];
	if (m->due > *d->base.now)
		return;
	if ((m->line.req.flags & HD_MEM_SILENT) || hd_room(to))
		dram_moved(d, ref, m->line.req.size);
	if (m->line.req.flags & HD_MEM_SILENT) {
		dram_remove(d, &d->delayed);
		hd__dram_give_credit(d, ref);
		d->written_back++;
		hd_release(d->pool, ref);
	} else if (hd_room(to)) {
		dram_remove(d, &d->delayed);
		hd__dram_give_credit(d, ref);
		hd_mem_move(d->ctx, m, *d->base.now, HD_MEM_AT_REPLY);
		hd_put(to, &ref, sizeof ref);
	}
}

static void measure(struct dram *d)
{
	hd_meter(d->ctx, &d->latency_meter, d->delayed.count);
	hd_meter(d->ctx, &d->queue_meter, d->input.count + d->pending_reads);
	hd_meter(d->ctx, &d->writes_meter, d->pending_writes);
	hd_meter(d->ctx, &d->returned_meter, d->returned.count);
}

static uint64_t eval(void *state)
{
	struct dram *d = state;

	if (d->scheduler == SCHEDULER_NONE) {
		answer_delayed(d);
		take_request(d);
		measure(d);
		return rest(d);
	}
	d->tick = (int64_t)hd_now(d->ctx);
	d->ticks++;
	send_reply(d);
	if (!idle(d)) {
		hd__dram_transfer(d);
		hd__dram_schedule(d);
		hd__dram_command(d);
	}
	take_request(d);
	enter_scheduler(d);
	measure(d);
	return rest(d);
}

static void skipped(void *state, uint64_t n)
{
	struct dram *d = state;

	if (d->scheduler != SCHEDULER_NONE)
		d->ticks += n;
}

/* ---- parameters ---- */

static int derive(struct dram *d)
{
	uint32_t slots = 1, b = d->burst_cycles;
	uint64_t shared = (uint64_t)d->queue + d->return_size;

	if (d->nbanks & (d->nbanks - 1))
		return hd_error(d->ctx, "'banks' is %u; expected a power of two", d->nbanks);
	if ((d->ngroups & (d->ngroups - 1)) || d->ngroups > d->nbanks)
		return hd_error(d->ctx, "'groups' is %u; expected a power of two, at most 'banks', which "
		                "is %u", d->ngroups, d->nbanks);
	if (d->separate_writes && d->scheduler != SCHEDULER_FRFCFS)
		return hd_error(d->ctx, "'separate_writes' expects 'scheduler' \"frfcfs\"");
	if (d->separate_writes && d->write_low > d->write_high)
		return hd_error(d->ctx, "'write_low' is %u; expected at most 'write_high', which is %u",
		                d->write_low, d->write_high);
	if (d->scheduler != SCHEDULER_NONE && d->wl > d->cl)
		return hd_error(d->ctx, "'wl' is %u; expected at most 'cl', which is %u, as no command "
		                "would ever follow a store", d->wl, d->cl);
	d->t_rcdwr = (int64_t)d->t_rcd - (d->wl + 1);
	d->t_rtw = d->no_turnaround ? 0 : (int64_t)d->cl + b + 2 - d->wl;
	d->t_wtr = d->no_turnaround ? 0 : (int64_t)d->wl + b + d->t_cdlr;
	d->t_wtp = (int64_t)d->wl + b + d->t_wr;
	d->shared_credits = UINT32_MAX;
	if (d->queue && d->return_size)
		d->shared_credits = (uint32_t)(shared + (d->separate_writes ? d->write_queue : 0));
	if (d->return_size == 0)
		d->return_size = 1024;
	while (slots < d->cl + d->wl + 4)
		slots *= 2;
	d->pipe_mask = slots - 1;
	d->pipe = hd_memory(d->ctx, slots, sizeof *d->pipe);
	d->bank = hd_memory(d->ctx, d->nbanks, sizeof *d->bank);
	d->group = hd_memory(d->ctx, d->ngroups, sizeof *d->group);
	return d->pipe && d->bank && d->group ? 0 : hd_error(d->ctx, "out of memory");
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct dram *d = state;
	uint32_t per_group;

	d->ctx = ctx;
	d->pool = hd_pool(ctx, &hd_type_mem);
	if (derive(d) != 0)
		return -1;
	per_group = d->nbanks / d->ngroups;
	for (uint32_t j = 0; j < d->nbanks; j++)
		d->bank[j].group = d->group_by ? j & (d->ngroups - 1) : j / per_group;
	d->pipe_length = d->pipe_least = d->cl;
	return 0;
}

static int start(void *state)
{
	struct dram *d = state;

	d->base = hd_time_seen(d->ctx, PORT_TIME, d->time);
	if (d->request.n != d->reply.n)
		return hd_error(d->ctx, "%u slices send requests and %u get replies; expected as many",
		                d->request.n, d->reply.n);
	if (d->map->banks > d->nbanks)
		return hd_error(d->ctx, "'banks' is %u, and the address map distinguishes %u banks; expected "
		                "at least as many", d->nbanks, d->map->banks);
	d->last = d->request.n - 1;
	if (d->shared_credits < d->request.n - 1)
		return hd_error(d->ctx, "'queue' and 'return_queue' are %u together; expected at least "
		                "%u, one for each slice but one", d->shared_credits, d->request.n - 1);
	if (d->shared_credits != UINT32_MAX)
		d->shared_credits -= d->request.n - 1;
	d->own_used = hd_memory(d->ctx, d->request.n, sizeof *d->own_used);
	return d->own_used ? 0 : hd_error(d->ctx, "out of memory");
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct dram *d = state;
	uint32_t n = d->delayed.count + d->input.count + d->pending_reads + d->pending_writes
	           + d->current + d->returned.count;

	if (n)
		hd_report_pending(h, "%u requests in the channel", n);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct dram *d = state;

	HD_SAVED_FROM(k, d, tick, returned);
	hd_saved(k, d->bank, d->nbanks * sizeof *d->bank);
	hd_saved(k, d->group, d->ngroups * sizeof *d->group);
	HD_SAVED_FROM(k, d, prio, wtr);
	hd_saved(k, d->pipe, (d->pipe_mask + (size_t)1) * sizeof *d->pipe);
	HD_SAVED_FROM(k, d, pipe_head, last);
	HD_SAVED(k, d->shared_used);
	hd_saved(k, d->own_used, d->request.n * sizeof *d->own_used);
}

#define P(f) offsetof(struct dram, f)
#define TICKS(name_, field, def_, doc_)                                                            \
	{ .name = name_, .unit = "ticks", .doc = doc_, .type = HD_U32, .offset = P(field),         \
	  .def = def_, .min = 0, .max = 4096 }

static const char *const schedulers[] = { "frfcfs", "fifo", "none", NULL };
static const char *const groupings[] = { "high_bits", "low_bits", NULL };

static const struct hd_param params[] = {
	{ .name = "latency", .unit = "cycles", .doc = "from the slice to the scheduler", .type = HD_U32,
	  .offset = P(latency), .def = "100", .min = 0, .max = 100000 },
	{ .name = "scheduler", .unit = "", .doc = "which request goes first: frfcfs those to open rows, "
	  "fifo the oldest; none: requests wait only for "
	  "'latency'", .type = HD_CHOICE, .offset = P(scheduler), .def = "\"frfcfs\"",
	  .choices = schedulers },
	{ .name = "queue", .unit = "requests", .doc = "requests that frfcfs may choose from; 0: any "
	  "number", .type = HD_U32, .offset = P(queue), .def = "64", .min = 0, .max = 65536 },
	{ .name = "return_queue", .unit = "requests", .doc = "finished ones that wait for room in "
	  "their slice; 0: 1024, and slices may submit any number", .type = HD_U32,
	  .offset = P(return_size), .def = "192", .min = 0, .max = 65536 },
	{ .name = "separate_writes", .unit = "", .doc = "stores have a queue of their own",
	  .type = HD_BOOL, .offset = P(separate_writes), .def = "false" },
	{ .name = "write_queue", .unit = "requests", .doc = "its size; 0: any", .type = HD_U32,
	  .offset = P(write_queue), .def = "32", .min = 0, .max = 65536 },
	{ .name = "write_high", .unit = "requests", .doc = "stores from which on they are served",
	  .type = HD_U32, .offset = P(write_high), .def = "28", .min = 0, .max = 65536 },
	{ .name = "write_low", .unit = "requests", .doc = "stores below which loads are served again",
	  .type = HD_U32, .offset = P(write_low), .def = "16", .min = 0, .max = 65536 },
	{ .name = "atom", .unit = "bytes", .doc = "bytes that one column command moves",
	  .type = HD_U32, .offset = P(atom), .def = "32", .min = 1, .max = 4096 },
	TICKS("burst", burst_cycles, "1", "that the data bus needs for them"),
	{ .name = "banks", .unit = "banks", .doc = "number of banks, a power of two", .type = HD_U32,
	  .offset = P(nbanks), .def = "16", .min = 1, .max = DRAM_BANKS },
	{ .name = "groups", .unit = "groups", .doc = "of banks, a power of two", .type = HD_U32,
	  .offset = P(ngroups), .def = "4", .min = 1, .max = 1024 },
	{ .name = "group_by", .unit = "", .doc = "which bits of a bank's number give its group",
	  .type = HD_CHOICE, .offset = P(group_by), .def = "\"low_bits\"", .choices = groupings },
	{ .name = "dual_bus", .unit = "", .doc = "row and column commands have a bus each",
	  .type = HD_BOOL, .offset = P(dual_bus), .def = "true" },
	{ .name = "no_turnaround", .unit = "", .doc = "the data bus changes direction at once",
	  .type = HD_BOOL, .offset = P(no_turnaround), .def = "false" },
	TICKS("ccd", t_ccd, "1", "between column commands"),
	TICKS("rrd", t_rrd, "3", "between activates of different banks"),
	TICKS("rcd", t_rcd, "12", "from activate to column command"),
	TICKS("ras", t_ras, "28", "from activate to precharge"),
	TICKS("rp", t_rp, "12", "from precharge to activate"),
	TICKS("rc", t_rc, "40", "between activates of one bank"),
	{ .name = "cl", .unit = "ticks", .doc = "from a read to its data", .type = HD_U32,
	  .offset = P(cl), .def = "12", .min = 1, .max = 4096 },
	{ .name = "wl", .unit = "ticks", .doc = "from a write to its data", .type = HD_U32,
	  .offset = P(wl), .def = "2", .min = 0, .max = 4096 },
	TICKS("cdlr", t_cdlr, "3", "from the last data of a write to a read"),
	TICKS("wr", t_wr, "10", "from the last data of a write to a precharge"),
	TICKS("ccdl", t_ccdl, "2", "between column commands of one group"),
	TICKS("rtpl", t_rtpl, "3", "from a read to a precharge in its group"),
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_REQUEST] = { .name = "request", .doc = "by slice", .kind = HD_IN,
	                   .flags = HD_ARRAY | HD_METERED, .type = &hd_type_mem, .offset = P(request) },
	[PORT_REPLY] = { .name = "reply", .doc = "by slice: data, and stores that have ended",
	                 .kind = HD_OUT, .flags = HD_ARRAY, .type = &hd_type_mem,
	                 .offset = P(reply) },
	[PORT_MAP] = { .name = "map", .doc = "gives bank and row of an address", .kind = HD_USES,
	               .type = &hd_type_map_if, .offset = P(map) },
	[PORT_TIME] = { .name = "time", .doc = "whose cycles 'latency' counts", .kind = HD_USES,
	                .type = &hd_type_time, .offset = P(time) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "ticks", .unit = "ticks", .doc = "of its clock", .offset = P(ticks) },
	{ .name = "active", .unit = "ticks", .doc = "ticks with a command", .offset = P(active),
	  .rate = "unit utilisation" },
	{ .name = "requests", .unit = "requests", .doc = "requests that reached the scheduler",
	  .offset = P(requests) },
	{ .name = "asked_reads", .unit = "atoms", .doc = "that loads that reached the scheduler move",
	  .offset = P(asked[0]) },
	{ .name = "asked_writes", .unit = "atoms", .doc = "the same of stores", .offset = P(asked[1]) },
	{ .name = "reads", .unit = "commands", .doc = "column commands of loads", .offset = P(reads) },
	{ .name = "writes", .unit = "commands", .doc = "column commands of stores",
	  .offset = P(writes) },
	{ .name = "activates", .unit = "commands", .doc = "rows opened", .offset = P(activates) },
	{ .name = "precharges", .unit = "commands", .doc = "rows closed", .offset = P(precharges) },
	{ .name = "assigned", .unit = "requests", .doc = "requests that a bank took up",
	  .offset = P(assigned) },
	{ .name = "row_hits", .unit = "requests", .doc = "of these, those that followed one to "
	  "the same row", .offset = P(row_hits), .rate = "row-buffer hits", .of = "assigned" },
	{ .name = "bytes_read", .unit = "bytes", .doc = "moved for loads", .offset = P(bytes_read) },
	{ .name = "bytes_written", .unit = "bytes", .doc = "moved for stores",
	  .offset = P(bytes_written) },
	{ .name = "bus_busy", .unit = "ticks", .doc = "of the data bus, for these bytes: their share of "
	  "all ticks is the bandwidth against the peak", .offset = P(bus_busy),
	  .rate = "memory bandwidth" },
	{ .name = "written_back", .unit = "requests", .doc = "write-backs that have ended",
	  .offset = P(written_back) },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_LATENCY] = { "latency", "it waits 'latency' cycles", NULL, NULL },
	[MARK_QUEUE] = { "queue", "it waits for its bank", NULL, NULL },
	[MARK_BANK] = { "bank", "its bank works for it: row and column commands, data", NULL, NULL },
	[MARK_RETURNED] = { "returned", "its data have been moved, it waits for room in its slice",
	                    NULL, NULL },
	{ 0 },
};

static const struct hd_activity activity[] = {
	{ .name = "allocate_reads", .unit = "commands", .doc = "those of reads that a store made which missed the L2",
	  .offset = P(allocate_reads) },
	{ .name = NULL },
};

static const struct hd_queue queues[] = {
	{ .name = "latency", .unit = "requests", .doc = "requests that wait 'latency' cycles",
	  .offset = P(latency_meter) },
	{ .name = "queue", .unit = "requests", .doc = "requests that wait for their bank",
	  .offset = P(queue_meter), .capacity = P(queue) },
	{ .name = "writes", .unit = "requests", .doc = "with 'separate_writes': stores that do",
	  .offset = P(writes_meter), .capacity = P(write_queue) },
	{ .name = "returned", .unit = "requests", .doc = "finished ones that wait for room in their "
	  "slice", .offset = P(returned_meter), .capacity = P(return_size) },
	{ .name = NULL },
};

const struct hd_module hd_module_dram = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dram",
	.doc = "memory channel: DRAM banks behind a scheduler",
	.params = params,
	.ports = ports,
	.stats = stats,
	.queues = queues,
	.marks = marks,
	.state_size = sizeof(struct dram),
	.init = init,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
	.activity = activity,
};
