/* hasm_expr.c - addresses as expressions over lane, warp, block and counters of loops
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hasm_expr.h"
#include "base/words.h"

#include <ctype.h>

#define NESTED 64u  /* brackets in each other, */
#define TERMS 256u  /* and operators: bounds of the recursion over a tree */

struct state {
	struct hd_scan *s;
	const struct hasm_loops *loops;
	unsigned depth, terms;
};

static struct hasm_expr *sum(struct state *st);

void hd__hasm_expr_free(struct hasm_expr *e)
{
	if (!e)
		return;
	hd__hasm_expr_free(e->left);
	hd__hasm_expr_free(e->right);
	free(e);
}

static struct hasm_expr *leaf(int kind, uint64_t value)
{
	struct hasm_expr *e = hd__xcalloc(1, sizeof *e);

	e->kind = kind;
	e->value = value;
	return e;
}

/* "lane", "warp", "block", the name of a loop around this line; the innermost, if two share it. */
static struct hasm_expr *name(struct state *st)
{
	struct hd_scan *s = st->s;
	const char *known[HASM_DEPTH + 3] = { "lane", "warp", "block" };
	static const int kinds[] = { HASM_LANE, HASM_WARP, HASM_BLOCK };
	size_t n = hd__scan_name(s), nnames = 3;
	char *word = hd__xstrndup(s->p, n);
	struct hasm_expr *e = NULL;
	const char *near;

	for (unsigned i = 0; i < 3 && !e; i++)
		if (strcmp(word, known[i]) == 0)
			e = leaf(kinds[i], 0);
	for (unsigned i = st->loops->n; i-- > 0 && !e;) {
		if (!st->loops->name[i])
			continue;
		known[nnames++] = st->loops->name[i];
		if (strcmp(word, st->loops->name[i]) == 0)
			e = leaf(HASM_LOOP, i);
	}
	near = e ? NULL : hd__nearest(word, known, nnames);
	if (!e)
		hd__scan_bad(s, s->p, "'%s' is not known in an address; %s%s%s", word,
		             near ? "did you mean '" : "expected a number, lane, warp, block or the counter of "
		             "a loop around it", near ? near : "", near ? "'?" : "");
	s->p += n;
	free(word);
	return e;
}

static struct hasm_expr *factor(struct state *st)
{
	struct hd_scan *s = st->s;
	struct hasm_expr *e;
	uint64_t v;

	hd__scan_blanks(s);
	if (*s->p == '(') {
		if (st->depth == NESTED) {
			hd__scan_bad(s, s->p, "more than %u brackets in each other", NESTED);
			return NULL;
		}
		s->p++;
		st->depth++;
		e = sum(st);
		st->depth--;
		if (e && !hd__scan_take(s, ')')) {
			hd__scan_expected(s, "')'");
			hd__hasm_expr_free(e);
			return NULL;
		}
		return e;
	}
	if (isdigit((unsigned char)*s->p)) {
		if (hd__scan_number(s, &v))
			return leaf(HASM_NUMBER, v);
		hd__scan_expected(s, "a number of at most 64 bits");
		return NULL;
	}
	if (hd__scan_name(s) > 0)
		return name(st);
	hd__scan_expected(s, "an address: numbers, lane, warp, block, counters of loops, + - * / % ( )");
	return NULL;
}

/* Operators of one precedence, from the left. */
static struct hasm_expr *chain(struct state *st, struct hasm_expr *(*part)(struct state *st),
                               const char *operators)
{
	struct hd_scan *s = st->s;
	struct hasm_expr *e = part(st);

	while (e && !hd__scan_at_end(s) && strchr(operators, *s->p)) {
		struct hasm_expr *up = leaf(HASM_OPERATOR, 0);

		if (++st->terms > TERMS) {
			hd__scan_bad(s, s->p, "more than %u operators in an address", TERMS);
			hd__hasm_expr_free(e);
			free(up);
			return NULL;
		}
		up->operator = *s->p++;
		up->left = e;
		up->right = part(st);
		e = up;
		if (!up->right) {
			hd__hasm_expr_free(up);
			e = NULL;
		}
	}
	return e;
}

static struct hasm_expr *product(struct state *st)
{
	return chain(st, factor, "*/%");
}

static struct hasm_expr *sum(struct state *st)
{
	return chain(st, product, "+-");
}

struct hasm_expr *hd__hasm_expr(struct hd_scan *s, const struct hasm_loops *loops)
{
	struct state st = { .s = s, .loops = loops };

	return sum(&st);
}

static bool apply(char operator, uint64_t a, uint64_t b, uint64_t *v)
{
	switch (operator) {
	case '+': *v = a + b; return true;
	case '-': *v = a - b; return true;
	case '*': *v = a * b; return true;
	default: break;
	}
	if (b == 0)
		return false;
	*v = operator == '/' ? a / b : a % b;
	return true;
}

bool hd__hasm_evaluate(const struct hasm_expr *e, const struct hasm_values *of, uint64_t *v)
{
	uint64_t a, b;

	switch (e->kind) {
	case HASM_NUMBER: *v = e->value; return true;
	case HASM_LANE: *v = of->lane; return true;
	case HASM_WARP: *v = of->warp; return true;
	case HASM_BLOCK: *v = of->block; return true;
	case HASM_LOOP: *v = of->loop[e->value]; return true;
	case HASM_OPERATOR: break;
	}
	return hd__hasm_evaluate(e->left, of, &a) && hd__hasm_evaluate(e->right, of, &b)
	       && apply(e->operator, a, b, v);
}
