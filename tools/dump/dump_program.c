/* dump_program.c - static instructions of a dump by where they are in the programs of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump/codes.h"
#include "dump_program.h"
#include "base/xalloc.h"

#include <inttypes.h>

static uint32_t name_of(struct dump_program *p, uint32_t kernel)
{
	const char *name = kernel < p->d->nkernels ? p->d->kernels[kernel].name : NULL;
	json_t *known;
	uint32_t number;

	if (kernel < p->d->nkernels && p->name_of[kernel])
		return p->name_of[kernel] - 1;
	name = name ? name : "?";
	known = json_object_get(p->names, name);
	number = known ? (uint32_t)json_integer_value(known) : p->nkernels;
	if (!known) {
		json_object_set_new_nocheck(p->names, name, json_integer(number));
		p->kernels = hd__xappend((void *)p->kernels, p->nkernels, sizeof *p->kernels);
		p->kernels[p->nkernels++] = name;
	}
	if (kernel < p->d->nkernels)
		p->name_of[kernel] = number + 1;
	return number;
}

static uint32_t find(struct dump_program *p, uint32_t name, uint32_t number, const struct dump_code *c)
{
	const char *kernel = c->kernel < p->d->nkernels ? p->d->kernels[c->kernel].name : NULL;
	char *key = hd__format("%" PRIu32 " %" PRIu32 " %s", name, c->pc, c->text);
	json_t *known = json_object_get(p->known, key);

	if (!known) {
		known = json_integer((json_int_t)p->n);
		json_object_set_new_nocheck(p->known, key, known);
		p->v = hd__xgrow(p->v, p->n, &p->cap, sizeof *p->v);
		p->v[p->n++] = (struct dump_line){ kernel, name, c->pc, c->text, c->source, number };
	}
	free(key);
	return (uint32_t)json_integer_value(known);
}

static void add(struct dump_program *p, uint32_t number, const struct dump_code *c)
{
	uint32_t name = name_of(p, c->kernel);
	uint64_t *line = hd__int_map_at(&p->of, (uint64_t)name << 32 | c->index);

	if (!*line)
		*line = find(p, name, number, c) + 1;
}

struct dump_program *dump_program_new(const struct dump *d)
{
	struct dump_program *p = hd__xcalloc(1, sizeof *p);

	p->d = d;
	p->name_of = hd__xcalloc(d->nkernels + 1, sizeof *p->name_of);
	p->names = json_object();
	p->known = json_object();
	for (uint32_t i = 0; i < d->ncodes; i++) {
		struct dump_code c;

		if (dump_code(d, i, &c))
			add(p, i, &c);
	}
	json_decref(p->known);
	p->known = NULL;
	return p;
}

void dump_program_free(struct dump_program *p)
{
	if (!p)
		return;
	json_decref(p->names);
	hd__int_map_free(&p->of);
	free((void *)p->kernels);
	free(p->name_of);
	free(p->v);
	free(p);
}

uint32_t dump_line_of(const struct dump_program *p, int64_t code)
{
	struct dump_code c;
	uint32_t name;

	if (!dump_code(p->d, code, &c))
		return UINT32_MAX;
	name = c.kernel < p->d->nkernels ? p->name_of[c.kernel] - 1
	                                 : (uint32_t)json_integer_value(json_object_get(p->names, "?"));
	return (uint32_t)hd__int_map_get(&p->of, (uint64_t)name << 32 | c.index) - 1;
}
