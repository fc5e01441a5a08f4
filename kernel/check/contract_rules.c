/* contract_rules.c - checks that stand between the users of interfaces and their providers (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contract.h"
#include "base/words.h"

#include <heddle/rules.h>

/* ---- what checks call ---- */

const struct hd_instance *hd_rules_caller(const struct hd_judged *k)
{
	return k->sim->contract->running;
}

const char *hd_rules_name(const struct hd_instance *in)
{
	return in != NULL ? in->path : "?";
}

bool hd_rules_plugin(const struct hd_judged *k, const struct hd_instance *in)
{
	return in != NULL && hd__registry_plugin(k->sim->registry, in->module) != NULL;
}

uint64_t hd_rules_cycle(const struct hd_judged *k)
{
	return hd__sim_cycles(k->sim);
}

static void blame(const struct hd_judged *k, const struct hd_instance *who, const char *fmt, va_list ap)
{
	char *text = hd__xvprintf(fmt, ap);

	hd__fail_of(who != NULL ? who : k->provider, text);
	free(text);
	hd__violation(k->sim->contract);
}

void hd_rules_wrong(const struct hd_judged *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	blame(k, k->provider, fmt, ap);
	va_end(ap);
}

static bool uses(const struct hd_instance *user, const struct hd_instance *provider)
{
	const struct hd_sim *s = user->ctx.sim;

	for (size_t i = 0; i < s->nuses; i++)
		if (s->uses[i].user == user && s->uses[i].provider == provider)
			return true;
	return false;
}

/* The user that calls: the only one, or that which is evaluated, or that which this one calls. */
static const struct hd_instance *user_of(const struct hd_judged *k)
{
	const struct hd_instance *caller = hd_rules_caller(k), *user = NULL, *called = NULL;
	bool several = false;

	for (size_t i = 0; i < k->sim->nuses; i++) {
		const struct hd_instance *u = k->sim->uses[i].user;

		if (!hd__provides(&k->sim->uses[i], k->provided))
			continue;
		if (u == caller)
			return caller;
		several = several || (user != NULL && user != u);
		user = u;
		if (caller != NULL && uses(caller, u))
			called = u;
	}
	return called != NULL ? called : several ? caller : user;
}

void hd_rules_misused(const struct hd_judged *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	blame(k, user_of(k), fmt, ap);
	va_end(ap);
}

void hd_rules_blame(const struct hd_judged *k, const struct hd_instance *who, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	blame(k, who, fmt, ap);
	va_end(ap);
}

void hd_rules_keep(struct hd_judged *k)
{
	size_t size = k->provider->module->state_size;

	if (k->kept == NULL)
		k->kept = hd__xcalloc(1, size + 1);
	memcpy(k->kept, k->provider->state, size);
}

bool hd_rules_same(const struct hd_judged *k)
{
	return memcmp(k->kept, k->provider->state, k->provider->module->state_size) == 0;
}

const void *hd_rules_uses(const struct hd_judged *k, const struct hd_type *type)
{
	for (size_t i = 0; i < k->sim->nuses; i++) {
		const struct hd_use *u = &k->sim->uses[i];
		const struct hd_port *p = &u->provider->module->ports[u->provider_port];

		if (u->user == k->provider && !(p->flags & HD_ARRAY) && hd__same(p->type->name, type->name)
		    && p->type->size == type->size)
			return (const char *)u->provider->state + p->offset;
	}
	return NULL;
}

/* ---- who is judged ---- */

static const struct hd_rules *rules_of(const struct hd_sim *s, const struct hd_type *t)
{
	for (size_t i = 0; s->opt.rules != NULL && s->opt.rules[i] != NULL; i++)
		for (size_t n = 0; s->opt.rules[i][n] != NULL; n++) {
			const struct hd_type *of = s->opt.rules[i][n]->type;

			if (hd__same(of->name, t->name) && of->size == t->size && of->version == t->version)
				return s->opt.rules[i][n];
		}
	return NULL;
}

static void stand(const struct hd_instance *in, const struct hd_rules *rules, void *provided)
{
	struct hd_contract *k = in->ctx.sim->contract;
	struct hd_judged *j = NULL;

	for (size_t i = 0; i < k->njudged && j == NULL; i++)
		if (k->judged[i]->provided == provided)
			j = k->judged[i];
	if (j == NULL) {
		j = hd__xcalloc(1, rules->size);
		*j = (struct hd_judged){ .sim = in->ctx.sim, .provider = in, .provided = provided, .rules = rules };
		k->judged = hd__xappend(k->judged, k->njudged, sizeof(struct hd_judged *));
		k->judged[k->njudged++] = j;
	}
	if (rules->stand)
		rules->stand(j, provided);
}

void hd__rules_stand(const struct hd_instance *in)
{
	for (const struct hd_port *p = in->module->ports; p != NULL && p->name != NULL; p++) {
		const struct hd_rules *rules = p->kind == HD_PROVIDES ? rules_of(in->ctx.sim, p->type) : NULL;
		unsigned char *at = (unsigned char *)in->state + p->offset;
		uint32_t n = 1;

		if (rules == NULL)
			continue;
		if (p->flags & HD_ARRAY) {
			const struct hd_users *users = (const struct hd_users *)(const void *)at;

			n = users->n;
			at = users->v;
		}
		for (uint32_t i = 0; i < n; i++)
			stand(in, rules, at + (size_t)i * p->type->size);
	}
}

static void add_look(struct hd_look_list *l, struct hd_judged *j)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i] == j)
			return;
	l->v = hd__xappend(l->v, l->n, sizeof *l->v);
	l->v[l->n++] = j;
}

/* Finds, for each instance, the interfaces with data to look at that it provides or uses. */
static void find_own(struct hd_contract *k, const struct hd_sim *s)
{
	for (size_t i = 0; i < k->njudged; i++) {
		struct hd_judged *j = k->judged[i];

		if (!j->rules->look)
			continue;
		add_look(&k->looks[j->provider->number].own, j);
		for (size_t u = 0; u < s->nuses; u++)
			if (s->uses[u].provider == j->provider && hd__provides(&s->uses[u], j->provided))
				add_look(&k->looks[s->uses[u].user->number].own, j);
	}
	k->looks_found = true;
}

void hd__rules_look(const struct hd_instance *in, const struct hd_instance *const *behind, size_t n)
{
	struct hd_contract *k = in->ctx.sim->contract;
	struct hd_looks *l = &k->looks[in->number];

	if (!k->looks_found)
		find_own(k, in->ctx.sim);
	if (!l->found) { /* those of the instance, and of the ones behind it */
		for (size_t b = 0; b <= n; b++) {
			const struct hd_look_list *own = &k->looks[b < n ? behind[b]->number : in->number].own;

			for (size_t i = 0; i < own->n; i++)
				add_look(&l->all, own->v[i]);
		}
		l->found = true;
	}
	for (size_t i = 0; i < l->all.n; i++)
		l->all.v[i]->rules->look(l->all.v[i], l->all.v[i]->provided);
}

void hd__rules_free(struct hd_sim *s)
{
	for (size_t i = 0; i < s->contract->njudged; i++) {
		free(s->contract->judged[i]->kept);
		free(s->contract->judged[i]);
	}
	free(s->contract->judged);
	for (size_t i = 0; i < s->ninstances; i++) {
		free(s->contract->looks[i].own.v);
		free(s->contract->looks[i].all.v);
	}
	free(s->contract->looks);
}
