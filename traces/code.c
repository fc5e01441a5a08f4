/* code.c - the static instructions of a kernel, each decoded once
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A kernel has few instructions and repeats them for every warp.  The part that is the same in
 * every execution is kept here as the head of a complete struct hd_inst.
 */
#include "code.h"

#include <heddle/gpu/matrix.h>

#include <inttypes.h>
#include <stdlib.h>

#define CHUNK (64u << 10)
#define IDS_VERSION 3u /* before it each line repeats block and warp */
#define AT_ONCE 64 /* elements that a table gets at least when it grows */
#define MOST_TEXT 512u /* bytes of an instruction before its addresses; the longest known have 100 */
#define MAX_STATIC (1u << 20) /* the largest kernels known have some 10^5 instructions */

/* Texts are stored in chunks that never move. */
struct trace_chunk {
	struct trace_chunk *next;
	size_t used, size;
	char data[];
};

static char *keep(struct trace_chunk **chunks, const char *text, size_t len)
{
	struct trace_chunk *c = *chunks;

	if (!c || c->size - c->used < len + 1) {
		size_t size = len + 1 > CHUNK ? len + 1 : CHUNK;

		c = malloc(sizeof *c + size);
		if (!c)
			return NULL;
		c->next = *chunks;
		c->used = 0;
		c->size = size;
		*chunks = c;
	}
	memcpy(c->data + c->used, text, len);
	c->data[c->used + len] = '\0';
	c->used += len + 1;
	return c->data + c->used - len - 1;
}

/* A table with room for more than n elements, which begin as those of `v`.  That one stays where it is until all is
 * dropped: other threads may look into it.  Returns NULL without memory. */
static void *larger(struct trace_chunk **chunks, const void *v, size_t n, size_t *cap, size_t size)
{
	size_t more = n + AT_ONCE > 2 * *cap ? n + AT_ONCE : 2 * *cap;
	struct trace_chunk *c = malloc(sizeof *c + more * size + TRACE_LINE);

	if (!c)
		return NULL;
	*c = (struct trace_chunk){ .next = NULL }; /* no room for texts */
	if (*chunks) { /* behind the one that is being filled */
		c->next = (*chunks)->next;
		(*chunks)->next = c;
	} else {
		*chunks = c;
	}
	*cap = more;
	return n > 0 ? memcpy(trace_first_line(c->data), v, n * size) : trace_first_line(c->data);
}

static void drop(struct trace_chunk **chunks)
{
	while (*chunks) {
		struct trace_chunk *c = *chunks;

		*chunks = c->next;
		free(c);
	}
}

/* FNV-1a. */
static uint32_t mix(uint32_t h, const void *bytes, size_t n)
{
	for (const unsigned char *p = bytes; n > 0; n--)
		h = (h ^ *p++) * 16777619u;
	return h;
}

/* Both hash tables are at most half full, so that probing ends soon.  Returns NULL without memory. */
static uint32_t *roomy(uint32_t n, uint32_t *slots)
{
	*slots = 256;
	while (*slots < n * 4)
		*slots *= 2;
	return calloc(*slots, sizeof(uint32_t));
}

static bool names_grow(struct trace_names *n)
{
	size_t cap = n->cap;
	const char **v = larger(&n->chunks, n->v, n->n, &cap, sizeof *v);
	uint32_t *hash, slots;

	if (!v)
		return false;
	__atomic_store_n(&n->v, v, __ATOMIC_RELEASE);
	hash = roomy((uint32_t)cap, &slots);
	if (!hash)
		return false;
	for (uint32_t i = 0; i < n->n; i++) {
		uint32_t at = mix(2166136261u, v[i], strlen(v[i])) & (slots - 1);

		while (hash[at])
			at = (at + 1) & (slots - 1);
		hash[at] = i + 1;
	}
	free(n->hash);
	n->hash = hash;
	n->slots = slots;
	n->cap = (uint32_t)cap;
	return true;
}

/* The number of a text, TRACE_NOWHERE without memory. */
static uint32_t number(struct trace_names *n, const char *text, size_t len)
{
	uint32_t at;

	if (n->n == n->cap && !names_grow(n))
		return TRACE_NOWHERE;
	at = mix(2166136261u, text, len) & (n->slots - 1);
	for (; n->hash[at]; at = (at + 1) & (n->slots - 1)) {
		const char *s = n->v[n->hash[at] - 1];

		if (strncmp(s, text, len) == 0 && s[len] == '\0')
			return n->hash[at] - 1;
	}
	n->v[n->n] = keep(&n->chunks, text, len);
	if (!n->v[n->n])
		return TRACE_NOWHERE;
	n->hash[at] = n->n + 1;
	__atomic_store_n(&n->n, n->n + 1, __ATOMIC_RELEASE);
	return n->n - 1;
}

