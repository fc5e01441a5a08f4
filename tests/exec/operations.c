/* operations.c - every operation in every form, on random and on special operands, against a C function
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instruction is encoded bit by bit, decoded, and executed by 32 lanes, with all lanes and with some; what the
 * others have may not change.
 */
#include "traces/exec/exec_ops.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

static unsigned failures;
static uint64_t state = 88172645463325252u;

static uint32_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20);
}

static uint32_t operand(void)
{
	static const uint32_t special[] = { 0,          1,          2,          31,         32,         33,
					    63,         64,         0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000,
					    0xff800000, 0x7fc00000, 0x3f800000, 0xbf800000, 0x00800000, 0x80000001,
					    0x007fffff, 0x3f000000, 0x4b800000, 0xcf000000, 0x3c003c00 };
	uint32_t v = random_word();

	return v % 5 == 0 ? special[v / 5 % (sizeof special / sizeof *special)] : v % 5 == 1 ? v >> (v >> 27) : v;
}

/* ---- what an operation computes for one lane ---- */

struct lane {
	uint64_t a, b, c;      /* as far as they are wide */
	bool p, q, r;          /* predicates at 87, 77, 68 */
	uint64_t d;            /* result */
	bool pd, pd2;          /* predicates at 81, 84 */
	struct sass_word w;
};

static unsigned bits(const struct lane *l, unsigned first, unsigned n)
{
	return (unsigned)hd__sass_bits(l->w, first, n);
}

static float f(uint64_t v) { uint32_t u = (uint32_t)v; float x; memcpy(&x, &u, 4); return x; }
static uint32_t u(float x) { uint32_t v; memcpy(&v, &x, 4); return x != x ? 0x7fffffff : v; }
static double d(uint64_t v) { double x; memcpy(&x, &v, 8); return x; }
static uint64_t w64(double x) { uint64_t v; memcpy(&v, &x, 8); return x != x ? UINT64_C(0xfff8000000000000) : v; }

static void iadd3(struct lane *l)
{
	bool x = bits(l, 74, 1);
	/* each is what is added to the others, of 33 bits: minus 0 is 2^32 */
	uint64_t a = bits(l, 72, 1) ? (uint64_t)(uint32_t)~l->a + !x : l->a, b = l->b, c = l->c, ab;

	ab = a + b + (x && l->p);
	l->pd = ab >> 32 != 0;
	ab = (uint32_t)ab + c + (x && l->q);
	l->pd2 = ab >> 32 & 1;
	l->d = (uint32_t)ab;
}

static void lop3(struct lane *l)
{
	l->d = 0;
	for (int k = 0; k < 32; k++)
		l->d |= (uint64_t)(bits(l, 72, 8) >> ((l->a >> k & 1) * 4 + (l->b >> k & 1) * 2 + (l->c >> k & 1))
				   & 1)
			<< k;
	l->pd = (l->d != 0) | l->p;
}

static void imad(struct lane *l) { l->d = (uint32_t)(l->a * l->b + l->c); }

static void imad_wide(struct lane *l)
{
	uint64_t product = bits(l, 73, 1) ? (uint64_t)((int64_t)(int32_t)l->a * (int32_t)l->b) : l->a * l->b;

	l->d = product + l->c;
	l->pd = l->d < product;
}

static void imad_high(struct lane *l)
{
	imad_wide(l);
	l->d >>= 32;
}

static void lea(struct lane *l)
{
	unsigned s = bits(l, 75, 5);
	uint64_t v = (uint64_t)(uint32_t)(l->a << s) + l->b;

	l->d = (uint32_t)v;
	l->pd = v >> 32;
}

static void lea_high(struct lane *l)
{
	unsigned s = bits(l, 75, 5);
	uint64_t full = (l->c << 32 | l->a), v;

	v = (uint32_t)((unsigned __int128)full << s >> 32) + l->b;
	l->d = (uint32_t)v;
	l->pd = v >> 32;
}

