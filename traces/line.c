/* line.c - one instruction line, tracer versions 1 to 6
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * [cta x y z warp] [source line] PC MASK ND [dst] OPCODE NS [src] WIDTH [MODE addresses] [IMM]
 *
 * and what version 6 adds (line6.c).
 *
 * Nearly every line repeats, for another warp, one that was seen before.  So the line is first
 * compared with the one that followed last time, then with the latest ones at its pc, and only
 * then taken apart.  The byte after a line is a line end (text.c), which stops every scanner.
 */
#include "address_run.h"

#include <inttypes.h>

#define MAX_DST 4u      /* versions up to 5 have 0 or 1; further ones are skipped */
#define MAX_ALL 16u     /* registers of version 6, with uniform and predicate ones */
#define MAX_OPCODE 120u /* characters; the longest known has about 50 */
#define MAX_WIDTH 65536u
#define MAX_REGISTER 255u /* RZ; hd_inst numbers it 256 */
#define IMM_VERSION 4u  /* some tracers of version 4 print the immediate already */
#define ALL_VERSION 6u  /* lists all registers, and values */

static int bad(const struct trace_code *c, const char *line, const char *p, const char *what)
{
	return hd__trace_bad(c->text, line, p, what);
}

/* A count or width: a small number without sign. */
static const char *scan_count(const char *p, uint32_t limit, uint32_t *v)
{
	int64_t n;

	if (*p == '-')
		return NULL;
	p = trace_scan_dec(p, &n);
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
                                  const char *end, struct trace_line *out)
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
			p = trace_scan_address(at, end, &address);
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
	p = trace_scan_address(at, end, &out->base);
	if (!p)
		goto wrong;
	what = mode == '1' ? "a stride" : "a difference of addresses";
	if (mode == '1') {
		out->form = TRACE_RUN;
		at = trace_skip(p);
		p = trace_scan_dec(at, &out->delta[0]);
		if (!p)
			goto wrong;
		return p;
	}
	for (i = 0; i < out->ndelta; i++) {
		at = trace_skip(p);
		p = trace_scan_dec(at, &out->delta[i]);
		if (!p)
			goto wrong;
	}
	set_form(out);
	return p;
wrong:
	bad(c, line, at, what);
	return NULL;
}

/* What a bulk copy has in place of addresses. */
static const char *scan_tensor(const struct trace_code *c, const char *line, const char *p)
{
	const char *end = hd__trace_skip_tensor(p);

	if (!end)
		bad(c, line, trace_skip(p), "a barrier and the addresses of a bulk copy");
	return end;
}

/* What is at p, before the end of the line: the immediate and fields that forks append. */
static int scan_more(struct trace_code *c, const char *line, const char *p, const char *end,
                     int32_t *imm, bool *tail)
{
	if (c->header->version >= IMM_VERSION && (*p == '-' || (*p >= '0' && *p <= '9'))) {
		int64_t v;
		const char *q = trace_scan_dec(p, &v);

		if (!q || v < INT32_MIN || v > UINT32_MAX)
			return bad(c, line, p, "an immediate of 32 bits");
		*imm = (int32_t)(uint32_t)v;
		p = trace_skip(q);
		if (p >= end)
			return 0;
	}
	*tail = true;
	if (c->header->version >= ALL_VERSION) {
		p = hd__trace_skip_values(p, end, tail);
		if (p >= end)
			return 0;
		*tail = true;
	}
	if (c->tails++ == 0) {
		hd__trace_show(p, c->tail);
		c->tail_line = c->text->line;
	}
	return 0;
}

/* The same for what is after the width or the addresses; most lines have nothing there. */
static inline int scan_end(struct trace_code *c, const char *line, const char *p, const char *end,
                           int32_t *imm, bool *tail)
{
	*imm = 0;
	*tail = false;
	p = trace_skip(p);
	return HD_LIKELY(p >= end) ? 0 : scan_more(c, line, p, end, imm, tail);
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
		while (k < f->nsrc && f->src[k] != reg)
			k++;
		f->dropped |= reg == 0 ? !all : k == HD_MAX_SRC;
		if (reg && k == f->nsrc && k < HD_MAX_SRC)
			f->src[f->nsrc++] = reg;
	}
	at = trace_skip(p);
	if (all && hd__trace_in_groups(f->opcode, f->opcode_len)) {
		p = scan_count(at, 1, &n);
		if (!p)
			return bad(c, line, at, "0 or 1, for the last of a group");
		at = trace_skip(p);
	}
	f->key = scan_count(at, MAX_WIDTH, &f->width);
	if (!f->key)
		return bad(c, line, at, "the width of the access, 0 for none");
	f->tensor = all && hd__trace_copies_tensor(f->opcode, f->opcode_len);
	if (f->tensor)
		f->width = 0; /* no addresses of lanes */
	return 0;
}