static bool same_form(const struct hd_bulk *a, const struct hd_bulk *b)
{
	return a->bytes == b->bytes && a->beyond == b->beyond && a->piece == b->piece && a->pieces == b->pieces
	       && (a->pieces < 2 || memcmp(a->step, b->step, (a->pieces - (size_t)1) * sizeof *a->step) == 0);
}

/* A place for a form, and its steps. */
static struct trace_bulk *new_form(struct trace_names *n, const struct hd_bulk *form)
{
	size_t steps = form->pieces > 1 ? form->pieces - (size_t)1 : 0, cap = 0;
	struct trace_bulk *b = larger(&n->chunks, NULL, 0, &cap,
		sizeof *b + (steps / AT_ONCE + 1) * sizeof *form->step);
	int64_t *step;

	if (!b)
		return NULL;
	step = (int64_t *)(b + 1);
	b->form = *form;
	b->form.step = steps ? memcpy(step, form->step, steps * sizeof *step) : NULL;
	return b;
}

uint32_t hd__trace_bulk(struct trace_names *n, const struct hd_bulk *form)
{
	size_t steps = form->pieces > 1 ? form->pieces - (size_t)1 : 0, cap = n->cap_bulk;
	uint32_t h = mix(mix(2166136261u, form, offsetof(struct hd_bulk, step)), form->step,
		steps * sizeof *form->step);
	struct trace_bulk *b;

	for (uint32_t i = 0; i < n->nbulk; i++)
		if (n->bulk[i]->hash == h && same_form(&n->bulk[i]->form, form))
			return i + 1;
	if (n->nbulk == cap) {
		const struct trace_bulk **v = larger(&n->chunks, n->bulk, n->nbulk, &cap, sizeof *v);

		if (!v)
			return 0;
		__atomic_store_n(&n->bulk, v, __ATOMIC_RELEASE);
		n->cap_bulk = (uint32_t)cap;
	}
	b = new_form(n, form);
	if (!b)
		return 0;
	b->hash = h;
	n->bulk[n->nbulk] = b;
	__atomic_store_n(&n->nbulk, n->nbulk + 1, __ATOMIC_RELEASE);
	return n->nbulk;
}

void hd__trace_names_free(struct trace_names *n)
{
	drop(&n->chunks);
	free(n->hash);
	*n = (struct trace_names){ 0 };
}

/* ---- static instructions -------------------------------------------------------------------- */

void hd__trace_code_start(struct trace_code *c, struct trace_text *t, struct trace_opcodes *o,
                          struct trace_names *names, const struct trace_header *h)
{
	bool strict = c->strict;

	hd__trace_code_free(c);
	/* .latest is large, and nothing is in it before an instruction is met */
	memset(c, 0, c->n > 0 ? sizeof *c : offsetof(struct trace_code, latest));
	c->text = t;
	c->opcodes = o;
	c->names = names;
	c->header = h;
	c->strict = strict;
	c->ids = (h->version < IDS_VERSION ? 4 : 0) + h->lineinfo;
}

void hd__trace_code_free(struct trace_code *c)
{
	drop(&c->chunks);
	free(c->hash);
	c->hash = NULL;
}

void hd__trace_code_reset(struct trace_code *c)
{
	c->unknown = 0;
	memset(c->counted, 0, sizeof c->counted);
	c->surveyed = c->wordless = false;
}

static int no_memory(struct trace_code *c)
{
	return hd__trace_error(c->text->host, "%s:%" PRIu64 ": out of memory", c->text->name,
	                       c->text->line);
}