static void shf(struct lane *l)
{
	unsigned type = bits(l, 73, 2), width = type < 2 ? 64 : 32, s = (unsigned)l->b;
	__int128 full = type % 2 == 0 ? (__int128)(int64_t)(l->c << 32 | l->a) : (__int128)(l->c << 32 | l->a);

	s = bits(l, 75, 1) ? s & (width - 1) : (uint32_t)l->b > width ? width : s;
	if (!bits(l, 76, 1)) { /* left: the lower word is that of a alone */
		unsigned __int128 v = (unsigned __int128)(bits(l, 80, 1) ? l->c << 32 | l->a : l->a) << s;

		l->d = (uint32_t)(v >> (bits(l, 80, 1) ? 32 : 0));
	} else if (bits(l, 80, 1)) {
		__int128 top = type % 2 == 0 ? (__int128)(int32_t)l->c : (__int128)(uint32_t)l->c;

		l->d = (uint32_t)(top >> s);
	} else if (type == 0) {
		l->d = (uint32_t)(full >> s);
	} else {
		l->d = (uint32_t)((unsigned __int128)(l->c << 32 | l->a) >> s);
	}
}

static void sel(struct lane *l) { l->d = l->p ? l->a : l->b; }

static void imnmx(struct lane *l)
{
	bool less = bits(l, 73, 1) ? (int32_t)l->a < (int32_t)l->b : l->a < l->b;

	l->d = l->p == less ? l->a : l->b;
}

static bool joined(struct lane *l, bool is)
{
	unsigned how = bits(l, 74, 2);

	return how == 0 ? is & l->p : how == 1 ? is | l->p : is ^ l->p;
}

static void isetp(struct lane *l)
{
	int64_t a = bits(l, 73, 1) ? (int32_t)l->a : (int64_t)l->a, b = bits(l, 73, 1) ? (int32_t)l->b : (int64_t)l->b;
	unsigned relation = a < b ? 1 : a == b ? 2 : 4;
	bool is = bits(l, 76, 3) & relation;

	if (bits(l, 72, 1)) { /* .EX: if they are equal, the predicate decides */
		unsigned how = bits(l, 76, 3);

		is = how == 0 || how == 7 ? how == 7 : relation != 2 ? (how & relation) != 0
		     : how == 5 ? l->r : l->r;
	}
	l->pd = joined(l, is);
	l->pd2 = joined(l, !is);
}

static uint32_t flushed32(uint32_t v) { return v & 0x7f800000 ? v : v & 0x80000000; }

static float source(struct lane *l, uint64_t v, unsigned negative, unsigned absolute)
{
	uint32_t x = (uint32_t)v;

	if (absolute && bits(l, absolute, 1))
		x &= 0x7fffffff;
	if (negative && bits(l, negative, 1))
		x ^= 0x80000000;
	return f(bits(l, 80, 1) ? flushed32(x) : x);
}

/* Which bits negate b: depends on the slot. */
static bool in_64(const struct lane *l)
{
	unsigned form = bits(l, 9, 3);

	return form == 2 || form == 3 || form == 7;
}

static float second(struct lane *l, uint64_t v)
{
	unsigned form = bits(l, 9, 3);

	return source(l, v, form == 2 || form == 4 ? 0 : 63, form == 2 || form == 4 ? 0 : 62);
}

static const int directions[4] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };

static void put_float(struct lane *l, float v)
{
	uint32_t x = u(v);

	if (bits(l, 80, 1))
		x = x == 0x7fffffff ? x : flushed32(x);
	if (bits(l, 77, 1)) {
		float y = f(x);

		x = y > 0 ? y < 1 ? x : 0x3f800000 : 0;
	}
	l->d = x;
}

static void float_add(struct lane *l)
{
	volatile float a = source(l, l->a, 72, 73), b = second(l, l->b), v;

	fesetround(directions[bits(l, 78, 2)]);
	v = a + b;
	fesetround(FE_TONEAREST);
	put_float(l, v);
}

static void float_mul(struct lane *l)
{
	volatile float a = source(l, l->a, 72, 73), b = second(l, l->b), v;

	fesetround(directions[bits(l, 78, 2)]);
	v = a * b;
	fesetround(FE_TONEAREST);
	put_float(l, v);
}

