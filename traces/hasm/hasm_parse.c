/* hasm_parse.c - parses a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An `if` is laid out as a branch, what its lanes execute, a jump, what the others execute.  Mistakes are
 * reported and parsing goes on behind them.
 */
#include "base/int_map.h"
#include "base/words.h"
#include "hasm_expr.h"
#include "hasm_lines.h"
#include "traces/sass/sass_inst.h"

#include <inttypes.h>

/* A loop or branch that is not closed yet. */
struct open {
	struct hasm_node *node;
	struct hasm_node **end; /* where the list around it goes on */
	int line, column;
	uint64_t warps; /* that execute it */
	bool other;
};

struct parser {
	struct hd_scan s;
	struct hasm *h;
	struct hasm_kernel *k;  /* the present one, or NULL */
	const struct hasm_names *names;
	struct hasm_node **end; /* where the next statement goes */
	uint32_t pc;            /* of the next instruction */
	struct open open[HASM_DEPTH];
	unsigned nopen, too_deep; /* braces opened beyond HASM_DEPTH */
	struct hasm_loops loops;
	uint64_t warps;         /* of the lines that follow */
	size_t labels_here;     /* labels in front of the next instruction */
	struct hd_int_map at_pc; /* the latest instruction of each pc: its index + 1 */
	bool too_long;          /* reported: too much code */
	bool headless;          /* reported: lines in front of the first kernel */
};

/* ---- the head of a kernel, and whom lines are for ---- */

#define MAX_NAME 1000u

/* How the members of a head are written. */
enum form { SIZES, COUNT, WIDE, OPCODES, EXITS };

static const struct member {
	const char *name;
	enum form form;
	size_t offset;
} members[] = {
	{ "grid", SIZES, offsetof(struct hasm_kernel, grid) },
	{ "block", SIZES, offsetof(struct hasm_kernel, block) },
	{ "cluster", SIZES, offsetof(struct hasm_kernel, cluster) },
	{ "sm", COUNT, offsetof(struct hasm_kernel, sm) },
	{ "shared", COUNT, offsetof(struct hasm_kernel, shared) },
	{ "regs", COUNT, offsetof(struct hasm_kernel, regs) },
	{ "id", WIDE, offsetof(struct hasm_kernel, id) },
	{ "stream", WIDE, offsetof(struct hasm_kernel, stream) },
	{ "shared_base", WIDE, offsetof(struct hasm_kernel, shared_base) },
	{ "local_base", WIDE, offsetof(struct hasm_kernel, local_base) },
	{ "opcodes", OPCODES, offsetof(struct hasm_kernel, any_opcode) },
	{ "exit", EXITS, offsetof(struct hasm_kernel, exits_written) },
};

#define NMEMBERS (sizeof members / sizeof *members)

/* "X,Y,Z"; what is left out is 1. */
static bool sizes(struct hd_scan *s, uint32_t to[3])
{
	uint32_t v[3] = { 1, 1, 1 };
	uint64_t n;

	for (int i = 0; i < 3; i++) {
		const char *at;

		if (i)
			hd__scan_blanks(s);
		at = s->p;
		if (!hd__scan_number_to(s, UINT32_MAX, &n) || n == 0) {
			s->p = at;
			return hd__scan_expected(s, "X,Y,Z, each from 1 to 4294967295");
		}
		v[i] = (uint32_t)n;
		if (*s->p != ',')
			break;
		if (i < 2)
			s->p++;
	}
	memcpy(to, v, sizeof v);
	return true;
}

/* One of two words. */
static bool choice(struct hd_scan *s, const char *yes, const char *no, bool *to)
{
	char what[60];

	*to = hd__scan_word(s, yes);
	if (*to || hd__scan_word(s, no))
		return true;
	snprintf(what, sizeof what, "%s or %s", yes, no);
	return hd__scan_expected(s, what);
}

static bool value(struct hd_scan *s, struct hasm_kernel *k, const struct member *m)
{
	void *to = (char *)k + m->offset;
	uint64_t v;

	switch (m->form) {
	case SIZES:
		return sizes(s, to);
	case COUNT:
		if (!hd__scan_number_to(s, UINT32_MAX, &v))
			return hd__scan_expected(s, "a number of at most 32 bits");
		*(uint32_t *)to = (uint32_t)v;
		return true;
	case WIDE:
		if (!hd__scan_number_to(s, UINT64_MAX, &v))
			return hd__scan_expected(s, "a number of at most 64 bits");
		*(uint64_t *)to = v;
		return true;
	case OPCODES:
		return choice(s, "any", "known", to);
	case EXITS:
		return choice(s, "written", "added", to);
	}
	return false;
}