static int code_grow(struct trace_code *c)
{
	struct trace_static *v;
	size_t cap = c->cap;
	uint32_t *hash, slots;

	if (c->n == MAX_STATIC)
		return hd__trace_error(c->text->host, "%s:%" PRIu64 ": the kernel has more than %u "
		                       "different instructions", c->text->name, c->text->line, MAX_STATIC);
	v = larger(&c->chunks, c->v, c->n, &cap, sizeof *v);
	if (!v)
		return no_memory(c);
	__atomic_store_n(&c->v, v, __ATOMIC_RELEASE);
	hash = roomy((uint32_t)cap, &slots);
	if (!hash)
		return no_memory(c);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t at = v[i].hash & (slots - 1);

		while (hash[at])
			at = (at + 1) & (slots - 1);
		hash[at] = i + 1;
	}
	free(c->hash);
	c->hash = hash;
	c->slots = slots;
	c->cap = (uint32_t)cap;
	return 0;
}

/* Bytes that each lane accesses: from the opcode, not from the width that the tracer prints
 * (docs/sm.md, T5).  The first token that is a number of bits, or U and such a number; else 4. */
static uint8_t access_width(const char *opcode, size_t len)
{
	const char *end = opcode + len, *p = opcode;

	while ((p = memchr(p, '.', (size_t)(end - p)))) {
		const char *start;
		uint32_t bits = 0;

		p++;
		p += p < end && *p == 'U';
		for (start = p; p < end && *p >= '0' && *p <= '9' && bits < 10000; p++)
			bits = bits * 10 + (uint32_t)(*p - '0');
		/* Smaller ones count something else, as the 4 in LDSM.M88.4. */
		if (p > start && (p == end || *p == '.') && bits >= 8 && bits / 8 <= UINT8_MAX)
			return (uint8_t)(bits / 8);
	}
	return 4;
}

static uint8_t flow_of(const char *opcode, size_t len)
{
	static const struct {
		const char *name;
		enum trace_flow flow;
	} names[] = {
		{ "BRA", TRACE_FLOW_BRANCH }, { "BRX", TRACE_FLOW_BRANCH },
		{ "JMP", TRACE_FLOW_BRANCH }, { "JMX", TRACE_FLOW_BRANCH },
		{ "BRXU", TRACE_FLOW_BRANCH }, { "JMXU", TRACE_FLOW_BRANCH },
		{ "BRK", TRACE_FLOW_BRANCH }, { "CONT", TRACE_FLOW_BRANCH },
		{ "KILL", TRACE_FLOW_BRANCH }, { "BPT", TRACE_FLOW_BRANCH },
		{ "CALL", TRACE_FLOW_CALL }, { "CAL", TRACE_FLOW_CALL },
		{ "JCAL", TRACE_FLOW_CALL }, { "RET", TRACE_FLOW_RETURN },
	};
	const char *dot = memchr(opcode, '.', len);
	size_t base = dot ? (size_t)(dot - opcode) : len;

	if (!memchr("BCJKR", *opcode, 5))
		return TRACE_FLOW_ON;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(names[i].name, opcode, base) == 0 && !names[i].name[base])
			return (uint8_t)names[i].flow;
	return TRACE_FLOW_ON;
}

/* Does the opcode have this suffix? */
static bool suffix(const struct trace_fields *f, const char *word)
{
	const char *p = f->opcode, *end = p + f->opcode_len;
	size_t n = strlen(word);

	while ((p = memchr(p, '.', (size_t)(end - p)))) {
		p++;
		if ((size_t)(end - p) >= n && memcmp(p, word, n) == 0 && (p + n == end || p[n] == '.'))
			return true;
	}
	return false;
}

static bool begins(const struct trace_fields *f, const char *word)
{
	size_t n = strlen(word);

	return f->opcode_len >= n && memcmp(f->opcode, word, n) == 0;
}

/* The shapes of the instruction sets: 64 rows, or 128 from Blackwell on, up to 256 columns, of integers above 32 in
 * steps of 16, and 256 bits of a row of A, with .SP twice as many. */
static bool is_shape(const struct trace_fields *f, const uint32_t v[3])
{
	uint32_t k = suffix(f, "SP") ? v[2] / 2 : v[2];
	bool integers = begins(f, "IGMMA") || begins(f, "BGMMA");

	if ((v[0] != 64 && v[0] != 128) || v[1] == 0 || v[1] > 256 || v[1] % (integers && v[1] > 32 ? 16 : 8)
	    || (suffix(f, "SP") && v[2] % 2))
		return false;
	return begins(f, "HGMMA") ? k == 8 || k == 16 : k == (begins(f, "BGMMA") ? 256 : 32);
}

