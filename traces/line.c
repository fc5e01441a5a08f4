/* line.c - one instruction line, tracer versions 1 to 6
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * [cta x y z warp] [source line] PC MASK ND [dst] OPCODE NS [src] WIDTH [MODE addresses] [IMM]
 *
 * and in version 6
 *
 * PC MASK ND [dst] OPCODE NS [src] [last of a group] WIDTH [MODE addresses] [MBAR ... addresses] [IMM [IMM]] [VALUES]
 *
 * Bulk copies of the tensor memory accelerator have operands of their own behind the width:
 *	MBAR MULTICAST [CTAS] BYTES BEYOND MODE: 3 COUNT ADDRESS..., 4 BASE COUNT DIFFERENCE...
 * An early tracer printed MODE and what follows alone.  The values of registers, if they were recorded, end the line.
 *
 * Nearly every line repeats, for another warp, the latest one at its pc up to the width: then that part is
 * compared, not parsed.  The byte after a line is a line end (trace_text.h), which stops every scanner.
 */
#include "code.h"

#include <inttypes.h>

#define MAX_DST 4u      /* versions up to 5 have 0 or 1; further ones are skipped */
#define MAX_ALL 16u     /* registers of version 6, with uniform and predicate ones */
#define MAX_OPCODE 120u /* characters; the longest known has about 50 */
#define MAX_WIDTH 65536u
#define MAX_REGISTER 255u /* RZ; hd_inst numbers it 256 */
#define MAX_TENSOR 65536u /* addresses of a bulk copy */
#define IMM_VERSION 4u  /* some tracers of version 4 print the immediate already */
#define ALL_VERSION 6u  /* lists all registers, and values */

static int bad(const struct trace_code *c, const char *line, const char *p, const char *what)
{
	return hd__trace_bad(c->text, line, p, what);
}

/* ---- words: each scanner returns the byte after what it read, which is the end of a word, or NULL ---- */

static inline const char *scan_hex(const char *p, uint64_t *v)
{
	const char *start;
	uint64_t n = 0;
	int d;

	if (p[0] == '0' && p[1] == 'x')
		p += 2;
	for (start = p; (d = trace_digit(*p)) >= 0; p++)
		n = n << 4 | (unsigned)d;
	*v = n;
	return p > start && p - start <= 16 && trace_gap(*p) ? p : NULL;
}

/* The 0x is required: else the immediate after a list that is too short could be taken for an address. */
static const char *scan_address(const char *p, uint64_t *v)
{
	return p[0] == '0' && p[1] == 'x' ? scan_hex(p, v) : NULL;
}

static const char *scan_dec(const char *p, int64_t *v)
{
	bool minus = *p == '-';
	const char *start = p += minus;
	uint64_t n = 0;

	for (; (unsigned char)(*p - '0') < 10; p++)
		n = n * 10 + (unsigned char)(*p - '0');
	*v = (int64_t)(minus ? 0 - n : n);
	return p > start && p - start <= 19 && trace_gap(*p) ? p : NULL;
}

/* A count or width: a small number without sign. */
static const char *scan_count(const char *p, uint32_t limit, uint32_t *v)
{
	int64_t n;

	if (*p == '-')
		return NULL;
	p = scan_dec(p, &n);
	if (!p || n < 0 || n > limit)
		return NULL;
	*v = (uint32_t)n;
	return p;
}

/* "R12" or "RZ": the number in hd_inst.  Uniform and predicate registers: 0. */
static const char *scan_register(const char *p, uint16_t *reg)
{
	bool plain = *p == 'R';
	uint32_t n;

	p += *p == 'U';
	if (*p != 'R' && *p != 'P' && *p != 'B')
		return NULL;
	p++;
	if (*p == 'Z' || *p == 'T') {
		n = MAX_REGISTER;
		p++;
	} else {
		p = scan_count(p, MAX_REGISTER, &n);
	}
	if (!p || !trace_gap(*p))
		return NULL;
	*reg = plain ? (uint16_t)(n + 1) : 0;
	return p;
}

/* ---- addresses --------------------------------------------------------------------------------- */

