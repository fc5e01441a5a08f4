/* synthesis_effect.c - what an instruction reads and writes: registers, and what a trace does not show
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "latency.h"

/* The entry of the opcode, or of its longest beginning up to a dot. */
static const struct latency_op *find(const struct trace_latencies *l, const char *opcode)
{
	size_t len = strlen(opcode);

	while (len > 0) {
		size_t low = 0, high = l->ops;

		while (low < high) {
			size_t middle = (low + high) / 2;
			const char *name = l->op[middle].name;
			int c = (unsigned char)*name - (unsigned char)*opcode;

			c = c ? c : strncmp(name, opcode, len);
			if (c == 0 && !name[len])
				return &l->op[middle];
			if (c < 0)
				low = middle + 1;
			else
				high = middle;
		}
		do
			len--;
		while (len > 0 && opcode[len] != '.');
	}
	return &l->fallback;
}

static bool has_suffix(const char *opcode, const char *token)
{
	for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.')) {
		size_t n = p[1] == *token ? strlen(token) : 0;

		if (n && strncmp(p + 1, token, n) == 0 && (p[n + 1] == '.' || !p[n + 1]))
			return true;
	}
	return false;
}

static uint8_t registers(const struct trace_latencies *l, uint8_t width, const char *opcode)
{
	const struct latency_width *w;

	if (width < LATENCY_NAMED)
		return width;
	w = &l->width[width - LATENCY_NAMED];
	for (uint32_t i = 0; i < w->n; i++)
		if (has_suffix(opcode, w->token[i]))
			return w->count[i];
	return 1;
}

/* So many of the registers from `reg` on as there are, as a number of hd_inst; RZ is none. */
static uint8_t clip(uint32_t reg, uint32_t n)
{
	return reg == 0 || reg >= RESULT_UNSEEN ? 0
	       : (uint8_t)(reg + n > RESULT_UNSEEN ? RESULT_UNSEEN - reg : n);
}

/* A register that is named twice is in the trace once: then any source may be the widest. */
static void sources(const struct latency_op *op, const struct hd_inst *inst, struct trace_effect *e)
{
	uint8_t widest = 1;

	for (uint8_t i = 0; i < op->nsrc; i++)
		widest = op->src[i] > widest ? op->src[i] : widest;
	for (uint8_t i = 0; i < inst->nsrc; i++) {
		uint8_t n = inst->nsrc < op->nsrc ? widest : i < op->nsrc ? op->src[i] : 1;

		e->src[i] = (uint16_t)(inst->src[i] - 1);
		e->width[i] = clip(inst->src[i], n);
	}
	e->nsrc = inst->nsrc;
}

struct latency_op hd__trace_latency(const struct trace_latencies *l, const char *opcode)
{
	struct latency_op op = *find(l, opcode);

	op.name = opcode;
	op.dst = registers(l, op.dst, opcode);
	for (uint8_t i = 0; i < op.nsrc; i++)
		op.src[i] = registers(l, op.src[i], opcode);
	for (uint32_t i = 0; i < l->nunseen * LATENCY_GROUPS; i++) {
		uint8_t *after = &op.after[i / LATENCY_GROUPS][i % LATENCY_GROUPS];

		*after = *after ? *after : l->unseen[i / LATENCY_GROUPS].cycles[i % LATENCY_GROUPS];
	}
	for (uint32_t i = 0; i < l->ntokens; i++)
		if (has_suffix(opcode, l->token[i].name))
			op.reads |= l->token[i].reads;
	return op;
}

struct trace_effect hd__trace_effect(const struct trace_latencies *l, const struct latency_op *op,
                                     const struct hd_inst *inst, bool guarded)
{
	struct trace_effect e = { .dst = (uint16_t)(inst->dst - 1), .reads = op->reads,
		.writes = op->writes, .group = op->group, .cycles = op->cycles, .stall = op->stall,
		.drains = op->drains };
	bool open = inst->nsrc + (inst->imm != 0) < op->operands;

	e.ndst = clip(inst->dst, op->dst);
	memcpy(e.after, op->after, sizeof e.after);
	sources(op, inst, &e);
	for (uint32_t k = 0; k < l->nunseen; k++) {
		if (l->unseen[k].readers == READERS_GUARDED && guarded)
			e.guards |= (uint8_t)(1u << k);
		if (e.guards >> k & 1 || (l->unseen[k].readers == READERS_OPEN && open))
			e.reads |= (uint8_t)(1u << k);
	}
	return e;
}

static unsigned unseen(uint8_t set, uint16_t *v)
{
	unsigned n = 0;

	for (unsigned k = 0; k < LATENCY_UNSEEN; k++)
		if (set >> k & 1)
			v[n++] = (uint16_t)(RESULT_UNSEEN + k);
	return n;
}

unsigned hd__trace_effect_reads(const struct trace_effect *e, uint16_t v[EFFECT_READS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < e->nsrc; i++)
		for (unsigned k = 0; k < e->width[i]; k++)
			v[n++] = (uint16_t)(e->src[i] + k);
	return n + unseen(e->reads, v + n);
}

unsigned hd__trace_effect_writes(const struct trace_effect *e, uint16_t v[EFFECT_WRITES])
{
	unsigned n = 0;

	for (; n < e->ndst; n++)
		v[n] = (uint16_t)(e->dst + n);
	return n + unseen(e->writes, v + n);
}
