/* netlist_expr.c - integer expressions over names: "$parts * 2", "$(a + b) / 2", "$max(a, b)"
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	expression = "$" sum
 *	sum        = product { ("+" | "-") product }
 *	product    = factor { ("*" | "/" | "%") factor }
 *	factor     = { "-" } (number | name | ("min" | "max") "(" sum "," sum { "," sum } ")"
 *	                      | "(" sum ")")
 *
 * A name may be preceded by "$".  A quotient that is not whole is an error: half an entry
 * is a mistake in the netlist, and rounding would hide it.
 */
#include "netlist_read.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <inttypes.h>

enum { MAX_DEPTH = 64 }; /* of parentheses; the parser is recursive */

struct parser {
	const char *text, *p; /* text: as messages quote it */
	hd_expr_name *name;
	void *arg;
	char *problem;
	unsigned depth;
};

static bool sum(struct parser *s, int64_t *v);

static bool HD_PRINTF(2, 3) fail(struct parser *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	s->problem = hd__xvprintf(fmt, ap);
	va_end(ap);
	return false;
}

static bool fail_syntax(struct parser *s, const char *expected)
{
	if (*s->p == '\0')
		return fail(s, "bad expression '%s'; expected %s at its end", s->text, expected);
	return fail(s, "bad expression '%s'; expected %s, found '%s'", s->text, expected, s->p);
}

static bool name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static size_t name_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* Skips spaces; consumes the character c if it comes next. */
static bool take(struct parser *s, char c)
{
	while (*s->p == ' ' || *s->p == '\t')
		s->p++;
	if (*s->p != c || c == '\0')
		return false;
	s->p++;
	return true;
}

static bool number(struct parser *s, int64_t *v)
{
	*v = 0;
	for (; isdigit((unsigned char)*s->p); s->p++)
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, *s->p - '0', v))
			return fail(s, "number too large in '%s'; expected at most %" PRId64,
			            s->text, INT64_MAX);
	return true;
}

/* The arguments of min or max, after the opening parenthesis. */
static bool call(struct parser *s, bool max, int64_t *v)
{
	int64_t w;

	if (!sum(s, v))
		return false;
	if (!take(s, ','))
		return fail_syntax(s, "','");
	do {
		if (!sum(s, &w))
			return false;
		if (max ? w > *v : w < *v)
			*v = w;
	} while (take(s, ','));
	return take(s, ')') || fail_syntax(s, "',' or ')'");
}

static bool name_or_call(struct parser *s, int64_t *v)
{
	char name[HD_NAME_MAX + 1];
	size_t n = name_length(s->p);

	if (n > HD_NAME_MAX)
		return fail(s, "name too long in '%s'; expected at most %u characters", s->text,
		            HD_NAME_MAX);
	memcpy(name, s->p, n);
	name[n] = '\0';
	s->p += n;
	if (!take(s, '('))
		return s->name(s->arg, name, v);
	if (strcmp(name, "min") != 0 && strcmp(name, "max") != 0)
		return fail(s, "unknown function '%s' in '%s'; expected min or max", name, s->text);
	return call(s, name[1] == 'a', v);
}

static bool primary(struct parser *s, int64_t *v)
{
	bool dollar;

	if (take(s, '('))
		return sum(s, v) && (take(s, ')') || fail_syntax(s, "')'"));
	dollar = take(s, '$');
	if (name_start(*s->p))
		return name_or_call(s, v);
	if (!dollar && isdigit((unsigned char)*s->p))
		return number(s, v);
	return fail_syntax(s, dollar ? "a name after '$'" : "a number, a name or '('");
}

static bool factor(struct parser *s, int64_t *v)
{
	bool negative = false;

	while (take(s, '-'))
		negative = !negative;
	if (!primary(s, v))
		return false;
	if (negative && __builtin_sub_overflow(0, *v, v))
		return fail(s, "overflow in '%s'", s->text);
	return true;
}

static bool divide(struct parser *s, bool remainder, int64_t *v, int64_t w)
{
	if (w == 0)
		return fail(s, "division by zero in '%s'", s->text);
	if (w == -1) { /* the one quotient that may overflow */
		if (remainder)
			*v = 0;
		else if (__builtin_sub_overflow(0, *v, v))
			return fail(s, "overflow in '%s'", s->text);
		return true;
	}
	if (!remainder && *v % w != 0)
		return fail(s,
		            "%" PRId64 " / %" PRId64
		            " in '%s' does not divide; expected a whole quotient",
		            *v, w, s->text);
	*v = remainder ? *v % w : *v / w;
	return true;
}

static bool product(struct parser *s, int64_t *v)
{
	int64_t w;

	if (!factor(s, v))
		return false;
	for (;;) {
		if (take(s, '*')) {
			if (!factor(s, &w))
				return false;
			if (__builtin_mul_overflow(*v, w, v))
				return fail(s, "overflow in '%s'", s->text);
		} else if (*s->p == '/' || *s->p == '%') {
			bool remainder = *s->p++ == '%';

			if (!factor(s, &w) || !divide(s, remainder, v, w))
				return false;
		} else {
			return true;
		}
	}
}

static bool sum(struct parser *s, int64_t *v)
{
	int64_t w;

	if (++s->depth > MAX_DEPTH)
		return fail(s, "parentheses nested too deeply in '%s'; expected at most %d",
		            s->text, MAX_DEPTH);
	if (!product(s, v))
		return false;
	for (;;) {
		bool plus = take(s, '+');

		if (!plus && !take(s, '-'))
			break;
		if (!product(s, &w))
			return false;
		if (plus ? __builtin_add_overflow(*v, w, v) : __builtin_sub_overflow(*v, w, v))
			return fail(s, "overflow in '%s'", s->text);
	}
	s->depth--;
	return true;
}

bool hd__expr(const char *text, size_t n, const char *whole, hd_expr_name *name, void *arg,
              int64_t *value, char **problem)
{
	char *part = hd__xstrndup(text, n);
	struct parser s = { .text = whole, .p = part, .name = name, .arg = arg };
	bool ok = sum(&s, value) && (*s.p == '\0' || fail_syntax(&s, "an operator"));

	*problem = s.problem;
	free(part);
	return ok;
}

void hd__expr_names(const char *text, void (*found)(void *arg, const char *name), void *arg)
{
	for (const char *p = text; *p != '\0';) {
		size_t n = name_length(p);
		char name[HD_NAME_MAX + 1];

		if (n > 0 && n <= HD_NAME_MAX && name_start(*p)) {
			memcpy(name, p, n);
			name[n] = '\0';
			if (p[n + strspn(p + n, " \t")] != '(')
				found(arg, name);
		}
		p += n > 0 ? n : 1;
	}
}