/* The shape in "HGMMA.64x256x16", or "HGMMA.SP.64x256x32": rows, n and k. */
static void take_shape(const struct trace_fields *f, struct hd_async *a)
{
	const char *end = f->opcode + f->opcode_len, *p = memchr(f->opcode, '.', f->opcode_len);
	uint32_t v[3] = { 0 };

	while (p && (p[1] < '0' || p[1] > '9'))
		p = memchr(p + 1, '.', (size_t)(end - p - 1));
	for (int i = 0; p && i < 3 && (i == 0 || *p == 'x'); i++)
		for (p++; *p >= '0' && *p <= '9' && v[i] < 10000; p++)
			v[i] = v[i] * 10 + (uint32_t)(*p - '0');
	p = p && p < end ? p : NULL;
	a->n = (!p || *p == '.') && is_shape(f, v) ? (uint16_t)v[1] : 0;
	a->more = v[2];
	a->how |= a->n && v[0] == 128 ? HD_MMA_TALL : 0;
}

/* Does one of the words of an opcode of mbarriers, warpgroups and registers say something that is not known?  What they
 * do depends on each. */
static bool has_odd_word(const struct trace_fields *f)
{
	static const struct {
		const char *head, *words; /* in spaces */
	} kinds[] = {
		{ "SYNCS", " ARRIVE EXCH PHASECHK CCTL IV TRANS64 64 TRYWAIT RED OPTOUT A1T0 A0T1 A0TR A0TX ART0 " },
		{ "WARPGROUP", " ARRIVE DEPBAR LE " },
		{ "USETMAXREG", " TRY_ALLOC DEALLOC CTAPOOL " },
	};
	const char *p = f->opcode, *end = p + f->opcode_len, *dot = memchr(p, '.', f->opcode_len);
	size_t head = (size_t)((dot ? dot : end) - p), i = 0, n;

	while (i < 3 && (strlen(kinds[i].head) != head || memcmp(kinds[i].head, p, head) != 0))
		i++;
	if (i == 3)
		return false;
	for (; dot; dot = memchr(p, '.', (size_t)(end - p))) {
		char word[16];

		p = dot + 1;
		n = strcspn(p, ". ") < (size_t)(end - p) ? strcspn(p, ". ") : (size_t)(end - p);
		if (n > sizeof word - 3)
			return true;
		snprintf(word, sizeof word, " %.*s ", (int)n, p);
		if (!strstr(kinds[i].words, word))
			return true;
	}
	return head == f->opcode_len;
}

/* How many arrivals an mbarrier gets, and how many bytes: A1T0 and the like, else one arrival that expects bytes. */
static uint8_t arrival_of(const struct trace_fields *f)
{
	static const struct {
		const char *name;
		uint8_t how;
	} forms[] = {
		{ "A1T0", HD_ARRIVE_ONE }, { "A0T1", HD_ARRIVE_EXPECT_ONE }, { "A0TR", HD_ARRIVE_EXPECT },
		{ "A0TX", HD_ARRIVE_COMPLETE }, { "ART0", HD_ARRIVE_REGISTER },
	};
	uint8_t how = HD_ARRIVE_ONE | HD_ARRIVE_EXPECT;

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (suffix(f, forms[i].name))
			how = forms[i].how;
	return how | (suffix(f, "OPTOUT") ? HD_ARRIVE_DROP : 0);
}

/* Barriers of a thread block: number and threads.  Before version 6 a line has one immediate, the last. */
static struct hd_async named_of(const struct trace_fields *f)
{
	uint32_t imm = (uint32_t)f->imm;
	struct hd_async a = { .how = suffix(f, "ARV") ? HD_NAMED_ARRIVE : 0 };

	if (f->extra) {
		a.n = f->extra % TRACE_BARRIERS;
		a.more = (f->extra & ~TRACE_NAMED(0, 0)) / TRACE_BARRIERS;
	} else if (imm < TRACE_BARRIERS) {
		a.n = (uint16_t)imm;
	} else {
		a.more = imm;
	}
	return a;
}

/* As UTMALDG.2D has. */
static bool has_dimensions(const struct trace_fields *f)
{
	char word[] = "1D";

	while (*word <= '5' && !suffix(f, word))
		++*word;
	return *word <= '5';
}

static struct hd_async async_of(const struct trace_fields *f, const struct trace_op *op)
{
	struct hd_async a = { .op = op->async };

