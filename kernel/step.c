/* step.c - which callback of which instance is running, for the sandbox of plug-ins
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel/check/sandbox.h"
#include "sim.h"

void hd__at(struct hd_sim *s, const struct hd_instance *in, enum hd_call call)
{
	if (s->sandbox) {
		s->sandbox->step = call;
		s->sandbox->value[0] = in->number;
	}
}