/* Lane k+1 minus lane k; evenly spaced lists, which are most, are packed as such. */
static void set_form(struct trace_line *out)
{
	out->form = TRACE_EVEN;
	for (uint32_t i = 1; i < out->ndelta; i++)
		if (out->delta[i] != out->delta[0])
			out->form = TRACE_LIST;
	if (out->ndelta == 0)
		out->delta[0] = 0;
}

/* MODE and addresses.  Returns the end of the last word, NULL after a message. */
static const char *scan_addresses(const struct trace_code *c, const char *line, const char *p,
                                  struct trace_line *out)
{
	uint32_t k = out->mask == UINT32_MAX ? HD_LANES : hd_bits_count32(out->mask), i;
	const char *at = p = trace_skip(p), *what = "an address, 0x...";
	uint64_t address, before = 0;
	char mode = *p;

	if (mode < '0' || mode > '2' || !trace_gap(p[1])) {
		bad(c, line, at, "address mode 0, 1 or 2");
		return NULL;
	}
	p++;
	out->ndelta = k ? k - 1 : 0;
	out->base = 0;
	if (mode == '0') {
		for (i = 0; i < k; i++) {
			at = trace_skip(p);
			p = scan_address(at, &address);
			if (!p)
				goto wrong;
			if (i == 0)
				out->base = address;
			else
				out->delta[i - 1] = (int64_t)(address - before);
			before = address;
		}
		set_form(out);
		return p;
	}
	at = trace_skip(p);
	p = scan_address(at, &out->base);
	if (!p)
		goto wrong;
	what = mode == '1' ? "a stride" : "a difference of addresses";
	if (mode == '1') {
		out->form = TRACE_RUN;
		at = trace_skip(p);
		p = scan_dec(at, &out->delta[0]);
		if (!p)
			goto wrong;
		return p;
	}
	for (i = 0; i < out->ndelta; i++) {
		at = trace_skip(p);
		p = scan_dec(at, &out->delta[i]);
		if (!p)
			goto wrong;
	}
	set_form(out);
	return p;
wrong:
	bad(c, line, at, what);
	return NULL;
}

/* ---- what version 6 alone has ----------------------------------------------------------------- */

static bool contains(const char *text, size_t len, const char *part)
{
	return memmem(text, len, part, strlen(part)) != NULL;
}

/* Opcodes whose lines have one word more, for the last of a group. */
static bool in_groups(const char *opcode, size_t len)
{
	return contains(opcode, len, "GMMA");
}

/* Opcodes whose lines have operands of a bulk copy. */
static bool copies_tensor(const char *opcode, size_t len)
{
	static const char *const names[] = { "UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF",
		"UBLKRED" };

	if (*opcode != 'U')
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (contains(opcode, len, names[i]))
			return true;
	return false;
}

/* Each takes the word at *p, skips it and returns true if it is what is expected. */

static bool take_number(const char **p, uint64_t limit, uint64_t *v)
{
	const char *end = hd__trace_dec(trace_skip(*p), v);

	if (!end || !trace_gap(*end) || *v > limit)
		return false;
	*p = end;
	return true;
}

static bool take_hex(const char **p, uint64_t *v)
{
	const char *end = hd__trace_hex(trace_skip(*p), v);

	if (!end || !trace_gap(*end))
		return false;
	*p = end;
	return true;
}

static bool take_difference(const char **p, int64_t *v)
{
	const char *at = trace_skip(*p);
	bool minus = *at == '-';
	uint64_t n;

	at += minus;
	if (!take_number(&at, UINT64_MAX, &n))
		return false;
	*v = (int64_t)(minus ? 0 - n : n);
	*p = at;
	return true;
}

/* What a bulk copy has behind its width. */
struct tensor {
	uint64_t barrier, ctas, bytes, beyond, base;
	bool full;        /* not only the addresses */
	bool nowhere;     /* to several thread blocks, of which there is none */
	uint32_t pieces;
	int64_t *step;    /* room for MAX_TENSOR; NULL: they are not needed */
};

