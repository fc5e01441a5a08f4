/* hasm_parse.c - parses a text of kernels: its statements
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An `if` is laid out as a branch, what its lanes execute, a jump, what the others execute.  Mistakes are
 * reported and parsing goes on behind them.
 */
#include "traces/sass/sass_inst.h"
#include "hasm_kernel.h"
#include "hasm_layout.h"
#include "hasm_lines.h"

#include <inttypes.h>

/* ---- the tree ---- */

static struct hasm_node *add(struct parser *p, enum hasm_step step, const char *at)
{
	struct hasm_node *n = hd__xcalloc(1, sizeof *n);

	n->step = step;
	n->line = p->s.line;
	n->column = hasm_column(&p->s, at);
	*p->end = n;
	p->end = &n->next;
	return n;
}

static void enter(struct parser *p, struct hasm_node *n, struct hasm_node **body)
{
	p->open[p->nopen++] = (struct open){ .node = n, .end = p->end, .line = p->s.line,
	                                     .column = n->column };
	p->end = body;
}

static void add_range(struct hasm_section *x, struct hasm_range r)
{
	x->blocks = hd__xappend(x->blocks, x->nblocks, sizeof r);
	x->blocks[x->nblocks++] = r;
}

/* Begins the lines of other warps or blocks; `same`: keeps the blocks of the section before. */
static struct hasm_section *section(struct parser *p, bool same)
{
	struct hasm_kernel *k = p->k;
	struct hasm_section new = { 0 }, *x;

	if (same && k->nsections) {
		const struct hasm_section *before = &k->section[k->nsections - 1];

		for (size_t i = 0; i < before->nblocks; i++)
			add_range(&new, before->blocks[i]);
	}
	new.warps = p->warps;
	k->section = hd__xappend(k->section, k->nsections, sizeof new);
	x = &k->section[k->nsections++];
	*x = new;
	return x;
}

/* Sections move while they are added, so the end is found when it is needed. */
static void resume(struct parser *p)
{
	struct hasm_section *x = &p->k->section[p->k->nsections - 1];

	p->end = &x->first;
}

/* ---- the end of a kernel ---- */

static void close_kernel(struct parser *p)
{
	while (p->nopen > 0) {
		const struct open *o = &p->open[--p->nopen];

		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, o->line, o->column, "no '}' closes this");
	}
	p->too_deep = 0;
	for (unsigned i = 0; i < p->loops.n; i++)
		free(p->loops.name[i]);
	p->loops.n = 0;
	if (!p->k)
		return;
	hd__layout_end(p);
	p->k = NULL;
}

/* ---- statements ---- */

static void kernel(struct parser *p)
{
	struct hasm_kernel k = { 0 };

	close_kernel(p);
	hd__hasm_kernel(&p->s, &k);
	p->h->kernel = hd__xappend(p->h->kernel, p->h->n, sizeof k);
	p->h->kernel[p->h->n] = k;
	p->k = &p->h->kernel[p->h->n++];
	hd__layout_begin(p);
	p->warps = UINT64_MAX >> (64 - k.warps);
	add_range(section(p, false), (struct hasm_range){ 0, k.blocks - 1 });
	resume(p);
}

/* `warps` and `blocks`. */
static void whom(struct parser *p, bool warps, const char *at)
{
	struct hasm_section *x;

	if (p->nopen || p->too_deep) {
		hd__hasm_bad(&p->s, at, "'%s' within a block of lines; expected it in front of the block",
		             warps ? "warps" : "blocks");
		hd__hasm_skip(&p->s, p->s.p);
		return;
	}
	if (warps)
		hd__hasm_warps(&p->s, p->k, &p->warps);
	x = section(p, warps);
	if (!warps)
		hd__hasm_blocks(&p->s, p->k, x);
	resume(p);
}

static bool brace(struct parser *p)
{
	if (!hd__hasm_take(&p->s, '{'))
		return hd__hasm_expected(&p->s, "'{'");
	if (p->nopen < HASM_DEPTH && !p->too_deep)
		return true;
	if (p->too_deep++ == 0)
		hd__hasm_bad(&p->s, p->s.p, "more than %u blocks of lines in each other", HASM_DEPTH);
	return false;
}

