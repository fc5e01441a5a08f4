/* keep_going.c - kernels of a list that cannot run, and what becomes of them (heddle run --keep-going)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A run that fails begins again without the kernel in which it failed, so its result is that of the
 * list without the kernels that cannot run: there is no machine with half a kernel in it.
 */
#include "keep_going.h"

#include <inttypes.h>

/* What the kernel failed with: the first error, or the end of the run. */
static char *reason(const struct hd_sim *s, enum hd_run_status status, const struct hd_diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].severity == HD_DIAG_ERROR)
			return hd__xstrdup(d->v[i].text);
	if (status == HD_RUN_DEADLOCK)
		return hd__format("deadlock at cycle %" PRIu64, hd__sim_cycles(s));
	return hd__xstrdup("the run failed");
}

bool hd__leave_out(struct hd_options *o, const struct hd_sim *s, enum hd_run_status status,
                   const struct hd_diags *d)
{
	struct hd_left_out *v, *k;

	if (!s->opt.keep_going || s->item == 0 || status == HD_RUN_FINISHED || status == HD_RUN_LIMIT)
		return false;
	v = hd__xappend((void *)o->left_out, o->nleft_out, sizeof *v);
	o->left_out = v;
	k = &v[o->nleft_out++];
	*k = (struct hd_left_out){ s->item, hd__xstrdup(s->item_name), reason(s, status, d) };
	fprintf(stderr, "heddle: warning: kernel %" PRIu64 ", '%s', is left out: %s\n", k->item, k->name,
	        k->why);
	return true;
}

/* Names of files need not be UTF-8, and messages have them. */
static json_t *text_of(const char *s)
{
	json_t *text = json_string(s);

	return text ? text : json_string("?");
}

json_t *hd__left_out_row(const struct hd_left_out *k)
{
	return json_pack("{s:I, s:o, s:o}", "item", (json_int_t)k->item, "file", text_of(k->name), "failed",
	                 text_of(k->why));
}
