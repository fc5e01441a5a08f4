/* param_form.c - the type and range of a parameter as text, for messages and documentation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "param.h"

#include <inttypes.h>

enum { MAX_LISTED = 12 }; /* columns in one message */

static const char *noun(enum hd_param_type type)
{
	switch (type) {
	case HD_U32:
		return "integer";
	case HD_BOOL:
		return "true or false";
	case HD_STRING:
		return "string";
	case HD_PATH:
		return "path of a file or folder";
	case HD_CHOICE:
		return "one of ";
	case HD_U32S:
		return "list of integers";
	case HD_SYMBOL:
		return "name";
	case HD_SYMBOLS:
		return "names";
	case HD_TABLE:
		return "objects";
	}
	return "nothing";
}

/* The names in a NULL-terminated list, or of parameters. */
static const char *choices(const struct hd_param *p, char *buf, size_t size)
{
	size_t n = 0;

	while (p->choices != NULL && p->choices[n] != NULL)
		n++;
	return hd__names(p->choices, n, buf, size);
}

static const char *columns(const struct hd_param *p, char *buf, size_t size)
{
	const char *names[MAX_LISTED];
	size_t n = 0;

	for (const struct hd_param *c = p->columns; c != NULL && c->name != NULL; c++)
		if (n < MAX_LISTED)
			names[n++] = c->name;
	return hd__names(names, n, buf, size);
}

const char *hd__param_form(const struct hd_param *p, char *buf, size_t size)
{
	char range[48] = "", count[48] = "", list[700];

	if (p->min != 0 || p->max != 0) {
		snprintf(range, sizeof range, " %" PRIu64 "..%" PRIu64, p->min, p->max);
		snprintf(count, sizeof count, "%s ", range + 1);
	}
	if (p->type == HD_U32 || p->type == HD_U32S)
		snprintf(buf, size, "%s%s", noun(p->type), range);
	else if (p->type == HD_CHOICE)
		snprintf(buf, size, "%s%s", noun(p->type), choices(p, list, sizeof list));
	else if (p->type == HD_TABLE)
		snprintf(buf, size, "list of %s%s with %s", count, noun(p->type),
		         columns(p, list, sizeof list));
	else if (p->type == HD_SYMBOLS)
		snprintf(buf, size, "list of %s%s (%s)", count, noun(p->type), p->kind);
	else if (p->type == HD_SYMBOL)
		snprintf(buf, size, "%s (%s)", noun(p->type), p->kind);
	else
		snprintf(buf, size, "%s", noun(p->type));
	return buf;
}
