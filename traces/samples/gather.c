/* gather.c - y[i] = 2 ^ rsqrt(sum of table[index[4 i + k]] ^ 2 + one term of that sum), in FP64
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The running sums are kept in an array on the stack (local memory) since which one is taken
 * depends on the data.
 */
#include "sample_kernels.h"

#define THREADS 64
#define BLOCKS 16
#define N (BLOCKS * THREADS - 19)
#define TABLE_SIZE 20000         /* doubles */
#define INDEX ARRAY(0)           /* 4 int for each thread */
#define TABLE ARRAY(1)
#define Y ARRAY(2)
#define STACK UINT64_C(0x00fffdc0) /* local addresses count down from 16 MiB */

static uint32_t index_of(int i, int k)
{
	return noise((uint32_t)(4 * i + k)) % TABLE_SIZE;
}

static void run(struct warp *w)
{
	int first = w->block[0] * THREADS + w->id * LANES;
	struct lanes to;

	op(w, "R1 MOV");
	op(w, "R0 S2R");
	op(w, "R3 S2R");
	op(w, "R1 IADD3 R1 R255 #-32");         /* double sum[4] on the stack */
	op(w, "R0 IMAD R0 R3");
	op(w, "ISETP.GE.AND R0");
	if (!leave(w, ~lanes_below(first, N)))
		return;

	op(w, "R24 MOV #16");
	op(w, "R4 IMAD.WIDE R0 R24");
	mem(w, 16, linear(INDEX + 16 * (uint64_t)first, 16), "R4 LDG.E.128.CONSTANT.SYS R4");
	op(w, "R25 MOV #8");
	op(w, "R16 CS2R");                      /* R16:R17 = 0.0 */
	for (int k = 0; k < 4; k++)
		op(w, "R%d IMAD.WIDE R%d R25", 8 + 2 * k, 4 + k);
	for (int k = 0; k < 4; k++) {
		for (int l = 0; l < LANES; l++)
			to.at[l] = TABLE + 8 * (uint64_t)index_of(first + l, k);
		mem(w, 8, to, "R%d LDG.E.64.SYS R%d", 8 + 2 * k, 8 + 2 * k);
	}
	for (int k = 0; k < 4; k++) {
		int x = 8 + 2 * k;

		op(w, "R16 DFMA R%d R%d R16", x, x);
		mem(w, 8, linear(STACK + 8 * (uint64_t)k, 0), "STL.64 R1 R16");
	}

	op(w, "R18 LOP3.LUT R4 R255 #192");     /* index[4 i] & 3 */
	op(w, "R18 LEA R18 R1 #3");
	for (int l = 0; l < LANES; l++)
		to.at[l] = STACK + 8 * (index_of(first + l, 0) & 3);
	mem(w, 8, to, "R20 LDL.64 R18");
	op(w, "R20 DADD R20 R16");
	op(w, "R22 F2F.F32.F64 R20");
	op(w, "R22 MUFU.RSQ R22");
	op(w, "FSETP.GEU.AND R22");             /* too small for EX2? never */
	op(when(w, 0), "R22 FMUL R22");
	op(w, "R22 MUFU.EX2 R22");
	op(when(w, 0), "R22 FMUL R22 R22");
	op(w, "R23 MOV #4");
	op(w, "R2 IMAD.WIDE R0 R23");
	mem(w, 4, linear(Y + 4 * (uint64_t)first, 4), "STG.E.SYS R2 R22");
	leave(w, ALL_LANES);
}

const struct bundle gather = {
	.name = "gather",
	.copies = { { INDEX, 16 * N }, { TABLE, 8 * TABLE_SIZE } },
	.kernels = { {
		.name = "_Z6gatherPK4int4PKdPfi", .grid = { BLOCKS, 1 }, .block = { THREADS, 1 },
		.nregs = 28, .sm = 70, .version = 4, .run = run,
	} },
};