static void float_fma(struct lane *l)
{
	bool third = in_64(l);
	volatile float a = source(l, l->a, 72, 73), v;
	volatile float b = third ? source(l, l->b, 75, 0) : second(l, l->b),
		       c = third ? second(l, l->c) : source(l, l->c, 75, 0);

	fesetround(directions[bits(l, 78, 2)]);
	v = fmaf(a, b, c);
	fesetround(FE_TONEAREST);
	put_float(l, v);
}

static void fsetp(struct lane *l)
{
	float a = source(l, l->a, 72, 73), b = second(l, l->b);
	unsigned relation = a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;
	bool is = bits(l, 76, 4) & relation;

	l->pd = joined(l, is);
	l->pd2 = joined(l, !is);
}

static void fmnmx(struct lane *l)
{
	float a = source(l, l->a, 72, 73), b = second(l, l->b);

	if ((a != a && b != b) || (bits(l, 81, 1) && (a != a || b != b)))
		l->d = 0x7fffffff;
	else if (a != a || b != b)
		l->d = u(a != a ? b : a);
	else if (a == b)
		l->d = u(signbit(a) ? (l->p ? a : b) : (l->p ? b : a));
	else
		l->d = u(l->p == (a < b) ? a : b);
	if (a == b && signbit(a) == signbit(b))
		l->d = u(a);
}

static double source64(struct lane *l, uint64_t v, unsigned negative, unsigned absolute)
{
	if (absolute && bits(l, absolute, 1))
		v &= UINT64_MAX >> 1;
	if (negative && bits(l, negative, 1))
		v ^= UINT64_C(1) << 63;
	return d(v);
}

static void dmul(struct lane *l)
{
	volatile double a = source64(l, l->a, 72, 73),
			b = source64(l, l->b, bits(l, 9, 3) == 4 ? 0 : 63, bits(l, 9, 3) == 4 ? 0 : 62), v;

	fesetround(directions[bits(l, 78, 2)]);
	v = a * b;
	fesetround(FE_TONEAREST);
	l->d = w64(v);
}

static void dadd(struct lane *l)
{
	volatile double a = source64(l, l->a, 72, 73), v;
	unsigned form = bits(l, 9, 3);
	volatile double b =
		form == 1 ? source64(l, l->b, 75, 74) : source64(l, l->b, form == 2 ? 0 : 63, form == 2 ? 0 : 62);

	fesetround(directions[bits(l, 78, 2)]);
	v = a + b;
	fesetround(FE_TONEAREST);
	l->d = w64(v);
}

static void dfma(struct lane *l)
{
	bool third = in_64(l);
	unsigned form = bits(l, 9, 3), negative = form == 2 || form == 4 ? 0 : 63;
	volatile double a = source64(l, l->a, 72, 0), v;
	volatile double b = source64(l, l->b, third ? 75 : negative, 0),
			c = source64(l, l->c, third ? negative : 75, 0);

	fesetround(directions[bits(l, 78, 2)]);
	v = fma(a, b, c);
	fesetround(FE_TONEAREST);
	l->d = w64(v);
}

static void prmt(struct lane *l)
{
	uint64_t v = l->c << 32 | l->a;
	unsigned mode = bits(l, 72, 3), k = l->b & 3;

	l->d = 0;
	for (unsigned j = 0; j < 4; j++) {
		unsigned s = l->b >> 4 * j & 15, byte;

		switch (mode) {
		case 1: s = k + j; break;
		case 2: s = (k - j) & 7; break;
		case 3: s = k; break;
		case 4: s = j > k ? j : k; break;
		case 5: s = j < k ? j : k; break;
		case 6: s = (l->b & 1) * 2 + j % 2; break;
		}
		byte = v >> 8 * (s & 7) & 255;
		l->d |= (uint64_t)(s & 8 ? byte & 128 ? 255 : 0 : byte) << 8 * j;
	}
}

static void sgxt(struct lane *l)
{
	uint32_t n = bits(l, 75, 1) ? l->b & 31 : l->b > 32 ? 32 : (uint32_t)l->b;
	int64_t v = n ? (int64_t)(l->a << (64 - n)) : 0;

	l->d = n ? (uint32_t)(bits(l, 73, 1) ? v >> (64 - n) : (int64_t)((uint64_t)v >> (64 - n))) : 0;
}

