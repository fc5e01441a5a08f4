/* simulate.c - libheddle: from a netlist to a run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "handle.h"
#include "kernel/check/lint.h"

#include <dlfcn.h>

const char *heddle_result_name(int result)
{
	switch (result) {
	case HEDDLE_OK: return "ok";
	case HEDDLE_FINISHED: return "finished";
	case HEDDLE_BAD_INPUT: return "bad input";
	case HEDDLE_FAILED: return "failed";
	case HEDDLE_DEADLOCK: return "deadlock";
	case HEDDLE_BAD_CALL: return "bad call";
	case HEDDLE_NO_MEMORY: return "no memory";
	default: return "unknown";
	}
}

const char *heddle_version(void)
{
	return PACKAGE_VERSION;
}

/* May `call` still change what will be loaded?  `arg` must not be NULL. */
static bool is_early(struct heddle *h, const char *call, const void *arg)
{
	if (h->tried)
		hd__bad_call(h, "%s() after a netlist was loaded; expected it before that", call);
	else if (!arg)
		hd__bad_call(h, "%s() without an argument", call);
	return !h->tried && arg;
}

/* ---- before a netlist is loaded ---- */

/* Plug-ins find the functions that they call among global symbols only, and a program that has opened this
 * library itself, as an interpreter does, may not have made them global. */
static void open_to_plugins(void)
{
	Dl_info self;

	if (dladdr((const void *)open_to_plugins, &self) != 0 && self.dli_fname)
		dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD); /* stays open: a plug-in may be in use */
}

static int fill(struct heddle *h, const void *arg)
{
	const char *folders = getenv("HEDDLE_MODULE_PATH");

	(void)arg;
	if (folders && *folders)
		open_to_plugins();
	h->diags.each = true;
	hd__registry_init_trusting(&h->registry, &h->diags);
	return HEDDLE_OK;
}

struct heddle *heddle_new(void)
{
	struct heddle *h = calloc(1, sizeof *h);

	if (!h)
		return NULL;
	h->opt.per_item = true;
	if (hd__guarded(h, fill, NULL) == HEDDLE_OK)
		return h;
	free(h);
	return NULL;
}

static int release(struct heddle *h, const void *arg)
{
	(void)arg;
	hd__figures_free(h);
	hd__reasons_free(&h->reasons);
	hd__sim_free(h->sim);
	hd__registry_free(&h->registry);
	hd__diags_free(&h->diags);
	for (size_t i = 0; i < h->opt.nsets; i++)
		free((void *)h->opt.sets[i]);
	free((void *)h->opt.sets);
	free((void *)h->opt.input);
	for (size_t i = 0; i < sizeof h->text / sizeof *h->text; i++)
		free(h->text[i]);
	return HEDDLE_OK;
}

void heddle_free(struct heddle *h)
{
	hd__guarded(h, release, NULL);
	free(h);
}

