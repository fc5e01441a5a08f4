/* saxpy_xz.c - y = a * x + y, four floats at a time, in a loop that strides by the whole grid
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sample_kernels.h"

#define BLOCKS 12
#define THREADS 256
#define STRIDE (BLOCKS * THREADS)
#define N (3 * STRIDE - 700) /* vectors; the third round finds some threads without work */
#define X ARRAY(0)
#define Y ARRAY(1)

static void run(struct warp *w)
{
	int i = w->block[0] * THREADS + w->id * LANES;
	unsigned top;

	op(w, "R1 IMAD.MOV.U32 R255 R255");
	op(w, "R0 S2R");
	op(w, "R3 S2R");
	op(w, "R0 IMAD R0 R3");
	op(w, "ISETP.GE.AND R0");
	if (!leave(w, ~lanes_below(i, N)))
		return;
	for (top = w->pc; ; w->pc = top, i += STRIDE) {
		uint32_t more = lanes_below(i + STRIDE, N), stay;

		op(w, "R3 MOV #16");
		op(w, "R10 IMAD.WIDE R0 R3");
		op(w, "R2 IMAD.WIDE R0 R3");
		mem(w, 16, linear(X + 16 * (uint64_t)i, 16), "R4 LDG.E.128.SYS R10");
		mem(w, 16, linear(Y + 16 * (uint64_t)i, 16), "R12 LDG.E.128.SYS R2");
		op(w, "R8 MOV");                           /* gridDim.x */
		op(w, "R0 IMAD R8 R0");                    /* i += gridDim.x * blockDim.x */
		op(w, "ISETP.GE.AND R0");
		for (int k = 0; k < 4; k++)
			op(w, "R%d FFMA R%d R%d", 12 + k, 4 + k, 12 + k);
		mem(w, 16, linear(Y + 16 * (uint64_t)i, 16), "STG.E.128.SYS R2 R12");

		/* No BSYNC: lanes that do not loop only exit. */
		stay = w->mask & more;
		op(when(w, stay), "BRA #%u", top);
		if (w->mask & ~more) {
			w->mask &= ~more;
			if (!leave(w, ALL_LANES))
				return;
			w->mask = stay;
		}
	}
}

const struct bundle saxpy_xz = {
	.name = "saxpy_xz",
	.copies = { { X, 16 * N }, { Y, 16 * N } },
	.kernels = { {
		.name = "_Z5saxpyifPK6float4PS_", .grid = { BLOCKS, 1 }, .block = { THREADS, 1 },
		.nregs = 18, .sm = 70, .version = 5, .run = run,
	} },
};