static void bmsk(struct lane *l)
{
	uint32_t first = bits(l, 75, 1) ? l->a & 31 : (uint32_t)l->a, n = bits(l, 75, 1) ? l->b & 31 : (uint32_t)l->b;

	l->d = 0;
	for (uint32_t k = 0; k < 32; k++)
		l->d |= (uint64_t)(k >= first && k - first < n) << k;
}

static void flo(struct lane *l)
{
	uint32_t v = (uint32_t)l->b ^ (bits(l, 63, 1) ? 0xffffffff : 0);

	if (bits(l, 73, 1) && v >> 31)
		v = ~v;
	l->pd = v == 0;
	l->d = v == 0 ? 0xffffffff : bits(l, 74, 1) ? (uint32_t)__builtin_clz(v) : 31 - (uint32_t)__builtin_clz(v);
}

static void popc(struct lane *l)
{
	l->d = (uint32_t)__builtin_popcount((uint32_t)l->b ^ (bits(l, 63, 1) ? 0xffffffff : 0));
}

static void brev(struct lane *l)
{
	uint32_t v = (uint32_t)l->b ^ (bits(l, 63, 1) ? 0xffffffff : 0);

	l->d = 0;
	for (int k = 0; k < 32; k++)
		l->d |= (uint64_t)(v >> k & 1) << (31 - k);
}

static void iabs(struct lane *l) { l->d = (int32_t)l->b < 0 ? (uint32_t)(0 - l->b) : (uint32_t)l->b; }

static void mov(struct lane *l) { l->d = l->b; }

static double rounded_whole(double v, unsigned how)
{
	return how == 0 ? nearbyint(v) : how == 1 ? floor(v) : how == 2 ? ceil(v) : trunc(v);
}

/* To words: of floats. */
static void f2i(struct lane *l)
{
	float x = source(l, l->b, 63, 62);
	double v = rounded_whole((double)x, bits(l, 78, 2));

	if (x != x)
		l->d = 0;
	else if (bits(l, 72, 1))
		l->d = (uint32_t)(v < -0x1p31 ? INT32_MIN : v >= 0x1p31 ? INT32_MAX : (int32_t)v);
	else
		l->d = v < 0 ? 0 : v >= 0x1p32 ? 0xffffffff : (uint32_t)v;
}

static void i2f(struct lane *l)
{
	volatile int64_t x = bits(l, 74, 1) ? (int32_t)l->b : (int64_t)l->b;
	volatile float v;

	fesetround(directions[bits(l, 78, 2)]);
	v = (float)x;
	fesetround(FE_TONEAREST);
	l->d = u(v);
}

static void frnd(struct lane *l)
{
	l->d = u((float)rounded_whole((double)source(l, l->b, 63, 62), bits(l, 78, 2)));
	if (bits(l, 80, 1) && l->d != 0x7fffffff)
		l->d = flushed32((uint32_t)l->d);
}

static void plop3(struct lane *l)
{
	unsigned index = (unsigned)l->p * 4 + (unsigned)l->q * 2 + (unsigned)l->r;

	l->pd = (bits(l, 64, 3) | bits(l, 72, 5) << 3) >> index & 1;
	l->pd2 = bits(l, 16, 8) >> index & 1;
}

static void vabsdiff(struct lane *l)
{
	int64_t a = bits(l, 73, 1) ? (int32_t)l->a : (int64_t)l->a, b = bits(l, 73, 1) ? (int32_t)l->b : (int64_t)l->b;

	l->d = (uint32_t)((uint64_t)(a > b ? a - b : b - a) + l->c);
}

static void idp(struct lane *l)
{
	unsigned type = bits(l, 73, 4);
	int64_t sum = (int32_t)l->c;

	for (int k = 0; k < (type & 8 ? 2 : 4); k++) {
		int kb = k + (type & 8 && type & 4 ? 2 : 0);
		uint32_t x = (uint32_t)(type & 8 ? l->a >> 16 * k & 0xffff : l->a >> 8 * k & 255),
			 y = l->b >> 8 * kb & 255;
		int64_t p = type & 1 ? type & 8 ? (int16_t)x : (int8_t)x : (int64_t)x,
			q = type & 2 ? (int8_t)y : (int64_t)y;

		sum += p * q;
	}
	l->d = (uint32_t)sum;
}