static bool member(struct hd_scan *s, struct hasm_kernel *k, uint32_t *seen)
{
	const char *names[NMEMBERS], *at = s->p;
	size_t n = hd__scan_name(s);
	char *word, suggestion[200];

	if (n == 0 || s->p[n] != '=')
		return hd__scan_expected(s, "grid=, block=, sm=, shared=, regs= or another member of a kernel");
	for (size_t i = 0; i < NMEMBERS; i++) {
		names[i] = members[i].name;
		if (strlen(names[i]) != n || memcmp(names[i], s->p, n) != 0)
			continue;
		if (*seen >> i & 1)
			return hd__scan_bad(s, at, "'%s' is given twice", names[i]);
		*seen |= 1u << i;
		s->p += n + 1;
		return value(s, k, &members[i]);
	}
	word = hd__xstrndup(s->p, n);
	hd__scan_bad(s, at, "a kernel has no '%s'%s", word,
	             hd__suggest(word, names, NMEMBERS, "it has", suggestion, sizeof suggestion));
	free(word);
	return false;
}

/* Figures that follow from others, and their limits. */
static void derive(struct hd_scan *s, struct hasm_kernel *k, const char *at)
{
	uint64_t threads = (uint64_t)k->block[0] * k->block[1];

	if (threads <= HASM_THREADS)
		threads *= k->block[2];
	if (threads > HASM_THREADS) {
		hd__scan_bad(s, at, "block=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " has more than %u threads",
		             k->block[0], k->block[1], k->block[2], HASM_THREADS);
		threads = 1;
	}
	if (__builtin_mul_overflow((uint64_t)k->grid[0] * k->grid[1], k->grid[2], &k->blocks)) {
		hd__scan_bad(s, at, "grid=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " has more than 2^64 blocks",
		             k->grid[0], k->grid[1], k->grid[2]);
		k->blocks = 1;
	}
	for (int i = 0; i < 3; i++) {
		if (k->cluster[i] && k->grid[i] % k->cluster[i])
			hd__scan_bad(s, at, "cluster=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " does not divide grid=%" PRIu32
			             ",%" PRIu32 ",%" PRIu32, k->cluster[0], k->cluster[1], k->cluster[2],
			             k->grid[0], k->grid[1], k->grid[2]);
	}
	if ((uint64_t)k->cluster[0] * k->cluster[1] * k->cluster[2] > HASM_CLUSTER)
		hd__scan_bad(s, at, "cluster=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " has more than %u blocks",
		  k->cluster[0],
		             k->cluster[1], k->cluster[2], HASM_CLUSTER);
	if (k->cluster[0] && k->sm < HASM_CLUSTERS_SM)
		hd__scan_bad(s, at, "sm=%" PRIu32 " has no clusters of thread blocks; expected sm=%u or later", k->sm,
		             HASM_CLUSTERS_SM);
	k->new_lines = k->cluster[0] != 0;
	k->threads = (uint32_t)threads;
	k->warps = (k->threads + HASM_LANES - 1) / HASM_LANES;
}

/* A word, or anything in quotes. */
static char *name(struct hd_scan *s)
{
	bool quoted = *s->p == '"';
	const char *from = s->p + quoted;
	size_t n = 0;
	bool good;

	while (quoted ? from + n < s->end && from[n] != '"' && from[n] != '\n'
	              : from + n < s->end && (unsigned char)from[n] > ' ' && !strchr("=#\"", from[n]))
		n++;
	good = quoted ? from[n] == '"' : n > 0 && from[n] != '=';
	if (!good || n > MAX_NAME) {
		hd__scan_expected(s, "the name of the kernel");
		return hd__xstrdup("");
	}
	s->p = from + n + quoted;
	return hd__xstrndup(from, n);
}

/* What follows the word "kernel".  Reports mistakes and takes defaults for what is wrong. */
static void kernel_head(struct hd_scan *s, struct hasm_kernel *k)
{
	const char *at;
	uint32_t seen = 0;

	k->line = s->line;
	k->sm = 80;
	k->regs = 32;
	for (int i = 0; i < 3; i++)
		k->grid[i] = k->block[i] = 1;
	k->block[0] = HASM_LANES;
	hd__scan_blanks(s);
	at = s->p;
	k->name = name(s);
	while (!hd__scan_at_end(s)) {
		if (!member(s, k, &seen)) {
			hd__scan_skip(s, s->p);
			break;
		}
	}
	derive(s, k, at);
}

