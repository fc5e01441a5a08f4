/* vecadd.c - c[i] = a[i] + b[i], for which the last block has more threads than elements
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sample_kernels.h"

#define N 8100
#define THREADS 128
#define A ARRAY(0)
#define B ARRAY(1)
#define C ARRAY(2)

static void run(struct warp *w)
{
	int i = w->block[0] * THREADS + w->id * LANES;

	op(w, "R1 MOV");
	op(w, "R0 S2R");            /* blockIdx.x */
	op(w, "R2 S2R");            /* threadIdx.x */
	op(w, "R0 IMAD R0 R2");     /* i */
	op(w, "ISETP.GE.AND R0");
	if (!leave(w, ~lanes_below(i, N)))
		return;
	op(w, "R8 IMAD.MOV.U32 R255 R255 #4");
	op(w, "R2 IMAD.WIDE R0 R8");
	op(w, "R4 IMAD.WIDE R0 R8");
	mem(w, 4, linear(A + 4 * (uint64_t)i, 4), "R2 LDG.E.SYS R2");
	mem(w, 4, linear(B + 4 * (uint64_t)i, 4), "R5 LDG.E.SYS R4");
	op(w, "R6 IMAD.WIDE R0 R8");
	op(w, "R9 FADD R2 R5");
	mem(w, 4, linear(C + 4 * (uint64_t)i, 4), "STG.E.SYS R6 R9");
	leave(w, ALL_LANES);
}

const struct bundle vecadd = {
	.name = "vecadd",
	.plain = true,
	.copies = { { A, 4 * N }, { B, 4 * N } },
	.kernels = { {
		.name = "_Z6vecaddPKfS0_Pfi", .grid = { (N + THREADS - 1) / THREADS, 1 },
		.block = { THREADS, 1 }, .nregs = 12, .sm = 70, .version = 4, .run = run,
	} },
};