static void repeat(struct parser *p, const char *at)
{
	struct hasm_scan *s = &p->s;
	struct hasm_node *n;
	const char *from;
	uint64_t count = 1;
	size_t name;
	char *word = NULL;

	hd__hasm_blanks(s);
	from = s->p;
	if (!hd__hasm_number(s, &count))
		hd__hasm_expected(s, "how many times, from 1");
	else if (count == 0)
		hd__hasm_bad(s, from, "expected how many times, from 1, found '0'");
	hd__hasm_blanks(s);
	name = hd__hasm_name(s);
	if (name > 0)
		word = hd__xstrndup(s->p, name);
	s->p += name;
	if (!brace(p)) {
		free(word);
		return;
	}
	n = add(p, HASM_REPEAT, at);
	n->count = count ? count : 1;
	n->inst = (uint32_t)p->k->n;
	p->loops.name[p->loops.n++] = word;
	enter(p, n, &n->body);
}

/* "mask=0000ffff". */
static bool mask(struct hasm_scan *s, uint32_t *to)
{
	uint64_t v;

	if (!hd__hasm_hex(s, 8, &v) || hd__hasm_name(s) > 0)
		return hd__hasm_expected(s, "a mask of up to 8 hexadecimal digits");
	*to = (uint32_t)v;
	return true;
}

/* "if mask=M {": lanes that are not in M jump. */
static void if_lanes(struct parser *p, const char *at)
{
	struct hasm_scan *s = &p->s;
	struct hasm_inst i = hd__layout_branch(p, at);
	struct hasm_node *n;
	uint32_t lanes = 0;

	i.guarded = true;
	if (hd__hasm_guard(s, &i))
		i.guard_not = !i.guard_not;
	hd__hasm_blanks(s);
	if (strncmp(s->p, "mask=", 5) != 0)
		hd__hasm_expected(s, "mask= and the lanes that execute what follows");
	else if (s->p += 5, !mask(s, &lanes))
		while (hd__hasm_name(s) > 0)
			s->p += hd__hasm_name(s);
	if (!brace(p)) {
		hd__hasm_inst_free(&i);
		return;
	}
	n = add(p, HASM_IF, at);
	n->mask = lanes;
	n->inst = hd__layout_place(p, &i);
	enter(p, n, &n->body);
}

/* "}", perhaps with "else {". */
static void close_block(struct parser *p, const char *at)
{
	struct hasm_scan *s = &p->s;
	struct open *o;

	if (p->too_deep) {
		p->too_deep--;
		if (hd__hasm_word(s, "else") && hd__hasm_take(s, '{'))
			p->too_deep++;
		return;
	}
	if (p->nopen == 0) {
		hd__hasm_bad(s, at, "'}' closes nothing");
		return;
	}
	o = &p->open[p->nopen - 1];
	if (o->node->step == HASM_IF && !o->other && hd__hasm_word(s, "else")) {
		struct hasm_inst jump = hd__layout_branch(p, at);

		if (!hd__hasm_take(s, '{'))
			hd__hasm_expected(s, "'{'");
		o->node->jump = hd__layout_place(p, &jump);
		hd__layout_aim(p, o->node->inst);
		o->other = true;
		p->end = &o->node->other;
		return;
	}
	if (o->node->step == HASM_REPEAT)
		free(p->loops.name[--p->loops.n]);
	else
		hd__layout_aim(p, o->other ? o->node->jump : o->node->inst);
	o->node->masked = o->other; /* IF: it has other lanes */
	p->end = o->end;
	p->nopen--;
}

/* ---- instructions ---- */