/* MODE and the addresses. */
static bool take_list(const char **p, struct tensor *t)
{
	uint64_t mode, count, address = 0;
	int64_t step = 0;

	if (!take_number(p, 4, &mode) || mode < 3 || (mode == 4 && !take_hex(p, &t->base))
	    || !take_number(p, MAX_TENSOR, &count))
		return false;
	t->pieces = (uint32_t)count;
	for (uint64_t i = 0, before = 0; i < count; i++) {
		if (mode == 3 ? !take_hex(p, &address) : i > 0 && !take_difference(p, &step))
			return false;
		if (mode == 3 && i == 0)
			t->base = address;
		if (t->step && i > 0)
			t->step[i - 1] = mode == 3 ? (int64_t)(address - before) : step;
		before = address;
	}
	return true;
}

static bool take_all(const char **p, struct tensor *t)
{
	uint64_t multicast;

	t->full = true;
	if (!take_hex(p, &t->barrier) || !take_number(p, 1, &multicast) || (multicast && !take_hex(p, &t->ctas)))
		return false;
	t->nowhere = multicast && !t->ctas;
	return take_number(p, UINT64_MAX, &t->bytes) && take_number(p, UINT64_MAX, &t->beyond) && take_list(p, t);
}

/* *p is behind the width.  Returns true with *p the end of the operands; else it is the first word that neither form
 * has there. */
static bool take_tensor(const char **p, struct tensor *t)
{
	const char *all = *p, *list = *p;
	struct tensor early = { .step = t->step };
	bool good = take_all(&all, t);

	if (!good) {
		good = take_list(&list, &early);
		if (good)
			*t = early;
	}
	*p = all > list ? all : list;
	return good;
}

/* Values of one register: one for all lanes, or one for each. */
static bool take_values(const char **p)
{
	uint64_t n, v;

	if (!take_number(p, HD_LANES, &n) || (n != 1 && n != HD_LANES))
		return false;
	while (n-- > 0)
		if (!take_hex(p, &v))
			return false;
	return true;
}

/* A barrier of a thread block: its number is the value of a register or the first immediate, the threads that it is for
 * the immediate behind.  Returns false if the line has both, and no barrier is such. */
static bool name_barrier(struct trace_fields *f, uint64_t second)
{
	const char *p = f->values;
	uint64_t n, id = (uint32_t)f->imm, threads = second;
	bool both = second != 0;

	if (f->opcode_len < 3 || memcmp(f->opcode, "BAR", 3) != 0 || (f->opcode_len > 3 && f->opcode[3] != '.'))
		return true;
	if (p && f->dsts == 1 && !second && take_number(&p, 1, &n) && n == 1 && take_hex(&p, &id)) {
		threads = (uint32_t)f->imm;
		both = f->mask != 0;
	}
	if (id >= TRACE_BARRIERS || threads > TRACE_MOST_THREADS)
		return !both;
	f->extra = TRACE_NAMED((uint32_t)id, (uint32_t)threads);
	return true;
}

/* p is behind the immediate.  Goes on behind a second one and the values of registers, and returns where unknown words
 * begin, or the end; NULL after a message. */
static const char *scan_values(const struct trace_code *c, const char *line, const char *p, struct trace_fields *f)
{
	const char *at, *end = f->end;
	uint64_t second = 0;

	at = p = trace_skip(p);
	if (p < end && take_number(&at, UINT64_MAX, &second)) /* a barrier's second immediate */
		p = trace_skip(at);
	f->tail = end - p >= 3 && memcmp(p, "Val", 3) == 0 && trace_gap(p[3]);
	if (f->tail) {
		for (f->values = p = at = trace_skip(p + 3); p < end && take_values(&at); at = p = trace_skip(at))
			;
		if (at > p) {
			bad(c, line, trace_skip(at), "the values of a register: 1 and one for all lanes, or 32 and one "
			    "for each");
			return NULL;
		}
	} else if (end - p >= 5 && memcmp(p, "NoVal", 5) == 0 && trace_gap(p[5]))
		p = trace_skip(p + 5);
	if (!name_barrier(f, second)) {
		bad(c, line, trace_skip(f->key), "a barrier from 0 to 15, and no more threads for it than a thread "
		    "block has");
		return NULL;
	}
	return p;
}

/* What a bulk copy has in place of addresses.  Its first address is that of all lanes, and its value is where it
 * reports
 * to. */