/* What follows "copy". */
static void parse_copy(struct hd_scan *s, struct hasm_kernel *k)
{
	struct hasm_copy c;
	bool good;

	hd__scan_blanks(s);
	good = hd__scan_number_to(s, UINT64_MAX, &c.address) || hd__scan_expected(s, "an address of the device");
	hd__scan_blanks(s);
	good = good && (hd__scan_number_to(s, UINT64_MAX, &c.bytes) || hd__scan_expected(s, "a number of bytes"));
	if (!good) {
		hd__scan_skip(s, s->p);
		return;
	}
	k->copy = hd__xappend(k->copy, k->ncopies, sizeof c);
	k->copy[k->ncopies++] = c;
}

/* "3" or "0-3", below `limit`.  `what`: "warp" or "block". */
static bool range(struct hd_scan *s, uint64_t limit, const char *what, struct hasm_range *r)
{
	const char *at;

	hd__scan_blanks(s);
	at = s->p;
	if (!hd__scan_number(s, &r->first))
		return hd__scan_expected(s, "'*', a number, or a range as 0-3");
	r->last = r->first;
	if (hd__scan_take(s, '-') && (hd__scan_blanks(s), !hd__scan_number(s, &r->last)))
		return hd__scan_expected(s, "the last number of a range");
	if (r->last < r->first)
		return hd__scan_bad(s, at, "the range %" PRIu64 "-%" PRIu64 " is empty", r->first, r->last);
	if (r->last >= limit)
		return hd__scan_bad(s, at, "no %s %" PRIu64 "; the kernel has %ss 0 to %" PRIu64, what,
		                    r->last, what, limit - 1);
	return true;
}

/* What follows "warps": "*", or numbers and ranges. */
static void parse_warps(struct hd_scan *s, const struct hasm_kernel *k, uint64_t *warps)
{
	struct hasm_range r;

	*warps = UINT64_MAX >> (64 - k->warps);
	if (hd__scan_take(s, '*'))
		return;
	*warps = 0;
	do {
		if (!range(s, k->warps, "warp", &r)) {
			hd__scan_skip(s, s->p);
			return;
		}
		*warps |= UINT64_MAX >> (63 - (r.last - r.first)) << r.first;
	} while (hd__scan_take(s, ','));
}

static void add_range(struct hasm_section *x, struct hasm_range r)
{
	x->blocks = hd__xappend(x->blocks, x->nblocks, sizeof r);
	x->blocks[x->nblocks++] = r;
}

/* What follows "blocks". */
static void parse_blocks(struct hd_scan *s, const struct hasm_kernel *k, struct hasm_section *section)
{
	struct hasm_range r = { 0, k->blocks - 1 };
	bool all = hd__scan_take(s, '*');

	do {
		if (!all && !range(s, k->blocks, "block", &r)) {
			hd__scan_skip(s, s->p);
			return;
		}
		add_range(section, r);
	} while (!all && hd__scan_take(s, ','));
}

/* ---- where code is ---- */

#define MAX_CODE (1u << 20) /* instructions of a kernel, as for the reader of traces */
#define GROUP 32u /* bytes of a control word and its three instructions before Volta */

/* From Volta on 16 bytes an instruction; before it every fourth word of 8 is for control. */
static uint32_t pc_from(uint32_t pc, uint32_t sm)
{
	return sm < 70 && pc % GROUP == 0 ? pc + 8 : pc;
}

static uint32_t pc_behind(uint32_t pc, uint32_t sm)
{
	return pc_from(pc + (sm < 70 ? 8 : 16), sm);
}

/* Takes the present pc, and lays out what follows. */
static uint32_t take_pc(struct parser *p)
{
	struct hasm_kernel *k = p->k;
	uint32_t pc = p->pc;

	while (p->labels_here > 0)
		k->label[k->nlabels - p->labels_here--].pc = pc;
	p->pc = pc_behind(pc, k->sm);
	return pc;
}

/* The index of an instruction at the present pc: a new one, unless the text had the same there, as
 * texts that are printed have over and over.  Takes over what *i has. */
