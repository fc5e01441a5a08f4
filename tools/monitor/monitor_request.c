/* monitor_request.c - the requests of clients of a run, the answers, and updates
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "monitor.h"
#include "base/words.h"
#include "kernel/stats/stats.h"
#include "tools/graph/picture.h"

#include <inttypes.h>
#include <unistd.h>

#define SHORTEST_PERIOD 10u      /* ms between updates */
#define LONGEST_PERIOD 3600000u

enum member_type { NUMBER, TEXT, SWITCH };

/* A member of a request besides "request" and "id". */
struct member {
	const char *name;
	enum member_type type;
	uint64_t min, max, def; /* NUMBER; def 0: it must be given, also of SWITCH, which is else false */
};

/* The values, in the order of the members; those of TEXT point into the request, or are NULL. */
struct values {
	uint64_t number[2];
	const char *text[2];
	const json_t *id;
};

struct request {
	const char *name;
	struct member members[2];
	/* The answer without its head.  NULL: it is sent later, or *error is a message, which the
	 * caller drops. */
	json_t *(*answer)(struct hd_client *c, const struct values *v, json_t **error);
	bool running; /* only before the end of the run */
};

static json_t *request_names(void);

/* Quoted text may be cut in the middle of a character: then that is left out. */
static json_t *HD_PRINTF(1, 2) words(const char *fmt, ...)
{
	char text[1400];
	json_t *s;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	s = json_string(text);
	if (s)
		return s;
	for (char *p = text; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	return json_string(text);
}

/* ---- the state of a run ---- */

/* Made when they are first asked for. */
static struct hd_buffers *buffers(struct hd_monitor *m)
{
	if (!m->buffers)
		m->buffers = hd__buffers_new(m->host->sim);
	return m->buffers;
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* Text of modules, which may be any bytes. */
static json_t *text_json(const char *text, size_t n)
{
	json_t *s = json_stringn(text, n);

	return s ? s : json_string("?");
}

static json_t *lines_json(const char *lines)
{
	json_t *all = json_array();

	while (lines && *lines) {
		size_t n = strcspn(lines, "\n");
		const char *begin = lines + strspn(lines, " "), *colon = strstr(begin, ": ");

		if (colon && colon < lines + n)
			json_array_append_new(all, json_pack("{s:o, s:o}",
				"path", text_json(begin, (size_t)(colon - begin)),
				"text", text_json(colon + 2, (size_t)(lines + n - colon - 2))));
		lines += n + (lines[n] == '\n');
	}
	return all;
}

/* The rows that modules reported about finished parts of the input: their number, and the last. */
static json_t *tables(const struct hd_sim *s)
{
	json_t *all = json_object();
	const char *name;

	for (size_t i = 0; (name = hd__row_table(s, i)) != NULL; i++) {
		size_t n = hd__rows(s, name);

		json_object_set_new(all, name, json_pack("{s:I, s:o*}", "rows", (json_int_t)n, "last",
		                                         n ? hd__row(s, name, n - 1) : NULL));
	}
	return all;
}

/* Where nothing moves any more, and why. */
static json_t *deadlock(const struct hd_sim *s)
{
	json_t *o = json_pack("{s:I, s:o, s:o}", "since", (json_int_t)s->still_since, "pending",
	                      lines_json(s->deadlock), "withheld", lines_json(s->withheld));
	json_t *circle = json_array();

	for (size_t i = 0; i < s->ncircle; i++)
		json_array_append_new(circle, json_pack("{s:s, s:s}",
			"from", s->circle[i > 0 ? i - 1 : s->ncircle - 1]->to[0].instance->path,
			"to", s->circle[i]->to[0].instance->path));
	json_object_set_new(o, "circle", circle);
	return o;
}

static json_t *status(const struct hd_host *h)
{
	double t = hd__host_seconds(h), share = hd__host_share(h);
	uint64_t cycle = hd__sim_cycles(h->sim);
	json_t *o = json_object();

	json_object_set_new(o, "state", json_string(hd__host_over(h) ? "finished"
	                                            : h->paused ? "paused" : "running"));
	if (hd__host_over(h))
		json_object_set_new(o, "end", json_string(hd__host_word(h)));
	json_object_set_new(o, "cycle", number(cycle));
	json_object_set_new(o, "seconds", json_real(t));
	json_object_set_new(o, "rate", number(t > 0 ? (uint64_t)((double)cycle / t) : 0));
	if (share > 0)
		json_object_set_new(o, "share", json_real(share));
	if (share > 0 && share < 1) /* what has been read is not all done */
		json_object_set_new(o, "left", json_real(t * (1 - share) / share));
	json_object_set_new(o, "tables", tables(h->sim));
	if (h->dump_is_on)
		json_object_set_new(o, "recording", json_boolean(h->dump_is_on(h->dump_arg)));
	if (h->sim->deadlock && hd__host_over(h))
		json_object_set_new(o, "deadlock", deadlock(h->sim));
	return o;
}

/* The increments of the figures. */
static json_t *difference(const json_t *now, const json_t *before)
{
	json_t *o = json_object(), *v;
	const char *key;

	json_object_foreach((json_t *)now, key, v) {
		const json_t *old = json_object_get(before, key);

		if (json_is_object(v))
			json_object_set_new(o, key, difference(v, old));
		else
			json_object_set_new(o, key,
			                    json_integer(json_integer_value(v) - json_integer_value(old)));
	}
	return o;
}

/* What changes of the buffers: the rest of them is constant, see the request "buffers". */
static void add_buffers(json_t *o, const struct hd_buffers *b)
{
	json_t *waits;
	size_t n;

	json_object_set_new(o, "inside", hd__buffers_inside(b));
	json_object_set_new(o, "passed", hd__buffers_passed(b));
	waits = hd__buffers_full(b, HD_MONITOR_WAITS, &n);
	json_object_set_new(o, "waits", waits);
	json_object_set_new(o, "waiting", number(n));
}

void hd__monitor_update(struct hd_client *c, const char *event)
{
	struct hd_host *h = c->m->host;
	json_t *o, *totals;

	hd__host_settle(h);
	totals = hd__stats_totals(h->sim);
	o = json_pack("{s:s, s:I}", "event", event, "update", (json_int_t)c->updates + 1);
	if (c->skipped)
		json_object_set_new(o, "skipped", number(c->skipped));
	json_object_update_new(o, status(h));
	json_object_set(o, "totals", totals);
	json_object_set_new(o, "delta", difference(totals, c->last));
	json_object_set_new(o, "rates", hd__stats_rates(h->sim));
	if (c->buffers)
		add_buffers(o, buffers(c->m));
	if (hd__client_send(c, o)) {
		json_decref(c->last);
		c->last = totals;
		c->updates++;
		c->skipped = 0;
	} else {
		json_decref(totals);
		c->skipped++;
	}
}

/* ---- notices ---- */

/* Something changed that updates have: sends one to each client that subscribed. */
static void news(struct hd_monitor *m)
{
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
		struct hd_peer *p = m->peers[i];

		/* not at once: the client that requested the change may be in the middle of an
		 * answer */
		if (p && !p->closing && p->client.period > 0)
			hd__client_subscribed(&p->client);
	}
}

void hd__monitor_changed(struct hd_monitor *m)
{
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
		struct hd_peer *p = m->peers[i];

		if (!p || p->closing)
			continue;
		if (p->client.waits)
			hd__monitor_arrived(&p->client);
		hd__peer_look_soon(p);
	}
	news(m);
}

