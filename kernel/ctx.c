/* ctx.c - services of the kernel for modules: messages, names, gates, rows, events
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/read_file.h"
#include "rollback.h"
#include "shard.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void report(const struct hd_ctx *c, enum hd_severity sev, const char *fmt, va_list ap)
{
	struct hd_sim *s = c->sim;
	char *text = NULL;

	if (sev == HD_DIAG_ERROR)
		hd__roll_back(s, c->instance, "reported an error");
	else
		hd__roll_back_order(s, c->instance, "warned");
	if (s->nshards > 0 && s->in_window && !hd__in_turn(s))
		return; /* in one of several threads; it will be done again */
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	if (!s->in_run)
		hd__netlist_diag(s->netlist, s->diags, sev, c->instance->decl->at, NULL,
		                 "instance '%s': %s", c->instance->path, text ? text : "?");
	else
		hd__diag_in_run(s->diags, sev, c->instance->path, s->roots[0].period + 1, text ? text : "?");
	free(text);
}

int hd_error(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(c, HD_DIAG_ERROR, fmt, ap);
	va_end(ap);
	c->sim->bad_input = true;
	return -1;
}

int hd_fail(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(c, HD_DIAG_ERROR, fmt, ap);
	va_end(ap);
	c->sim->failed = true;
	return -1;
}

void hd_warn(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(c, HD_DIAG_WARNING, fmt, ap);
	va_end(ap);
}

int hd_wrong(const struct hd_ctx *c, const void *interface, const char *fmt, ...)
{
	const struct hd_sim *s = c->sim;
	const struct hd_instance *by = NULL;
	va_list ap;
	char *text;

	for (size_t i = 0; i < s->nuses && by == NULL; i++)
		if (s->uses[i].user == c->instance && hd__provides(&s->uses[i], interface))
			by = s->uses[i].provider;
	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__fail_of(by != NULL ? by : c->instance, text);
	free(text);
	return -1;
}

void hd__fail_of(const struct hd_instance *in, const char *what)
{
	const char *plugin = hd__registry_plugin(in->ctx.sim->registry, in->module);

	if (!in->ctx.sim->failed)
		hd_fail(&in->ctx, "module '%s'%s%s%s %s", in->module->name, plugin ? " (" : "", plugin ? plugin : "",
		        plugin ? ")" : "", what);
}

const char *hd_path(const struct hd_ctx *c)
{
	return c->instance->path;
}

const char *hd_input(const struct hd_ctx *c)
{
	c->sim->input_read = true;
	return c->sim->opt.input;
}

void hd_input_range(const struct hd_ctx *c, uint64_t *first, uint64_t *last)
{
	*first = c->sim->opt.first ? c->sim->opt.first : 1;
	*last = c->sim->opt.last ? c->sim->opt.last : UINT64_MAX;
}

bool hd_next_item(const struct hd_ctx *c, uint64_t item, const char *name)
{
	struct hd_sim *s = c->sim;

	hd__roll_back_order(s, c->instance, "began with other input");
	for (size_t i = 0; i < s->opt.nleft_out; i++)
		if (s->opt.left_out[i].item == item)
			return false;
	if (s->opt.keep_going && s->item_of && s->item_of != c->instance) {
		hd_error(c, "--keep-going expects that one instance reads the input; '%s' reads it, too",
		         s->item_of->path);
		s->opt.keep_going = false;
	}
	s->item_of = c->instance;
	s->item = item;
	s->item_name = name;
	if (HD_UNLIKELY(item == s->opt.halt_item) && s->in_run && hd__sim_cycles(s) < s->limit) {
		s->limit = hd__sim_cycles(s);
		s->pause = 0;
	}
	return true;
}

static enum hd_fate fate_of(const struct hd_options *o, uint64_t item)
{
	uint64_t first = o->first ? o->first : 1;

	if (item < first)
		return HD_RUNS;
	if (o->fates)
		return item - first < o->nfates ? o->fates[item - first] : HD_RUNS;
	return item - first < o->skip ? HD_WARMS : HD_RUNS;
}

