/* rollback.c - what happens in a window that the lock step has to do again
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rollback.h"

#include <stdlib.h>

void hd__roll_back(struct hd_sim *s, const struct hd_instance *in, const char *what)
{
	char *none = NULL, *text;

	if (!s->in_window || hd__rolled_back(s))
		return;
	text = hd__format("%s %s", in ? in->path : "the run", what);
	if (!__atomic_compare_exchange_n(&s->rollback, &none, text, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		free(text); /* another thread was first */
	else
		s->again = s->began;
}

void hd__take_turn(struct hd_sim *s, bool takes)
{
	if (takes)
		__atomic_store_n(&s->turn_of, pthread_self(), __ATOMIC_RELAXED);
	__atomic_store_n(&s->in_turn, takes, __ATOMIC_RELEASE);
}

bool hd__in_turn(const struct hd_sim *s)
{
	return __atomic_load_n(&s->in_turn, __ATOMIC_ACQUIRE)
	       && pthread_equal(__atomic_load_n(&s->turn_of, __ATOMIC_RELAXED), pthread_self());
}

void hd__roll_back_order(struct hd_sim *s, const struct hd_instance *in, const char *what)
{
	if (!hd__in_turn(s))
		hd__roll_back(s, in, what);
}