static uint32_t layout_place(struct parser *p, struct hasm_inst *i)
{
	struct hasm_kernel *k = p->k;
	uint64_t *latest;

	i->pc = take_pc(p);
	latest = hd__int_map_at(&p->at_pc, i->pc);
	for (uint64_t j = i->source ? *latest : 0; j > 0; j = k->code[j - 1].before) {
		const struct hasm_inst *x = &k->code[j - 1];

		if (x->length != i->length || !x->source || memcmp(x->source, i->source, x->length) != 0)
			continue;
		hd__hasm_inst_free(i);
		return (uint32_t)j - 1;
	}
	if (k->n == MAX_CODE) {
		if (!p->too_long)
			hd__scan_bad(&p->s, p->s.p, "kernel '%s' has more than %u different instructions", k->name,
			             MAX_CODE);
		p->too_long = true;
		hd__hasm_inst_free(i);
		return 0;
	}
	i->before = (uint32_t)*latest;
	k->code = hd__xgrow(k->code, k->n, &k->cap, sizeof *i);
	k->code[k->n++] = *i;
	*latest = k->n;
	return (uint32_t)k->n - 1;
}

/* A branch, not placed yet. */
static struct hasm_inst layout_branch(struct parser *p, const char *at)
{
	struct hasm_inst i = { .line = p->s.line, .column = scan_column(&p->s, at), .n = 1 };

	i.opcode = hd__xstrdup("BRA");
	i.control = (struct hasm_control){ .read = HASM_NO_COUNTER, .write = HASM_NO_COUNTER };
	i.operand[0] = (struct hasm_operand){ .kind = HASM_TARGET, .base = -1, .uniform = -1,
	                                      .descriptor = -1, .column = i.column };
	return i;
}

/* The target of a branch is the present pc. */
static void layout_aim(struct parser *p, uint32_t branch)
{
	struct hasm_operand *o = &p->k->code[branch].operand[0];

	if (p->too_long) /* it is another one */
		return;
	o->value = p->pc;
	free(o->text);
	o->text = hd__format("0x%" PRIx32, p->pc);
}

/* ---- labels ---- */

/* "name:" in front of an instruction, or alone.  Returns whether there was one. */
static bool layout_label(struct parser *p)
{
	struct hd_scan *s = &p->s;
	struct hasm_kernel *k = p->k;
	size_t n = hd__scan_name(s);
	const char *at = s->p;
	char *name;

	if (n == 0 || s->p[n] != ':')
		return false;
	s->p += n + 1;
	name = hd__xstrndup(at, n);
	for (size_t i = 0; i < k->nlabels; i++) {
		if (strcmp(k->label[i].name, name) != 0)
			continue;
		hd__scan_bad(s, at, "label '%s' is in line %d already", name, k->label[i].line);
		free(name);
		return true;
	}
	k->label = hd__xappend(k->label, k->nlabels, sizeof *k->label);
	k->label[k->nlabels++] = (struct hasm_label){ .name = name, .pc = p->pc, .line = s->line };
	p->labels_here++;
	return true;
}

static void find_label(struct parser *p, struct hasm_inst *i)
{
	const struct hasm_kernel *k = p->k;
	const char **names = hd__xcalloc(k->nlabels + 1, sizeof *names), *near;
	struct hasm_operand *o = i->operand;

	while (o->kind != HASM_TARGET)
		o++;
	for (size_t j = 0; j < k->nlabels; j++) {
		names[j] = k->label[j].name;
		if (strcmp(names[j], i->label) != 0)
			continue;
		o->value = k->label[j].pc;
		free(o->text);
		o->text = hd__format("0x%" PRIx32, k->label[j].pc);
		free(names);
		return;
	}
	near = hd__nearest(i->label, names, k->nlabels);
	hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, o->column, "no label '%s' in kernel '%s'%s%s%s",
	         i->label, k->name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	free(names);
}

/* At the end of a kernel: finds the labels of its branches. */
static void layout_end(struct parser *p)
{
	for (size_t i = 0; i < p->k->n; i++)
		if (p->k->code[i].label)
			find_label(p, &p->k->code[i]);
	p->k->exit_pc = p->pc;
	p->labels_here = 0;
	p->too_long = false;
	hd__int_map_free(&p->at_pc);
}

/* ---- the tree ---- */

static struct hasm_node *add(struct parser *p, enum hasm_step step, const char *at)
{
	struct hasm_node *n = hd__xcalloc(1, sizeof *n);

