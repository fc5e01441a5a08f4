/* bench_trace.c - the traces of the benchmark: recorded ones, or those of the tree in their place
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "bench_trace.h"

#include <jansson.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WARP_SLOTS 64.0 /* of each SM of the netlists that are measured */

static const char *const own[] = { "hist", "matmul", "reduce", NULL };

const char *trace_netlist(const struct bench *b, const char *name, char buf[4096])
{
	char folder[4096];

	snprintf(folder, sizeof folder, "%s", b->netlist);
	snprintf(buf, 4096, "%.3000s/%s", dirname(folder), name);
	return buf;
}

static bool find(const struct bench *b, const char *name, bool recorded, struct trace *t)
{
	t->name = name;
	t->recorded = recorded;
	if (recorded)
		snprintf(t->text, sizeof t->text, "%s/real/%s/kernelslist.g", b->oracle ? b->oracle : "", name);
	else
		snprintf(t->text, sizeof t->text, "%s/%s/kernelslist.g", b->traces, name);
	return (!recorded || b->oracle) && access(t->text, R_OK) == 0;
}

static bool pack(struct bench *b, struct trace *t)
{
	struct child c;

	snprintf(t->packed, sizeof t->packed, "%.3000s/%s.hpack", b->folder, t->name);
	c = child_run((const char *[]){ b->heddle, "trace", "pack", "-o", t->packed, t->text, NULL }, true);
	if (!c.ok)
		table_failed(b, t->name, &c);
	free(c.out);
	return c.ok;
}

void trace_each(struct bench *b, const char *const *recorded, void (*fn)(struct bench *b, const struct trace *t))
{
	struct trace t;
	bool any = false;

	for (size_t i = 0; recorded[i]; i++) {
		if (!find(b, recorded[i], true, &t)) {
			table_missing(recorded[i], "the trace is not here");
			continue;
		}
		any = true;
		if (pack(b, &t))
			fn(b, &t);
	}
	for (size_t i = 0; !any && own[i]; i++)
		if (find(b, own[i], false, &t) && pack(b, &t))
			fn(b, &t);
}

static double slot_cycles(json_t *root)
{
	double sum = 0;
	const char *name;
	json_t *instance;

	json_object_foreach(json_object_get(root, "instances"), name, instance)
		sum += json_number_value(json_object_get(instance, "slot_cycles"));
	return sum;
}

bool trace_work(struct bench *b, const struct trace *t, const char *netlist, const char *cycles, struct work *work)
{
	struct child c = child_run((const char *[]){ b->heddle, "run", "-q", "--summary", "-", netlist, t->packed,
	                                             cycles ? "--max-cycles" : NULL, cycles, NULL }, false);
	json_t *root = json_loads(c.out, 0, NULL);
	bool ok;

	work->warp_instructions = json_number_value(json_object_get(root, "warp_instructions"));
	work->sm_cycles = slot_cycles(root) / WARP_SLOTS;
	ok = c.ok && work->warp_instructions > 0 && work->sm_cycles > 0;
	if (!ok)
		table_failed(b, t->name, &c);
	json_decref(root);
	free(c.out);
	return ok;
}