/* ---- answers ---- */

static json_t *answer_hello(struct hd_client *c, const struct values *v, json_t **error)
{
	const struct hd_sim *s = c->m->host->sim;
	json_t *input = json_string(s->opt.input ? s->opt.input : "");

	(void)v;
	(void)error;
	return json_pack("{s:s, s:i, s:s, s:o, s:s, s:I, s:o, s:o, s:b}", "heddle", PACKAGE_VERSION,
	                 "protocol", HD_MONITOR_PROTOCOL, "netlist",
	                 s->netlist->name ? s->netlist->name : "", "input",
	                 input ? input : json_string("?"), "clock", s->roots[0].clock->name, "pid",
	                 (json_int_t)getpid(), "requests", request_names(), "ratios", hd__stats_ratios(s), "dump",
	                 c->m->host->dump_window != NULL);
}

static json_t *answer_status(struct hd_client *c, const struct values *v, json_t **error)
{
	(void)v;
	(void)error;
	hd__host_settle(c->m->host);
	return status(c->m->host);
}

/* The nearest to a pattern that selects nothing: paths, and names of counters. */
static json_t *nothing_selected(const struct hd_sim *s, const char *pattern)
{
	size_t n = 0, cap = 0;
	const char **names = NULL, *near;

	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].module->stats) {
			names = hd__xgrow(names, n, &cap, sizeof *names);
			names[n++] = s->instances[i].path;
		}
	for (size_t i = 0; i < s->narrays; i++)
		for (const struct hd_stat *st = s->arrays[i].module->stats; st && st->name; st++) {
			names = hd__xgrow(names, n, &cap, sizeof *names);
			names[n++] = st->name;
		}
	near = hd__nearest(pattern, names, n);
	free(names);
	if (near)
		return words("no counter is selected by '%.80s'; did you mean '%s'?", pattern, near);
	return words("no counter is selected by '%.80s'; expected a path, a name or both, like "
	                    "'*.busy', with * and ?", pattern);
}