	n->step = step;
	n->line = p->s.line;
	n->column = scan_column(&p->s, at);
	*p->end = n;
	p->end = &n->next;
	return n;
}

static void enter(struct parser *p, struct hasm_node *n, struct hasm_node **body)
{
	p->open[p->nopen++] = (struct open){ .node = n, .end = p->end, .line = p->s.line,
	                                     .column = n->column, .warps = p->warps };
	p->end = body;
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
	layout_end(p);
	p->k = NULL;
}

/* ---- statements ---- */

static void kernel(struct parser *p)
{
	struct hasm_kernel k = { 0 };

	close_kernel(p);
	kernel_head(&p->s, &k);
	p->h->kernel = hd__xappend(p->h->kernel, p->h->n, sizeof k);
	p->h->kernel[p->h->n] = k;
	p->k = &p->h->kernel[p->h->n++];
	p->pc = pc_from(0, k.sm);
	p->warps = UINT64_MAX >> (64 - k.warps);
	add_range(section(p, false), (struct hasm_range){ 0, k.blocks - 1 });
	resume(p);
}

/* `warps` within a block of lines: some of those that execute it. */
static void within(struct parser *p, struct hasm_node *n, const char *at)
{
	uint64_t around = p->open[p->nopen - 1].warps;

	parse_warps(&p->s, p->k, &n->warps);
	if (n->warps && !(n->warps & around))
		hd__scan_bad(&p->s, at, "no warp executes what follows: warp %d does not execute the block of lines "
		             "around it; expected one that does", __builtin_ctzll(n->warps));
	p->warps = n->warps & around;
}

/* `warps` and `blocks`. */
static void whom(struct parser *p, bool warps, const char *at)
{
	struct hasm_section *x;

	if (warps && p->nopen && !p->too_deep) {
		within(p, add(p, HASM_WARPS, at), at);
		return;
	}
	if (p->nopen || p->too_deep) {
		hd__scan_bad(&p->s, at, "'%s' within a block of lines; expected it in front of the block",
		             warps ? "warps" : "blocks");
		hd__scan_skip(&p->s, p->s.p);
		return;
	}
	if (warps)
		parse_warps(&p->s, p->k, &p->warps);
	x = section(p, warps);
	if (!warps)
		parse_blocks(&p->s, p->k, x);
	resume(p);
}

static bool brace(struct parser *p)
{
	if (!hd__scan_take(&p->s, '{'))
		return hd__scan_expected(&p->s, "'{'");
	if (p->nopen < HASM_DEPTH && !p->too_deep)
		return true;
	if (p->too_deep++ == 0)
		hd__scan_bad(&p->s, p->s.p, "more than %u blocks of lines in each other", HASM_DEPTH);
	return false;
}