/* Parses the whole line; f has pc, mask and the text around them. */
static inline int64_t full_parse(struct trace_code *c, const char *line, struct trace_fields *f,
                          struct trace_line *out, bool counted)
{
	const char *p;
	uint64_t tails = c->tails;

	if (scan_static(c, line, f))
		return -1;
	out->form = TRACE_NONE;
	p = f->tensor ? scan_tensor(c, line, f->key) : f->width > 0 ? scan_addresses(c, line, f->key, f->end, out) : f->key;
	if (!p)
		return -1;
	if (scan_end(c, line, p, f->end, &f->imm, &f->tail))
		return -1;
	if (counted) /* by the attempt that led here */
		c->tails = tails;
	return hd__trace_code_get(c, f);
}

/* True if the text from q on is that of s from offset `from` on. */
static inline bool same(const struct trace_static *s, uint32_t from, const char *q,
                        const char *end)
{
	size_t len = s->len - from, have = (size_t)(end - q);

	if (s->exact ? have != len : have < len)
		return false;
	return memcmp(q, s->text + from, len) == 0;
}

static const char *skip_ids(const struct trace_code *c, const char *line, const char *p)
{
	unsigned n = c->ids;
	int64_t v;

	while (n-- > 0) {
		const char *at = trace_skip(p);

		p = trace_scan_dec(at, &v);
		if (!p) {
			bad(c, line, at, c->header->lineinfo && n == 0 ?
			    "the number of a source line" : "a number of block and warp");
			return NULL;
		}
	}
	return p;
}

static inline int scan_pc_mask(const struct trace_code *c, const char *line, struct trace_fields *f)
{
	const char *p = f->line, *at;
	uint64_t pc, mask;

	p = trace_scan_hex(p, &pc);
	if (!p || pc > UINT32_MAX)
		return bad(c, line, f->line, "a pc in hexadecimal");
	at = trace_skip(p);
	p = trace_scan_hex(at, &mask);
	if (!p || mask > UINT32_MAX)
		return bad(c, line, at, "a mask of 8 hexadecimal digits");
	f->pc = (uint32_t)pc;
	f->mask = (uint32_t)mask;
	f->rest = p;
	return 0;
}

/* Counts irregularities for warnings, and predicts the next line. */
static inline void arrive(struct trace_code *c, uint32_t index, struct trace_line *out)
{
	const struct trace_static *s = &c->v[index];

	out->index = c->last = index;
	c->guess = s->follow;
	if (HD_LIKELY(!s->odd))
		return;
	if (s->odd & TRACE_ODD_UNKNOWN) {
		c->unknown++;
		c->opcodes->unknown[s->unknown - 1].count += !c->ahead;
	}
	if (s->odd & TRACE_ODD_REGISTERS && c->dropped++ == 0)
		c->dropped_line = c->text->line;
}

#define AS_BEFORE 2

/* Parses the dynamic text after the static text of s.  Returns 1, or AS_BEFORE if all but the first address is what
 * was kept of s; 0: it is another instruction. */
static inline int scan_rest(struct trace_code *c, const struct trace_static *s, const char *line,
                     const char *p, const char *end, struct trace_line *out)
{
	int32_t imm;
	bool tail;

	out->form = TRACE_NONE;
	if (s->exact)
		return 1;
	if (trace_run_again(s, p, end, out))
		return AS_BEFORE;
	if (s->payload)
		p = scan_addresses(c, line, p, end, out);
	else if (HD_UNLIKELY(s->tensor))
		p = scan_tensor(c, line, p);
	if (!p)
		return -1;
	if (scan_end(c, line, p, end, &imm, &tail))
		return -1;
	return imm == s->imm;
}

/* Finds the instruction by its pc, or parses the whole line.  p: where the pc should be; tried: the
 * prediction was right except for the text after the static part. */
