/* box_names.c - paths of instances that differ in their indices
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "box_names.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdbool.h>

int hd__name_compare(const char *a, const char *b)
{
	while (*a != '\0' || *b != '\0') {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			char *after_a, *after_b;
			unsigned long long x = strtoull(a, &after_a, 10), y = strtoull(b, &after_b, 10);

			if (x != y)
				return x < y ? -1 : 1;
			a = after_a;
			b = after_b;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return 0;
}

size_t hd__name_parent(const char *name)
{
	bool inside = false; /* of "[0..3]", which has dots */

	for (size_t n = strlen(name); n-- > 0;) {
		inside = name[n] == ']' || (inside && name[n] != '[');
		if (name[n] == '.' && !inside)
			return n;
	}
	return 0;
}

const char *hd__name_last(const char *name)
{
	size_t n = hd__name_parent(name);

	return name + (n > 0 ? n + 1 : 0);
}

char *hd__name_open(const char *name)
{
	char *s = hd__xstrdup(name), *to = s;
	bool inside = false;

	for (; *name != '\0'; name++) {
		inside &= *name != ']';
		if (!inside)
			*to++ = *name;
		inside |= *name == '[';
	}
	*to = '\0';
	return s;
}

struct range {
	unsigned long long from, to;
};

/* The range after a '['; returns what follows it. */
static const char *read_range(const char *s, struct range *r)
{
	char *end;

	r->from = r->to = strtoull(s, &end, 10);
	if (strncmp(end, "..", 2) == 0)
		r->to = strtoull(end + 2, &end, 10);
	return end;
}

char *hd__name_join(char *a, const char *b)
{
	const char *s = a;
	char *out = NULL;
	size_t size;
	FILE *f;

	if (strcmp(a, b) == 0)
		return a;
	f = hd__xcheck(open_memstream(&out, &size));
	while (*s != '\0' && *b != '\0') { /* paths of a dump may be anything */
		struct range x, y;

		putc(*s, f);
		if (*s++ != '[') {
			b++;
			continue;
		}
		s = read_range(s, &x);
		b = read_range(b + 1, &y);
		x.from = y.from < x.from ? y.from : x.from;
		x.to = y.to > x.to ? y.to : x.to;
		if (x.from == x.to)
			fprintf(f, "%llu", x.from);
		else
			fprintf(f, "%llu..%llu", x.from, x.to);
	}
	fclose(f);
	free(a);
	return hd__xcheck(out);
}

uint32_t hd__name_count(const char *name)
{
	uint32_t n = 1;

	for (const char *s = strchr(name, '['); s != NULL; s = strchr(s, '[')) {
		char *end;
		unsigned long long from = strtoull(s + 1, &end, 10), to = from;

		if (strncmp(end, "..", 2) == 0)
			to = strtoull(end + 2, NULL, 10);
		for (; *end == ','; to++) /* "[0,2]" */
			end += 1 + strcspn(end + 1, ",]");
		n *= (uint32_t)(to - from + 1);
		s++;
	}
	return n;
}