static void repeat(struct parser *p, const char *at)
{
	struct hd_scan *s = &p->s;
	struct hasm_node *n;
	const char *from;
	uint64_t count = 1;
	size_t name;
	char *word = NULL;

	hd__scan_blanks(s);
	from = s->p;
	if (!hd__scan_number(s, &count))
		hd__scan_expected(s, "how many times, from 1");
	else if (count == 0)
		hd__scan_bad(s, from, "expected how many times, from 1, found '0'");
	hd__scan_blanks(s);
	name = hd__scan_name(s);
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
static bool mask(struct hd_scan *s, uint32_t *to)
{
	uint64_t v;

	if (!hd__scan_hex(s, 8, &v))
		return hd__scan_expected(s, "a mask of up to 8 hexadecimal digits");
	*to = (uint32_t)v;
	return true;
}

/* "if mask=M {": lanes that are not in M jump. */
static void if_lanes(struct parser *p, const char *at)
{
	struct hd_scan *s = &p->s;
	struct hasm_inst i = layout_branch(p, at);
	struct hasm_node *n;
	uint32_t lanes = 0;

	i.guarded = true;
	if (hd__hasm_guard(s, &i))
		i.guard_not = !i.guard_not;
	hd__scan_blanks(s);
	if (strncmp(s->p, "mask=", 5) != 0)
		hd__scan_expected(s, "mask= and the lanes that execute what follows");
	else if (s->p += 5, !mask(s, &lanes))
		while (hd__scan_name(s) > 0)
			s->p += hd__scan_name(s);
	if (!brace(p)) {
		hd__hasm_inst_free(&i);
		return;
	}
	n = add(p, HASM_IF, at);
	n->mask = lanes;
	n->inst = layout_place(p, &i);
	enter(p, n, &n->body);
}

/* "}", perhaps with "else {". */
static void close_block(struct parser *p, const char *at)
{
	struct hd_scan *s = &p->s;
	struct open *o;

	if (p->too_deep) {
		p->too_deep--;
		if (hd__scan_word(s, "else") && hd__scan_take(s, '{'))
			p->too_deep++;
		return;
	}
	if (p->nopen == 0) {
		hd__scan_bad(s, at, "'}' closes nothing");
		return;
	}
	o = &p->open[p->nopen - 1];
	if (o->node->step == HASM_IF && !o->other && hd__scan_word(s, "else")) {
		struct hasm_inst jump = layout_branch(p, at);

		if (!hd__scan_take(s, '{'))
			hd__scan_expected(s, "'{'");
		o->node->jump = layout_place(p, &jump);
		layout_aim(p, o->node->inst);
		o->other = true;
		p->warps = o->warps;
		p->end = &o->node->other;
		return;
	}
	if (o->node->step == HASM_REPEAT)
		free(p->loops.name[--p->loops.n]);
	else
		layout_aim(p, o->other ? o->node->jump : o->node->inst);
	o->node->masked = o->other; /* IF: it has other lanes */
	p->end = o->end;
	p->warps = o->warps;
	p->nopen--;
}

/* ---- instructions ---- */

/* Around what a program repeats until a test of an mbarrier succeeds: no instructions. */
static bool is_replay(const struct hasm_inst *i)
{
	return strcmp(i->opcode, "REPLAY_START") == 0 || strcmp(i->opcode, "REPLAY_END") == 0;
}

static bool known_opcode(struct parser *p, const struct hasm_inst *i)
{
	size_t length = strcspn(i->opcode, "."), n;
	const char *const *names, *near;
	char *base;

	if (!p->names || p->k->any_opcode || is_replay(i))
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
	struct hd_scan *s = &p->s;

	n->list = hd__scan_take(s, '{');
	if (n->list && hd__scan_take(s, '}'))
		return true;
	do {
		const char *at = s->p;
		struct hasm_expr *e = hd__hasm_expr(s, &p->loops);

		if (!e)
			return false;
		n->address = hd__xappend(n->address, n->naddress, sizeof *n->address);
		n->address[n->naddress++] = e;
		if (n->naddress > HASM_LANES)
			return hd__scan_bad(s, at, "more than %u addresses", HASM_LANES);
	} while (n->list && hd__scan_take(s, ','));
	return !n->list || hd__scan_take(s, '}') || hd__scan_expected(s, "',' or '}'");
}

/* "desc=128*64:16384": 64 times 128 bytes, 16384 apart; further dimensions follow as *COUNT:STRIDE. */
static bool box(struct hd_scan *s, struct hasm_node *n)
{
	struct hasm_box b = { 0 };
	uint64_t v;
	bool minus;
	const char *at = s->p;

	if (!hd__scan_number_to(s, HASM_WIDEST, &v))
		return hd__scan_expected(s, "how many neighbouring bytes, up to 65536");
	b.bytes = (uint32_t)v;
	for (uint64_t all = 1; v && *s->p == '*'; b.dimensions++) {
		s->p++;
		if (b.dimensions == HASM_DIMENSIONS)
			return hd__scan_bad(s, at, "more than %u dimensions", HASM_DIMENSIONS);
		if (!hd__scan_number_to(s, HASM_WIDEST, &v) || v == 0 || (all *= v) > HASM_WIDEST)
			return hd__scan_expected(s, "how often, at most 65536 times in all");
		b.count[b.dimensions] = (uint32_t)v;
		if (!hd__scan_take(s, ':'))
			return hd__scan_expected(s, "':' and the bytes from one to the next, as 128*64:16384");
		minus = hd__scan_take(s, '-');
		if (!hd__scan_number(s, &v))
			return hd__scan_expected(s, "the bytes from one to the next, as 128*64:16384");
		b.stride[b.dimensions] = (int64_t)(minus ? 0 - v : v);
	}
	n->box = hd__xcalloc(1, sizeof *n->box);
	*n->box = b;
	return true;
}

/* In the order of enum hasm_attr, mask=, addr= and desc= behind them. */
static const char *const attribute_names[] = { "values", "tx", "count", "parity", "bar", "ctas", "mask", "addr",
	"desc" };

enum { ATTR_MASK = HASM_ATTRS, ATTR_ADDRESS, ATTR_BOX, ATTRIBUTES };

/* What is in front of it and behind it: mask=, addr= and others. */
static bool attributes(struct parser *p, struct hasm_node *n, bool *addressed)
{
	struct hd_scan *s = &p->s;

	while (!hd__scan_at_end(s) && *s->p != ';' && *s->p != '}') {
		size_t length = hd__scan_name(s);
		unsigned i = 0;
		bool good, twice;

		if (length == 0 || s->p[length] != '=')
			return hd__scan_expected(s, "mask=, addr= or the end of the line");
		while (i < ATTRIBUTES && (strlen(attribute_names[i]) != length
		                          || memcmp(attribute_names[i], s->p, length) != 0))
			i++;
		if (i == ATTRIBUTES)
			return hd__scan_bad(s, s->p, "an instruction has no '%.*s'; expected mask= or addr=",
			                    (int)(length < 40 ? length : 40), s->p);
		twice = i == ATTR_MASK ? n->masked : i == ATTR_ADDRESS ? *addressed : i == ATTR_BOX ? n->box != NULL
		                                                                                     
		  : n->attr[i] != NULL;
		if (twice)
			return hd__scan_bad(s, s->p, "'%s' is given twice", attribute_names[i]);
		s->p += length + 1;
		if (i == ATTR_MASK) {
			n->masked = true;
			good = mask(s, &n->mask);
		} else if (i == ATTR_ADDRESS) {
			*addressed = true;
			good = address(p, n);
		} else if (i == ATTR_BOX) {
			good = box(s, n);
		} else {
			n->attr[i] = hd__hasm_expr(s, &p->loops);
			good = n->attr[i] != NULL;
		}
		if (!good)
			return false;
	}
	return true;
}

/* Attributes that say nothing of this instruction. */
static void check_attributes(struct parser *p, const struct hasm_inst *i, const struct hasm_node *n)
{
	bool bulk = hd__hasm_bulk(i), words = strncmp(i->opcode, "SYNCS", 5) == 0;
	bool reports = strncmp(i->opcode, "STAS", 4) == 0 || strncmp(i->opcode, "REDAS", 5) == 0; /* to an mbarrier */
	const char *wrong = n->box && !bulk ? "desc" : NULL;

	for (unsigned k = HASM_BAR; k <= HASM_CTAS; k++)
		if (n->attr[k] && bulk && !hd__hasm_reports(i))
			hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "'%s' has %s=, and reports to "
			         "no mbarrier; expected it of copies to shared memory (UTMALDG, UBLKCP.S.G and the "
			         "like)", i->opcode, attribute_names[k]);
	for (unsigned k = 0; k < HASM_ATTRS && !wrong; k++)
		if (n->attr[k] && !(reports && k == HASM_VALUES)
		    && (k == HASM_TX ? !bulk && !words : k == HASM_BAR || k == HASM_CTAS ? !bulk : !words))
			wrong = attribute_names[k];
	if (wrong)
		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "'%s' has %s=, which is for %s",
			i->opcode,
		         wrong, strcmp(wrong, "tx") == 0 ? "mbarriers (SYNCS) and bulk copies"
		         : strcmp(wrong, "desc") == 0 || strcmp(wrong, "bar") == 0 || strcmp(wrong, "ctas") == 0
		         ? "bulk copies (UTMALDG, UBLKCP and the like)" : "mbarriers (SYNCS)");
	if (bulk && !n->box && !(n->masked && n->mask == 0) && !hd__hasm_never(i))
		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "'%s' copies in bulk; expected desc= "
			"with what, as desc=128*64:16384 for 64 rows of 128 bytes", i->opcode);
	if (n->box && !n->box->bytes && !n->attr[HASM_TX])
		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "'%s' copies nothing; expected bytes in "
			"desc=, or tx= with those outside of the tensor", i->opcode);
	if (bulk && hd__hasm_reports(i) && !n->attr[HASM_BAR] && !(n->masked && n->mask == 0) && !hd__hasm_never(i))
		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column,
		  "'%s' has no bar=; expected the mbarrier to "
		         "which it reports, as bar=0x400", i->opcode);
	if (n->attr[HASM_CTAS] && !p->k->cluster[0])
		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "'%s' has ctas=, and the kernel has no "
		         "clusters; expected 'cluster=' in its line", i->opcode);
	if (bulk || words || reports || is_replay(i) || hd__hasm_group(i) || hd__hasm_names_barrier(i))
		p->k->new_lines = true;
}

