/* drawn.h - structured programs drawn at random, and their traces in two groupings of lanes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nested ifs, loops, breaks, guarded EXITs, and calls of functions.  Each lane decides by a hash how
 * it goes on, so that it does the same in both traces.  Where branches lead and functions return no
 * lane is switched off, so that the trace shows it.  The groups are those of a stack, for
 * which lanes meet at post-dominators of the executed graph, found here from sets; or they never meet.
 */
#ifndef TESTS_TRACE_DRAWN_H
#define TESTS_TRACE_DRAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRAWN_OPS 160
#define DRAWN_SITES 4 /* calls in the program */
#define DRAWN_PLACES (DRAWN_OPS * (DRAWN_SITES + 1))
#define DRAWN_END DRAWN_PLACES

enum drawn_kind { DRAWN_ALU, DRAWN_LOAD, DRAWN_BRANCH, DRAWN_JUMP, DRAWN_EXIT, DRAWN_CALL, DRAWN_RET,
	DRAWN_STOP };

static struct {
	enum drawn_kind kind;
	int target;
	bool all; /* no predicate */
	uint32_t pc;
} drawn_op[DRAWN_OPS];
static int drawn_n, drawn_function, drawn_calls;
static uint32_t drawn_state, drawn_seed, drawn_wide, drawn_lanes;

/* A place is an operation and the call that led to it: op + DRAWN_OPS * (0, or 1 + number of the
 * call).  drawn_meet: the immediate post-dominator of each. */
static int drawn_meet[DRAWN_PLACES];
static bool drawn_edge[DRAWN_PLACES][3]; /* to the next, to the target, and has been passed */
static uint8_t drawn_visits[32][DRAWN_PLACES];

static uint32_t drawn_random(uint32_t below)
{
	drawn_state = drawn_state * 1664525u + 1013904223u;
	return (drawn_state >> 8) % below;
}

static int drawn_add(enum drawn_kind kind, bool all)
{
	drawn_op[drawn_n].kind = kind;
	drawn_op[drawn_n].target = -1;
	drawn_op[drawn_n].all = all;
	return drawn_n++;
}

/* leave: of the loop around it, the branches that break; NULL: not in a loop. */
static void drawn_block(int depth, int *leave, int *leaves, bool main)
{
	for (uint32_t i = 0, n = 1 + drawn_random(3); i < n && drawn_n < DRAWN_OPS - 40; i++) {
		uint32_t what = drawn_random(depth > 0 ? 9 : 3);
		int at, skip, breaks[8], broken = 0;

		drawn_add(drawn_random(4) ? DRAWN_ALU : DRAWN_LOAD, i == 0 || drawn_random(3));
		if (what < 3)
			continue;
		if (what < 5) { /* an if */
			at = drawn_add(DRAWN_BRANCH, false);
			drawn_block(depth - 1, leave, leaves, main);
			if (what == 4) { /* with an else part */
				skip = drawn_add(DRAWN_JUMP, true);
				drawn_op[at].target = drawn_n;
				drawn_block(depth - 1, leave, leaves, main);
				at = skip;
			}
			drawn_op[at].target = drawn_n;
			drawn_add(DRAWN_ALU, true);
		} else if (what < 7) { /* a loop */
			int top = drawn_n;

			drawn_add(DRAWN_ALU, true);
			drawn_block(depth - 1, breaks, &broken, main);
			drawn_op[drawn_add(DRAWN_BRANCH, false)].target = top;
			while (broken > 0)
				drawn_op[breaks[--broken]].target = drawn_n;
			drawn_add(DRAWN_ALU, true);
		} else if (what == 7 && leave && *leaves < 8) {
			leave[(*leaves)++] = drawn_add(DRAWN_BRANCH, false);
		} else if (main && drawn_random(2)) {
			drawn_add(DRAWN_EXIT, false);
		} else if (main && drawn_calls < DRAWN_SITES) {
			drawn_op[drawn_add(DRAWN_CALL, drawn_random(2))].target = -2 - drawn_calls++;
			drawn_add(DRAWN_ALU, true);
		}
	}
}