static json_t *answer_counters(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;
	json_t *all;
	size_t n;

	hd__host_settle(h);
	all = hd__stats_select(h->sim, v->text[0], HD_MONITOR_COUNTERS, &n);
	if (n > HD_MONITOR_COUNTERS)
		*error = words("%zu counters are selected; expected at most %u, so give a pattern as "
		                      "'select'", n, HD_MONITOR_COUNTERS);
	else if (n == 0 && v->text[0])
		*error = nothing_selected(h->sim, v->text[0]);
	if (*error) {
		json_decref(all);
		return NULL;
	}
	return json_pack("{s:I, s:o, s:o}", "cycle", (json_int_t)hd__sim_cycles(h->sim), "totals",
	                 hd__stats_totals(h->sim), "instances", all);
}

static json_t *answer_subscribe(struct hd_client *c, const struct values *v, json_t **error)
{
	if (v->number[1] && hd__buffers_count(buffers(c->m)) > HD_MONITOR_BUFFERS) {
		*error = words("there are %zu buffers; updates have at most %u",
		               hd__buffers_count(buffers(c->m)), HD_MONITOR_BUFFERS);
		return NULL;
	}
	c->buffers = v->number[1];
	c->period = (double)v->number[0] / 1000;
	hd__client_subscribed(c);
	return json_pack("{s:I}", "period", (json_int_t)v->number[0]);
}

static json_t *answer_unsubscribe(struct hd_client *c, const struct values *v, json_t **error)
{
	(void)v;
	(void)error;
	c->period = 0;
	hd__client_subscribed(c);
	return json_object();
}

static json_t *answer_pause(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;

	(void)v;
	(void)error;
	hd__host_pause(h);
	hd__monitor_changed(c->m);
	return status(h);
}

static json_t *answer_resume(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;

	(void)v;
	(void)error;
	hd__host_settle(h);
	hd__host_resume(h, UINT64_MAX);
	hd__monitor_changed(c->m);
	return status(h);
}

/* The answer is sent when the goal is reached. */
static json_t *go_to(struct hd_client *c, const char *name, uint64_t cycle, const json_t *id)
{
	hd__monitor_changed(c->m); /* answers clients that waited for another goal */
	c->waits = name;
	c->wait_id = json_incref((json_t *)id);
	hd__host_resume(c->m->host, cycle);
	return NULL;
}

static json_t *answer_step(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;

	(void)error;
	hd__host_pause(h);
	return go_to(c, "step", hd__sim_cycles(h->sim) + v->number[0], v->id);
}

static json_t *answer_until(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;
	uint64_t now;

	hd__host_settle(h);
	now = hd__sim_cycles(h->sim);
	if (v->number[0] < now) {
		*error = words("cycle %" PRIu64 " has passed; the run is at %" PRIu64, v->number[0],
		                      now);
		return NULL;
	}
	return go_to(c, "until", v->number[0], v->id);
}

static json_t *answer_stop(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;

	(void)v;
	(void)error;
	hd__host_settle(h);
	hd__host_stop(h);
	return status(h);
}

static json_t *answer_dump(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;
	bool on = v->number[0];

	hd__host_settle(h);
	if (!h->dump_window)
		*error = json_string("the run writes no dump; start it with --dump");
	else if (!h->dump_window(h->dump_arg, on))
		*error = words("the dump could not be switched %s", on ? "on" : "off");
	if (*error)
		return NULL;
	news(c->m);
	return json_pack("{s:b, s:I}", "on", on, "cycle", (json_int_t)hd__sim_cycles(h->sim));
}

static json_t *answer_buffers(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;
	json_t *all;
	size_t n;

	hd__host_settle(h);
	all = hd__buffers_json(buffers(c->m), v->text[0], HD_MONITOR_BUFFERS, &n);
	if (n > HD_MONITOR_BUFFERS)
		*error = words("%zu buffers are selected; expected at most %u, so give a pattern as 'select'", n,
		               HD_MONITOR_BUFFERS);
	else if (n == 0 && v->text[0])
		*error = words("no buffer is selected by '%.80s'; expected the name of one, or the path of an "
		               "instance at one of its ends, with * and ?", v->text[0]);
	if (*error) {
		json_decref(all);
		return NULL;
	}
	return json_pack("{s:o, s:o}", "cycle", number(hd__sim_cycles(h->sim)), "buffers", all);
}

