/* hist.c - histogram of bytes: bins in shared memory first, then one global atomic for each bin
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A bin is four words, of which only the count is used here: the counts lie in 8 of the 32 banks,
 * and as the values crowd around the middle, many lanes meet in a bank or even in a bin.  Bytes
 * above a limit are counted in global memory, by lanes that leave their warp to do so.
 */
#include "sample_kernels.h"

#define BLOCKS 6
#define THREADS 256
#define STRIDE (BLOCKS * THREADS)
#define N (4 * STRIDE - 900)
#define BINS 64
#define BIN_SIZE 16 /* bytes */
#define LIMIT 200 /* bytes above are outliers */
#define DATA ARRAY(0)
#define HIST ARRAY(1)
#define OUTLIERS ARRAY(2)
#define DONE ARRAY(3)

/* The mean of four random bytes; one in sixteen is an outlier. */
static uint32_t byte_of(int i)
{
	uint32_t r = noise((uint32_t)i);

	if (r % 16 == 0)
		return 255;
	return ((r & 0xff) + (r >> 8 & 0xff) + (r >> 16 & 0xff) + (r >> 24)) / 4;
}

/* Which of the bins first .. first + 31 this block has counted something in. */
static uint32_t used_bins(int block, int first)
{
	uint32_t used = 0;

	for (int i = block * THREADS; i < N; i += STRIDE) {
		for (int t = i; t < i + THREADS && t < N; t++) {
			int bin = (int)(byte_of(t) % BINS) - first;

			if (byte_of(t) <= LIMIT && bin >= 0 && bin < LANES)
				used |= 1u << bin;
		}
	}
	return used;
}

/* R4 = number of the first byte; each round takes one byte per thread. */
static void count_bytes(struct warp *w, int i)
{
	struct region loop, rare;
	unsigned top;
	bool more;

	loop = diverge(w, 18);
	top = w->pc + 16;
	more = skip(w, &loop, ~lanes_below(i, N));
	for (; more; i += STRIDE) {
		uint32_t outliers = 0;
		struct lanes bin;

		for (int l = 0; l < LANES; l++) {
			uint32_t v = byte_of(i + l);

			outliers |= (uint32_t)(v > LIMIT) << l;
			bin.at[l] = v % BINS * BIN_SIZE;
		}
		op(w, "R6 IADD3 R4 R255");               /* R6:R7 = &data[i] */
		op(w, "R7 LEA.HI.X.SX32 R4 #1");
		mem(w, 1, linear(DATA + (uint64_t)i, 1), "R8 LDG.E.U8.SYS R6");
		op(w, "ISETP.GT.U32.AND R8 #%d", LIMIT);
		op(w, "R9 LOP3.LUT R8 R255 #192");
		op(w, "R9 SHF.L.U32 R9 R255 #4");
		mem(when(w, ~outliers), 4, bin, "R255 ATOMS.POPC.INC.32 R9");
		rare = diverge(w, 5);
		if (skip(w, &rare, ~outliers)) {
			op(w, "R6 MOV");                 /* R6:R7 = outliers */
			op(w, "R7 MOV");
			op(w, "R10 MOV #1");
			mem(w, 4, linear(OUTLIERS, 0), "RED.E.ADD.STRONG.GPU R6 R10");
		}
		converge(w, &rare);
		op(w, "R4 IADD3 R4 R5");
		op(w, "ISETP.GE.AND R4");
		more = again(w, &loop, lanes_below(i + STRIDE, N), top);
	}
	converge(w, &loop);
}

static void run(struct warp *w)
{
	int thread = w->id * LANES;
	uint64_t bin = BIN_SIZE * (uint64_t)thread;
	uint32_t in = lanes_below(thread, BINS);
	struct region r;

	op(w, "R1 MOV");
	op(w, "R0 S2R");                        /* threadIdx.x */
	op(w, "R2 S2R");                        /* blockIdx.x */
	op(w, "ISETP.GT.U32.AND R0 #%d", BINS - 1);
	op(w, "R3 SHF.L.U32 R0 R255 #4");
	mem(when(w, in), 4, linear(bin, BIN_SIZE), "STS R3 R255");
	op(w, "R4 IMAD R2 R0");                 /* i */
	op(w, "R5 MOV");                        /* gridDim.x * blockDim.x */
	op(w, "R5 IMAD R5 R255");
	op(w, "ISETP.GE.AND R4");
	op(w, "BAR.SYNC #0");
	count_bytes(w, w->block[0] * THREADS + thread);
	op(w, "BAR.SYNC #0");

	r = diverge(w, 6);
	if (skip(w, &r, ~in)) {
		uint32_t used = used_bins(w->block[0], thread);

		mem(w, 4, linear(bin, BIN_SIZE), "R8 LDS.U R3");
		op(w, "R7 MOV #4");
		op(w, "R6 IMAD.WIDE R0 R7");
		op(w, "ISETP.NE.AND R8 R255");
		mem(when(w, used), 4, linear(HIST + 4 * (uint64_t)thread, 4),
			"RED.E.ADD.STRONG.GPU R6 R8");
	}
	converge(w, &r);

	/* The block that finishes last may read the counts of all. */
	op(w, "MEMBAR.SC.GPU");
	op(w, "ERRBAR");
	op(w, "BAR.SYNC #0");
	op(w, "ISETP.NE.AND R0 R255");
	if (!leave(w, w->id ? ALL_LANES : ~1u))
		return;
	op(w, "R4 MOV");                        /* R4:R5 = done */
	op(w, "R5 MOV");
	op(w, "R7 MOV #1");
	mem(w, 4, linear(DONE, 0), "R7 ATOMG.E.ADD.STRONG.GPU R4 R7");
	op(w, "ISETP.NE.AND R7 #%d", BLOCKS - 1);
	mem(when(w, w->block[0] == BLOCKS - 1 ? 1 : 0), 4, linear(DONE, 0), "STG.E.SYS R4 R255");
	leave(w, 1);
}

const struct bundle hist = {
	.name = "hist",
	.copies = { { DATA, N }, { HIST, 4 * BINS }, { OUTLIERS, 4 }, { DONE, 4 } },
	.kernels = { {
		.name = "_Z4histPKhiPjS1_S1_", .grid = { BLOCKS, 1 }, .block = { THREADS, 1 },
		.shmem = BIN_SIZE * BINS, .nregs = 14, .sm = 70, .version = 4,
		.list = true, .run = run,
	} },
};