/* What a lane does at a place: executes it, or is switched off. */
static bool drawn_does(uint32_t lane, int place, uint8_t visit)
{
	uint32_t h = drawn_seed * 2654435761u ^ (uint32_t)place * 40503u ^ lane * 2246822519u
	             ^ visit * 3266489917u;

	h ^= h >> 15;
	h *= 2654435761u;
	h ^= h >> 13;
	if (drawn_op[place % DRAWN_OPS].kind == DRAWN_EXIT)
		return h % 16 == 0;
	return drawn_op[place % DRAWN_OPS].all || h % 2;
}

static int drawn_goes(int place, bool executes)
{
	int op = place % DRAWN_OPS, call = place / DRAWN_OPS;

	if (!executes)
		return place + 1;
	switch (drawn_op[op].kind) {
	case DRAWN_BRANCH:
	case DRAWN_JUMP:
		return place - op + drawn_op[op].target;
	case DRAWN_CALL:
		return drawn_function + DRAWN_OPS * (-1 - drawn_op[op].target);
	case DRAWN_RET:
		for (int i = 0; i < drawn_n; i++)
			if (drawn_op[i].kind == DRAWN_CALL && -1 - drawn_op[i].target == call)
				return i + 1;
		return DRAWN_END;
	case DRAWN_EXIT:
	case DRAWN_STOP:
		return DRAWN_END;
	default:
		return place + 1;
	}
}

/* Sets the edges that lanes go, and from them the post-dominators, as sets that shrink. */
static void drawn_graph(uint32_t lanes)
{
	static bool dom[DRAWN_PLACES + 1][DRAWN_PLACES + 1];
	bool changed = true;

	memset(drawn_edge, 0, sizeof drawn_edge);
	for (uint32_t lane = 0; lane < lanes; lane++) {
		memset(drawn_visits, 0, sizeof drawn_visits);
		for (int at = 0, to; at != DRAWN_END; at = to) {
			bool does = drawn_does(lane, at, drawn_visits[0][at]++);

			to = drawn_goes(at, does);
			drawn_edge[at][2] = true;
			if (to != DRAWN_END)
				drawn_edge[at][to != at + 1] = true;
		}
	}
	memset(dom, true, sizeof dom);
	memset(dom[DRAWN_END], false, sizeof dom[DRAWN_END]);
	dom[DRAWN_END][DRAWN_END] = true;
	while (changed) {
		changed = false;
		for (int p = DRAWN_PLACES; p-- > 0;) {
			int to[2] = { p + 1, drawn_goes(p, true) };

			if (!drawn_edge[p][2])
				continue;
			if (!drawn_edge[p][0] && !drawn_edge[p][1])
				to[0] = to[1] = DRAWN_END;
			for (int q = 0; q <= DRAWN_PLACES; q++) {
				bool is = (drawn_edge[p][1] ? dom[to[1]][q] : true)
				          && (drawn_edge[p][0] || !drawn_edge[p][1] ? dom[to[0]][q] : true);

				is |= q == p;
				changed |= is != dom[p][q];
				dom[p][q] = is;
			}
		}
	}
	/* The immediate one is that which all others post-dominate. */
	for (int p = 0; p < DRAWN_PLACES; p++) {
		drawn_meet[p] = DRAWN_END;
		for (int q = 0; q < DRAWN_PLACES && drawn_edge[p][2]; q++) {
			if (q == p || !dom[p][q] || !drawn_edge[q][2])
				continue;
			if (drawn_meet[p] == DRAWN_END || dom[q][drawn_meet[p]])
				drawn_meet[p] = q;
		}
	}
}

/* Makes the program of this seed. */
static void drawn_program(uint32_t seed)
{
	drawn_seed = drawn_state = seed;
	drawn_n = drawn_calls = 0;
	drawn_wide = seed % 3 != 0;
	drawn_lanes = seed % 2 ? 32 : 1 + drawn_random(32);
	drawn_add(DRAWN_ALU, true);
	drawn_block(4, NULL, NULL, true);
	drawn_add(DRAWN_STOP, true);
	drawn_function = drawn_n;
	drawn_add(DRAWN_ALU, true);
	drawn_block(2, NULL, NULL, false);
	drawn_add(DRAWN_RET, true);
	for (int i = 0; i < drawn_n; i++) {
		/* each function has pcs of its own in some programs */
		uint32_t k = (uint32_t)(i >= drawn_function && seed % 5 == 0 ? i - drawn_function : i);

		drawn_op[i].pc = drawn_wide ? 16 * k : 8 + 32 * (k / 3) + 8 * (k % 3);
	}
	drawn_graph(32 + drawn_lanes);
}