/* The number of a barrier of a thread block, unless a register has it, and the threads that it is for.  One number may
 * be either (docs/hopper.md, NB3). */
static void check_barrier(struct parser *p, const struct hasm_inst *i)
{
	bool named = false;

	for (unsigned k = 0; k < i->n && hd__hasm_names_barrier(i); k++) {
		uint64_t n = (uint64_t)i->operand[k].value, most = named ? 1024 : 15;

		if (i->operand[k].kind == HASM_INTEGER && n > most)
			hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "'%s' is for %s%" PRIu64 "%s; "
			         "expected at most %" PRIu64, i->opcode, named ? "" : "barrier ", n,
			         named ? " threads" : "", most);
		named |= i->operand[k].kind == HASM_INTEGER || i->operand[k].kind == HASM_REGISTER;
	}
}

/* How many groups of products may be open behind it is a number. */
static void check_count(struct parser *p, const struct hasm_inst *i)
{
	bool counts = false;

	for (unsigned k = 0; k < i->n; k++)
		counts |= i->operand[k].kind == HASM_INTEGER;
	if (!counts && strncmp(i->opcode, "WARPGROUP.DEPBAR", 16) == 0)
		hd__diag(p->s.d, HD_DIAG_ERROR, p->s.file, i->line, i->column, "'%s' has no number of groups; expected "
		         "how many may be open, as WARPGROUP.DEPBAR.LE gsb0, 0x1", i->opcode);
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
	for (unsigned i = 0; i < HASM_ATTRS; i++)
		hd__hasm_expr_free(n->attr[i]);
	free(n->box);
	free(n->address);
	free(n);
}