	switch (op->async) {
	case HD_ASYNC_NONE:
		return op->flags & HD_INST_BARRIER ? named_of(f) : a;
	case HD_ASYNC_BARRIER_ARRIVE:
		a.how = arrival_of(f);
		break;
	case HD_ASYNC_BARRIER_COPIES:
		a.how = suffix(f, "TRANSCNT") ? HD_ARRIVE_COMPLETE : HD_ARRIVE_ONE;
		break;
	case HD_ASYNC_BARRIER_TEST:
		a.how = suffix(f, "TRYWAIT") || f->extra ? HD_TEST_WAIT : 0;
		break;
	case HD_ASYNC_MMA:
		take_shape(f, &a);
		a.how |= (uint8_t)((f->shared ? HD_MMA_SHARED : 0) | (f->last ? HD_MMA_LAST : 0)
		                  | (suffix(f, "SP") ? HD_MMA_SPARSE : 0));
		break;
	case HD_ASYNC_MMA_WAIT:
	case HD_ASYNC_REGISTERS_GIVE:
	case HD_ASYNC_REGISTERS_TAKE:
		a.n = (uint16_t)f->imm;
		break;
	default:
		a.how = has_dimensions(f) ? HD_BULK_TENSOR : 0;
		a.more = f->extra;
	}
	return a;
}

/* Has an instruction that counts registers or groups a number that is none of them? */
static bool is_cut(const struct hd_inst *inst)
{
	uint32_t op = 1u << inst->async.op;

	return op & (HD_ASYNC_REGISTERS_OPS | 1u << HD_ASYNC_MMA_WAIT) && inst->async.n != (uint32_t)inst->imm;
}

/* Are there so many threads for a barrier of a thread block, in whole warps? */
static bool has_threads(const struct trace_code *c, const struct hd_inst *inst)
{
	uint32_t threads = inst->async.op || !(inst->flags & HD_INST_BARRIER) ? 0 : inst->async.more;

	return threads % HD_LANES == 0 && threads <= c->header->launch.warps * HD_LANES;
}

/* Which value of its registers matters: of an mbarrier that of the second source, and of a store that reports to one
 * in its place the address of that; of others none.  No table says so: a
 * packed trace keeps it whatever table it was made with. */
static uint8_t value_at(const struct trace_fields *f)
{
	bool barrier = begins(f, "SYNCS.") && !suffix(f, "CCTL");

	return barrier || begins(f, "STAS") || begins(f, "REDAS") ? (uint8_t)(f->dsts + 2) : f->tensor;
}

/* The control word, from the listing or made for this run. */
static int find_control(const struct trace_code *c, const struct trace_fields *f,
                        struct hd_control *to)
{
	const struct trace_control like = { .pc = f->pc, .opcode = f->opcode, .text = f->rest,
		                            .len = (size_t)(f->key - f->rest) };
	const char *near;
	const struct hd_control *found = hd__trace_control(c->controls, &like, f->opcode_len, &near);

	if (found && (found->flags & HD_CONTROL_GIVEN)) {
		*to = *found;
		return 0;
	}
	if (c->controls->synthetic) { /* behind the end of the survey: it waits for all */
		*to = (struct hd_control){ .flags = HD_CONTROL_GIVEN | HD_CONTROL_SYNTHETIC
		                                    | HD_CONTROL_YIELD,
			.stall = HD_MAX_STALL, .write = HD_NO_COUNTER, .read = HD_NO_COUNTER,
			.wait = (1u << HD_COUNTERS) - 1 };
		return 0;
	}
	if (found)
		return hd__trace_error(c->text->host, "%s:%" PRIu64 ": '%.*s' at pc 0x%x has no control word in "
		                       "'%s'; expected every instruction to have one", c->text->name,
		                       c->text->line, (int)f->opcode_len, f->opcode, f->pc, c->controls->file);
	return hd__trace_error(c->text->host, "%s:%" PRIu64 ": '%.*s' at pc 0x%x is not in the listing '%s', "
	                       "which has %s%s%s there; expected the listing of this trace", c->text->name,
	                       c->text->line, (int)f->opcode_len, f->opcode, f->pc, c->controls->file,
	                       near ? "'" : "", near ? near : "nothing", near ? "'" : "");
}

