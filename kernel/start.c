/* start.c - calls init, start, end and fini of every instance
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * If there are plug-ins among them, a copy of the process does it first, if the program has that check.
 */
#include "sim.h"

#include <stdlib.h>

enum call { CALL_INIT, CALL_START, CALL_END, CALL_FINI };

/* Records which callback of which instance comes next, for the sandbox of plug-ins. */
static void at(struct hd_sim *s, const struct hd_instance *in, enum call call)
{
	if (s->sandbox) {
		s->sandbox->step = call;
		s->sandbox->value[0] = in->number;
	}
}

/* A callback that fails has to give a reason by hd_error() or hd_fail(). */
static void failed(struct hd_sim *s, const struct hd_instance *in, const char *callback,
                   size_t errors)
{
	if (s->diags->errors != errors)
		return;
	if (!s->opt.input && s->input_read) /* which is not the netlist's fault */
		hd__diag(s->diags, HD_DIAG_ERROR, NULL, 0, 0, "no input, and instance '%s' (module '%s') reads "
		         "one; expected %s", in->path, in->module->name,
		         s->opt.no_input ? s->opt.no_input : "the name of one");
	else
		hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, in->decl->at, NULL,
		                 "instance '%s': '%s' of module '%s' failed without a message; expected "
		                 "one by hd_error()", in->path, callback, in->module->name);
}

static bool call_init(struct hd_sim *s)
{
	bool ok = true;

	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];
		size_t errors = s->diags->errors;

		at(s, in, CALL_INIT);
		in->inited = true;
		if (!in->module->init || in->module->init(in->state, &in->ctx) == 0) {
			if (s->opt.checker)
				s->opt.checker->filled(in);
			continue;
		}
		failed(s, in, "init", errors);
		ok = false;
	}
	return ok && s->diags->errors == 0;
}

/* By instance, where its uses begin in *uses, which are sorted by user. */
static size_t *uses_by_user(const struct hd_sim *s, const struct hd_use ***uses)
{
	size_t *first = hd__xcalloc(s->ninstances + 2, sizeof *first);

	*uses = hd__xcalloc(s->nuses + 1, sizeof **uses);
	for (size_t i = 0; i < s->nuses; i++)
		first[s->uses[i].user->number + 2]++;
	for (size_t i = 2; i <= s->ninstances; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < s->nuses; i++)
		(*uses)[first[s->uses[i].user->number + 1]++] = &s->uses[i];
	return first;
}

struct hd_instance **hd__providers_first(struct hd_sim *s)
{
	struct hd_instance **order = hd__xcalloc(s->ninstances + 1, sizeof(struct hd_instance *));
	struct hd_instance **open = hd__xcalloc(s->ninstances + 1, sizeof(struct hd_instance *));
	bool *seen = hd__xcalloc(s->ninstances + 1, sizeof *seen);
	const struct hd_use **uses;
	size_t *next = uses_by_user(s, &uses), *end = hd__xcalloc(s->ninstances + 1, sizeof *end);
	size_t n = 0, depth = 0;

	for (size_t i = 0; i < s->ninstances; i++)
		end[i] = next[i + 1];
	for (size_t i = 0; i < s->ninstances; i++) {
		if (!seen[i])
			open[depth++] = &s->instances[i];
		seen[i] = true;
		while (depth > 0) {
			struct hd_instance *in = open[depth - 1], *provider;

			if (next[in->number] == end[in->number]) {
				order[n++] = in;
				depth--;
				continue;
			}
			provider = uses[next[in->number]++]->provider;
			if (!seen[provider->number])
				open[depth++] = provider;
			seen[provider->number] = true;
		}
	}
	free(open);
	free(seen);
	free(uses);
	free(next);
	free(end);
	return order;
}

/* Has `start` failed for want of an input, which a check does not have? */
static bool lacks_input(const struct hd_sim *s, size_t errors)
{
	return s->input_read && !s->opt.input && s->diags->errors == errors;
}

/* A check starts the instances, too, except those that read the input. */
static bool call_start(struct hd_sim *s, bool check_only)
{
	struct hd_instance **order = hd__providers_first(s);
	bool ok = true;

	for (size_t i = 0; i < s->ninstances && ok; i++) {
		struct hd_instance *in = order[i];
		size_t errors = s->diags->errors;

		at(s, in, CALL_START);
		s->input_read = false;
		if (in->module->start && in->module->start(in->state) != 0) {
			if (check_only && lacks_input(s, errors)) {
				if (in->array->registered->handle != NULL)
					break; /* code of others may not be ready for those that call it */
				continue;
			}
			failed(s, in, "start", errors);
			ok = false;
		} else {
			if (s->opt.checker)
				s->opt.checker->filled(in);
			if (in->rank != HD_NO_PROCESS) /* all processes run at the first edge */
				hd_wake(in->ctx.self);
		}
	}
	free(order);
	return ok && s->diags->errors == 0;
}

void hd__call_end(struct hd_sim *s)
{
	bool watched = hd__crash_enter(s, __builtin_frame_address(0));

	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		at(s, in, CALL_END);
		if (in->module->end)
			in->module->end(in->state);
	}
	hd__crash_leave(s, watched);
}

void hd__call_fini(struct hd_sim *s)
{
	bool watched = hd__crash_enter(s, __builtin_frame_address(0));

	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		at(s, in, CALL_FINI);
		if (in->inited && in->module->fini)
			in->module->fini(in->state);
		in->inited = false;
	}
	hd__crash_leave(s, watched);
}

/* ---- plug-ins ------------------------------------------------------------------------------ */

struct attempt {
	struct hd_sim *s;
	bool check_only;
};

static void try_start(void *arg, struct hd_sandbox *t)
{
	const struct attempt *a = arg;

	a->s->sandbox = t;
	if (call_init(a->s))
		call_start(a->s, a->check_only);
	hd__call_fini(a->s);
}

/* Returns true if all callbacks before a run return. */
static bool survives(struct hd_sim *s, bool check_only)
{
	static const char *const words[] = { [CALL_INIT] = "init",
		[CALL_START] = "start", [CALL_FINI] = "fini" };
	struct attempt a = { s, check_only };
	const struct hd_instance *in;
	const char *plugin;
	struct hd_sandbox t;
	char *why = hd__hooks.check->try(try_start, &a, &t);

	if (!why)
		return true;
	in = &s->instances[t.value[0]];
	plugin = hd__registry_plugin(s->registry, in->module);
	hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, in->decl->at, NULL,
	                 "instance '%s': module '%s' (%s) %s in '%s'", in->path, in->module->name,
	                 plugin ? plugin : "built in", why, words[t.step]);
	free(why);
	return false;
}

static bool has_plugins(const struct hd_sim *s)
{
	for (size_t i = 0; i < s->narrays; i++)
		if (s->arrays[i].registered->handle != NULL)
			return true;
	return false;
}

bool hd__start(struct hd_sim *s, bool check_only)
{
	bool plugins = hd__hooks.check && !s->registry->trusting && has_plugins(s);

	if (plugins && !survives(s, check_only))
		return false;
	if (plugins || s->opt.checker)
		s->crash = hd__hooks.check->crash_new(s);
	return call_init(s) && call_start(s, check_only);
}
