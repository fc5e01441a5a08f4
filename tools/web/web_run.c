/* web_run.c - the run behind the page: what it sends, what is requested of it, and how often it is asked
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * While a page follows, the run sends its updates; else only when it pauses, resumes or ends.
 */
#include "web.h"

#define SELDOM 3600000u /* ms */
#define FOLLOWS 3.      /* seconds for which a page that has asked for news is thought to follow */

/* ---- requests ---- */

/* An answer, or an update, is due soon exactly if something waits for one. */
static void mind(struct hd_web *w)
{
	bool due = w->asked != 0 || (w->subscribed > 0 && w->subscribed < SELDOM);

	for (const struct hd_exchange *x = w->http.exchanges; x && !due; x = x->next)
		due = x->id && !x->slow;
	hd__talk_expect(&w->talk, due ? HD_TALK_PATIENCE + 2. * w->period / 1000 : 0);
}

static void ask(struct hd_web *w, const char *name, json_t *members,
                void (*answered)(struct hd_web *w, const json_t *o))
{
	hd__talk_ask(&w->talk, name, members);
	w->asked = w->talk.id;
	w->answered = answered;
	mind(w);
}

void hd__web_forward(struct hd_web *w, struct hd_exchange *x, const struct hd_web_action *a, json_t *members)
{
	hd__talk_ask(&w->talk, a->name, members);
	x->id = w->talk.id;
	mind(w);
}

/* ---- how often ---- */

static bool running(const struct hd_web *w)
{
	const char *state = json_string_value(json_object_get(w->seen.update, "state"));

	return state && strcmp(state, "running") == 0;
}

static void on_subscribed(struct hd_web *w, const json_t *o)
{
	if (json_is_true(json_object_get(o, "ok")))
		return;
	if (!w->wants_buffers) {
		const char *error = json_string_value(json_object_get(o, "error"));

		hd__talk_fail(&w->talk, "%s", error ? error : "no updates");
	}
	w->wants_buffers = false; /* there are too many */
	w->subscribed = 0;
}

static void adjust(struct hd_web *w)
{
	bool follows = ev_now(w->talk.ev) - w->followed < FOLLOWS;
	unsigned period = follows && running(w) ? w->period : SELDOM;

	if (w->asked || w->end || period == w->subscribed)
		return;
	w->subscribed = period;
	ask(w, "subscribe", w->wants_buffers ? json_pack("{s:i, s:b}", "period", (int)period, "buffers", 1)
	                                     : json_pack("{s:i}", "period", (int)period), on_subscribed);
}

void hd__web_polled(struct hd_web *w, bool follows)
{
	if (follows)
		w->followed = ev_now(w->talk.ev);
	w->http.last_seen = ev_now(w->talk.ev);
	adjust(w);
}

static void on_look(struct ev_loop *ev, ev_timer *t, int events)
{
	struct hd_web *w = t->data;

	(void)events;
	/* one that waits for the next update follows */
	for (const struct hd_exchange *x = w->http.exchanges; x; x = x->next)
		if (x->polls && x->suspended && x->follows)
			w->followed = ev_now(ev);
	adjust(w);
}

/* ---- what is constant, asked one after the other ---- */

static json_t *message_of(const json_t *o)
{
	json_t *error = json_object_get(o, "error");

	return json_is_string(error) ? json_incref(error) : json_string("the run has none");
}

static void take_each(struct hd_web *w, const json_t *o)
{
	w->pictures[1] = json_incref((json_t *)o);
}

static void take_picture(struct hd_web *w, const json_t *o)
{
	w->pictures[0] = json_incref((json_t *)o);
	ask(w, "picture", json_pack("{s:b}", "expand", 1), take_each);
}

static void take_buffers(struct hd_web *w, const json_t *o)
{
	json_t *buffers = json_object_get(o, "buffers");

	if (json_is_array(buffers))
		w->buffers = json_incref(buffers);
	else
		w->no_buffers = message_of(o);
	w->wants_buffers = w->buffers != NULL;
	ask(w, "picture", NULL, take_picture);
}

