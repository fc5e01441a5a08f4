/* idle.c - between two periods: jumps of idle time, limits, the end, deadlock
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "timer.h"

/* Edges from now to the clock's next timer; UINT64_MAX if there is none. */
static uint64_t next_timer(const struct hd_sim *s, const struct hd_clock *c)
{
	uint64_t first = UINT64_MAX, armed = 0;

	for (uint32_t i = 0; i < c->nshares; i++)
		armed |= s->noted[c->shares[i].word].armed & c->shares[i].bits;
	if (armed == 0)
		return first;
	for (uint64_t m = hd_bits_rotate(c->filled, (unsigned)((c->now + 1) % HD_WHEEL)); m;) {
		uint64_t edge = c->now + 1 + hd_bits_pop(&m);

		for (const struct hd_share *v = c->shares, *end = v + c->nshares; v < end; v++)
			for (uint64_t in = s->wheels[v->word * HD_WHEEL + edge % HD_WHEEL] & v->bits
			                   & s->noted[v->word].armed; in;) {
				uint64_t due = s->processes[v->word * 64 + hd_bits_pop(&in)].due;

				first = due < first ? due : first;
			}
		if (first <= edge)
			break;
	}
	return first == UINT64_MAX ? first : first - c->now;
}

static bool any_awake(const struct hd_sim *s)
{
	uint64_t some = 0;

	for (size_t w = 0; s->ncopies > 0 && w < s->nwords; w++) /* copies are of clocks without gate */
		some |= s->awake[w] & s->copied[w];
	if (some != 0)
		return true;
	for (uint32_t i = 0; i < s->nclocks; i++) {
		const struct hd_clock *c = &s->clocks[i];

		for (uint32_t k = 0; c->on && k < c->nshares; k++)
			if (s->awake[c->shares[k].word] & c->shares[k].bits)
				return true;
	}
	return false;
}

/* Whole periods of the clock's root, from the present one, before its next timer; UINT64_MAX: no
 * timer. */
static uint64_t quiet_periods(const struct hd_sim *s, const struct hd_clock *c)
{
	uint64_t ahead = c->on ? next_timer(s, c) : UINT64_MAX;

	return ahead == UINT64_MAX ? ahead : (ahead - 1) / c->per_period;
}

/* Will any process that sleeps be evaluated again? */
static bool any_timer(const struct hd_sim *s)
{
	for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++)
		if (quiet_periods(s, hd__any_clock(s, i)) != UINT64_MAX)
			return true;
	return false;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The last period of the first root before the limit or the next call of the recorder. */
static uint64_t last_period(const struct hd_sim *s)
{
	return least(s->limit, s->observe_at) - 1;
}

/* All processes sleep at the end of a period of a single root: skips whole periods up to the next
 * timer.  Returns false if there is none: no process will run again. */
static bool jump_one(struct hd_sim *s)
{
	struct hd_root *r = &s->roots[0];
	uint64_t periods = UINT64_MAX;

	for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++) {
		uint64_t q = quiet_periods(s, hd__any_clock(s, i));

		if (q < periods)
			periods = q;
	}
	if (periods == UINT64_MAX)
		return false;
	if (periods > last_period(s) - r->period)
		periods = last_period(s) - r->period;
	for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++) {
		struct hd_clock *c = hd__any_clock(s, i);

		c->now += c->on ? periods * c->per_period : 0;
	}
	r->period += periods;
	s->move_period = r->period;
	return true;
}

/* UINT64_MAX if it is later: no run comes so far. */
static uint64_t tick_of(const struct hd_root *r, uint64_t period)
{
	uint64_t tick;

	return __builtin_mul_overflow(period, (uint64_t)r->ticks, &tick) ? UINT64_MAX : tick;
}

