/* doubt.c - what happens in a window that the lock step has to do again
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ahead.h"

#include <stdlib.h>

void hd__doubt(struct hd_sim *s, const struct hd_instance *in, const char *what)
{
	char *none = NULL, *text;

	if (!s->in_window || hd__doubted(s))
		return;
	text = hd__format("%s %s", in ? in->path : "the run", what);
	if (!__atomic_compare_exchange_n(&s->doubt, &none, text, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		free(text); /* another thread was first */
	else
		s->again = s->began;
}

void hd__doubt_order(struct hd_sim *s, const struct hd_instance *in, const char *what)
{
	if (!s->in_turn)
		hd__doubt(s, in, what);
}