static bool known_opcode(struct parser *p, const struct hasm_inst *i)
{
	size_t length = strcspn(i->opcode, "."), n;
	const char *const *names, *near;
	char *base;

	if (!p->names || p->k->any_opcode)
		return true;
	names = p->names->of(p->names->self, p->k->sm, &n);
	base = hd__xstrndup(i->opcode, length);
	for (size_t j = 0; names && j < n; j++) {
		if (strcmp(names[j], base) != 0)
			continue;
		free(base);
		return true;
	}
	near = names ? hd__nearest(base, names, n) : NULL;
	if (names)
		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "sm_%" PRIu32 " has no opcode "
		         "'%s'; %s%s%s", p->k->sm, base, near ? "did you mean '" : "expected one of its table, or "
		         "opcodes=any in the head of the kernel", near ? near : "", near ? "'?" : "");
	free(base);
	return !names;
}

/* "addr=" EXPRESSION, or { EXPRESSION, ... }. */
static bool address(struct parser *p, struct hasm_node *n)
{
	struct hasm_scan *s = &p->s;

	n->list = hd__hasm_take(s, '{');
	if (n->list && hd__hasm_take(s, '}'))
		return true;
	do {
		const char *at = s->p;
		struct hasm_expr *e = hd__hasm_expr(s, &p->loops);

		if (!e)
			return false;
		n->address = hd__xappend(n->address, n->naddress, sizeof *n->address);
		n->address[n->naddress++] = e;
		if (n->naddress > HASM_LANES)
			return hd__hasm_bad(s, at, "more than %u addresses", HASM_LANES);
	} while (n->list && hd__hasm_take(s, ','));
	return !n->list || hd__hasm_take(s, '}') || hd__hasm_expected(s, "',' or '}'");
}

/* What is in front of it and behind it: mask=, addr=. */
static bool attributes(struct parser *p, struct hasm_node *n, bool *addressed)
{
	struct hasm_scan *s = &p->s;

	while (!hd__hasm_at_end(s) && *s->p != ';' && *s->p != '}') {
		size_t length = hd__hasm_name(s);
		bool is_mask = length == 4 && strncmp(s->p, "mask=", 5) == 0;
		bool is_address = length == 4 && strncmp(s->p, "addr=", 5) == 0;

		if (length == 0 || s->p[length] != '=')
			return hd__hasm_expected(s, "mask=, addr= or the end of the line");
		if (!is_mask && !is_address)
			return hd__hasm_bad(s, s->p, "an instruction has no '%.*s'; expected mask= or addr=",
			                    (int)(length < 40 ? length : 40), s->p);
		if (is_mask ? n->masked : *addressed)
			return hd__hasm_bad(s, s->p, "'%.4s' is given twice", s->p);
		s->p += 5;
		n->masked |= is_mask;
		*addressed |= is_address;
		if (is_mask ? !mask(s, &n->mask) : !address(p, n))
			return false;
	}
	return true;
}

static void check_addresses(struct parser *p, const struct hasm_inst *i, const struct hasm_node *n,
                            bool addressed)
{
	bool memory = hd__hasm_accesses(i), none = n->masked ? n->mask == 0 : hd__hasm_never(i);

	if (addressed && !memory)
		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "'%s' has addr= but no address "
		         "among its operands; expected one, as [R2]", i->opcode);
	if (!addressed && memory && !none)
		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "'%s' accesses memory; expected "
		         "addr= with the addresses of the lanes, as addr=0x7f0000000000+4*lane", i->opcode);
}

static void free_node(struct hasm_node *n)
{
	for (size_t i = 0; i < n->naddress; i++)
		hd__hasm_expr_free(n->address[i]);
	free(n->address);
	free(n);
}

static void instruction(struct parser *p)
{
	struct hasm_scan *s = &p->s;
	struct hasm_inst i = { 0 };
	struct hasm_node *n = hd__xcalloc(1, sizeof *n);
	bool addressed = false, good;
	const char *at;

	hd__hasm_blanks(s);
	at = s->p;
	good = hd__hasm_control(s, &i.control);
	if (good)
		hd__hasm_pc(s, &p->pc);
	good = good && hd__hasm_inst(s, &i);
	i.source = at;
	i.length = (size_t)(s->p - at);
	good = good && attributes(p, n, &addressed);
	if (!good || p->too_deep) {
		if (!good)
			hd__hasm_skip(s, at);
		hd__hasm_inst_free(&i);
		free_node(n);
		return;
	}
	known_opcode(p, &i);
	check_addresses(p, &i, n, addressed);
	n->step = HASM_EXECUTE;
	n->line = s->line;
	n->column = hasm_column(s, at);
	n->inst = hd__layout_place(p, &i);
	*p->end = n;
	p->end = &n->next;
}