/* Skips idle time of several roots: up to the start of the period in which the first timer fires. */
static bool jump_many(struct hd_sim *s)
{
	const struct hd_root *lead = NULL;
	uint64_t lead_tick = 0;

	s->due = 0;
	for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++) {
		const struct hd_root *r = hd__any_clock(s, i)->root;
		uint64_t q = quiet_periods(s, hd__any_clock(s, i)), tick;

		if (q == UINT64_MAX)
			continue;
		tick = tick_of(r, r->period + q);
		if (!lead || (unsigned __int128)tick * lead->rate
		             < (unsigned __int128)lead_tick * r->rate) {
			lead = r;
			lead_tick = tick;
		}
	}
	if (!lead)
		return false;
	if (last_period(s) < UINT64_MAX - 1) { /* nor past the last period to run */
		uint64_t tick = tick_of(&s->roots[0], last_period(s));

		if ((unsigned __int128)tick * lead->rate
		    < (unsigned __int128)lead_tick * s->roots[0].rate) {
			lead = &s->roots[0];
			lead_tick = tick;
		}
	}
	for (uint32_t k = 0; k < s->nroots; k++) {
		struct hd_root *r = &s->roots[k];
		uint64_t tick = (uint64_t)((unsigned __int128)lead_tick * r->rate / lead->rate);
		uint64_t period = tick / r->ticks;

		if (r->next_phase != 0 && period - r->period > UINT32_MAX)
			s->roots[0].span = 0; /* it stays so far behind that times no longer compare modulo 2^64 */
		/* whole periods only, and only of roots at the start of a period */
		if (r->next_phase != 0 || period <= r->period + 1 || r->period == UINT64_MAX)
			continue;
		period -= 1;
		for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++) {
			struct hd_clock *c = hd__any_clock(s, i);

			c->now += c->root == r && c->on ? (period - r->period) * c->per_period : 0;
		}
		r->period = period;
	}
	s->move_period = s->roots[0].period;
	return true;
}

/* Skips idle time where edges are at accumulated times, which only adding up period by period gives: at most so many
 * of all roots together, for one clock may be 100,000 times faster than another.  The rest is another jump. */
static bool jump_accumulated(struct hd_sim *s, uint64_t edges)
{
	uint64_t left[HD_MAX_ROOTS], begun[HD_MAX_ROOTS];
	bool any = false;

	for (uint32_t k = 0; k < s->nroots; k++) {
		if (s->roots[k].next_phase != 0)
			return true; /* its period is finished first */
		left[k] = UINT64_MAX;
		begun[k] = s->roots[k].period;
	}
	for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++) {
		const struct hd_clock *c = hd__any_clock(s, i);
		uint64_t q = c->on ? quiet_periods(s, c) : UINT64_MAX;

		any = any || q != UINT64_MAX;
		if (q != UINT64_MAX && q < left[c->root - s->roots])
			left[c->root - s->roots] = q;
	}
	if (!any)
		return false;
	if (left[0] > last_period(s) - s->roots[0].period)
		left[0] = last_period(s) - s->roots[0].period;
	for (bool going = true; going && left[0] > 0 && s->jumped < edges && !hd__sim_stopping(s); s->jumped++) {
		double first = s->roots[0].time;

		for (uint32_t k = 1; k < s->nroots; k++)
			if (s->roots[k].time < first)
				first = s->roots[k].time;
		for (uint32_t k = 0; k < s->nroots; k++)
			if (s->roots[k].time == first && left[k] == 0)
				going = false;
		for (uint32_t k = 0; k < s->nroots && going; k++) {
			if (s->roots[k].time != first)
				continue;
			s->roots[k].time += s->roots[k].step;
			s->roots[k].period++;
			left[k]--;
		}
	}
	for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++) {
		struct hd_clock *c = hd__any_clock(s, i);

		if (c->on)
			c->now += (c->root->period - begun[c->root - s->roots]) * c->per_period;
	}
	s->move_period = s->roots[0].period;
	return true;
}

/* For a program that does not say what is pending: is anything? */
static bool any_pending(const struct hd_sim *s)
{
	for (size_t i = 0; i < s->nchannels; i++)
		if (s->chan_of[i]->flags & HD_CHAN_SLOTS ? s->chan_of[i]->full != 0
		                                         : s->chan_of[i]->tail != s->chan_of[i]->head)
			return true;
	return s->nworking > 0;
}

static enum hd_run_status silent(struct hd_sim *s, uint64_t since)
{
	if (s->ahead && hd__hooks.parallel->has_run(s->ahead)) {
		s->rollback = hd__xstrdup("nothing happened any more");
		s->again = 0;
		return HD_RUN_AGAIN;
	}
	s->still_since = since + 1;
	if (hd__hooks.stats)
		hd__hooks.stats->deadlock(s);
	else if (any_pending(s))
		s->deadlock = hd__xstrdup("");
	return s->deadlock ? HD_RUN_DEADLOCK : HD_RUN_FINISHED;
}

/* Of FIFOs alone: too many payloads in slots do not show.  This runs again and again: without a fault it
 * touches nothing but what puts and takes touch. */
