/* policy.h - a divergence policy on a trace source, both without the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For test programs that include replay.h.
 */
#ifndef TESTS_TRACE_POLICY_H
#define TESTS_TRACE_POLICY_H

#include "replay.h"

#include <heddle/gpu/policy.h>

extern const struct hd_module hd_module_as_traced, hd_module_simt_stack, hd_module_min_pc,
	hd_module_lanes_apart;

static struct hd_ctx policy_ctx;

int hd_fail(const struct hd_ctx *c, const char *fmt, ...)
{
	(void)c;
	TELL("failure: ");
	return -1;
}

/* The events of a policy, each a line of the log. */
void hd__emit(const struct hd_ctx *c, unsigned event, const int64_t *v)
{
	const struct hd_event *e = &hd_policy_events[event];

	(void)c;
	log_add("%s", e->name);
	for (unsigned i = 1; e->fields[i].name; i++)
		log_add(e->fields[i].flags & HD_FIELD_HEX ? " %s=%x" : " %s=%d", e->fields[i].name,
		        (unsigned)v[i]);
	log_add("\n");
}

/* A policy on the only port of `source`, which has been started; choice: of its parameter `first`. */
struct policy {
	const struct hd_module *module;
	struct hd_policy *state;
	struct hd_warps warps;
	struct hd_divergence_if *face;
};

static bool policy_start(struct policy *p, const struct hd_module *m, const struct hd_trace_if *trace,
                         uint32_t first, uint32_t depth)
{
	*p = (struct policy){ .module = m, .state = calloc(1, m->state_size) };
	p->state->trace = trace;
	p->state->warps = &p->warps;
	p->face = &p->state->divergence;
	for (const struct hd_param *q = m->params; q && q->name; q++)
		*(uint32_t *)((char *)p->state + q->offset) = strcmp(q->name, "first") ? depth : first;
	return m->init(p->state, &policy_ctx) == 0 && m->start(p->state) == 0;
}

static void policy_end(struct policy *p)
{
	if (p->module->fini)
		p->module->fini(p->state);
	free(p->state);
}

#endif
