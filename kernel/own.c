/* own.c - memory that is freed with the simulation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sim.h"

void *hd__own(struct hd_sim *s, void *p)
{
	s->owned = hd__xgrow(s->owned, s->nowned, &s->capowned, sizeof *s->owned);
	return s->owned[s->nowned++] = p;
}
