/* sass_value.c - prints immediates and special registers of instructions
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass_operand.h"

#include <inttypes.h>
#include <math.h>

/* All digits that a float can have, as nvdisasm prints. */
static void put_number(double v, bool negative, bool quiet, FILE *f)
{
	if (isnan(v))
		fprintf(f, "%c%cNAN", negative ? '-' : '+', quiet ? 'Q' : 'S');
	else if (isinf(v))
		fprintf(f, "%cINF", negative ? '-' : '+');
	else
		fprintf(f, "%.20g", v);
}

void hd__sass_put_float(uint32_t bits, FILE *f)
{
	float v;

	memcpy(&v, &bits, sizeof v);
	put_number((double)v, bits >> 31, bits >> 22 & 1, f);
}

void hd__sass_put_double(uint32_t high, FILE *f)
{
	uint64_t bits = (uint64_t)high << 32;
	double v;

	memcpy(&v, &bits, sizeof v);
	put_number(v, high >> 31, high >> 19 & 1, f);
}

void hd__sass_put_half(uint16_t bits, bool bf16, FILE *f)
{
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	double v;

	if (bf16) {
		hd__sass_put_float((uint32_t)bits << 16, f);
		return;
	}
	if (exponent == 31)
		v = fraction ? NAN : INFINITY;
	else
		v = exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
	put_number(bits >> 15 ? -v : v, bits >> 15, fraction >> 9, f);
}

void hd__sass_put_integer(int64_t v, FILE *f)
{
	if (v < 0)
		fprintf(f, "-0x%" PRIx64, 0 - (uint64_t)v);
	else
		fprintf(f, "0x%" PRIx64, (uint64_t)v);
}

static const char *const specials[256] = {
	[0] = "LANEID", [2] = "VIRTCFG", [3] = "VIRTID",
	[32] = "TID", [33] = "TID.X", [34] = "TID.Y", [35] = "TID.Z",
	[37] = "CTAID.X", [38] = "CTAID.Y", [39] = "CTAID.Z",
	[56] = "EQMASK", [57] = "LTMASK", [58] = "LEMASK", [59] = "GTMASK", [60] = "GEMASK",
	[67] = "VIRTUALSMID",
	[80] = "CLOCKLO", [81] = "CLOCKHI", [82] = "GLOBALTIMERLO", [83] = "GLOBALTIMERHI",
	[100] = "PM0", [102] = "PM1", [104] = "PM2", [106] = "PM3",
};

/* Those without a name are SR and their number. */
void hd__sass_put_special(unsigned number, FILE *f)
{
	if (number == 255)
		fputs("SRZ", f);
	else if (specials[number])
		fprintf(f, "SR_%s", specials[number]);
	else
		fprintf(f, "SR%u", number);
}