static int plugin(struct heddle *h, const void *file)
{
	if (!is_early(h, "heddle_plugin", file))
		return HEDDLE_BAD_CALL;
	open_to_plugins();
	return hd__registry_load(&h->registry, file, &h->diags) ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

int heddle_plugin(struct heddle *h, const char *file)
{
	return hd__guarded(h, plugin, file);
}

static int set(struct heddle *h, const void *change)
{
	const char **v;

	if (!is_early(h, "heddle_set", change))
		return HEDDLE_BAD_CALL;
	v = hd__xappend((void *)h->opt.sets, h->opt.nsets, sizeof *v);
	h->opt.sets = v;
	v[h->opt.nsets] = hd__xstrdup(change);
	h->opt.nsets++;
	return HEDDLE_OK;
}

int heddle_set(struct heddle *h, const char *change)
{
	return hd__guarded(h, set, change);
}

static int input(struct heddle *h, const void *file)
{
	char *copy;

	if (!is_early(h, "heddle_input", file))
		return HEDDLE_BAD_CALL;
	copy = hd__xstrdup(file);
	free((void *)h->opt.input);
	h->opt.input = copy;
	return HEDDLE_OK;
}

int heddle_input(struct heddle *h, const char *file)
{
	return hd__guarded(h, input, file);
}

static int input_range(struct heddle *h, const void *arg)
{
	const uint64_t *range = arg;

	if (!is_early(h, "heddle_input_range", arg))
		return HEDDLE_BAD_CALL;
	if (range[0] == 0 || range[1] < range[0])
		return hd__bad_call(h, "heddle_input_range() of %llu to %llu; expected items from 1, the first "
		                       "before the last",
		                (unsigned long long)range[0], (unsigned long long)range[1]);
	h->opt.first = range[0];
	h->opt.last = range[1];
	return HEDDLE_OK;
}

int heddle_input_range(struct heddle *h, uint64_t first, uint64_t last)
{
	const uint64_t range[] = { first, last };

	return hd__guarded(h, input_range, range);
}

static void on_event(void *arg, const struct hd_instance *in, unsigned event, const int64_t *v)
{
	struct heddle *h = arg;

	if (h->reasons.sim)
		hd__reasons_event(&h->reasons, in, event, v);
}

static int flags(struct heddle *h, const void *arg)
{
	unsigned set = *(const unsigned *)arg;

	if (!is_early(h, "heddle_flags", arg))
		return HEDDLE_BAD_CALL;
	if (set & ~(unsigned)(HEDDLE_STRICT | HEDDLE_NO_SLEEP | HEDDLE_SAVES | HEDDLE_REASONS))
		return hd__bad_call(h, "heddle_flags() of %#x, which has an unknown flag", set);
	if ((set & HEDDLE_SAVES) && (set & HEDDLE_REASONS))
		return hd__bad_call(h, "heddle_flags() of HEDDLE_SAVES and HEDDLE_REASONS; expected one of them");
	h->opt.strict = set & HEDDLE_STRICT;
	h->opt.no_sleep = set & HEDDLE_NO_SLEEP;
	h->opt.saves = set & HEDDLE_SAVES;
	h->opt.event = set & HEDDLE_REASONS ? on_event : NULL;
	h->opt.event_arg = h;
	h->opt.item_over = set & HEDDLE_REASONS ? hd__reasons_part : NULL;
	h->opt.item_arg = &h->reasons;
	return HEDDLE_OK;
}

int heddle_flags(struct heddle *h, unsigned set)
{
	return hd__guarded(h, flags, &set);
}

/* ---- loading ---- */

struct source {
	const char *name, *text;
	size_t length;
};

static int load(struct heddle *h, const void *arg)
{
	const struct source *from = arg;
	struct hd_netlist *n;
	size_t errors = h->diags.errors;

	if (h->tried)
		return hd__bad_call(h, "a handle loads one netlist; expected another one of heddle_new()");
	if (!from->name || (!from->text && from->length > 0))
		return hd__bad_call(h, "heddle_load() without a netlist");
	h->tried = true;
	if (from->text)
		n = hd__netlist_parse_set(from->name, from->text, from->length, h->opt.sets, h->opt.nsets, &h->diags);
	else
		n = hd__netlist_read_set(from->name, h->opt.sets, h->opt.nsets, &h->diags);
	h->sim = n ? hd__sim_new(n, &h->registry, &h->opt, false, &h->diags) : NULL;
	if (h->sim && h->diags.errors > errors) {
		hd__sim_free(h->sim);
		h->sim = NULL;
	}
	if (h->sim && h->opt.event)
		hd__reasons_begin(&h->reasons, h->sim, false);
	if (h->sim)
		hd__lint(h->sim);
	return h->sim ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

int heddle_load(struct heddle *h, const char *netlist)
{
	const struct source from = { netlist, NULL, 0 };

	return hd__guarded(h, load, &from);
}

int heddle_load_text(struct heddle *h, const char *name, const char *text, size_t length)
{
	const struct source from = { name, text ? text : "", text ? length : 0 };

	return hd__guarded(h, load, &from);
}

/* ---- running ---- */

static int result_of(enum hd_run_status status)
{
	switch (status) {
	case HD_RUN_MORE:
	case HD_RUN_LIMIT:
	case HD_RUN_HALTED: return HEDDLE_OK;
	case HD_RUN_FINISHED: return HEDDLE_FINISHED;
	case HD_RUN_DEADLOCK: return HEDDLE_DEADLOCK;
	case HD_RUN_BAD_INPUT: return HEDDLE_BAD_INPUT;
	default: return HEDDLE_FAILED;
	}
}

static void add_lines(struct heddle *h, const char *line)
{
	while (line && *line) {
		size_t n = strcspn(line, "\n");

		hd__diag(&h->diags, HD_DIAG_ERROR, NULL, 0, 0, "%.*s", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

/* The report of a deadlock has a line for each piece of pending work. */
static void explain(struct heddle *h)
{
	hd__diag(&h->diags, HD_DIAG_ERROR, NULL, 0, 0, "deadlock at cycle %llu: nothing has happened since cycle %llu, "
	         "and these instances have work pending:", (unsigned long long)hd__sim_cycles(h->sim),
	         (unsigned long long)h->sim->still_since);
	add_lines(h, h->sim->deadlock);
	if (h->sim->withheld)
		hd__diag(&h->diags, HD_DIAG_ERROR, NULL, 0, 0, "the others wait for:");
	add_lines(h, h->sim->withheld);
}

static int run(struct heddle *h, const void *arg)
{
	const uint64_t *cycle = arg;

	if (!h->sim)
		return hd__bad_call(h, "heddle_run() without a netlist; expected heddle_load() before");
	if (h->result != HEDDLE_OK)
		return h->result;
	hd__sim_halt(h->sim, *cycle);
	h->result = result_of(hd__sim_run(h->sim, UINT64_MAX));
	if (h->result == HEDDLE_OK)
		return HEDDLE_OK;
	hd__sim_settle(h->sim);
	hd__call_end(h->sim);
	if (h->result == HEDDLE_DEADLOCK)
		explain(h);
	return h->result;
}

int heddle_run(struct heddle *h, uint64_t cycle)
{
	return hd__guarded(h, run, &cycle);
}

uint64_t heddle_cycle(const struct heddle *h)
{
	return h && !h->lost && h->sim ? hd__sim_cycles(h->sim) : 0;
}
