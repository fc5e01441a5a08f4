/* codes.c - static instructions by number
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "codes.h"
#include "base/xalloc.h"

#include <inttypes.h>

static bool is_same(const struct dump_code *a, const struct dump_code *b)
{
	return a->pc == b->pc && a->dst == b->dst && a->write == b->write && a->read == b->read
	       && a->text == b->text && a->opcode == b->opcode && a->class == b->class
	       && a->space == b->space && a->source == b->source;
}

/* The index of the instruction among the different ones. */
static uint32_t find(struct dump_codes *c, const struct dump_code *code)
{
	char *key = hd__format("%" PRIu32 " %" PRId32 " %d %d %s\n%s\n%s\n%s\n%s", code->pc, code->dst,
	                       code->write, code->read, code->text, code->opcode, code->class,
	                       code->space ? code->space : "\n", code->source ? code->source : "\n");
	json_t *known = json_object_get(c->known, key);

	if (!known) {
		known = json_integer((json_int_t)c->n);
		json_object_set_new_nocheck(c->known, key, known);
		c->v = hd__xgrow(c->v, c->n, &c->cap, sizeof *c->v);
		c->v[c->n] = *code;
		c->v[c->n].index = (uint32_t)c->n;
		c->n++;
	}
	free(key);
	return (uint32_t)json_integer_value(known);
}

void dump_codes_define(struct dump *d, uint32_t number, struct dump_code code)
{
	struct dump_codes *c = d->codes;
	struct dump_code_run *last = c->nruns ? &c->runs[c->nruns - 1] : NULL;
	uint32_t i;

	if (number >= d->ncodes) {
		d->ncodes = number + 1;
	} else {
		*hd__int_map_at(&c->again, number) = ((uint64_t)code.kernel << 32 | find(c, &code)) + 1;
		return;
	}
	if (last && last->kernel == code.kernel && last->number + last->n == number) {
		i = last->first + last->n;
		if (i < c->n && is_same(&c->v[i], &code)) {
			last->n++;
			return;
		}
	}
	i = find(c, &code);
	if (last && last->kernel == code.kernel && last->number + last->n == number && last->first + last->n == i) {
		last->n++;
		return;
	}
	c->runs = hd__xgrow(c->runs, c->nruns, &c->capruns, sizeof *c->runs);
	c->runs[c->nruns++] = (struct dump_code_run){ number, 1, code.kernel, i };
}

static bool holds(const struct dump_code_run *r, int64_t number)
{
	return number >= r->number && number - r->number < r->n;
}

/* The run that holds the number, or NULL. */
static const struct dump_code_run *find_run(struct dump_codes *c, int64_t number)
{
	size_t from = 0, to = c->nruns;

	if (c->last < c->nruns && holds(&c->runs[c->last], number))
		return &c->runs[c->last];
	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		if (c->runs[middle].number <= number)
			from = middle;
		else
			to = middle;
	}
	c->last = from;
	return from < c->nruns && holds(&c->runs[from], number) ? &c->runs[from] : NULL;
}

bool dump_code(const struct dump *d, int64_t number, struct dump_code *code)
{
	struct dump_codes *c = d->codes;
	const struct dump_code_run *r;
	uint64_t again;

	*code = (struct dump_code){ .kernel = 0 };
	if (number < 0 || number >= d->ncodes)
		return false;
	again = hd__int_map_get(&c->again, (uint64_t)number);
	if (again) {
		*code = c->v[(again - 1) & UINT32_MAX];
		code->kernel = (uint32_t)((again - 1) >> 32);
		return true;
	}
	r = find_run(c, number);
	if (!r)
		return false;
	*code = c->v[r->first + (uint32_t)(number - r->number)];
	code->kernel = r->kernel;
	return true;
}

void dump_codes_free(struct dump_codes *c)
{
	if (!c)
		return;
	json_decref(c->known);
	hd__int_map_free(&c->again);
	free(c->v);
	free(c->runs);
	free(c);
}
