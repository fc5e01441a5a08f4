/* products.c - instructions that multiply matrices, for any CPU and for AVX2, against the plain sums of matrices.h
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers have few exponents, so that sums lose bits, or many, are 0, subnormal, infinite or none.
 */
#include "traces/exec/exec_ops.h"

#include "tests/exec/matrices.h"

enum { A, B = 4, C = 8, D = 12, ROWS = 16 };

static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % below;
}

/* A number whose exponent is `spread` at most from the middle one; of `any` it is any. */
static uint32_t number(unsigned exponent, unsigned fraction, uint32_t spread, bool any)
{
	uint32_t sign = draw(2) << (exponent + fraction), middle = (1u << (exponent - 1)) - 1;

	if (any)
		return draw(UINT32_MAX);
	if (draw(8) == 0)
		return draw(2) ? sign : sign | draw(1u << fraction); /* 0, or subnormal */
	return sign | (middle - spread + draw(2 * spread + 1)) << fraction | draw(1u << fraction);
}

static uint32_t word(enum kind kind, uint32_t spread, bool any)
{
	if (kind == TF32)
		return number(8, 23, spread, any);
	if (kind == BF16)
		return (number(8, 7, spread, any) & 0xffff) | number(8, 7, spread, any) << 16;
	spread = spread > 14 ? 14 : spread;
	return (number(5, 10, spread, any) & 0xffff) | number(5, 10, spread, any) << 16;
}

static unsigned multiply(uint32_t *rows, struct exec_op *o, exec_function *f, enum kind kind, const char *which)
{
	static struct exec_warp w; /* large */
	bool halves = !(o->flags & EXEC_HIGH);
	uint32_t want[4 * 32];

	w.base[0] = rows;
	floating(want, rows + 32 * A, rows + 32 * B, rows + 32 * C, o->x, kind, halves, o->more);
	f(&w, o, EXEC_ALL);
	for (unsigned i = 0; i < (halves ? 2 : 4) * 32u; i++)
		if (rows[32 * D + i] != want[i]) {
			printf("%s: kind %d, k %u, sm %u%s: word %u is %08x, expected %08x\n", which, (int)kind, o->x,
			       o->more, halves ? ", halves" : "", i, rows[32 * D + i], want[i]);
			return 1;
		}
	return 0;
}

int main(void)
{
	static const uint32_t spreads[] = { 0, 3, 12, 24, 70 };
	static const uint8_t columns[][2] = { [F16] = { 8, 16 }, [BF16] = { 8, 16 }, [TF32] = { 4, 8 } };
	_Alignas(64) uint32_t rows[ROWS * 32];
	unsigned failures = 0;
	bool wide = false;

#ifdef HD_EXEC_WIDE
	wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
	for (unsigned i = 0; i < 6000 && failures < 10; i++) {
		enum kind kind = (enum kind)(i % 3);
		bool halves = kind == F16 && i / 3 % 2, any = i % 7 == 0;
		uint32_t spread = spreads[i % 5];
		struct exec_op o = { .a = 32 * A, .b = 32 * B, .c = 32 * C, .d = 32 * D, .y = (uint8_t)kind,
			             .x = columns[kind][i / 6 % 2],
			             .more = i / 12 % 2 ? 90 : 80, .flags = halves ? 0 : EXEC_HIGH };

		for (unsigned k = 0; k < D * 32; k++)
			rows[k] = k < C * 32 ? word(kind, spread, any)
			                     : word(halves ? F16 : TF32, 2 * spread % 100, any);
		failures += multiply(rows, &o, hd__exec_functions[EXEC_OP_hmma], kind, "any CPU");
#ifdef HD_EXEC_WIDE
		failures += wide ? multiply(rows, &o, hd__exec_functions_avx2[EXEC_OP_hmma], kind, "AVX2") : 0;
#endif
	}
	return failures != 0;
}