static const char *scan_tensor(const struct trace_code *c, const char *line, const char *p, struct trace_fields *f,
                               struct trace_line *out)
{
	struct tensor t = { .step = malloc(MAX_TENSOR * sizeof *t.step) };
	const char *what = NULL, *at = trace_skip(f->key);

	if (!t.step) {
		hd__trace_error(c->text->host, "%s: out of memory for a bulk copy", c->text->name);
		return NULL;
	}
	f->extra = 0;
	if (!take_tensor(&p, &t))
		at = p, what = "a barrier and the addresses of a bulk copy";
	else if (t.barrier > UINT32_MAX || t.ctas > UINT16_MAX || t.nowhere)
		what = "the address of an mbarrier of 32 bits, and a set of 1 to 16 thread blocks";
	else if (t.full && t.bytes - t.beyond != (uint64_t)t.pieces * f->piece)
		what = "as many bytes as its pieces have of this width, and those outside of the tensor";
	else if (t.bytes <= UINT32_MAX && t.beyond <= t.bytes)
		f->extra = hd__trace_bulk(c->names, &(struct hd_bulk){
			.bytes = (uint32_t)(t.full ? t.bytes : (uint64_t)t.pieces * f->piece),
			.beyond = (uint32_t)t.beyond, .piece = f->piece, .pieces = t.pieces, .step = t.step });
	free(t.step);
	if (!f->extra) {
		bad(c, line, at, what ? what : "a bulk copy of less than 4 GiB with at most as "
		    "many bytes outside of its tensor");
		return NULL;
	}
	if (out) {
		out->form = TRACE_EVEN;
		out->base = t.base;
		out->delta[0] = 0;
		out->ndelta = 0;
		out->nvalues = 1;
		out->value[0] = (uint32_t)t.barrier | (uint64_t)(uint16_t)t.ctas << 32;
	}
	return p;
}

/* Of the values in the line those of register s->value_at - 1. */
static void take_value(const struct trace_static *s, const struct trace_fields *f, struct trace_line *out)
{
	const char *p = f->tensor ? NULL : f->values;
	uint64_t n;

	for (unsigned i = 1; p && i < s->value_at; i++)
		if (!take_values(&p))
			return;
	if (!p || !take_number(&p, HD_LANES, &n) || !f->mask)
		return;
	for (uint32_t lane = 0; lane < n; lane++) {
		uint64_t v;

		if (!take_hex(&p, &v))
			return;
		if (n == 1 || f->mask >> lane & 1)
			out->value[out->nvalues++] = v;
	}
	for (n = 1; n < out->nvalues && out->value[n] == out->value[0];)
		n++;
	if (n == out->nvalues)
		out->nvalues = 1;
}

/* ---- the parts of a line ---------------------------------------------------------------------- */

/* The immediate and fields that forks append, from p on; most lines have nothing there. */
static int scan_end(struct trace_code *c, const char *line, const char *p, struct trace_fields *f)
{
	int64_t v;

	f->imm = 0;
	f->tail = false;
	f->values = NULL;
	p = trace_skip(p);
	if (p < f->end && c->header->version >= IMM_VERSION && (*p == '-' || (*p >= '0' && *p <= '9'))) {
		const char *q = scan_dec(p, &v);

		if (!q || v < INT32_MIN || v > UINT32_MAX)
			return bad(c, line, p, "an immediate of 32 bits");
		f->imm = (int32_t)(uint32_t)v;
		p = trace_skip(q);
	}
	if (p >= f->end)
		return 0;
	f->tail = true;
	if (c->header->version >= ALL_VERSION) {
		p = scan_values(c, line, p, f);
		if (!p)
			return -1;
		if (p >= f->end)
			return 0;
		f->tail = true;
	}
	if (c->counted[TRACE_TAILS].n == 0)
		hd__trace_show(p, c->tail);
	trace_count(c, TRACE_TAILS);
	return 0;
}