/* Everything that an execution of this instruction does not change. */
static int fill(struct trace_code *c, struct trace_static *s, const struct trace_fields *f)
{
	struct hd_inst inst = { 0 };
	struct trace_op op;

	if (hd__trace_opcode(c->opcodes, f->opcode, f->opcode_len, &op, &s->unknown))
		return -1;
	if (c->reclass && hd__trace_reclass(c->reclass, f->opcode, f->opcode_len, &op.cls))
		s->unknown = 0; /* the netlist defines it */
	if (s->unknown && c->strict)
		return hd__trace_error(c->text->host, "%s:%" PRIu64 ": opcode '%.*s' is not in '%s'",
		                       c->text->name, c->text->line, (int)f->opcode_len, f->opcode,
		                       c->opcodes->file);
	inst.pc = f->pc;
	inst.imm = f->imm;
	inst.opcode = number(c->names, f->opcode, f->opcode_len);
	if (inst.opcode == TRACE_NOWHERE)
		return no_memory(c);
	inst.flags = op.flags;
	inst.dst = op.no_dst ? 0 : f->dst;
	memcpy(inst.src, f->src, sizeof inst.src);
	inst.nsrc = f->nsrc;
	inst.operands = f->operands;
	inst.regs = hd_inst_regs(&inst);
	inst.cls = op.cls;
	inst.space = op.space;
	inst.width = f->width ? access_width(f->opcode, f->opcode_len) : 0;
	inst.rate = op.rate;
	inst.power = op.power;
	inst.leads = op.leads;
	inst.code = ++c->names->codes;
	if (c->controls && find_control(c, f, &inst.control))
		return -1;
	inst.kernel = c->kernel;
	inst.async = async_of(f, &op);
	if (has_odd_word(f))
		return hd__trace_error(c->text->host, "%s:%" PRIu64 ": '%.*s' does not say what is known of its kind; "
		                       "expected such as SYNCS.ARRIVE.TRANS64.RED.A1T0, "
		                       "SYNCS.PHASECHK.TRANS64.TRYWAIT, WARPGROUP.DEPBAR.LE, "
		                       "USETMAXREG.DEALLOC.CTAPOOL", c->text->name, c->text->line,
		                       (int)f->opcode_len, f->opcode);
	if (op.async == HD_ASYNC_MMA && inst.async.n == 0)
		return hd__trace_error(c->text->host, "%s:%" PRIu64 ": '%.*s' has no shape of a product of a "
		        "warpgroup; expected such as 64x256x16", c->text->name, c->text->line, (int)f->opcode_len,
		                       f->opcode);
	if (op.async >= HD_ASYNC_MMA && op.async != HD_ASYNC_BULK_PREFETCH)
		inst.flags |= HD_INST_ASYNC;
	if (is_cut(&inst))
		return hd__trace_error(c->text->host, "%s:%" PRIu64 ": '%.*s' at pc 0x%x has the immediate %d; "
		                       "expected a number from 0 to %u", c->text->name, c->text->line,
		                       (int)f->opcode_len, f->opcode, f->pc, f->imm, (unsigned)UINT16_MAX);
	if (!has_threads(c, &inst))
		return hd__trace_error(c->text->host, "%s:%" PRIu64 ": '%.*s' at pc 0x%x is for %" PRIu32 " threads; "
		                       "expected a multiple of %u, at most %" PRIu32 ", which its warps have, or a "
		                       "number of a barrier below 16",
		                       c->text->name, c->text->line, (int)f->opcode_len, f->opcode, f->pc,
		                       inst.async.more, HD_LANES, c->header->launch.warps * HD_LANES);
	s->value_at = value_at(f);
	s->access = (op.flags & (HD_INST_LOAD | HD_INST_STORE)) || s->value_at || begins(f, "SYNCS.")
	            || begins(f, "ARRIVES");
	s->exits = op.flags & HD_INST_EXIT;
	s->flow = s->exits ? TRACE_FLOW_ON : flow_of(f->opcode, f->opcode_len);
	s->generic = op.space == TRACE_GENERIC;
	s->remote = op.remote;
	/* Without both windows there is nothing to compare with (docs/sm.md, T7). */
	if (s->generic && (!c->header->launch.shared_base || !c->header->launch.local_base)) {
		s->generic = false;
		inst.space = HD_SPACE_SHARED;
	}
	s->more = s->access || s->generic || s->exits || s->value_at;
	if (s->unknown)
		s->odd |= TRACE_ODD_UNKNOWN;
	if (f->dropped)
		s->odd |= TRACE_ODD_REGISTERS;
	if (c->text->host->met && !c->wordless)
		c->text->host->met(c->text->host->self, c, &inst);
	memcpy(s->head, &inst, sizeof s->head);
	return 0;
}

