/* reduce.c - sum of ragged segments: a thread sums one, a block its threads, a second kernel all
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Segments have 0 to 11 elements, so that a warp's lanes leave the loop one after the other.
 * In the block, the strided loop halves the active threads: first warps, then lanes drop out.
 */
#include "sample_kernels.h"

#define BLOCKS 16
#define THREADS 128
#define SEGMENTS (BLOCKS * THREADS)
#define MAX_ELEMENTS (11 * SEGMENTS)
#define BEGIN ARRAY(0)   /* SEGMENTS + 1 numbers of first elements */
#define X ARRAY(1)
#define PARTIAL ARRAY(2) /* BLOCKS sums */
#define DONE ARRAY(3)    /* counts blocks */
#define RESULT ARRAY(4)

static int length_of(int segment)
{
	return (int)(noise((uint32_t)segment) % 12);
}

static int begin_of(int segment)
{
	int begin = 0;

	for (int i = 0; i < segment; i++)
		begin += length_of(i);
	return begin;
}

/* R8 = sum of segment R2; the warp's lanes have neighbouring segments. */
static void sum_segment(struct warp *w, int segment)
{
	int element = begin_of(segment), end[LANES];
	uint32_t empty = 0, more;
	struct lanes x;
	struct region r;
	unsigned top;

	for (int i = 0; i < LANES; i++) {
		x.at[i] = X + 4 * (uint64_t)element;
		element += length_of(segment + i);
		end[i] = element;
		empty |= (uint32_t)!length_of(segment + i) << i;
	}
	op(w, "R12 MOV #4");
	op(w, "R6 IMAD.WIDE R2 R12");
	mem(w, 4, linear(BEGIN + 4 * (uint64_t)segment, 4), "R4 LDG.E.SYS R6");
	mem(w, 4, linear(BEGIN + 4 * (uint64_t)segment + 4, 4), "R5 LDG.E.SYS R6");
	op(w, "R8 CS2R.32");
	op(w, "ISETP.GE.AND R4 R5");
	r = diverge(w, 7);
	top = w->pc + 16;
	if (skip(w, &r, empty)) {
		do {
			op(w, "R6 IMAD.WIDE R4 R12");
			mem(w, 4, x, "R10 LDG.E.SYS R6");
			op(w, "R4 IADD3 R4 R255 #1");
			op(w, "ISETP.GE.AND R4 R5");
			op(w, "R8 FADD R8 R10");
			more = 0;
			for (int i = 0; i < LANES; i++) {
				x.at[i] += 4;
				more |= (uint32_t)(x.at[i] < X + 4 * (uint64_t)end[i]) << i;
			}
		} while (again(w, &r, more, top));
	}
	converge(w, &r);
}

static void sum_tail(struct warp *w, int from)
{
	for (int d = from; d; d >>= 1) {
		op(w, "R7 SHFL.DOWN R6 #31");
		op(w, "R6 FADD R6 R7");
	}
}

static void run_segments(struct warp *w)
{
	int thread = w->id * LANES;
	uint64_t word = 4 * (uint64_t)thread;
	unsigned top;

	op(w, "R1 MOV");
	op(w, "R0 S2R");                        /* blockIdx.x */
	op(w, "R9 S2R");                        /* threadIdx.x */
	op(w, "R2 IMAD R0 R9");                 /* segment */
	sum_segment(w, w->block[0] * THREADS + thread);
	op(w, "R11 SHF.L.U32 R9 R255 #2");
	mem(w, 4, linear(word, 4), "STS R11 R8");
	op(w, "BAR.SYNC #0");

	op(w, "R10 MOV #%d", THREADS / 2);
	top = w->pc;
	for (int s = THREADS / 2; ; s /= 2) {
		uint32_t in = lanes_below(thread, s);

		op(w, "ISETP.GE.AND R9 R10");
		op(when(w, in), "R6 LEA R10 R11 #2");
		mem(when(w, in), 4, linear(word + 4 * (uint64_t)s, 4), "R6 LDS.U R6");
		mem(when(w, in), 4, linear(word, 4), "R7 LDS.U R11");
		op(when(w, in), "R7 FADD R6 R7");
		mem(when(w, in), 4, linear(word, 4), "STS R11 R7");
		op(w, "ISETP.GT.U32.AND R10 #%d", LANES);
		op(w, "R10 SHF.R.U32.HI R255 R10 #1");
		op(w, "BAR.SYNC #0");
		if (!branch(w, s > LANES / 2, top))
			break;
	}

	op(w, "ISETP.GT.AND R9 #%d", LANES - 1);
	if (!leave(w, w->id ? ALL_LANES : 0))
		return;
	mem(w, 4, linear(0, 4), "R6 LDS.U R11");
	sum_tail(w, LANES / 4);                 /* 16 values are left */
	op(w, "ISETP.NE.AND R9 R255");
	leave(w, ~1u);
	op(w, "R3 MOV #4");
	op(w, "R2 IMAD.WIDE R0 R3");
	mem(w, 4, linear(PARTIAL + 4 * (uint64_t)w->block[0], 0), "STG.E.SYS R2 R6");
	op(w, "R4 MOV");                        /* R4:R5 = done */
	op(w, "R5 MOV");
	op(w, "R7 MOV #1");
	mem(w, 4, linear(DONE, 0), "RED.E.ADD.STRONG.GPU R4 R7");
	leave(w, 1);
}

static void run_total(struct warp *w)
{
	uint32_t in = lanes_below(0, BLOCKS);

	op(w, "R1 MOV");
	op(w, "R0 S2R");
	op(w, "R6 CS2R.32");
	op(w, "ISETP.GE.AND R0 #%d", BLOCKS);
	op(when(w, in), "R3 MOV #4");
	op(when(w, in), "R2 IMAD.WIDE R0 R3");
	mem(when(w, in), 4, linear(PARTIAL, 4), "R6 LDG.E.SYS R2");
	sum_tail(w, BLOCKS / 2);
	op(w, "ISETP.NE.AND R0 R255");
	leave(w, ~1u);
	op(w, "R4 MOV");                        /* R4:R5 = result */
	op(w, "R5 MOV");
	mem(w, 4, linear(RESULT, 0), "R7 ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU R4 R6");
	op(w, "R7 FADD R7 R6");
	mem(w, 4, linear(RESULT + 4, 0), "STG.E.SYS R4 R7");
	leave(w, 1);
}

const struct bundle reduce = {
	.name = "reduce",
	.copies = { { BEGIN, 4 * (SEGMENTS + 1) }, { X, 4 * MAX_ELEMENTS }, { DONE, 4 },
		{ RESULT, 8 } },
	.kernels = {
		{
			.name = "_Z12sum_segmentsPKiPKfPfPi", .grid = { BLOCKS, 1 },
			.block = { THREADS, 1 }, .shmem = 4 * THREADS, .nregs = 16, .sm = 70,
			.version = 4, .run = run_segments,
		}, {
			.name = "_Z9sum_totalPKfPf", .grid = { 1, 1 }, .block = { LANES, 1 },
			.nregs = 10, .sm = 70, .version = 4, .run = run_total,
		},
	},
};
