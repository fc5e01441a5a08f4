/* report_read.c - reads instructions and issue slots once, in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"
#include "base/xalloc.h"

struct reading {
	struct report *r;
	struct dump_producers *producers;
	struct report_instructions *instructions; /* NULL: none */
	struct report_slots *slots;               /* the same */
};

static bool take(void *arg, const struct dump_item *item)
{
	struct reading *in = arg;

	if (item->transaction)
		report_instruction(in->instructions, item, in->producers);
	else
		report_slot(in->slots, item, in->producers);
	return true;
}

static void add_row(void *arg, const char *table, json_t *row)
{
	report_counted(arg, table, row);
}

void report_load(struct report *r)
{
	if (!r->netlist)
		r->netlist = dump_part(r->d, "netlist");
	if (!r->statistics)
		r->statistics = dump_statistics(r->d, r->counted ? NULL : add_row, r);
}

void report_unload(struct report *r)
{
	json_decref(r->netlist);
	json_decref(r->statistics);
	r->netlist = r->statistics = NULL;
}

void report_read(struct report *r)
{
	struct reading in = { .r = r };
	struct dump_query q = { .head = 0 };

	r->program = dump_program_new(r->d);
	r->codes = hd__xcalloc(r->program->n, sizeof *r->codes);
	r->begin = hd__xcalloc(r->d->nkernels, sizeof *r->begin);
	r->end = hd__xcalloc(r->d->nkernels, sizeof *r->end);
	memset(r->begin, 0xff, r->d->nkernels * sizeof *r->begin);
	if (r->known.inst < 0 && r->known.slot < 0)
		return;
	in.producers = dump_producers_new(&r->known);
	if (r->known.inst >= 0) {
		in.instructions = report_instructions_open(r);
		r->timeline = report_timeline_open(r);
		r->ways = report_ways_open(r, report_timeline_from(r->timeline));
		r->stages = report_stages_open(r);
		dump_query_event(&q, r->d, r->known.inst);
	}
	if (r->known.slot >= 0) {
		in.slots = report_slots_open(r);
		dump_query_event(&q, r->d, r->known.slot);
	}
	if (dump_query_bind(&q, r->d))
		dump_in_order(r->d, &q, take, &in);
	dump_query_free(&q, r->d);
	report_load(r);
	report_instructions_close(in.instructions);
	report_slots_close(in.slots);
	dump_producers_free(in.producers);
}