int64_t hd__trace_code_get(struct trace_code *c, const struct trace_fields *f)
{
	size_t key = (size_t)(f->key - f->rest);
	uint32_t h = mix(mix(2166136261u, f->rest, key), &f->pc, sizeof f->pc), at;
	struct trace_static *s;

	h = mix(mix(h, &f->imm, sizeof f->imm), &f->extra, sizeof f->extra);
	if (c->n == c->cap && code_grow(c))
		return -1;
	for (at = h & (c->slots - 1); c->hash[at]; at = (at + 1) & (c->slots - 1)) {
		s = &c->v[c->hash[at] - 1];
		if (s->hash == h && s->pc == f->pc && s->imm == f->imm && s->extra == f->extra
			&& s->key - s->rest == key &&
		    memcmp(s->text + s->rest, f->rest, key) == 0)
			return s - c->v;
	}
	s = &c->v[c->n];
	*s = (struct trace_static){ .pc = f->pc, .imm = f->imm, .extra = f->extra, .hash = h,
	                            .payload = f->width > 0 || f->tensor,
	                            .exact = f->width == 0 && !f->tail && !f->tensor, .tensor = f->tensor };
	s->rest = (uint32_t)(f->rest - f->line);
	s->key = (uint32_t)(f->key - f->line);
	s->opcode = (uint32_t)(f->opcode - f->line);
	s->opcode_len = (uint8_t)f->opcode_len;
	s->dsts = f->dsts;
	s->piece = f->piece;
	/* The gap belongs to what must be equal: a width of 4 is not the beginning of one of 40. */
	s->len = s->exact ? (uint32_t)(f->end - f->line) : s->key + (f->key < f->end);
	if (s->len > MOST_TEXT)
		return hd__trace_error(c->text->host, "%s:%" PRIu64 ": an instruction of %" PRIu32 " bytes before "
		                       "its addresses; expected at most %u", c->text->name, c->text->line,
		                       s->len, MOST_TEXT);
	s->all = f->tensor ? (uint32_t)(f->end - f->line) : s->len;
	s->text = keep(&c->chunks, f->line, s->all);
	if (!s->text)
		return no_memory(c);
	if (fill(c, s, f))
		return -1;
	c->hash[at] = ++c->n;
	return s - c->v;
}

void hd__trace_code_warn(struct trace_code *c)
{
	const struct trace_host *host = c->text->host;
	const char *name = c->text->name;
	struct trace_counted n;

	n = c->counted[TRACE_TRUNCATED];
	if (n.n)
		hd__trace_warn(host, "%s: the trace of %" PRIu64 " warp%s ends before all threads exit, first in line %"
		               PRIu64 "; they end with the last instruction", name, n.n, n.n == 1 ? "" : "s", n.line);
	n = c->counted[TRACE_ABSENT];
	if (n.n)
		hd__trace_warn(host, "%s: %" PRIu64 " warp%s missing from their thread blocks, first before line %"
		               PRIu64 "; taken as without instructions", name, n.n, n.n == 1 ? " is" : "s are",
		               n.line);
	n = c->counted[TRACE_TWICE];
	if (n.n)
		hd__trace_warn(host, "%s: %" PRIu64 " thread block%s a second time, first in front of line %" PRIu64
		               "; only the first of each is taken", name, n.n, n.n == 1 ? " stands" : "s stand",
		               n.line);
	n = c->counted[TRACE_BARE];
	if (n.n)
		hd__trace_warn(host, "%s: %" PRIu64 " memory instruction%s no addresses, first in line %" PRIu64
		               "; nothing is accessed", name, n.n, n.n == 1 ? " has" : "s have", n.line);
	hd__trace_opcodes_warn(c->opcodes, name);
	n = c->counted[TRACE_TAILS];
	if (n.n)
		hd__trace_warn(host, "%s: %" PRIu64 " line%s with unknown words, first %s in line %" PRIu64
		               "; they are ignored", name, n.n, n.n == 1 ? " ends" : "s end", c->tail, n.line);
	n = c->counted[TRACE_DROPPED];
	if (n.n)
		hd__trace_warn(host, "%s: %" PRIu64 " instruction%s registers that are not tracked (second "
		               "destinations, uniform, predicate), first in line %" PRIu64, name, n.n,
		               n.n == 1 ? " names" : "s name", n.line);
	memset(c->counted, 0, sizeof c->counted);
}