void hd__check_rooms(struct hd_sim *s)
{
	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_chan *h = s->chan_of[i];
		const struct hd_link_end *by;
		uint32_t inside = h->tail - h->head;

		if (HD_LIKELY(h->flags & HD_CHAN_SLOTS || inside <= h->capacity) || s->failed)
			continue;
		by = &s->channels[i]->from[0];
		hd_fail(&by->instance->ctx, "module '%s' has put payloads into port '%s' without room: %u in %u "
		                            "places; expected hd_room() before hd_put(); --check-modules names the "
		                            "cycle",
		        by->instance->module->name, by->instance->module->ports[by->port].name, inside, h->capacity);
	}
}

#define WATCH 1024u      /* periods from a look for a deadlock to the next */
#define SLOW_PERIODS 16u /* of every root clock without a movement before a deadlock is reported */

/* Processes are awake, but nothing has moved for a long time and no timer is armed. */
static bool stuck(struct hd_sim *s)
{
	const struct hd_root *r = &s->roots[0];
	uint64_t moves = 0; /* payloads put so far: activity ends with them */

	hd__check_rooms(s);
	for (size_t i = 0; i < s->nchannels; i++)
		moves += s->chan_of[i]->tail;
	if (moves != s->move_mark) {
		s->move_mark = moves;
		s->move_period = r->period;
		for (uint32_t i = 0; i < s->nroots; i++)
			s->roots[i].move_period = s->roots[i].period;
		return false;
	}
	if (r->period - s->move_period < s->netlist->watchdog)
		return false;
	for (uint32_t i = 1; i < s->nroots; i++) /* a slow clock has had few edges */
		if (s->roots[i].period + 1 - s->roots[i].move_period < SLOW_PERIODS)
			return false;
	for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++)
		if (hd__any_clock(s, i)->on && hd__any_armed(s, hd__any_clock(s, i)))
			return false;
	return true;
}

static bool at_limit(const struct hd_sim *s)
{
	return s->roots[0].period + 1 >= s->limit;
}

static enum hd_run_status limited(const struct hd_sim *s)
{
	return s->opt.max_cycles && s->limit == s->opt.max_cycles ? HD_RUN_LIMIT : HD_RUN_HALTED;
}

/* No process will ever be evaluated again. */
static bool still(const struct hd_sim *s)
{
	return !any_awake(s) && s->gates_moved == 0 && !any_timer(s);
}

/* Those are called that are due. */
static void observe(struct hd_sim *s)
{
	uint64_t cycles = s->roots[0].period + 1;

	if (cycles >= s->sample_at)
		s->sample_at = s->opt.sample(s->opt.sample_arg);
	if (cycles >= s->record_at)
		s->opt.probe->due(s);
	hd__observe_next(s);
}

enum hd_run_status hd__between_periods(struct hd_sim *s, bool idle, uint64_t edges)
{
	struct hd_root *r = &s->roots[0];

	s->jumped = 0;
	if (at_limit(s))
		return limited(s);
	if (HD_UNLIKELY(s->item_over))
		hd__hooks.stats->keep_item(s);
	if (HD_UNLIKELY(r->period + 1 >= s->observe_at) && r->period != UINT64_MAX)
		observe(s);
	while (HD_UNLIKELY(idle) && !s->opt.no_sleep && !any_awake(s) && s->gates_moved == 0) {
		if (!(s->nroots == 1 ? jump_one(s) : s->accumulated ? jump_accumulated(s, edges) : jump_many(s)))
			return silent(s, r->period - (r->period > 0));
		if (s->nshards > 0) /* samples and statistics may look at their time */
			hd__hooks.parallel->follow(s);
		if (at_limit(s))
			return limited(s);
		if (HD_LIKELY(r->period + 1 < s->observe_at))
			break;
		observe(s);
	}
	if (HD_UNLIKELY(idle) && s->opt.no_sleep && still(s))
		return silent(s, r->period - (r->period > 0));
	if (r->period % WATCH == 0 && stuck(s))
		return silent(s, s->move_period);
	if (HD_UNLIKELY(s->failed))
		return HD_RUN_FAILED;
	s->pause = least(least(s->limit, s->observe_at), (r->period / WATCH + 1) * WATCH + 1);
	return HD_RUN_MORE;
}

void hd__sim_halt(struct hd_sim *s, uint64_t cycles)
{
	s->limit = s->opt.max_cycles ? s->opt.max_cycles : UINT64_MAX;
	if (cycles < s->limit)
		s->limit = cycles;
	s->pause = 0;
}