/* ---- the operations ---- */

enum {
	A = 1,
	B = 2,
	C = 4,
	P81 = 8,
	P84 = 16,
	NO_D = 32,
	WIDE_A = 64,
	WIDE_B = 128,
	WIDE_C = 256,
	WIDE_D = 512,
	IMM_HIGH = 1024
};

static const struct test {
	const char *name;
	unsigned op;
	const char *forms;
	void (*want)(struct lane *l);
	unsigned has;
	const char *vary, *set; /* bits that are random, that are 1 */
	unsigned tries;
} tests[] = {
	{ "MOV", 0x002, "1456", mov, B, "", "", 4 },
	{ "SEL", 0x007, "1456", sel, A | B, "90", "", 8 },
	{ "IADD3", 0x010, "1234567", iadd3, A | B | C, "72", "", 8 },
	{ "IADD3", 0x010, "1234567", iadd3, A | B | C | P81 | P84, "72", "", 8 },
	{ "IADD3.X", 0x010, "1234567", iadd3, A | B | C | P81 | P84, "72 90 80", "74", 16 },
	{ "LEA", 0x011, "1456", lea, A | B | P81, "75 76 77 78 79", "", 16 },
	{ "LEA.HI", 0x011, "1456", lea_high, A | B | C | P81, "75 76 77 78 79", "80", 16 },
	{ "LOP3", 0x012, "1234567", lop3, A | B | C, "72 73 74 75 76 77 78 79", "", 64 },
	{ "LOP3", 0x012, "1456", lop3, A | B | C | P81, "72 73 74 75 76 77 78 79 90", "", 64 },
	{ "IABS", 0x013, "156", iabs, B, "", "", 4 },
	{ "VABSDIFF", 0x014, "1456", vabsdiff, A | B | C, "73", "", 8 },
	{ "PRMT", 0x016, "1234567", prmt, A | B | C, "72 73 74", "", 64 },
	{ "IMNMX", 0x017, "1456", imnmx, A | B, "73 90", "", 16 },
	{ "SHF", 0x019, "1234567", shf, A | B | C, "73 74 75 76 80", "", 128 },
	{ "SGXT", 0x01a, "1456", sgxt, A | B, "73 75", "", 32 },
	{ "BMSK", 0x01b, "1456", bmsk, A | B, "75", "", 32 },
	{ "IMAD", 0x024, "1234567", imad, A | B | C, "73", "", 8 },
	{ "IMAD.WIDE", 0x025, "1234567", imad_wide, A | B | C | WIDE_C | WIDE_D, "73", "", 8 },
	{ "IMAD.WIDE", 0x025, "1456", imad_wide, A | B | C | WIDE_C | WIDE_D | P81, "73", "", 8 },
	{ "IMAD.HI", 0x027, "1234567", imad_high, A | B | C | WIDE_C, "73", "", 8 },
	{ "IDP", 0x026, "15", idp, A | B | C, "73 74", "", 8 },
	{ "IDP.2A", 0x026, "15", idp, A | B | C, "73 74 75", "76", 8 },
	{ "ISETP", 0x00c, "1456", isetp, A | B | NO_D | P81 | P84, "73 76 77 78 90", "", 64 },
	{ "ISETP.OR", 0x00c, "1456", isetp, A | B | NO_D | P81 | P84, "73 76 77 78 90", "74", 64 },
	{ "ISETP.XOR", 0x00c, "1456", isetp, A | B | NO_D | P81 | P84, "73 76 77 78 90", "75", 64 },
	{ "ISETP.EX", 0x00c, "1456", isetp, A | B | NO_D | P81 | P84, "73 76 77 78 90 71", "72", 64 },
	{ "PLOP3", 0x01c, "4", plop3, NO_D | P81 | P84, "16 17 18 19 20 21 22 23 64 65 66 72 73 74 75 76 90 80 71",
	  "", 128 },
	{ "FADD", 0x021, "1237", float_add, A | B, "62 63 72 73 77 78 79 80", "", 128 },
	{ "FADD", 0x021, "1237", float_add, A | B, "62 63 72 73", "", 32 },
	{ "FMUL", 0x020, "1456", float_mul, A | B, "62 63 72 73 77 78 79 80", "", 128 },
	{ "FMUL", 0x020, "1456", float_mul, A | B, "62 63 72 73", "", 32 },
	{ "FFMA", 0x023, "1234567", float_fma, A | B | C, "63 72 75 77 78 79 80", "", 128 },
	{ "FFMA", 0x023, "1234567", float_fma, A | B | C, "", "", 8 },
	{ "FSETP", 0x00b, "1456", fsetp, A | B | NO_D | P81 | P84, "62 63 72 73 76 77 78 79 80 90", "", 256 },
	{ "FSETP.OR", 0x00b, "1456", fsetp, A | B | NO_D | P81 | P84, "76 77 78 79 90", "74", 64 },
	{ "FMNMX", 0x009, "1456", fmnmx, A | B, "62 63 72 73 80 81 90", "", 128 },
	{ "DADD", 0x029, "1237", dadd, A | B | WIDE_A | WIDE_B | WIDE_D | IMM_HIGH, "72 73 78 79", "", 32 },
	{ "DMUL", 0x028, "1456", dmul, A | B | WIDE_A | WIDE_B | WIDE_D | IMM_HIGH, "62 63 72 73 78 79", "", 32 },
	{ "DFMA", 0x02b, "1234567", dfma, A | B | C | WIDE_A | WIDE_B | WIDE_C | WIDE_D | IMM_HIGH, "63 72 75 78 79",
	  "", 32 },
	{ "FLO", 0x100, "156", flo, B | P81, "63 73 74", "", 16 },
	{ "BREV", 0x101, "156", brev, B, "63", "", 4 },
	{ "POPC", 0x109, "156", popc, B, "63", "", 4 },
	{ "F2I", 0x105, "156", f2i, B, "62 63 72 78 79 80", "76 85", 64 },
	{ "I2F", 0x106, "1456", i2f, B, "74 78 79", "85 76", 16 },
	{ "FRND", 0x107, "156", frnd, B, "62 63 78 79 80", "85", 32 },
};