bool hd_skips(const struct hd_ctx *c, uint64_t item)
{
	return fate_of(&c->sim->opt, item) != HD_RUNS;
}

bool hd_warms(const struct hd_ctx *c, uint64_t item)
{
	return fate_of(&c->sim->opt, item) == HD_WARMS;
}

double hd_stable(const struct hd_ctx *c)
{
	return c->sim->opt.stable;
}

bool hd_keep_going(const struct hd_ctx *c)
{
	return c->sim->opt.keep_going;
}

/* A run that reads it cannot be begun again. */
static bool is_once(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

int hd_open(const struct hd_ctx *c, const char *path, const char **why)
{
	const struct hd_options *o = &c->sim->opt;
	struct stat st;
	int fd;

	if (o->ahead && is_once(path)) {
		hd__roll_back(c->sim, c->instance, "read what is not a file");
		c->sim->once = true;
		if (c->sim->rollback) { /* and it is still to be read */
			*why = "is not a file";
			return -1;
		}
	}
	fd = hd__input_open(path, why);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && (o->checker || o->keep_going || o->saves)) {
		*why = "is a pipe; expected a file, which can be read twice";
		close(fd);
		fd = -1;
	}
	return fd;
}

bool hd_strict(const struct hd_ctx *c)
{
	return c->sim->opt.strict;
}

uint32_t hd__symbol(void *sim, const char *kind, const char *name)
{
	struct hd_sim *s = sim;
	struct hd_kind *k = NULL;

	for (size_t i = 0; i < s->nkinds; i++)
		if (hd__same(s->kinds[i].name, kind))
			k = &s->kinds[i];
	if (!k) {
		s->kinds = hd__xappend(s->kinds, s->nkinds, sizeof *s->kinds);
		k = &s->kinds[s->nkinds++];
		memset(k, 0, sizeof *k);
		k->name = hd__xstrdup(kind);
	}
	for (uint32_t i = 0; i < k->n; i++)
		if (hd__same(k->symbol[i], name))
			return i;
	if (k->n == 64)
		return UINT32_MAX;
	hd__roll_back(s, NULL, "had a name for the first time");
	k->symbol[k->n] = hd__xstrdup(name);
	if (s->observer) /* the prologue of its dump has those before */
		s->opt.probe->define(s, kind, k->n, &(struct hd_cell){ "name", name, 0 }, 1);
	return k->n++;
}

uint32_t hd_symbol(const struct hd_ctx *c, const char *kind, const char *name)
{
	return hd__symbol(c->sim, kind, name);
}

const char *hd_symbol_name(const struct hd_ctx *c, const char *kind, uint32_t symbol)
{
	for (size_t i = 0; i < c->sim->nkinds; i++)
		if (hd__same(c->sim->kinds[i].name, kind) && symbol < c->sim->kinds[i].n)
			return c->sim->kinds[i].symbol[symbol];
	return "?";
}

void hd_not_apart(const struct hd_ctx *c)
{
	c->instance->not_apart = true;
}

void hd_puts_at_most(const struct hd_ctx *c, unsigned port, uint32_t n)
{
	struct hd_instance *in = c->instance;
	unsigned nports = 0;

	while (in->module->ports[nports].name)
		nports++;
	if (!in->most)
		in->most = hd__xcalloc(nports, sizeof *in->most);
	in->most[port] = n;
}

void hd_expect_finish(const struct hd_ctx *c)
{
	hd__roll_back(c->sim, c->instance, "had work again");
	if (!c->instance->working)
		c->sim->nworking++;
	c->instance->working = true;
	c->sim->finished = false;
}

void hd_finish(const struct hd_ctx *c)
{
	hd__roll_back(c->sim, c->instance, "ended in an edge that it had not foreseen");
	if (c->instance->working)
		c->sim->nworking--;
	c->instance->working = false;
	c->sim->finished = c->sim->nworking == 0;
}

