/* json_text.c - reads JSON value by value, from text of which only a part need be in memory
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "json_text.h"

/* What is wrong with a value that is cut off shows at most so many bytes before the cut: "tru", an
 * incomplete character.  A cut inside of a string shows at the cut itself. */
#define NEAR 16

static bool more(struct dump_text *t)
{
	return t->source && dump_source_more(t->source, t);
}

static void skip_blanks(struct dump_text *t)
{
	do
		while (t->p < t->end && strchr(" \t\r\n", *t->p) && *t->p)
			t->p++;
	while (t->p == t->end && more(t));
}

bool dump_text_comes(struct dump_text *t, char c)
{
	skip_blanks(t);
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	return true;
}

bool dump_text_over(struct dump_text *t)
{
	skip_blanks(t);
	return t->p == t->end;
}

json_t *dump_text_value(struct dump_text *t)
{
	for (;;) {
		size_t n = (size_t)(t->end - t->p);
		json_error_t e;
		json_t *v = json_loadb(t->p, n, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &e);
		/* a number that ends here may go on */
		size_t margin = v ? 0 : NEAR;

		if ((size_t)e.position + margin < n || !more(t)) {
			t->p += v ? e.position : 0;
			return v;
		}
		json_decref(v);
	}
}
