/* netlist_end.c - reads one end of a link: "pipe[*].out", "pipe[$n - 1].out", "a.x, b[0..3].y"
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	end   = one { "," one }
 *	one   = instance [ "[" index "]" ] "." port
 *	index = "*" | expression | expression ".." expression
 */
#include "scope.h"
#include "base/xalloc.h"

#include <inttypes.h>

enum {
	MAX_INDEX = 65535,
	VALUE_OF_BYTES = 64, /* they take as long as a value */
};

struct reader {
	struct hd_scope *s;
	const struct hd_place *place;
	const char *whole;
	bool reported;
};

/* The value of one expression of an index. */
static bool read_number(struct reader *r, const char *text, size_t n, int *out)
{
	int64_t v = 0;
	size_t digits = strspn(text, "0123456789");

	if (n == 0)
		return false;
	if (digits >= n && n <= 6) {
		for (size_t i = 0; i < n; i++)
			v = 10 * v + (text[i] - '0');
	} else if (!hd__scope_expr(r->s, text, n, r->whole, r->place, &v)) {
		r->reported = true;
		return false;
	}
	if (v < 0 || v > MAX_INDEX) {
		hd__scope_report(r->s, r->place, "index %" PRId64 " in '%s'; expected 0..%d", v,
		                 r->whole, MAX_INDEX);
		r->reported = true;
		return false;
	}
	*out = (int)v;
	return true;
}

/* The text between the brackets. */
static bool read_index(struct reader *r, const char *text, size_t n, struct hd_end_decl *end)
{
	const char *dots = memmem(text, n, "..", 2);
	size_t first = dots != NULL ? (size_t)(dots - text) : n;

	if (n == 1 && text[0] == '*') {
		end->all = true;
		return true;
	}
	if (dots != NULL && (first == 0 || first + 2 == n)) {
		hd__scope_report(r->s, r->place, "range without its %s index in '%s'; expected both, such as [0..3], "
		                 "or [*] for all", first == 0 ? "first" : "last", r->whole);
		r->reported = true;
		return false;
	}
	if (!read_number(r, text, first, &end->index))
		return false;
	end->last = end->index;
	if (dots == NULL)
		return true;
	if (!read_number(r, dots + 2, n - (size_t)(dots + 2 - text), &end->last))
		return false;
	if (end->last >= end->index)
		return true;
	hd__scope_report(r->s, r->place, "range %d..%d in '%s'; expected the lower index first",
	                 end->index, end->last, r->whole);
	r->reported = true;
	return false;
}

/* "instance.port", "instance[index].port" */
static bool read_one(struct reader *r, const char *text, size_t n, struct hd_end_decl *end)
{
	const char *dot = memrchr(text, '.', n), *open = NULL;
	size_t name;

	end->index = end->last = -1;
	if (dot == NULL)
		return false;
	end->port = hd__store_bytes(&r->s->n->store, dot + 1, n - (size_t)(dot + 1 - text));
	if (!hd__is_name(end->port))
		return false;
	if (dot > text && dot[-1] == ']')
		for (open = dot - 1; open > text && *open != '[';)
			open--;
	name = (size_t)((open != NULL ? open : dot) - text);
	end->instance = hd__store_bytes(&r->s->n->store, text, name);
	if (!hd__is_path(end->instance))
		return false;
	return open == NULL || read_index(r, open + 1, (size_t)(dot - open) - 2, end);
}

static void too_large(struct hd_scope *s, const struct hd_place *place)
{
	char *at = hd__place_pointer(place);

	hd__netlist_full(s->n, s->d, at, NULL);
	free(at);
}

bool hd__read_end(struct hd_scope *s, const struct hd_place *place, const json_t *v, struct hd_end_decl *end)
{
	struct reader r = { s, place, json_string_value(v), false };
	const char *text = r.whole;
	char buf[80];

	*end = (struct hd_end_decl){ .index = -1 };
	if (json_is_null(v))
		return false; /* reported */
	while (text != NULL) {
		size_t n, all;

		text += strspn(text, " ");
		all = n = strcspn(text, ",");
		while (n > 0 && text[n - 1] == ' ')
			n--;
		if (!hd__netlist_grows(s->n, HD_END_TAKES + n / VALUE_OF_BYTES)) {
			too_large(s, place);
			return false;
		}
		if (!read_one(&r, text, n, end))
			break;
		if (text[all] == '\0')
			return true;
		text += all + 1;
		end->next = hd__store_room(&s->n->store, sizeof *end->next);
		*end->next = (struct hd_end_decl){ .index = -1 };
		end = end->next;
	}
	if (!r.reported)
		hd__scope_report(s, place,
		                 "bad end of a link; expected \"instance.port\", "
		                 "\"instance[*].port\", \"instance[3].port\" or \"instance[0..3].port\", found %s",
		                 hd__found(v, buf, sizeof buf));
	return false;
}
