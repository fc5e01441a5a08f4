/* doubt.c - what happens in a window that the lock step has to do again
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ahead.h"

void hd__doubt(struct hd_sim *s, const struct hd_instance *in, const char *what)
{
	if (!s->in_window || s->doubt)
		return;
	s->doubt = hd__format("%s %s", in ? in->path : "the run", what);
	s->again = s->began;
}

void hd__doubt_order(struct hd_sim *s, const struct hd_instance *in, const char *what)
{
	if (!s->in_turn)
		hd__doubt(s, in, what);
}