#define RD 16u
#define RA 20u
#define RB 24u
#define RC 28u
#define UB 8u

struct machine {
	struct hd_exec_image image;
	struct hd_exec_run run;
	struct exec_warp *w;
	uint32_t *rows;
};

static void set_bits(struct sass_word *w, unsigned first, unsigned n, uint64_t v)
{
	for (unsigned k = 0; k < n; k++) {
		uint64_t *half = first + k < 64 ? &w->lo : &w->hi, bit = UINT64_C(1) << ((first + k) & 63);

		*half = v >> k & 1 ? *half | bit : *half & ~bit;
	}
}

static void random_bits(struct sass_word *w, const char *list, bool set)
{
	bool immediate = hd__sass_bits(*w, 9, 3) == 2 || hd__sass_bits(*w, 9, 3) == 4;

	for (const char *p = list; *p; p += strcspn(p, " "), p += *p == ' ')
		if (atoi(p) > 63 || atoi(p) < 32 || !immediate) /* else the bit is one of the immediate */
			set_bits(w, (unsigned)atoi(p), 1, set ? 1 : random_word() & 1);
}

/* The word; slot 32 has b, or c in the forms where it has. */
static struct sass_word encode(const struct test *t, unsigned form, uint32_t immediate, uint32_t bank_offset)
{
	struct sass_word w = { 0, 0 };
	bool third = form == 2 || form == 3 || form == 7;
	bool b_is_third = third && !(t->has & C); /* FADD and the like: slot 32 has their only other source */