/* Registers and opcode, up to the width. */
static int scan_static(const struct trace_code *c, const char *line, struct trace_fields *f)
{
	const char *p = trace_skip(f->rest), *at = p;
	bool all = c->header->version >= ALL_VERSION;
	uint32_t n;
	uint16_t reg;

	p = scan_count(p, all ? MAX_ALL : MAX_DST, &n);
	if (!p)
		return bad(c, line, at, all ? "the number of destinations" : "the number of destinations, 0 or 1");
	f->dsts = (uint8_t)n;
	for (uint32_t i = 0; i < n; i++) {
		at = trace_skip(p);
		p = scan_register(at, &reg);
		if (!p)
			return bad(c, line, at, "a destination register");
		if (reg && !f->dst)
			f->dst = reg;
		else
			f->dropped |= reg || !all;
	}
	f->opcode = p = trace_skip(p);
	while (*p > ' ' && *p < 0x7f)
		p++;
	f->opcode_len = (size_t)(p - f->opcode);
	if (*f->opcode < 'A' || *f->opcode > 'Z' || f->opcode_len > MAX_OPCODE || !trace_gap(*p))
		return bad(c, line, f->opcode, "an opcode");
	at = trace_skip(p);
	p = scan_count(at, all ? MAX_ALL : HD_MAX_SRC, &n);
	if (!p)
		return bad(c, line, at, all ? "the number of sources, at most 16" : "the number of sources, at most 8");
	for (uint32_t i = 0; i < n; i++) {
		uint8_t k = 0;

		at = trace_skip(p);
		p = scan_register(at, &reg);
		if (!p)
			return bad(c, line, at, "a source register");
		f->shared |= i == 0 && *at == 'U';
		while (k < f->nsrc && f->src[k] != reg)
			k++;
		f->dropped |= reg == 0 ? !all : k == HD_MAX_SRC;
		if (reg && k == f->nsrc && k < HD_MAX_SRC)
			f->src[f->nsrc++] = reg;
		if (reg && i < HD_MAX_SRC && k < HD_MAX_SRC)
			f->operands |= (k + UINT32_C(1)) << 4 * i;
	}
	at = trace_skip(p);
	if (all && in_groups(f->opcode, f->opcode_len)) {
		p = scan_count(at, 1, &n);
		if (!p)
			return bad(c, line, at, "0 or 1, for the last of a group");
		f->last = n;
		at = trace_skip(p);
	}
	f->key = scan_count(at, MAX_WIDTH, &f->width);
	if (!f->key)
		return bad(c, line, at, "the width of the access, 0 for none");
	f->tensor = all && copies_tensor(f->opcode, f->opcode_len);
	if (f->tensor) {
		f->piece = f->width;
		f->width = 0; /* no addresses of lanes */
	}
	return 0;
}

static const char *skip_ids(const struct trace_code *c, const char *line, const char *p)
{
	unsigned n = c->ids;
	int64_t v;

	while (n-- > 0) {
		const char *at = trace_skip(p);

		p = scan_dec(at, &v);
		if (!p) {
			bad(c, line, at, c->header->lineinfo && n == 0 ?
			    "the number of a source line" : "a number of block and warp");
			return NULL;
		}
	}
	return p;
}