static json_t *answer_waits(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;
	json_t *waits;
	size_t n;

	(void)v;
	(void)error;
	hd__host_settle(h);
	waits = hd__buffers_full(buffers(c->m), HD_MONITOR_WAITS, &n);
	return json_pack("{s:o, s:o, s:o}", "cycle", number(hd__sim_cycles(h->sim)), "waits",
	                 waits, "waiting", number(n));
}

static json_t *answer_pending(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = c->m->host;
	json_t *lines;
	char *text;

	if (!v->text[0]) {
		*error = json_string("'select' of 'pending' is nothing; expected the path of an instance, with * "
		                     "and ?");
		return NULL;
	}
	hd__host_settle(h);
	text = hd__pending_text(h->sim, v->text[0]);
	if (!text) {
		*error = words("no instance is selected by '%.80s'; expected the path of one, with * and ?",
		               v->text[0]);
		return NULL;
	}
	lines = lines_json(text);
	free(text);
	return json_pack("{s:o, s:o}", "cycle", number(hd__sim_cycles(h->sim)), "pending", lines);
}

static json_t *answer_picture(struct hd_client *c, const struct values *v, json_t **error)
{
	const struct hd_sim *s = c->m->host->sim;
	struct hd_picture_options o = { .expand = v->number[0], .bare = true };
	struct hd_picture *p;
	json_t *text;
	char *svg;
	size_t size;
	FILE *out;

	if (o.expand && s->ninstances > HD_MONITOR_EACH) {
		*error = words("there are %zu instances; a picture of each has at most %u", s->ninstances,
		               HD_MONITOR_EACH);
		return NULL;
	}
	out = hd__xcheck(open_memstream(&svg, &size));
	p = hd__picture_of_sim(s);
	hd__picture_svg(p, &o, out);
	hd__picture_free(p);
	fclose(out);
	text = json_stringn(svg, size);
	free(svg);
	if (!text)
		*error = json_string("the picture is not UTF-8");
	return text ? json_pack("{s:o}", "svg", text) : NULL;
}

static const struct request requests[] = {
	{ "hello", { { NULL, 0, 0, 0, 0 } }, answer_hello, false },
	{ "status", { { NULL, 0, 0, 0, 0 } }, answer_status, false },
	{ "counters", { { "select", TEXT, 0, 0, 0 } }, answer_counters, false },
	{ "buffers", { { "select", TEXT, 0, 0, 0 } }, answer_buffers, false },
	{ "waits", { { NULL, 0, 0, 0, 0 } }, answer_waits, false },
	{ "pending", { { "select", TEXT, 0, 0, 0 } }, answer_pending, false },
	{ "picture", { { "expand", SWITCH, 0, 0, 1 } }, answer_picture, false },
	{ "subscribe", { { "period", NUMBER, SHORTEST_PERIOD, LONGEST_PERIOD, 0 },
	  { "buffers", SWITCH, 0, 0, 1 } }, answer_subscribe, false },
	{ "unsubscribe", { { NULL, 0, 0, 0, 0 } }, answer_unsubscribe, false },
	{ "pause", { { NULL, 0, 0, 0, 0 } }, answer_pause, true },
	{ "resume", { { NULL, 0, 0, 0, 0 } }, answer_resume, true },
	{ "step", { { "cycles", NUMBER, 1, UINT64_C(1) << 62, 1 } }, answer_step, true },
	{ "until", { { "cycle", NUMBER, 1, UINT64_C(1) << 62, 0 } }, answer_until, true },
	{ "stop", { { NULL, 0, 0, 0, 0 } }, answer_stop, true },
	{ "dump", { { "on", SWITCH, 0, 0, 0 } }, answer_dump, true },
	{ NULL, { { NULL, 0, 0, 0, 0 } }, NULL, false },
};

static json_t *request_names(void)
{
	json_t *names = json_array();

	for (const struct request *r = requests; r->name; r++)
		json_array_append_new(names, json_string(r->name));
	return names;
}

/* ---- reading ---- */

/* "unknown request 'x'; did you mean 'y'?" */
static json_t *unknown(const char *what, const char *word, const char *const *names, size_t n)
{
	char rest[1100];

	return words("%s '%.60s'%s", what, word,
	                    hd__suggest(word, names, n, "expected one of", rest, sizeof rest));
}

