/* module_state.c - checks that what the kernel stores in the state of a module does not overlap
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A wrong member in an offsetof() would show much later, as a crash or as other figures.  An interface that is
 * provided is the module's own, and may have parameters and counters inside.
 */
#include "base/xalloc.h"
#include "kernel/param.h"
#include "module_check.h"

size_t hd__port_size(const struct hd_port *p)
{
	bool array = p->flags & HD_ARRAY;

	if (p->kind == HD_PROVIDES && array)
		return sizeof(struct hd_users);
	if (p->kind == HD_PROVIDES)
		return p->type != NULL ? p->type->size : 0;
	if (p->kind == HD_USES)
		return array ? sizeof(struct hd_ifs) : sizeof(const void *);
	return array ? sizeof(struct hd_ends) : sizeof(struct hd_end);
}

struct member {
	const char *kind, *name;
	size_t at, size;
	bool counter; /* may be a part of another one */
};

/* Two of a list that begin at the same offset have been reported. */
static bool clash(const struct member *a, const struct member *b)
{
	return a->at < b->at + b->size && b->at < a->at + a->size && !(a->counter && b->counter)
	       && !(a->at == b->at && a->kind == b->kind);
}

static struct member *gather(const struct hd_module *m, size_t *n)
{
	struct member *v = NULL;

	*n = 0;
#define ADD(...) (v = hd__xappend(v, *n, sizeof *v), v[(*n)++] = (struct member){ __VA_ARGS__ })
	for (const struct hd_param *p = m->params; p && p->name; p++)
		ADD("parameter", p->name, p->offset, hd__param_size(p->type), false);
	for (const struct hd_port *p = m->ports; p && p->name; p++)
		if (p->kind != HD_PROVIDES)
			ADD("port", p->name, p->offset, hd__port_size(p), false);
	for (const struct hd_queue *p = m->queues; p && p->name; p++)
		ADD("queue", p->name, p->offset, sizeof(struct hd_meter), false);
	for (const struct hd_stat *p = m->stats; p && p->name; p++)
		ADD("statistic", p->name, p->offset, sizeof(uint64_t), true);
#undef ADD
	return v;
}

bool hd__module_state(const struct hd_module *m, const char *origin, struct hd_diags *d)
{
	size_t n, errors = d->errors;
	struct member *v = gather(m, &n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (clash(&v[i], &v[k]))
				hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "module '%s' (%s): %s '%s' and %s '%s' overlap in the "
				         "state: %zu bytes at offset %zu, %zu at %zu", m->name, origin, v[k].kind, v[k].name,
				         v[i].kind, v[i].name, v[k].size, v[k].at, v[i].size, v[i].at);
	free(v);
	return d->errors == errors;
}