	set_bits(&w, 0, 9, t->op);
	set_bits(&w, 9, 3, form);
	set_bits(&w, 12, 3, 7);
	set_bits(&w, 16, 8, t->has & NO_D ? 0 : RD);
	set_bits(&w, 24, 8, RA);
	set_bits(&w, 64, 8, third && !b_is_third ? RB : RC);
	if (t->op == 0x029 && form == 1)
		set_bits(&w, 64, 8, RB);
	if (t->op == 0x01c)
		set_bits(&w, 64, 8, 0);
	if (form == 1)
		set_bits(&w, 32, 8, RB);
	else if (form == 2 || form == 4)
		set_bits(&w, 32, 32, immediate);
	else if (form == 3 || form == 5)
		set_bits(&w, 38, 16, bank_offset);
	else
		set_bits(&w, 32, 6, UB);
	if (form >= 6)
		set_bits(&w, 91, 1, 1);
	set_bits(&w, 81, 3, t->has & P81 ? 1 : 7);
	set_bits(&w, 84, 3, t->has & P84 ? 2 : 7);
	if (strcmp(t->name, "F2I") == 0 || strcmp(t->name, "I2F") == 0 || strcmp(t->name, "FRND") == 0)
		set_bits(&w, 81, 6, 0);
	if (t->op == 0x009)
		set_bits(&w, 81, 3, 0);
	if (t->op == 0x020)
		set_bits(&w, 84, 3, 0);
	set_bits(&w, 87, 3, 3);
	if (t->op == 0x010 || t->op == 0x01c)
		set_bits(&w, 77, 3, 4);
	if (t->op == 0x00c || t->op == 0x01c)
		set_bits(&w, 68, 3, 5);
	random_bits(&w, t->vary, false);
	random_bits(&w, t->set, true);
	return w;
}

static uint64_t value(const struct machine *m, unsigned r, unsigned lane, bool wide)
{
	return m->rows[r * 32 + lane] | (wide ? (uint64_t)m->rows[(r + 1) * 32 + lane] << 32 : 0);
}

/* The sources of a lane as the word has them. */
static struct lane lane_of(const struct machine *m, const struct test *t, struct sass_word w, unsigned lane,
                           uint32_t immediate, const uint32_t *constant)
{
	unsigned form = (unsigned)hd__sass_bits(w, 9, 3);
	bool third = form == 2 || form == 3 || form == 7, wide_32 = t->has & (third && t->has & C ? WIDE_C : WIDE_B);
	struct lane l = { .w = w, .a = value(m, RA, lane, t->has & WIDE_A) };
	uint64_t in_32 = form == 1 ? value(m, RB, lane, wide_32)
			 : form == 2 || form == 4
				 ? (wide_32 ? t->has & IMM_HIGH ? (uint64_t)immediate << 32
								: (uint64_t)(int64_t)(int32_t)immediate
					    : immediate)
			 : form == 3 || form == 5 ? constant[0] | (wide_32 ? (uint64_t)constant[1] << 32 : 0)
						  : value(m, EXEC_UNIFORM + UB, 0, wide_32);
	bool swapped = third && t->has & C;

	l.b = swapped ? value(m, RB, lane, t->has & WIDE_B) : in_32;
	l.c = swapped ? in_32 : value(m, RC, lane, t->has & WIDE_C);
	if (t->op == 0x029 && form == 1)
		l.b = value(m, RB, lane, true);
	l.p = (m->w->p[3] >> lane & 1) ^ hd__sass_bits(w, 90, 1);
	l.q = (m->w->p[4] >> lane & 1) ^ (t->op == 0x010 || t->op == 0x01c ? hd__sass_bits(w, 80, 1) : 0);
	l.r = (m->w->p[5] >> lane & 1) ^ hd__sass_bits(w, 71, 1);
	return l;
}

static void wrong(const struct test *t, const struct lane *l, uint64_t got, const char *what, const char *build)
{
	if (failures++ < 3000)
		printf("%s, %s: word %016llx%016llx, a %llx b %llx c %llx p %d q %d: %s is %llx, expected %llx\n",
		       t->name, build, (unsigned long long)l->w.hi, (unsigned long long)l->w.lo,
		       (unsigned long long)l->a, (unsigned long long)l->b, (unsigned long long)l->c, l->p, l->q, what,
		       (unsigned long long)got,
		       (unsigned long long)(*what == 'P' ? what[2] == '1' ? l->pd : l->pd2 : l->d));
}