static void instruction(struct parser *p)
{
	struct hd_scan *s = &p->s;
	struct hasm_inst i = { 0 };
	struct hasm_node *n = hd__xcalloc(1, sizeof *n);
	bool addressed = false, good;
	const char *at;

	hd__scan_blanks(s);
	at = s->p;
	good = hd__hasm_control(s, &i.control);
	if (good)
		hd__scan_pc(s, &p->pc);
	good = good && hd__hasm_inst(s, &i);
	i.source = at;
	i.length = (size_t)(s->p - at);
	good = good && attributes(p, n, &addressed);
	if (!good || p->too_deep) {
		if (!good)
			hd__scan_skip(s, at);
		hd__hasm_inst_free(&i);
		free_node(n);
		return;
	}
	known_opcode(p, &i);
	check_addresses(p, &i, n, addressed);
	check_attributes(p, &i, n);
	check_barrier(p, &i);
	check_count(p, &i);
	n->step = HASM_EXECUTE;
	n->line = s->line;
	n->column = scan_column(s, at);
	n->inst = layout_place(p, &i);
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
		hd__scan_bad(&p->s, at, "expected 'kernel' and a name in front of everything else");
	p->headless = true;
	return false;
}

static void statement(struct parser *p)
{
	struct hd_scan *s = &p->s;
	const char *at;

	hd__scan_pc(s, &p->pc);
	hd__scan_blanks(s);
	at = s->p;
	if (hd__scan_word(s, "kernel"))
		kernel(p);
	else if (!has_kernel(p, at))
		hd__scan_skip(s, s->p), s->p += *s->p == '}';
	else if (hd__scan_word(s, "copy"))
		parse_copy(s, p->k);
	else if (hd__scan_word(s, "warps"))
		whom(p, true, at);
	else if (hd__scan_word(s, "blocks"))
		whom(p, false, at);
	else if (hd__scan_word(s, "repeat"))
		repeat(p, at);
	else if (hd__scan_word(s, "if"))
		if_lanes(p, at);
	else if (hd__scan_take(s, '}'))
		close_block(p, at);
	else if (!layout_label(p))
		instruction(p);
}

/* Several statements may share a line: behind a brace, a label or ';'. */
static void line(struct parser *p)
{
	struct hd_scan *s = &p->s;

	while (s->p < s->end) {
		const char *was;

		while (hd__scan_take(s, ';'))
			;
		if (hd__scan_at_end(s))
			return;
		was = s->p;
		statement(p);
		if (s->p == was) { /* nothing was taken */
			hd__scan_expected(s, "a statement");
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
		hd__scan_next_line(&p.s);
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
