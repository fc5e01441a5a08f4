/* softcopy.c - C = A * B^T in half precision on tensor cores; Ampere copies tiles ahead of use
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A block of four warps makes 64 x 64 of C, a warp 32 x 32 of it.  Both tiles (64 rows of 16
 * halves) lie twice in shared memory: while one pair is multiplied, the next is on its way.
 */
#include "sample_kernels.h"

#define N 128              /* rows and columns, all three matrices */
#define TILE 64
#define STEP 16            /* halves of k that a tile holds */
#define ROW (2 * STEP)     /* bytes of a tile's row: two chunks of 16 */
#define TILE_B (TILE * ROW)    /* where B's tile begins; A's begins at 0 */
#define STAGE (2 * TILE * ROW) /* bytes from one pair of tiles to the other */
#define A ARRAY(0)
#define B ARRAY(1)
#define C ARRAY(2)

/* Chunks change sides every four rows: eight rows, read as one matrix, then use all 32 banks. */
static uint64_t chunk(int row, int side)
{
	return (uint64_t)(row * ROW + (side ^ (row >> 2 & 1)) * 16);
}

/* The thread's 16 bytes of both tiles of k step `step`, and the commit.  The shared address is
 * not in a trace: LDGSTS has room for one, and that is the global. */
static void copy_tiles(struct warp *w, int step)
{
	struct lanes a, b;

	for (int l = 0; l < LANES; l++) {
		int t = w->id * LANES + l;
		uint64_t at = (uint64_t)(t / 2 * 2 * N + step * ROW + t % 2 * 16);

		a.at[l] = A + (uint64_t)(w->block[1] * TILE * 2 * N) + at;
		b.at[l] = B + (uint64_t)(w->block[0] * TILE * 2 * N) + at;
	}
	mem(w, 16, a, "LDGSTS.E.BYPASS.LTC128B.128 R24 R2");
	mem(w, 16, b, "LDGSTS.E.BYPASS.LTC128B.128 R24 R4");
	op(w, "LDGDEPBAR");
}

/* 16 rows from row on, as four 8 x 8 matrices of which lanes 0-7, 8-15, … bring the addresses.
 * For HMMA the two halves of a row must be registers 0 and 2 of A's four, but a pair of B's. */
static void load_a(struct warp *w, int to, uint64_t base, int row)
{
	struct lanes from;

	for (int l = 0; l < LANES; l++)
		from.at[l] = base + chunk(row + l % 16, l / 16);
	mem(w, 16, from, "R%d LDSM.16.M88.4 R25", to);
}

static void load_b(struct warp *w, int to, uint64_t base, int row)
{
	struct lanes from;

	for (int l = 0; l < LANES; l++)
		from.at[l] = base + TILE_B + chunk(row + l % 8 + l / 16 * 8, l / 8 % 2);
	mem(w, 16, from, "R%d LDSM.16.M88.4 R26", to);
}

static void multiply(struct warp *w, int step)
{
	uint64_t base = (uint64_t)(step % 2 * STAGE);
	int row = w->id / 2 * 32, column = w->id % 2 * 32;

	load_a(w, 8, base, row);
	load_b(w, 16, base, column);
	load_a(w, 12, base, row + 16);
	load_b(w, 20, base, column + 16);
	for (int i = 0; i < 8; i++) {
		int m = i / 4, n = i % 4, sum = 32 + 4 * i;

		op(w, "R%d HMMA.16816.F32 R%d R%d R%d", sum, 8 + 4 * m, 16 + 2 * n, sum);
	}
}

static void store_sums(struct warp *w)
{
	int row0 = w->block[1] * TILE + w->id / 2 * 32;
	int column0 = w->block[0] * TILE + w->id % 2 * 32;

	for (int i = 0; i < 16; i++) {
		int m = i / 8, half = i / 4 % 2, n = i % 4;
		struct lanes to;

		for (int l = 0; l < LANES; l++) {
			int row = row0 + 16 * m + 8 * half + l / 4;
			int column = column0 + 8 * n + l % 4 * 2;

			to.at[l] = C + 4 * (uint64_t)(row * N + column);
		}
		if (n == 0 && i) {
			op(w, "R6 IADD3 R6 R255 #%d", 8 * 4 * N);
			op(w, "R7 IADD3.X R255 R7 R255");
		}
		mem(w, 8, to, "STG.E.64 R6 R%d", 32 + 16 * m + 4 * n + 2 * half);
	}
}

/* R2:R3, R4:R5 = what this thread copies of A and B, R24 = to where. */
static void set_up_copy(struct warp *w)
{
	op(w, "S2UR");                          /* UR4 = blockIdx.y */
	op(w, "S2UR");                          /* UR5 = blockIdx.x */
	op(w, "ULDC.64");                       /* UR8:UR9 = A */
	op(w, "ULDC.64");                       /* UR10:UR11 = B */
	op(w, "UMOV #%d", 2 * N * TILE);        /* bytes of TILE rows */
	op(w, "UIMAD.WIDE");
	op(w, "UIMAD.WIDE");
	op(w, "R10 SHF.R.U32.HI R255 R0 #1");   /* row of the tile */
	op(w, "R11 LOP3.LUT R0 R255 #192");     /* half of the row */
	op(w, "R12 SHF.L.U32 R10 R255 #8");
	op(w, "R12 LEA R11 R12 #4");
	op(w, "R2 IADD3 R12 R255");
	op(w, "R3 IADD3.X R255 R255");
	op(w, "R4 IADD3 R12 R255");
	op(w, "R5 IADD3.X R255 R255");
	op(w, "R13 SHF.R.U32.HI R255 R10 #2");
	op(w, "R13 LOP3.LUT R13 R11 #106");     /* the side it lies on, see chunk() */
	op(w, "R24 SHF.L.U32 R10 R255 #5");
	op(w, "R24 LEA R13 R24 #4");
}

