/* trace_pack.c - writes a trace as a file that is read without parsing
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_pack.h"

#include "trace_run.h"

/* ---- the module that has the source of the trace pack it ---- */

struct packer {
	struct trace_taker in;
	FILE *to; /* set before the run */
};

static uint64_t eval(void *state)
{
	struct packer *p = state;

	if (p->in.trace->pack(p->in.trace->self, p->to) == 0)
		hd_finish(p->in.ctx);
	return HD_SLEEP;
}

static const struct hd_module packer = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "trace_packer",
	.doc = "packs a trace",
	.ports = hd__trace_taker_ports,
	.state_size = sizeof(struct packer),
	.init = hd__trace_taker_init,
	.start = hd__trace_taker_start,
	.eval = eval,
};

/* ---- its run ---- */

/* arg: the name of the output. */
static int pack(void *arg, struct hd_sim *s, void *state, struct hd_diags *d)
{
	return hd__trace_run_output(s, d, arg, "-o", &((struct packer *)state)->to);
}

int hd__pack_trace(const char *trace, const char *output, bool strict)
{
	return hd__trace_run(&(struct trace_run){
		.command = "heddle trace pack",
		.module = &packer,
		.trace = trace,
		.strict = strict,
		.use = pack,
		.arg = (void *)output,
	});
}