static void compare_lanes(const struct machine *m, const struct test *t, const struct lane *want, uint32_t lanes,
                          const uint32_t *before, const uint32_t *p_before, const char *build)
{
	for (unsigned i = 0; i < 32; i++) {
		bool on = lanes >> i & 1, wide = t->has & WIDE_D;
		uint64_t old = before[RD * 32 + i] | (wide ? (uint64_t)before[(RD + 1) * 32 + i] << 32 : 0),
			 got = value(m, RD, i, wide);

		if (!(t->has & NO_D) && got != (on ? want[i].d : old))
			wrong(t, &want[i], got, on ? "the result" : "what another lane has", build);
		if (t->has & P81 && (m->w->p[1] >> i & 1) != (on ? want[i].pd : p_before[1] >> i & 1))
			wrong(t, &want[i], m->w->p[1] >> i & 1, "P81", build);
		if (t->has & P84 && (m->w->p[2] >> i & 1) != (on ? want[i].pd2 : p_before[2] >> i & 1))
			wrong(t, &want[i], m->w->p[2] >> i & 1, "P84", build);
	}
}

static void try(struct machine *m, const struct test *t, unsigned form, bool wide_cpu)
{
	uint32_t immediate = operand(), before[EXEC_ROWS * 32], p_before[EXEC_PREDICATES],
		 lanes = random_word() % 3 ? EXEC_ALL : random_word() | 1;
	struct sass_word word = encode(t, form, immediate, 0x160);
	struct exec_code code = { .name = "test" };
	struct lane want[32];
	uint32_t constant[2] = { operand(), operand() }, *rows;
	struct exec_op o;

	for (unsigned i = 0; i < (RC + 2) * 32; i++)
		m->rows[i] = operand();
	for (unsigned k = 0; k < 2; k++)
		fill_row(m->rows + (EXEC_UNIFORM + UB + k) * 32, operand());
	for (unsigned k = 0; k < EXEC_PT; k++)
		m->w->p[k] = random_word();
	hd__exec_constants(&code);
	hd__exec_decode(&o, word, 80, &code, wide_cpu);
	if (o.flow != EXEC_PLAIN) {
		char *text = hd__sass_decode(word, 80, 0); /* bits that are not one are refused by both */

		free(code.constant);
		if (!text)
			return;
		free(text);
		printf("%s, form %u: not decoded: %016llx%016llx\n", t->name, form, (unsigned long long)word.hi,
		       (unsigned long long)word.lo);
		failures++;
		return;
	}
	rows = hd__xlines(code.constants * 32, sizeof *rows);
	for (size_t k = 0; k < code.constants; k++)
		fill_row(rows + 32 * k, code.constant[k].bank == EXEC_IMMEDIATE ? code.constant[k].value
		         : constant[(code.constant[k].value - 0x160) / 4]);
	m->w->base[1] = rows;
	memcpy(before, m->rows, sizeof before);
	memcpy(p_before, m->w->p, sizeof p_before);
	for (unsigned i = 0; i < 32; i++) {
		want[i] = lane_of(m, t, word, i, immediate, constant);
		t->want(&want[i]);
	}
	o.run(m->w, &o, lanes);
	compare_lanes(m, t, want, lanes, before, p_before, wide_cpu ? "AVX2" : "any CPU");
	free(code.constant);
	free(rows);
}

int main(void)
{
	struct machine m = { .rows = hd__xlines(EXEC_ROWS * 32, 4), .w = hd__xlines(1, sizeof *m.w) };
	bool wide = false;

#ifdef HD_EXEC_WIDE
	wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
	m.w->base[0] = m.rows;
	m.w->run = &m.run;
	m.run.image = &m.image;
	m.w->p[EXEC_PT] = m.w->p[EXEC_PT + EXEC_UP] = EXEC_ALL;
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		for (const char *form = tests[i].forms; *form; form++)
			for (unsigned k = 0; k < tests[i].tries * (1 + (unsigned)wide); k++)
				try(&m, &tests[i], (unsigned)(*form - '0'), wide && k % 2);
	free(m.rows);
	free(m.w);
	printf("%u failure%s\n", failures, failures == 1 ? "" : "s");
	return failures != 0;
}
