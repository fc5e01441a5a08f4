/* synthesis.c - makes control words for a kernel that has none
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "synthesis.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct trace_static *static_of(const struct synth *s, uint32_t i)
{
	return &s->code->v[s->point[i].index];
}

static const char *opcode_of(const struct synth *s, uint32_t i)
{
	struct hd_inst inst;

	memcpy(&inst, static_of(s, i)->head, TRACE_HEAD);
	return s->code->names->v[inst.opcode];
}

/* Returns -1 without memory. */
static int find_effects(struct synth *s)
{
	struct latency_op *op = calloc((size_t)s->code->names->n + 1, sizeof *op); /* by opcode; those that were met */

	if (!op)
		return -1;
	for (uint32_t i = 0; i < s->n; i++) {
		struct synth_point *p = &s->point[i];
		struct hd_inst inst;

		memcpy(&inst, static_of(s, i)->head, TRACE_HEAD);
		if (!op[inst.opcode].name)
			op[inst.opcode] = hd__trace_latency(s->latencies, s->code->names->v[inst.opcode]);
		p->effect = hd__trace_effect(s->latencies, &op[inst.opcode], &inst, p->guarded || p->parts);
		p->control = (struct hd_control){ .flags = HD_CONTROL_GIVEN | HD_CONTROL_SYNTHETIC,
			.write = HD_NO_COUNTER, .read = HD_NO_COUNTER, .ndst = p->effect.ndst };
		for (uint32_t k = 0; k < HD_OPERAND_SLOTS && k < p->effect.nsrc; k++) {
			p->control.nslot[k] = p->effect.width[k];
			p->control.slot[k] = p->effect.width[k] ? inst.src[k] : 0;
		}
	}
	free(op);
	return 0;
}

/* For instructions that are met later: with another immediate, or behind an error in the text. */
static int keep_words(struct trace_controls *c, const struct synth *s)
{
	c->v = calloc((size_t)s->n + 1, sizeof *c->v);
	if (!c->v)
		return -1;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct trace_static *v = static_of(s, i);

		c->v[c->n++] = (struct trace_control){ .pc = v->pc, .opcode = opcode_of(s, i),
			.text = v->text + v->rest, .len = v->key - v->rest,
			.control = s->point[i].control };
	}
	hd__trace_controls_sort(c);
	c->synthetic = true;
	return 0;
}

static void give_words(struct trace_code *code, const struct synth *s)
{
	const struct trace_host *host = code->text->host;

	code->wordless = false;
	for (uint32_t i = 0; i < code->n; i++) {
		struct hd_inst inst = { .control = s->point[s->of[i]].control };

		memcpy(code->v[i].head + offsetof(struct hd_inst, control), &inst.control, sizeof inst.control);
		memcpy(&inst, code->v[i].head, TRACE_HEAD);
		if (host->met)
			host->met(host->self, code, &inst);
	}
}

int hd__trace_synthesise(struct trace_controls *c, struct trace_code *code,
                         const struct trace_program *p, const struct trace_ways *ways,
                         const struct trace_latencies *latencies)
{
	struct synth s = { .latencies = latencies, .code = code };
	int bad = hd__trace_synth_graph(&s, p, ways);

	bad = bad || find_effects(&s) || hd__trace_synth_counters(&s) || hd__trace_synth_stalls(&s);
	if (!bad) {
		hd__trace_synth_reuse(&s);
		bad = keep_words(c, &s);
	}
	if (bad)
		hd__trace_error(code->text->host, "%s: out of memory for the control words of the kernel",
		                code->text->name);
	else
		give_words(code, &s);
	hd__trace_synth_free(&s);
	return bad ? -1 : 0;
}