static int look_up(struct trace_code *c, const char *line, const char *p, const char *end,
                   bool tried, struct trace_line *out)
{
	struct trace_fields f = { .line = p, .end = end };
	uint32_t *way;
	int64_t index = -1;

	if (scan_pc_mask(c, line, &f))
		return -1;
	out->mask = f.mask;
	way = c->recent[(f.pc >> 3) % TRACE_SETS]; /* instructions are 8 or 16 bytes */
	for (unsigned i = 0; i < TRACE_WAYS && !tried && index < 0; i++) {
		const struct trace_static *s;
		int got;

		if (!way[i])
			continue;
		s = &c->v[way[i] - 1];
		if (s->pc != f.pc || !same(s, s->rest, f.rest, end))
			continue;
		got = scan_rest(c, s, line, f.rest + s->key - s->rest, end, out);
		if (got < 0)
			return -1;
		if (got > 0)
			index = way[i] - 1;
		else
			tried = true;
	}
	if (index < 0)
		index = full_parse(c, line, &f, out, tried);
	if (index < 0)
		return -1;
	if (way[0] != (uint32_t)index + 1) {
		way[1] = way[0];
		way[0] = (uint32_t)index + 1;
	}
	if (c->last != TRACE_NOWHERE)
		c->v[c->last].follow = (uint32_t)index;
	arrive(c, (uint32_t)index, out);
	return 0;
}

/* True if the line is an execution of s, by whichever lanes: lanes that diverged come with other masks, again
 * and again. */
static inline bool predicted(const struct trace_static *s, const char *p, const char *end, uint32_t *mask)
{
	if (HD_LIKELY(s->plain))
		return trace_is(s, p, (size_t)(end - p), mask);
	*mask = s->mask;
	return same(s, 0, p, end);
}

int hd__trace_line(struct trace_code *c, const char *line, size_t len, struct trace_line *out)
{
	const char *p = line, *end = line + len;
	struct trace_static *s;
	uint64_t tails = c->tails;
	int got;

	if (HD_UNLIKELY(c->ids)) {
		p = skip_ids(c, line, line);
		if (!p)
			return -1;
	}
	p = trace_skip(p);
	if (HD_UNLIKELY(c->guess == TRACE_NOWHERE))
		return look_up(c, line, p, end, false, out);
	s = &c->v[c->guess];
	if (!predicted(s, p, end, &out->mask))
		return look_up(c, line, p, end, false, out);
	got = scan_rest(c, s, line, p + s->key, end, out);
	if (got < 0)
		return -1;
	if (got == 0)
		return look_up(c, line, p, end, true, out);
	if (out->form == TRACE_RUN && c->tails == tails)
		trace_run_keep(s, p + s->len, end, out, got == AS_BEFORE);
	arrive(c, c->guess, out);
	return 0;
}

/* The instruction of a line that is not the predicted one, or -1. */
static int64_t look_up_brief(struct trace_code *c, const char *line, struct trace_fields *f,
                             struct trace_line *out)
{
	uint32_t *way = c->recent[(f->pc >> 3) % TRACE_SETS];
	int64_t index = -1;

	for (unsigned i = 0; i < TRACE_WAYS && index < 0; i++)
		if (way[i] && c->v[way[i] - 1].pc == f->pc
		    && same(&c->v[way[i] - 1], c->v[way[i] - 1].rest, f->rest, f->end))
			index = way[i] - 1;
	if (index < 0)
		index = full_parse(c, line, f, out, false);
	if (index >= 0 && way[0] != (uint32_t)index + 1) {
		way[1] = way[0];
		way[0] = (uint32_t)index + 1;
	}
	return index;
}

int hd__trace_line_brief(struct trace_code *c, const char *line, size_t len,
                         struct trace_line *out)
{
	struct trace_fields f = { .end = line + len };
	int64_t index = c->guess;

	f.line = c->ids ? skip_ids(c, line, line) : line;
	if (!f.line)
		return -1;
	f.line = trace_skip(f.line);
	if (index != TRACE_NOWHERE && same(&c->v[index], 0, f.line, f.end)) {
		out->mask = c->v[index].mask;
	} else {
		if (scan_pc_mask(c, line, &f))
			return -1;
		out->mask = f.mask;
		index = look_up_brief(c, line, &f, out);
		if (index < 0)
			return -1;
		if (c->last != TRACE_NOWHERE)
			c->v[c->last].follow = (uint32_t)index;
	}
	out->index = c->last = (uint32_t)index;
	c->guess = c->v[index].follow;
	return 0;
}

int64_t hd__trace_line_static(struct trace_code *c, const char *text, size_t len, int32_t imm, bool tail)
{
	struct trace_fields f = { .line = text, .end = text + len, .imm = imm, .tail = tail };

	return scan_pc_mask(c, text, &f) || scan_static(c, text, &f) ? -1 : hd__trace_code_get(c, &f);
}
