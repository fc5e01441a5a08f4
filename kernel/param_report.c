/* param_report.c - messages about values of parameters, and the memory that the values take
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/xalloc.h"
#include "param_call.h"

/* "ops[2].latency": the place below the object that holds the parameters. */
char *hd__param_name(const struct hd_place *p)
{
	char *up, *s;

	if (p->up == NULL || p->up->up == NULL)
		return hd__xstrdup(p->up != NULL ? p->member : "");
	up = hd__param_name(p->up);
	s = p->member != NULL ? hd__format("%s.%s", up, p->member)
	                      : hd__format("%s[%zu]", up, p->index);
	free(up);
	return s;
}

const char *hd__param_who(struct hd_param_call *c)
{
	size_t n = 1;

	if (c->who_text != NULL)
		return c->who_text;
	for (size_t i = 0; c->who[i] != NULL; i++)
		n += strlen(c->who[i]);
	c->who_text = hd__xcalloc(n, 1);
	for (size_t i = 0; c->who[i] != NULL; i++)
		strcat(c->who_text, c->who[i]);
	return c->who_text;
}

void hd__param_report(struct hd_param_call *c, const struct hd_place *place, bool key,
                      const char *fmt, ...)
{
	char *text, *at;
	va_list ap;

	c->errors++;
	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	at = hd__place_pointer(key ? place->up : place);
	if (c->defaults || c->s->netlist == NULL)
		hd__diag(c->s->diags, HD_DIAG_ERROR, NULL, 0, 0, "%s", text);
	else if (key)
		hd__netlist_diag_key(c->s->netlist, c->s->diags, HD_DIAG_ERROR, at, place->member,
		                     "%s", text);
	else
		hd__netlist_diag(c->s->netlist, c->s->diags, HD_DIAG_ERROR, at, NULL, "%s", text);
	free(at);
	free(text);
}

/* "parameter 'depth' of instance 'a' (module 'm'): expected ..., found ..." */
void hd__param_wrong(struct hd_param_call *c, const struct hd_place *place, const char *expected,
                     const json_t *found, const char *hint)
{
	char *name = hd__param_name(place), buf[80];

	hd__param_report(c, place, false, "%sparameter '%s' of %s: expected %s, found %s%s",
	                 c->defaults ? "default of " : "", name, hd__param_who(c), expected,
	                 hd__found(found, buf, sizeof buf), hint != NULL ? hint : "");
	free(name);
}

/* ---- memory -------------------------------------------------------------------------------- */

void *hd__param_own(struct hd_param_store *s, void *p)
{
	s->owned = hd__xgrow(s->owned, s->nowned, &s->cap, sizeof *s->owned);
	s->owned[s->nowned++] = p;
	return p;
}

void hd__params_free(struct hd_param_store *s)
{
	for (size_t i = 0; i < s->nowned; i++)
		free(s->owned[i]);
	free(s->owned);
	s->owned = NULL;
	s->nowned = s->cap = 0;
}
