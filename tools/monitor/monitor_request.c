/* monitor_request.c - the requests of clients of a run, and the answers
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

/* ---- answers ---- */

static json_t *answer_hello(struct hd_client *c, const struct values *v, json_t **error)
{
	const struct hd_sim *s = hd__monitor_host(c->m)->sim;
	json_t *input = json_string(s->opt.input ? s->opt.input : "");

	(void)v;
	(void)error;
	return json_pack("{s:s, s:i, s:s, s:o, s:s, s:I, s:o, s:o, s:b}", "heddle", PACKAGE_VERSION,
	                 "protocol", HD_MONITOR_PROTOCOL, "netlist",
	                 s->netlist->name ? s->netlist->name : "", "input",
	                 input ? input : json_string("?"), "clock", s->roots[0].clock->name, "pid",
	                 (json_int_t)getpid(), "requests", request_names(), "ratios", hd__stats_ratios(s), "dump",
	                 hd__monitor_host(c->m)->dump_window != NULL);
}

static json_t *answer_status(struct hd_client *c, const struct values *v, json_t **error)
{
	(void)v;
	(void)error;
	hd__host_settle(hd__monitor_host(c->m));
	return hd__monitor_status(hd__monitor_host(c->m));
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
	struct hd_host *h = hd__monitor_host(c->m);
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
	if (v->number[1] && hd__buffers_count(hd__monitor_buffers(c->m)) > HD_MONITOR_BUFFERS) {
		*error = words("there are %zu buffers; updates have at most %u",
		               hd__buffers_count(hd__monitor_buffers(c->m)), HD_MONITOR_BUFFERS);
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
	struct hd_host *h = hd__monitor_host(c->m);

	(void)v;
	(void)error;
	hd__host_pause(h);
	hd__monitor_changed(c->m);
	return hd__monitor_status(h);
}

static json_t *answer_resume(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = hd__monitor_host(c->m);

	(void)v;
	(void)error;
	hd__host_settle(h);
	hd__host_resume(h, UINT64_MAX);
	hd__monitor_changed(c->m);
	return hd__monitor_status(h);
}

/* The answer is sent when the goal is reached. */
static json_t *go_to(struct hd_client *c, const char *name, uint64_t cycle, const json_t *id)
{
	hd__monitor_changed(c->m); /* answers clients that waited for another goal */
	c->waits = name;
	c->wait_id = json_incref((json_t *)id);
	hd__host_resume(hd__monitor_host(c->m), cycle);
	return NULL;
}

static json_t *answer_step(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = hd__monitor_host(c->m);

	(void)error;
	hd__host_pause(h);
	return go_to(c, "step", hd__sim_cycles(h->sim) + v->number[0], v->id);
}

static json_t *answer_until(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = hd__monitor_host(c->m);
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
	struct hd_host *h = hd__monitor_host(c->m);

	(void)v;
	(void)error;
	hd__host_settle(h);
	hd__host_stop(h);
	return hd__monitor_status(h);
}

static json_t *answer_dump(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = hd__monitor_host(c->m);
	bool on = v->number[0];

	hd__host_settle(h);
	if (!h->dump_window)
		*error = json_string("the run writes no dump; start it with --dump");
	else if (!h->dump_window(h->dump_arg, on))
		*error = words("the dump could not be switched %s", on ? "on" : "off");
	if (*error)
		return NULL;
	hd__monitor_news(c->m);
	return json_pack("{s:b, s:I}", "on", on, "cycle", (json_int_t)hd__sim_cycles(h->sim));
}

static json_t *answer_buffers(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = hd__monitor_host(c->m);
	json_t *all;
	size_t n;

	hd__host_settle(h);
	all = hd__buffers_json(hd__monitor_buffers(c->m), v->text[0], HD_MONITOR_BUFFERS, &n);
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
	return json_pack("{s:o, s:o}", "cycle", hd__monitor_number(hd__sim_cycles(h->sim)), "buffers", all);
}

static json_t *answer_waits(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = hd__monitor_host(c->m);
	json_t *waits;
	size_t n;

	(void)v;
	(void)error;
	hd__host_settle(h);
	waits = hd__buffers_full(hd__monitor_buffers(c->m), HD_MONITOR_WAITS, &n);
	return json_pack("{s:o, s:o, s:o}", "cycle", hd__monitor_number(hd__sim_cycles(h->sim)), "waits",
	                 waits, "waiting", hd__monitor_number(n));
}

static json_t *answer_pending(struct hd_client *c, const struct values *v, json_t **error)
{
	struct hd_host *h = hd__monitor_host(c->m);
	json_t *lines;
	char *text;

	if (!v->text[0]) {
		*error = json_string("'select' of 'pending' is nothing; expected the path of an instance, with * and ?");
		return NULL;
	}
	hd__host_settle(h);
	text = hd__pending_text(h->sim, v->text[0]);
	if (!text) {
		*error = words("no instance is selected by '%.80s'; expected the path of one, with * and ?", v->text[0]);
		return NULL;
	}
	lines = hd__monitor_lines(text);
	free(text);
	return json_pack("{s:o, s:o}", "cycle", hd__monitor_number(hd__sim_cycles(h->sim)), "pending", lines);
}

static json_t *answer_picture(struct hd_client *c, const struct values *v, json_t **error)
{
	const struct hd_sim *s = hd__monitor_host(c->m)->sim;
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
	reply(c, name, id, hd__monitor_status(hd__monitor_host(c->m)), NULL);
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
	if (r && !error && r->running && hd__host_over(hd__monitor_host(c->m)))
		error = json_string("the run has finished");
	if (r && !error)
		body = r->answer(c, &v, &error);
	if (!o || error || body || !r)
		reply(c, r ? r->name : "", id, body,
		      body || error ? error : json_string("the line cannot be answered"));
	json_decref(o);
}
