/* matmul.c - C = A * B, 64 x 64, in tiles of 16 x 16 that a block stages in shared memory
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A warp is two rows of a tile.  Both tiles are read without bank conflicts: of A two words in
 * different banks, each for 16 lanes (LDS.128: four steps of k at once), of B 16 words in a row.
 */
#include "sample_kernels.h"

#define N 64
#define TILE 16
#define A ARRAY(0)
#define B ARRAY(1)
#define C ARRAY(2)
#define SHARED_B (4 * TILE * TILE) /* where B's tile begins; A's begins at 0 */

/* For each lane base + row * (its y in the tile) + 4 * column * (its x). */
static struct lanes tile(const struct warp *w, uint64_t base, int row, int column)
{
	struct lanes l;

	for (int i = 0; i < LANES; i++) {
		int y = w->id * LANES / TILE + i / TILE;

		l.at[i] = base + (uint64_t)(row * y + 4 * column * (i % TILE));
	}
	return l;
}

/* Four steps of k.  Loads of one call use other registers than those of the next, so that they
 * can be in flight while the previous four products are summed up. */
static void load(struct warp *w, int k)
{
	int a = k & 4 ? 28 : 8, b = k & 4 ? 24 : 20;

	mem(w, 16, tile(w, 4 * (uint64_t)k, 4 * TILE, 0), "R%d LDS.U.128 R17", a);
	for (int i = 0; i < 4; i++)
		mem(w, 4, tile(w, SHARED_B + 4 * TILE * (uint64_t)(k + i), 0, 1),
			"R%d LDS.U R19", b + i);
}

static void multiply(struct warp *w, int k)
{
	int a = k & 4 ? 28 : 8, b = k & 4 ? 24 : 20;

	for (int i = 0; i < 4; i++)
		op(w, "R16 FFMA R%d R%d R16", b + i, a + i);
}

static void run(struct warp *w)
{
	uint64_t row0 = (uint64_t)w->block[1] * TILE, column0 = (uint64_t)w->block[0] * TILE;
	unsigned top;

	op(w, "R1 MOV");
	op(w, "R12 S2R");                       /* blockIdx.y */
	op(w, "R13 S2R");                       /* threadIdx.y */
	op(w, "R14 S2R");                       /* blockIdx.x */
	op(w, "R15 S2R");                       /* threadIdx.x */
	op(w, "R5 MOV #4");
	op(w, "R12 LEA R12 R13 #4");            /* row of C */
	op(w, "R14 LEA R14 R15 #4");            /* column of C */
	op(w, "R2 LEA R12 R15 #6");
	op(w, "R4 LEA R13 R14 #6");
	op(w, "R2 IMAD.WIDE R2 R5");            /* R2:R3 = &A[row][tx] */
	op(w, "R4 IMAD.WIDE R4 R5");            /* R4:R5 = &B[ty][column] */
	op(w, "R17 SHF.L.U32 R13 R255 #6");     /* row ty of A's tile */
	op(w, "R18 LEA R15 R17 #2");            /* this thread's word of a tile */
	op(w, "R19 SHF.L.U32 R15 R255 #2");     /* column tx of B's tile */
	op(w, "R16 CS2R.32");                   /* the sum = 0 */
	op(w, "R6 IMAD.MOV.U32 R255 R255");     /* tile number = 0 */
	top = w->pc;
	for (int t = 0; ; t++) {
		uint64_t k0 = (uint64_t)t * TILE;

		mem(w, 4, tile(w, A + 4 * (row0 * N + k0), 4 * N, 1), "R20 LDG.E.SYS R2");
		mem(w, 4, tile(w, B + 4 * (k0 * N + column0), 4 * N, 1), "R21 LDG.E.SYS R4");
		mem(w, 4, tile(w, 0, 4 * TILE, 1), "STS R18 R20");
		mem(w, 4, tile(w, SHARED_B, 4 * TILE, 1), "STS R18 R21");
		op(w, "BAR.SYNC #0");
		load(w, 0);
		for (int k = 0; k < TILE; k += 4) {
			if (k + 4 < TILE)
				load(w, k + 4);
			multiply(w, k);
		}
		op(w, "R6 IADD3 R6 R255 #1");
		op(w, "R2 IADD3 R2 R255 #%d", 4 * TILE);
		op(w, "R3 IADD3.X R255 R3 R255");
		op(w, "R4 IADD3 R4 R255 #%d", 4 * TILE * N);
		op(w, "R5 IADD3.X R255 R5 R255");
		op(w, "ISETP.NE.AND R6 #%d", N / TILE);
		op(w, "BAR.SYNC #0");           /* all reads are done before the next writes */
		if (!branch(w, t + 1 < N / TILE, top))
			break;
	}
	op(w, "R2 LEA R12 R14 #6");
	op(w, "R3 MOV #4");
	op(w, "R2 IMAD.WIDE R2 R3");
	mem(w, 4, tile(w, C + 4 * (row0 * N + column0), 4 * N, 1), "STG.E.SYS R2 R16");
	leave(w, ALL_LANES);
}

const struct bundle matmul = {
	.name = "matmul",
	.copies = { { A, 4 * N * N }, { B, 4 * N * N } },
	.kernels = { {
		.name = "_Z6matmulPKfS0_Pf", .grid = { N / TILE, N / TILE },
		.block = { TILE, TILE }, .shmem = 8 * TILE * TILE, .nregs = 34, .sm = 70,
		.version = 4, .run = run,
	} },
};