static void on_ready(void *arg)
{
	struct hd_web *w = arg;

	w->seen.hello = w->talk.hello;
	ask(w, "buffers", NULL, take_buffers);
}

json_t *hd__web_constant(const struct hd_web *w)
{
	json_t *o = json_pack("{s:O, s:i}", "hello", w->talk.hello, "period", (int)w->period);

	json_object_set(o, "buffers", w->buffers);
	json_object_set(o, "no_buffers", w->no_buffers);
	json_object_set(o, "picture", w->pictures[0]);
	json_object_set(o, "each", w->pictures[1]);
	return o;
}

/* ---- what changes ---- */

static void publish(struct hd_web *w)
{
	w->version++;
	hd__web_news(w);
}

json_t *hd__web_state(const struct hd_web *w)
{
	json_t *o = json_pack("{s:I, s:b}", "version", (json_int_t)w->version, "silent", w->silent);

	json_object_set(o, "update", w->seen.update);
	if (w->end)
		json_object_set_new(o, "end", json_string(w->end));
	if (w->message)
		json_object_set_new(o, "message", json_string(w->message));
	return o;
}

/* The answer to a request of a page is passed on. */
static void pass_on(struct hd_web *w, const json_t *o)
{
	uint64_t id = (uint64_t)json_integer_value(json_object_get(o, "id"));

	for (struct hd_exchange *x = w->http.exchanges; x && id; x = x->next)
		if (x->id == id) {
			json_t *copy = json_copy((json_t *)o);

			json_object_del(copy, "id");
			hd__web_answer(x, MHD_HTTP_OK, copy);
			return;
		}
}

static void take_update(struct hd_web *w, json_t *o)
{
	if (!hd__seen_update(&w->seen, o)) {
		hd__talk_fail(&w->talk, "bad update from the run: no state or no cycle");
		return;
	}
	if (w->talk.finished)
		w->end = "finished";
	publish(w);
}

static void on_line(void *arg, json_t *o, const char *text)
{
	struct hd_web *w = arg;

	(void)text;
	w->silent = false;
	if (json_is_string(json_object_get(o, "event"))) {
		take_update(w, o);
	} else if (w->asked && (uint64_t)json_integer_value(json_object_get(o, "id")) == w->asked) {
		w->asked = 0;
		w->answered(w, o);
	} else {
		pass_on(w, o);
	}
	if (w->talk.error)
		return;
	adjust(w);
	mind(w);
	if (!w->serving && w->seen.update)
		w->ready(w);
}

/* The run may have been suspended. */
static void on_silence(void *arg)
{
	struct hd_web *w = arg;

	w->silent = true;
	publish(w);
}

bool hd__web_run_open(struct hd_web *w, const char *path)
{
	w->talk.line = on_line;
	w->talk.ready = on_ready;
	w->talk.silence = on_silence;
	w->talk.arg = w;
	if (!hd__talk_open(&w->talk, path))
		return false;
	ev_timer_init(&w->look, on_look, 1., 1.);
	w->look.data = w;
	ev_timer_start(w->talk.ev, &w->look);
	return true;
}

void hd__web_run_ended(struct hd_web *w, const char *end, const char *message)
{
	ev_timer_stop(w->talk.ev, &w->look);
	if (!w->end)
		w->end = end;
	if (message)
		w->message = hd__xstrdup(message);
	for (struct hd_exchange *x = w->http.exchanges; x; x = x->next)
		if (x->suspended && !x->polls)
			hd__web_answer(x, MHD_HTTP_CONFLICT, json_pack("{s:b, s:s}", "ok", 0, "error",
			                                               "the run has ended"));
	publish(w);
}

void hd__web_run_close(struct hd_web *w)
{
	hd__seen_free(&w->seen);
	json_decref(w->buffers);
	json_decref(w->no_buffers);
	json_decref(w->pictures[0]);
	json_decref(w->pictures[1]);
	free(w->message);
	hd__talk_close(&w->talk);
}
