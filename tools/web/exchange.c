/* exchange.c - the answers to requests of a browser, and when they are sent
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "web.h"

char *hd__web_text(json_t *o)
{
	char *text = hd__xcheck(json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15)));

	json_decref(o);
	return text;
}

/* Something happened that the server has to look at. */
static void kick(struct hd_http *h, struct ev_loop *ev)
{
	ev_timer_stop(ev, &h->timer);
	ev_timer_set(&h->timer, 0, 0);
	ev_timer_start(ev, &h->timer);
}

void hd__web_wake(struct hd_exchange *x)
{
	struct hd_http *h = &x->web->http;

	x->answered = true;
	if (!x->suspended)
		return;
	x->suspended = false;
	h->waiting--;
	MHD_resume_connection(x->connection);
	kick(h, x->web->talk.ev);
}

void hd__web_answer(struct hd_exchange *x, unsigned status, json_t *body)
{
	x->status = status;
	x->answer = hd__web_text(body);
	x->id = 0;
	hd__web_wake(x);
}

void hd__web_refuse(struct hd_exchange *x, unsigned status, const char *why)
{
	json_t *text = json_string(why);

	hd__web_answer(x, status, json_pack("{s:b, s:o}", "ok", 0, "error",
	                                    text ? text : json_string("bad request: not UTF-8")));
}

void hd__web_news(struct hd_web *w)
{
	for (struct hd_exchange *x = w->http.exchanges; x; x = x->next)
		if (x->polls && x->suspended)
			hd__web_wake(x);
}
