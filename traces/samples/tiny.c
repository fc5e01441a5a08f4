/* tiny.c - d[i] = (a[i] + b[i]) * a[i] + b[i] for 32 threads: one warp, twelve instructions
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sample_kernels.h"

#define A ARRAY(0)
#define B ARRAY(1)
#define D ARRAY(2)

static void run(struct warp *w)
{
	op(w, "R1 MOV");                               /* stack pointer, from constant memory */
	op(w, "R0 S2R");                               /* threadIdx.x */
	op(w, "R9 MOV #4");                            /* sizeof (float) */
	op(w, "R2 IMAD.WIDE R0 R9");                   /* R2:R3 = &a[i] */
	mem(w, 4, linear(A, 4), "R2 LDG.E.SYS R2");
	op(w, "R4 IMAD.WIDE R0 R9");                   /* R4:R5 = &b[i] */
	mem(w, 4, linear(B, 4), "R4 LDG.E.SYS R4");
	op(w, "R6 IMAD.WIDE R0 R9");                   /* R6:R7 = &d[i] */
	op(w, "R8 FADD R2 R4");
	op(w, "R8 FFMA R8 R2 R4");
	mem(w, 4, linear(D, 4), "STG.E.SYS R6 R8");
	leave(w, ALL_LANES);
}

const struct bundle tiny = {
	.name = "tiny",
	.plain = true,
	.copies = { { A, 4 * LANES }, { B, 4 * LANES } },
	.kernels = { {
		.name = "_Z4tinyPKfS0_Pf", .grid = { 1, 1 }, .block = { LANES, 1 },
		.nregs = 12, .sm = 70, .version = 4, .run = run,
	} },
};