void hd_gate(const struct hd_ctx *c, bool open)
{
	struct hd_sim *s = c->sim;

	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *k = &s->clocks[i];

		if (k->gatekeeper == c->instance) {
			k->open = open;
			*hd__gates_moved(s, c->instance->shard) |= UINT64_C(1) << (k->root - s->roots);
		}
	}
}

const struct hd_use *hd__find_use(const struct hd_ctx *c, unsigned port)
{
	struct hd_sim *s = c->sim;
	/* mostly it is the next one */
	size_t from = c->instance->module->ports[port].flags & HD_ARRAY ? 0 : s->found_use;

	for (size_t i = 0; i < s->nuses; i++) {
		size_t k = from + i < s->nuses ? from + i : from + i - s->nuses;

		if (s->uses[k].user != c->instance || s->uses[k].user_port != port)
			continue;
		s->found_use = k;
		return &s->uses[k];
	}
	return NULL;
}

const uint64_t *hd_passed_of(const struct hd_ctx *c, unsigned port)
{
	const struct hd_sim *s = c->sim;
	const struct hd_use *u = hd__find_use(c, port);
	const struct hd_clock *of;
	const struct hd_shard_time *t;

	if (!u || !u->provider->clock)
		return NULL;
	of = u->provider->clock;
	if (c->instance->shard == HD_NO_SHARD)
		return u->provider->ctx.passed;
	t = &s->shards[c->instance->shard].times[of->root - s->roots];
	return s->nroots > 1 ? &t->passed : &t->period;
}

void hd_cycles_of(const struct hd_ctx *c, unsigned port, const uint64_t **v, uint32_t n)
{
	const struct hd_sim *s = c->sim;
	uint32_t k = 0;

	for (size_t i = 0; i < s->nuses && k < n; i++) {
		const struct hd_instance *of = s->uses[i].provider;

		if (s->uses[i].user != c->instance || s->uses[i].user_port != port)
			continue;
		if (!of->clock || c->instance->shard == HD_NO_SHARD)
			v[k++] = of->clock ? of->ctx.cycle : NULL;
		else
			v[k++] = &s->shards[c->instance->shard].times[of->clock->root - s->roots].period;
	}
}

void hd_wake_apart(const struct hd_ctx *c, struct hd_waker w)
{
	struct hd_shard *shard = c->instance->shard == HD_NO_SHARD ? NULL : &c->sim->shards[c->instance->shard];

	if (shard && shard->runs)
		shard->woke = 1;
	else
		hd_wake(w);
}

void hd_progress(const struct hd_ctx *c, double done, double total)
{
	struct hd_instance *in = c->instance;

	c->sim->done += done - in->done;
	c->sim->total += total - in->total;
	in->done = done;
	in->total = total;
}

/* ---- calls that are passed on to the recorder ---- */

/* The probe of a pool that is watched, or NULL. */
static inline const struct hd_probe *probe_of(const struct hd_pool *p)
{
	const struct hd_watch *w = p->transactions;

	return w ? w->probe : NULL;
}

/* A function of its own, so that the other case keeps nothing over a call. */
static __attribute__((noinline)) void emit_slowly(const struct hd_ctx *c, unsigned event, const int64_t *v)
{
	const struct hd_sim *s = c->sim;

	if (s->opt.event)
		s->opt.event(s->opt.event_arg, c->instance, event, v);
	if (s->observer)
		s->opt.probe->emit(c, event, v);
}

void hd__emit(const struct hd_ctx *c, unsigned event, const int64_t *v)
{
	struct hd_sim *s = c->sim;
	const struct hd_instance *in = c->instance;

	/* if there is a recorder alone, only those of its events come here that are in the dump */
	if (HD_UNLIKELY(s->opt.event != NULL || event >= 31 || !in->events
	                || !hd__log_event(&s->log, &in->events[event], in->number, v)))
		emit_slowly(c, event, v);
}