static void drawn_line(FILE *f, int place, uint32_t mask, const uint8_t visits[32][DRAWN_PLACES],
                       uint32_t *lines)
{
	static const char *const text[] = { "1 R1 FADD 2 R2 R3 0", NULL, "0 BRA 0 0", "0 BRA 0 0",
		"0 EXIT 0 0", "0 CALL.REL.NOINC 0 0", "0 RET.REL.NODEC 0 0", "0 EXIT 0 0" };
	int op = place % DRAWN_OPS;

	fprintf(f, "%04x %08x ", drawn_op[op].pc, mask);
	if (drawn_op[op].kind != DRAWN_LOAD) {
		fprintf(f, "%s 0\n", text[drawn_op[op].kind]);
	} else {
		fprintf(f, "1 R4 LDG.E 1 R2 4 0");
		for (uint32_t k = 0; k < 32; k++)
			if (mask >> k & 1)
				fprintf(f, " 0x%x", 0x10000u + 4096u * k + 4u * visits[k][place]);
		fprintf(f, " 0\n");
	}
	++*lines;
}

struct drawn_group {
	int at, meet;
	uint32_t lanes;
};

/* The lines of a warp, of lanes first .. first+31 of the block. */
static void drawn_warp(FILE *f, uint32_t first, uint32_t lanes, bool meets, uint32_t *lines)
{
	struct drawn_group v[128] = { { .at = 0, .meet = DRAWN_END, .lanes = lanes } };
	int n = 1;

	memset(drawn_visits, 0, sizeof drawn_visits);
	while (n > 0) {
		struct drawn_group *g = &v[n - 1];
		uint32_t does = 0, taken, ended = 0;
		int at = g->at, to = drawn_goes(at, true);

		for (uint32_t k = 0; k < 32; k++)
			if (g->lanes >> k & 1 && drawn_does(first + k, at, drawn_visits[k][at]++))
				does |= UINT32_C(1) << k;
		drawn_line(f, at, does, (const uint8_t (*)[DRAWN_PLACES])drawn_visits, lines);
		if (to == DRAWN_END)
			ended = does;
		for (int i = 0; i < n; i++)
			v[i].lanes &= ~ended;
		taken = to == at + 1 ? 0 : does & ~ended;
		if (taken && taken != g->lanes) {
			struct drawn_group fallen = { at + 1, drawn_meet[at], g->lanes & ~taken };
			struct drawn_group went = { to, drawn_meet[at], taken };

			if (meets && drawn_meet[at] != g->meet)
				g->at = drawn_meet[at];
			else
				n--;
			if (!meets)
				went.meet = fallen.meet = DRAWN_END;
			if (went.at != went.meet)
				v[n++] = went;
			if (fallen.at != fallen.meet)
				v[n++] = fallen;
		} else {
			g->at = taken ? to : at + 1;
		}
		while (n > 0 && (!v[n - 1].lanes || v[n - 1].at == v[n - 1].meet))
			n--;
	}
}

static void drawn_trace(const char *file, bool meets)
{
	FILE *f = fopen(file, "w");

	fprintf(f, "-kernel name = drawn\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (%u,1,1)\n"
	        "-shmem = 0\n-nregs = 8\n-binary version = %d\n-cuda stream id = 0\n"
	        "-shmem base_addr = 0x7f0000000000\n-local mem base_addr = 0x7f2000000000\n"
	        "-accelsim tracer version = 5\n\n#traces format\n\n", drawn_lanes + 32,
	        drawn_wide ? 70 : 61);
	for (int block = 0; block < 2; block++) {
		fprintf(f, "#BEGIN_TB\n\nthread block = %d,0,0\n\n", block);
		for (uint32_t warp = 0; warp < 2; warp++) {
			uint32_t lines = 0, mask = warp ? (uint32_t)((UINT64_C(1) << drawn_lanes) - 1)
			                                : UINT32_MAX;
			FILE *body = tmpfile();
			int c;

			drawn_warp(body, 32 * warp, mask, meets, &lines);
			rewind(body);
			fprintf(f, "warp = %u\ninsts = %u\n", warp, lines);
			while ((c = getc(body)) != EOF)
				putc(c, f);
			fclose(body);
		}
		fprintf(f, "#END_TB\n\n");
	}
	fclose(f);
}

#endif
