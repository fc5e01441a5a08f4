/* monitor_status.c - the state of a run for its clients, in answers and in updates
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "monitor.h"
#include "kernel/stats/stats.h"

json_t *hd__monitor_number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* Text of modules, which may be any bytes. */
static json_t *text_json(const char *text, size_t n)
{
	json_t *s = json_stringn(text, n);

	return s ? s : json_string("?");
}

json_t *hd__monitor_lines(const char *lines)
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
	                      hd__monitor_lines(s->deadlock), "withheld", hd__monitor_lines(s->withheld));
	json_t *circle = json_array();

	for (size_t i = 0; i < s->ncircle; i++)
		json_array_append_new(circle, json_pack("{s:s, s:s}",
			"from", s->circle[i > 0 ? i - 1 : s->ncircle - 1]->to[0].instance->path,
			"to", s->circle[i]->to[0].instance->path));
	json_object_set_new(o, "circle", circle);
	return o;
}

json_t *hd__monitor_status(const struct hd_host *h)
{
	double t = hd__host_seconds(h), share = hd__host_share(h);
	uint64_t cycle = hd__sim_cycles(h->sim);
	json_t *o = json_object();

	json_object_set_new(o, "state", json_string(hd__host_over(h) ? "finished"
	                                            : h->paused ? "paused" : "running"));
	if (hd__host_over(h))
		json_object_set_new(o, "end", json_string(hd__host_word(h)));
	json_object_set_new(o, "cycle", hd__monitor_number(cycle));
	json_object_set_new(o, "seconds", json_real(t));
	json_object_set_new(o, "rate", hd__monitor_number(t > 0 ? (uint64_t)((double)cycle / t) : 0));
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
	json_object_set_new(o, "waiting", hd__monitor_number(n));
}

void hd__monitor_update(struct hd_client *c, const char *event)
{
	struct hd_host *h = hd__monitor_host(c->m);
	json_t *o, *totals;

	hd__host_settle(h);
	totals = hd__stats_totals(h->sim);
	o = json_pack("{s:s, s:I}", "event", event, "update", (json_int_t)c->updates + 1);
	if (c->skipped)
		json_object_set_new(o, "skipped", hd__monitor_number(c->skipped));
	json_object_update_new(o, hd__monitor_status(h));
	json_object_set(o, "totals", totals);
	json_object_set_new(o, "delta", difference(totals, c->last));
	json_object_set_new(o, "rates", hd__stats_rates(h->sim));
	if (c->buffers)
		add_buffers(o, hd__monitor_buffers(c->m));
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