/* ---- the text ---- */

/* Everything but a kernel needs one. */
static bool has_kernel(struct parser *p, const char *at)
{
	if (p->k)
		return true;
	if (!p->headless)
		hd__hasm_bad(&p->s, at, "expected 'kernel' and a name in front of everything else");
	p->headless = true;
	return false;
}

static void statement(struct parser *p)
{
	struct hasm_scan *s = &p->s;
	const char *at;

	hd__hasm_pc(s, &p->pc);
	hd__hasm_blanks(s);
	at = s->p;
	if (hd__hasm_word(s, "kernel"))
		kernel(p);
	else if (!has_kernel(p, at))
		hd__hasm_skip(s, s->p), s->p += *s->p == '}';
	else if (hd__hasm_word(s, "copy"))
		hd__hasm_copy(s, p->k);
	else if (hd__hasm_word(s, "warps"))
		whom(p, true, at);
	else if (hd__hasm_word(s, "blocks"))
		whom(p, false, at);
	else if (hd__hasm_word(s, "repeat"))
		repeat(p, at);
	else if (hd__hasm_word(s, "if"))
		if_lanes(p, at);
	else if (hd__hasm_take(s, '}'))
		close_block(p, at);
	else if (!hd__layout_label(p))
		instruction(p);
}

/* Several statements may share a line: behind a brace, a label or ';'. */
static void line(struct parser *p)
{
	struct hasm_scan *s = &p->s;

	while (s->p < s->end) {
		const char *was;

		while (hd__hasm_take(s, ';'))
			;
		if (hd__hasm_at_end(s))
			return;
		was = s->p;
		statement(p);
		if (s->p == was) { /* nothing was taken */
			hd__hasm_expected(s, "a statement");
			s->p++;
		}
	}
}

void hd__hasm_parse(struct hasm *h, const char *file, const char *text, size_t size,
                    const struct hasm_names *names, struct hd_diags *d)
{
	struct parser p = { .h = h, .names = names,
	                    .s = { .file = file, .p = text, .end = text + size, .start = text,
	                           .line = 1, .d = d } };
	const char *nul = memchr(text, '\0', size);

	h->file = file;
	if (size >= 3 && memcmp(text, "\357\273\277", 3) == 0) {
		hd__diag(d, HD_DIAG_ERROR, file, 1, 1, "a byte-order mark; expected a text without one");
		return;
	}
	if (nul) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "byte %zu is zero; expected a text", (size_t)(nul - text));
		return;
	}
	while (p.s.p < p.s.end) {
		line(&p);
		hd__hasm_next_line(&p.s);
	}
	close_kernel(&p);
	if (h->n == 0 && !p.headless)
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "has no kernel; expected 'kernel' and a name");
}

static void free_nodes(struct hasm_node *n)
{
	while (n) {
		struct hasm_node *next = n->next;

		free_nodes(n->body);
		free_nodes(n->other);
		free_node(n);
		n = next;
	}
}

void hd__hasm_free(struct hasm *h)
{
	for (size_t i = 0; i < h->n; i++) {
		struct hasm_kernel *k = &h->kernel[i];

		for (size_t j = 0; j < k->n; j++)
			hd__hasm_inst_free(&k->code[j]);
		for (size_t j = 0; j < k->nsections; j++) {
			free_nodes(k->section[j].first);
			free(k->section[j].blocks);
		}
		for (size_t j = 0; j < k->nlabels; j++)
			free(k->label[j].name);
		free(k->name);
		free(k->code);
		free(k->section);
		free(k->label);
		free(k->copy);
	}
	free(h->kernel);
	*h = (struct hasm){ 0 };
}