static int scan_pc_mask(const struct trace_code *c, const char *line, struct trace_fields *f)
{
	const char *p = f->line, *at;
	uint64_t pc, mask;

	p = scan_hex(p, &pc);
	if (!p || pc > UINT32_MAX)
		return bad(c, line, f->line, "a pc in hexadecimal");
	at = trace_skip(p);
	p = scan_hex(at, &mask);
	if (!p || mask > UINT32_MAX)
		return bad(c, line, at, "a mask of 8 hexadecimal digits");
	f->pc = (uint32_t)pc;
	f->mask = (uint32_t)mask;
	f->rest = p;
	return 0;
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* Around what a program repeats until a test of an mbarrier succeeds, which waits for that here (docs/hopper.md, MB7):
 * it is done once. */
static bool is_replay(const struct trace_fields *f, bool *begins)
{
	const char *p = trace_skip(f->rest);

	if (f->end - p < 10 || memcmp(p, "0 REPLAY_", 9) != 0)
		return false;
	*begins = p[9] == 'S';
	return true;
}

/* What is behind the width. */
static int scan_rest(struct trace_code *c, const char *line, struct trace_fields *f, struct trace_line *out)
{
	const char *p = f->key;

	out->form = TRACE_NONE;
	if (f->tensor)
		p = scan_tensor(c, line, p, f, out);
	else if (f->width > 0)
		p = scan_addresses(c, line, p, out);
	if (HD_UNLIKELY(c->repeats) && contains(f->opcode, f->opcode_len, "PHASECHK"))
		f->extra = 1;
	return p ? scan_end(c, line, p, f) : -1;
}

/* Parses the whole line; f has pc, mask and the text around them. */
static int64_t parse(struct trace_code *c, const char *line, struct trace_fields *f, struct trace_line *out)
{
	int64_t index = scan_static(c, line, f) || scan_rest(c, line, f, out) ? -1 : hd__trace_code_get(c, f);

	if (index >= 0 && f->values && c->v[index].value_at)
		take_value(&c->v[index], f, out);
	return index;
}

/* True if the text behind the mask begins with that of s up to the width, or is it. */
static bool is_text_of(const struct trace_static *s, const struct trace_fields *f)
{
	size_t len = s->len - s->rest, have = (size_t)(f->end - f->rest);

	if (s->pc != f->pc || (s->exact ? have != len : have < len))
		return false;
	return memcmp(f->rest, s->text + s->rest, len) == 0;
}

/* Looks whether the line executes s.  1: it does; 0: it is another instruction. */
static int repeats(struct trace_code *c, const struct trace_static *s, const char *line, struct trace_fields *f,
                   struct trace_line *out)
{
	uint64_t tails = c->counted[TRACE_TAILS].n;

	if (!is_text_of(s, f))
		return 0;
	out->form = TRACE_NONE;
	if (s->exact)
		return 1;
	f->opcode = f->rest + s->opcode - s->rest;
	f->opcode_len = s->opcode_len;
	f->dsts = s->dsts;
	f->piece = s->piece;
	f->key = f->rest + s->key - s->rest;
	f->width = s->payload;
	f->tensor = s->tensor;
	if (scan_rest(c, line, f, out))
		return -1;
	if (f->imm == s->imm && f->extra == s->extra) {
		if (f->values && s->value_at)
			take_value(s, f, out);
		return 1;
	}
	f->extra = 0;
	c->counted[TRACE_TAILS].n = tails; /* it is parsed again */
	return 0;
}

/* Counts irregularities for warnings. */
static void count_odd(struct trace_code *c, const struct trace_static *s)
{
	if (s->odd & TRACE_ODD_UNKNOWN) {
		c->unknown++;
		c->opcodes->unknown[s->unknown - 1].count += !c->surveyed;
	}
	if (s->odd & TRACE_ODD_REGISTERS)
		trace_count(c, TRACE_DROPPED);
}

int hd__trace_line(struct trace_code *c, const char *line, size_t len, struct trace_line *out)
{
	struct trace_fields f = { .line = line, .end = line + len };
	uint32_t *latest;
	int64_t index;
	int got;

	if (c->ids && !(f.line = skip_ids(c, line, line)))
		return -1;
	f.line = trace_skip(f.line);
	if (scan_pc_mask(c, line, &f))
		return -1;
	if (HD_UNLIKELY(is_replay(&f, &c->repeats)))
		return 1;
	out->mask = f.mask;
	out->nvalues = 0;
	latest = &c->latest[(f.pc >> 3) % TRACE_LATEST]; /* instructions are 8 or 16 bytes */
	got = *latest ? repeats(c, &c->v[*latest - 1], line, &f, out) : 0;
	index = got > 0 ? *latest - 1 : got < 0 ? -1 : parse(c, line, &f, out);
	if (index < 0)
		return -1;
	*latest = (uint32_t)index + 1;
	out->index = (uint32_t)index;
	if (c->v[index].odd)
		count_odd(c, &c->v[index]);
	return 0;
}

int64_t hd__trace_line_static(struct trace_code *c, const char *text, size_t len, int32_t imm, uint32_t extra,
                              bool tail)
{
	struct trace_fields f = { .line = text, .end = text + len, .imm = imm, .extra = extra, .tail = tail };

	if (scan_pc_mask(c, text, &f) || scan_static(c, text, &f)
	    || (f.tensor && !scan_tensor(c, text, f.key, &f, NULL)))
		return -1;
	return hd__trace_code_get(c, &f);
}