/* R25, R26 = this lane's address for LDSM in A's and in B's tile. */
static void set_up_load(struct warp *w)
{
	op(w, "R9 SHF.R.U32.HI R255 R0 #5");    /* warp: the same in all lanes, so */
	op(w, "R2UR R9");                       /* UR6, and what follows from it is uniform */
	op(w, "ULOP3.LUT #192");
	op(w, "USHF.R.U32.HI #1");
	op(w, "USHF.L.U32 #10");
	op(w, "USHF.L.U32 #10");
	op(w, "UIADD3 #%d", TILE_B);
	for (int b = 0; b < 2; b++) {
		if (b) {
			op(w, "R15 SHF.R.U32.HI R255 R0 #1");
			op(w, "R14 LOP3.LUT R0 R255 #192");     /* l % 8 */
			op(w, "R14 LOP3.LUT R14 R15 #248");     /* + l / 16 * 8: row */
			op(w, "R15 SHF.R.U32.HI R255 R0 #3");
		} else {
			op(w, "R14 LOP3.LUT R0 R255 #192");     /* l % 16: row */
			op(w, "R15 SHF.R.U32.HI R255 R0 #4");
		}
		op(w, "R16 SHF.R.U32.HI R255 R14 #2");
		op(w, "R15 LOP3.LUT R15 R16 #40");              /* side */
		op(w, "R15 SHF.L.U32 R15 R255 #4");
		op(w, "R%d LEA R14 R15 #5", 25 + b);
		op(w, "R%d IADD3 R%d R255", 25 + b, 25 + b);    /* plus the uniform part */
	}
}

/* R6:R7 = this lane's first pair of C, R32 to R63 = 0. */
static void set_up_sums(struct warp *w)
{
	op(w, "R17 LOP3.LUT R0 R255 #192");     /* lane */
	op(w, "R18 SHF.R.U32.HI R255 R17 #2");
	op(w, "R17 LOP3.LUT R17 R255 #192");
	op(w, "R18 SHF.L.U32 R18 R255 #7");
	op(w, "R17 LEA R17 R18 #1");
	op(w, "R17 IADD3 R17 R255");            /* plus the uniform part */
	op(w, "R19 MOV #4");
	op(w, "R6 IMAD.WIDE R17 R19");
	for (int i = 0; i < 32; i += 2)
		op(w, "R%d CS2R", 32 + i);
}

static void run(struct warp *w)
{
	unsigned top;

	op(w, "R1 MOV");
	op(w, "R0 S2R");                        /* threadIdx.x */
	set_up_copy(w);
	copy_tiles(w, 0);                       /* on its way while the rest is set up */
	set_up_load(w);
	set_up_sums(w);
	op(w, "UMOV #0");                       /* UR7 = k step */
	top = w->pc;
	for (int step = 0; ; step++) {
		op(w, "R2 IADD3 R2 R255 #%d", ROW);
		op(w, "R3 IADD3.X R255 R3 R255");
		op(w, "R4 IADD3 R4 R255 #%d", ROW);
		op(w, "R5 IADD3.X R255 R5 R255");
		op(w, "R24 LOP3.LUT R24 R255 #60");     /* the other pair of tiles */
		copy_tiles(w, step + 1);
		op(w, "DEPBAR.LE #1");                  /* all copies but the last ones */
		op(w, "BAR.SYNC #0");
		multiply(w, step);
		op(w, "UIADD3 #1");
		op(w, "R25 LOP3.LUT R25 R255 #60");
		op(w, "R26 LOP3.LUT R26 R255 #60");
		op(w, "UISETP.NE.AND #%d", N / STEP - 1);
		op(w, "BAR.SYNC #0");                   /* before it is copied over */
		op(w, "PLOP3.LUT #8");                  /* uniform predicate to predicate */
		if (!branch(w, step + 2 < N / STEP, top))
			break;
	}
	op(w, "DEPBAR.LE #0");
	op(w, "BAR.SYNC #0");
	multiply(w, N / STEP - 1);
	store_sums(w);
	leave(w, ALL_LANES);
}

const struct bundle softcopy = {
	.name = "softcopy",
	.copies = { { A, 2 * N * N }, { B, 2 * N * N } },
	.kernels = { {
		.name = "_Z8softcopyPK6__halfS1_Pf", .grid = { N / TILE, N / TILE },
		.block = { 2 * TILE, 1 }, .shmem = 2 * STAGE, .nregs = 66, .sm = 80,
		.version = 5, .run = run,
	} },
};
