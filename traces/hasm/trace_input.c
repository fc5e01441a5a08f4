/* trace_input.c - a trace that a command reads, kernel by kernel
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_input.h"

#include "base/exit.h"
#include "base/output.h"
#include "base/xalloc.h"

struct trace_input *hd__trace_input_open(const struct trace_command *c)
{
	struct trace_input *t = hd__xcalloc(1, sizeof *t);

	hd__trace_host_init(&t->host, &t->d);
	t->r.host = &t->host.host;
	t->r.opt = hd__trace_options(c->tables);
	t->r.opt.strict = c->strict;
	if (hd__trace_open(&t->r) == 0 && hd__trace_open_list(&t->r, c->trace, 1, UINT64_MAX) == 0)
		return t;
	hd__trace_input_close(t, HD_EXIT_USAGE);
	return NULL;
}

size_t hd__trace_input_copies(const struct trace_input *t, size_t i, const struct hd_trace_copy **first)
{
	const struct trace_list *l = &t->r.list;
	size_t before = i ? l->v[i - 1].copies : 0;

	*first = l->copy + before;
	return l->v[i].copies - before;
}

bool hd__trace_input_kernel(struct trace_input *t, size_t i, bool (*block)(void *arg, uint64_t number), void *arg)
{
	struct trace_kernel *k = &t->k;

	if (!k->open && hd__trace_kernel_open(&t->r, k, i))
		return false;
	for (uint64_t b = 0; b < k->header.launch.ctas; b++)
		if (hd__trace_kernel_block(k, 0) || !block(arg, b))
			return false;
	return hd__trace_kernel_finish(&t->r, k) == 0;
}

int hd__trace_input_close(struct trace_input *t, int status)
{
	hd__trace_kernel_free(&t->r, &t->k);
	hd__trace_close(&t->r);
	hd__trace_host_free(&t->host);
	if (status == HD_EXIT_OK && t->d.errors)
		status = HD_EXIT_USAGE;
	hd__diags_print(&t->d, stderr);
	hd__diags_free(&t->d);
	free(t);
	return status;
}

int hd__trace_input_write(const struct trace_command *c, const char *option,
                          bool (*write)(struct trace_input *t, FILE *to))
{
	struct trace_input *t = hd__trace_input_open(c);
	struct hd_output o;
	int status;
	bool good;

	if (!t)
		return HD_EXIT_USAGE;
	status = hd__output_open(&o, c->output, option);
	if (status == HD_EXIT_OK) {
		good = write(t, o.f) && t->d.errors == 0;
		if (!hd__output_close(&o, good))
			status = good ? HD_EXIT_FAILED : HD_EXIT_USAGE;
	}
	return hd__trace_input_close(t, status);
}