static const struct request *find(const json_t *o, json_t **error)
{
	const json_t *name = json_object_get(o, "request");
	const char *names[32];
	size_t n = 0;

	if (!json_is_string(name)) {
		*error = words("expected an object with a string \"request\", like "
		                     "{\"request\": \"status\"}");
		return NULL;
	}
	for (const struct request *r = requests; r->name; r++) {
		if (strcmp(r->name, json_string_value(name)) == 0)
			return r;
		names[n++] = r->name;
	}
	*error = unknown("unknown request", json_string_value(name), names, n);
	return NULL;
}

static json_t *bad_value(const struct request *r, const struct member *m, const json_t *v)
{
	char found[120];

	if (v)
		hd__found(v, found, sizeof found);
	else
		strcpy(found, "nothing");
	if (m->type == NUMBER)
		return words("'%s' of '%s' is %s; expected an integer %" PRIu64 "..%" PRIu64, m->name,
		                    r->name, found, m->min, m->max);
	return words("'%s' of '%s' is %s; expected %s", m->name, r->name, found,
	                    m->type == TEXT ? "a string" : "true or false");
}

/* Reads one member.  Returns NULL, or an error message. */
static json_t *read_member(const struct request *r, unsigned i, const json_t *o, struct values *v)
{
	const struct member *m = &r->members[i];
	const json_t *given = json_object_get(o, m->name);
	json_int_t n = json_integer_value(given);
	bool ok = true;

	if (m->type == TEXT) {
		v->text[i] = json_string_value(given);
		ok = !given || v->text[i];
	} else if (m->type == SWITCH) {
		v->number[i] = json_is_true(given);
		ok = given ? json_is_boolean(given) : m->def > 0;
	} else {
		v->number[i] = given ? (uint64_t)n : m->def;
		ok = given ? json_is_integer(given) && n >= 0 && v->number[i] >= m->min
		             && v->number[i] <= m->max
		           : m->def > 0;
	}
	return ok ? NULL : bad_value(r, m, given);
}

static json_t *read_members(const struct request *r, json_t *o, struct values *v)
{
	const char *names[4] = { "request", "id" }, *key;
	size_t n = 2;
	json_t *value, *error = NULL;

	for (unsigned i = 0; i < 2 && r->members[i].name; i++)
		names[n++] = r->members[i].name;
	json_object_foreach(o, key, value) {
		bool known = false;

		for (size_t i = 0; i < n; i++)
			known = known || strcmp(key, names[i]) == 0;
		if (!known)
			return unknown("unknown member", key, names, n);
	}
	for (unsigned i = 0; i < 2 && r->members[i].name && !error; i++)
		error = read_member(r, i, o, v);
	return error;
}

static void reply(struct hd_client *c, const char *name, const json_t *id, json_t *body,
                  json_t *error)
{
	json_t *o = json_pack("{s:s, s:b}", "reply", name, "ok", error == NULL);

	if (id)
		json_object_set(o, "id", (json_t *)id);
	if (error)
		json_object_set(o, "error", error);
	if (body)
		json_object_update(o, body);
	json_decref(body);
	json_decref(error);
	if (!hd__client_send(c, o))
		hd__client_send(c, json_pack("{s:s, s:b, s:s}", "reply", name, "ok", 0, "error",
		                             "the answer is too long; request less"));
}

void hd__monitor_arrived(struct hd_client *c)
{
	const char *name = c->waits;
	json_t *id = c->wait_id;

	c->waits = NULL;
	c->wait_id = NULL;
	reply(c, name, id, status(c->m->host), NULL);
	json_decref(id);
}

void hd__monitor_request(struct hd_client *c, const char *line, size_t size)
{
	json_error_t bad;
	json_t *o = json_loadb(line, size, JSON_REJECT_DUPLICATES, &bad), *error = NULL, *body = NULL;
	const struct request *r = NULL;
	const json_t *id = json_object_get(o, "id");
	struct values v = { .id = id };

	if (!o)
		error = words("bad JSON: %.100s at column %d; expected an object on one line, like "
		                     "{\"request\": \"status\"}", bad.text, bad.column);
	else
		r = find(o, &error);
	if (r && id && !json_is_string(id) && !json_is_integer(id)) {
		error = json_string("'id' is neither a string nor an integer");
		id = NULL;
	}
	if (r && !error)
		error = read_members(r, o, &v);
	if (r && !error && r->running && hd__host_over(c->m->host))
		error = json_string("the run has finished");
	if (r && !error)
		body = r->answer(c, &v, &error);
	if (!o || error || body || !r)
		reply(c, r ? r->name : "", id, body,
		      body || error ? error : json_string("the line cannot be answered"));
	json_decref(o);
}