void hd_in_turn(const struct hd_ctx *c, uint32_t turns, uint32_t turn)
{
	struct hd_instance *in = &c->sim->instances[c->instance->number];

	if (turns < 2 || in->clock != c->sim->roots[0].clock) /* edges of others have numbers of their own */
		return;
	in->turns = turns;
	in->turn = turn % turns;
}

void hd__mark(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle, unsigned mark,
              uint32_t arg)
{
	const struct hd_watch *w = p->transactions;

	if (!w || (w->log && hd__log_mark(p->transactions, handle, c->instance->marks[mark], arg)))
		return;
	if (w->probe)
		w->probe->mark(c, p, handle, mark, arg);
}

void hd__mark_before(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle, unsigned mark,
                     uint32_t cycles)
{
	const struct hd_watch *w = p->transactions;

	if (!w || (w->log && hd__log_mark_before(p->transactions, handle, c->instance->marks[mark], cycles)))
		return;
	if (w->probe)
		w->probe->mark_before(c, p, handle, mark, cycles);
}

uint32_t hd_transaction_keep(struct hd_pool *p, uint32_t handle)
{
	const struct hd_probe *probe = probe_of(p);

	return probe ? probe->transaction_keep(p, handle) : 0;
}

void hd_transaction_mark(const struct hd_ctx *c, struct hd_pool *p, uint32_t transaction,
                         unsigned mark, uint32_t arg)
{
	const struct hd_probe *probe = probe_of(p);

	if (probe && transaction)
		probe->transaction_mark(c, p, transaction, mark, arg);
}

void hd_transaction_end(struct hd_pool *p, uint32_t transaction)
{
	const struct hd_probe *probe = probe_of(p);

	if (probe && transaction)
		probe->transaction_end(p, transaction);
}

uint32_t hd_stall_cause(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot)
{
	return c->sim->observer ? c->sim->opt.probe->stall_cause(c, end, slot, NULL) : 0;
}

uint32_t hd_stall_watch(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot, bool *wakes)
{
	*wakes = true;
	return c->sim->observer ? c->sim->opt.probe->stall_cause(c, end, slot, wakes) : 0;
}

uint32_t hd_waker_number(const struct hd_ctx *c, struct hd_waker w)
{
	const struct hd_sim *s = c->sim;

	return w.word == &s->no_process ? 0 : (uint32_t)(w.word - s->awake) * 64 + hd_bits_first(w.bit) + 1;
}

void hd_wake_number(const struct hd_ctx *c, uint32_t number)
{
	const struct hd_sim *s = c->sim;

	if (number > 0 && number <= s->nprocesses)
		s->awake[(number - 1) / 64] |= UINT64_C(1) << ((number - 1) % 64);
}

void hd_define(const struct hd_ctx *c, const char *names, uint64_t id, const struct hd_cell *cells,
               unsigned n)
{
	if (c->sim->opt.probe)
		c->sim->opt.probe->define(c->sim, names, id, cells, n);
}

/* ---- calls that are passed on to statistics and checks ---- */

void hd_row(const struct hd_ctx *c, const char *table, const struct hd_cell *cells, unsigned n)
{
	if (hd__hooks.stats)
		hd__hooks.stats->row(c, table, cells, n, NULL);
}

void hd_row_part(const struct hd_ctx *c, const char *table, uint32_t part, const struct hd_cell *cells, unsigned n)
{
	if (hd__hooks.stats)
		hd__hooks.stats->row(c, table, cells, n, &part);
}

void hd_parts_overlap(const struct hd_ctx *c)
{
	if (hd__hooks.stats)
		hd__hooks.stats->parts(c->sim);
}

void hd__for_part(struct hd_ctx *c, uint32_t part)
{
	if (c->instance->parts)
		hd__hooks.stats->part_begins(c->instance, part);
	c->part = part;
}

void hd_slot_taken(const struct hd_ctx *c, uint32_t slot)
{
	if (HD_UNLIKELY(c->sim->opt.checker != NULL))
		c->sim->opt.checker->slot_taken(c->instance, slot);
}

void hd_report_pending(struct hd_pending *h, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	h->add(h, text);
	free(text);
}
