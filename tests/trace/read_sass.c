/* read_sass.c - instructions of all rows of the table are decoded; control fields, good and bad ones
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/sass/sass_inst.h"
#include "traces/sass/sass.h"
#include "traces/sass/sass_table.h"
#include "sass/hopper_words.h"

#define TRIES 400 /* words of a form */

static int failures;

static void fail(const char *what, const char *text)
{
	printf("FAIL: %s: %s\n", what, text ? text : "unknown");
	failures++;
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void set(struct sass_word *w, unsigned first, unsigned n, uint64_t v)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t *half = first + i < 64 ? &w->lo : &w->hi, bit = UINT64_C(1) << (first + i) % 64;

		*half = v >> i & 1 ? *half | bit : *half & ~bit;
	}
}

/* ---- the table ---- */

static void parse(const struct sass_row *r, const char *text)
{
	struct hd_diags d = { 0 };
	struct hasm_inst i = { 0 };
	struct hd_scan s = { .file = "", .p = text, .end = text + strlen(text), .start = text, .d = &d };
	size_t n = strlen(r->name);

	if (!hd__hasm_inst(&s, &i) || !hd__scan_at_end(&s))
		fail("no instruction", text);
	else if (strncmp(i.opcode, r->name, n) != 0 || (i.opcode[n] && i.opcode[n] != '.'))
		fail(r->name, text);
	hd__hasm_inst_free(&i);
	hd__diags_free(&d);
}

/* Words with the bits of the row; a few have modifiers that none has. */
static void check_form(const struct sass_row *r, unsigned form, uint64_t *state)
{
	unsigned known = 0;

	for (int i = 0; i < TRIES; i++) {
		struct sass_word w = { .lo = next(state), .hi = i % 2 ? next(state) & next(state) : 0 };
		char *text;

		set(&w, 0, 9, r->op);
		set(&w, 9, 3, form);
		for (const char *p = r->when; *p; p += strcspn(p, " "), p += *p == ' ')
			set(&w, (unsigned)atoi(p + 1), 1, *p == '+');
		text = hd__sass_decode(w, r->from ? r->from : i % 3 ? 80 : 75, 0x40);
		if (text)
			parse(r, text);
		known += text != NULL;
		free(text);
	}
	if (known < TRIES / 50)
		fail("a row that hardly decodes", r->name);
}

static void check_rows(void)
{
	uint64_t state = 88172645463325252u;
	size_t forms = 0;

	for (const struct sass_row *r = hd__sass_rows; *r->forms; r++)
		for (const char *f = r->forms; *f; f++, forms++)
			check_form(r, (unsigned)(*f - '0'), &state);
	printf("%zu forms\n", forms);
}

/* ---- single words ---- */

static const struct {
	uint32_t sm, pc;
	uint64_t lo, hi;
	const char *text; /* NULL: unknown */
} words[] = {
	{ 80, 0x00, 0x00000a0000017a02, 0x000fe40000000f00, "MOV R1, c[0x0][0x28]" },
	{ 80, 0x30, 0x0000000004047a24, 0x001fca00078e0203, "IMAD R4, R4, c[0x0][0x0], R3" },
	{ 80, 0xa0, 0x0000000402027981, 0x000ea8000c1e1900, "LDG.E R2, desc[UR4][R2.64]" },
	{ 80, 0xf0, 0xfffffff000007947, 0x000fc0000383ffff, "BRA 0xf0" },
	{ 80, 0x00, 0x00000004ff007e24, 0x000fe2000f8e00ff, "IMAD.U32 R0, RZ, RZ, UR4" },
	{ 80, 0x00, 0x0000000004047824, 0x140fe200078e0203, "IMAD R4, R4.reuse, 0x0, R3.reuse" },
	{ 80, 0x00, 0x00000001040478a4, 0x000fe2000f8e0203, "UIMAD UR4, UR4, 0x1, UR3" },
	{ 80, 0x00, 0x000000ff04047221, 0x010fe20000010000, "FADD.FTZ R4, R4, RZ" },
	{ 80, 0x00, 0x8000000504047221, 0x100fe20000000000, "FADD R4, R4, -R5.reuse" },
	{ 75, 0x40, 0x0000000002047381, 0x000ea200001ee900, "LDG.E.SYS R4, [R2]" },
	{ 80, 0x00, 0x0000000000000fff, 0x000fe40000000f00, NULL },
	{ 80, 0x00, 0x000000000000791a, 0x000fca0000000000, "DEPBAR.LE SB0, 0x0" },
	{ 80, 0x00, 0x000060000000791a, 0x000fca0000000000, NULL }, /* SB6 */
	{ 80, 0x00, 0, 0, NULL },
	{ 61, 0x08, 0x00000a0000017a02, 0x000fe40000000f00, NULL },
	/* products of warpgroups, as ptxas 13.0 codes their shapes */
	{ 90, 0x00, 0x00800000081879f2, 0x000fe60008014018, "BGMMA.64x48x256.AND.POPC R24, gdesc[UR8], R24, gsb0" },
	{ 90, 0x00, 0x02200000081879f2, 0x000fe60008014018, "BGMMA.64x256x256.AND.POPC R24, gdesc[UR8], R24, gsb0" },
	{ 90, 0x00, 0x04e03800081879f3, 0x000fe60008000a18,
	  "QGMMA.64x64x64.SP.F32.E4M3.E4M3 R24, gdesc[UR8], R24, R56, gsb0" },
	{ 90, 0x00, 0x00800000081879f0, 0x000fe60008000818, "HGMMA.64x40x16.F32 R24, gdesc[UR8], R24, gsb0" },
	{ 90, 0x00, 0x00600000081879f1, 0x000fe60008041018, "IGMMA.64x16x32.S8.S8 R24, gdesc[UR8], R24, gsb0" },
	{ 90, 0x00, 0x01200000081879f1, 0x000fe60008041018, "IGMMA.64x32x32.S8.S8 R24, gdesc[UR8], R24, gsb0" },
	{ 90, 0x00, 0x01800000081879f1, 0x000fe60008041018, "IGMMA.64x48x32.S8.S8 R24, gdesc[UR8], R24, gsb0" },
	{ 90, 0x00, 0x04200000081879f1, 0x000fe60008041018, "IGMMA.64x160x32.S8.S8 R24, gdesc[UR8], R24, gsb0" },
	{ 90, 0x00, 0x06600000081879f1, 0x000fe60008041018, "IGMMA.64x256x32.S8.S8 R24, gdesc[UR8], R24, gsb0" },
	{ 90, 0x00, 0x08e03800081879f0, 0x000fe60008000a18, "HGMMA.64x64x32.SP.F32 R24, gdesc[UR8], R24, R56, gsb0" },
	{ 90, 0x00, 0x00400000081879f3, 0x000fe60008000818, "QGMMA.64x24x32.F32.E4M3.E4M3 R24, gdesc[UR8], R24, gsb0" },
	{ 90, 0x00, 0x02003800081879f1, 0x000fe60008041218, "IGMMA.64x64x64.SP.S8.S8 R24, gdesc[UR8], R24, R56, gsb0" },
};

static void check_words(void)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char *text = hd__sass_decode((struct sass_word){ words[i].lo, words[i].hi }, words[i].sm,
		                             words[i].pc);

		if (text ? !words[i].text || strcmp(text, words[i].text) != 0 : words[i].text != NULL)
			fail(words[i].text ? words[i].text : "expected none", text);
		free(text);
	}
}

/* ---- textures and surfaces: texts, and how many registers each of the first four operands is ---- */

static const struct {
	uint32_t sm;
	uint64_t lo, hi;
	const char *text;
	unsigned counts[4];
} textures[] = {
	{ 80, 0xb000580608077b60, 0x19e01ff, "TEX.SCR.LL RZ, R7, R8, R6, 0x0, 0x58, ARRAY_2D, 0x1", { 0, 1, 2, 2 } },
	{ 80, 0x100058ff00087b66, 0x09e0f0a, "TLD.SCR.LZ R10, R8, R0, 0x0, 0x58, 1D", { 2, 2, 1, 0 } },
	{ 80, 0xa80000080c097361, 0x19e01ff, "TEX.B.LL RZ, R9, R12, R8, ARRAY_2D, 0x1", { 0, 1, 3, 2 } },
	{ 80, 0xa800000c0809736d, 0x01e01ff, "TXD.B RZ, R9, R8, R12, ARRAY_2D, 0x1", { 0, 1, 4, 4 } },
	{ 90, 0x200004ff06087f63, 0x91e0f0a, "TLD4.B R10, R8, R6, UR4, 0x0, 2D", { 2, 2, 2, 1 } },
	{ 80, 0x3000580806067b60, 0x19001ff, "TEX.SCR.LL P0, RZ, R6, R6, R8, 0x0, 0x58, 2D, 0x1", { 1, 0, 1, 2 } },
	{ 120, 0x80ff04ff06077f60, 0x81e01ff, "TEX RZ, R7, R6, UR4, ARRAY_1D, 0x1", { 0, 1, 2, 1 } },
	{ 80, 0x6800580806007b9d, 0x010ad00, "SUST.D.BA.2D.128.STRONG.SM [R6], R8, 0x0, 0x58", { 2, 4, 0, 0 } },
	{ 80, 0x700058000400759f, 0x0114100, "SURED.D.BA.2D.ADD.STRONG.SYS.TRAP [R4], R0, 0x0, 0x58", { 2, 1, 0, 0 } },
};

static void check_textures(void)
{
	for (size_t k = 0; k < sizeof textures / sizeof *textures; k++) {
		const char *expected = textures[k].text;
		char *text = hd__sass_decode((struct sass_word){ textures[k].lo, textures[k].hi }, textures[k].sm, 0);
		struct hd_diags d = { 0 };
		struct hasm_inst i = { 0 };
		struct hd_scan s = { .file = "", .p = expected, .end = expected + strlen(expected), .d = &d };

		s.start = s.p;
		if (!text || strcmp(text, expected) != 0)
			fail(expected, text);
		if (!hd__hasm_inst(&s, &i))
			fail("no instruction", expected);
		for (unsigned n = 0; n < i.n && n < 4; n++)
			if (hd__hasm_role(&i, n).count != textures[k].counts[n])
				fail("registers of an operand", expected);
		hd__hasm_inst_free(&i);
		hd__diags_free(&d);
		free(text);
	}
}

/* ---- control fields ---- */

static const struct {
	uint64_t hi;
	const char *text, *wrong;
} controls[] = {
	{ 0x000fc80000000f00, "[B------:R-:W-:Y:S04]", NULL },
	{ 0x008fe2000bf23270, "[B---3--:R-:W-:-:S01]", NULL },
	{ 0x000ea8000c1e1900, "[B------:R-:W2:-:S04]", NULL },
	{ 0x041fe20000000000, "[B0-----:R-:W-:-:S01]", NULL }, /* reuse is not in it */
	{ UINT64_C(0x1f) << 41 | UINT64_C(5) << 46 | UINT64_C(0) << 49 | UINT64_C(0x3f) << 52,
	  "[B012345:R0:W5:-:S15]", NULL },
	{ 0x000fc80000000f00 & ~(UINT64_C(1) << 46), "[B------:R-:W?:Y:S04]",
	  "write counter 6; expected 0 to 5, or 7 for none" },
	{ 0x000fc80000000f00 & ~(UINT64_C(1) << 49), "[B------:R?:W-:Y:S04]",
	  "read counter 6; expected 0 to 5, or 7 for none" },
	{ 0x400fc80000000f00, "[B------:R-:W-:Y:S04]", "bits 126 and 127 are not zero" },
	{ 0xc00d880000000f00, "[B------:R?:W?:Y:S04]", "write counter 6; expected 0 to 5, or 7 for none, "
	  "read counter 6; expected 0 to 5, or 7 for none, bits 126 and 127 are not zero" },
};

static void check_control(const struct hasm_control *c, const char *wrong, const char *text, const char *bad)
{
	char *got;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&got, &size));

	hd__sass_put_control(c, f);
	fclose(f);
	if (strcmp(got, text) != 0)
		fail(text, got);
	if (wrong ? !bad || strcmp(wrong, bad) != 0 : bad != NULL)
		fail(text, wrong ? wrong : "no mistake");
	free(got);
}

static void check_controls(void)
{
	/* of Maxwell: fields of three instructions */
	static const char *const old[] = { "[B------:R-:W-:-:S06]", "[B------:R-:W-:-:S01]",
	                                   "[B------:R-:W-:-:S01]" };
	struct hasm_control c;
	char *wrong;

	for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
		wrong = hd__sass_control((struct sass_word){ .hi = controls[i].hi }, &c);
		check_control(&c, wrong, controls[i].text, controls[i].wrong);
		free(wrong);
	}
	for (unsigned i = 0; i < 3; i++) {
		wrong = hd__sass_old_control(0x001fc400fe2007f6, i, &c);
		check_control(&c, wrong, old[i], NULL);
		free(wrong);
	}
	wrong = hd__sass_old_control(0x801fc400fe2007f6, 1, &c);
	check_control(&c, wrong, old[1], "bit 63 of the control word is set");
	free(wrong);
}

/* ---- what only Hopper has ---- */

static void check_hopper(void)
{
	for (size_t i = 0; i < sizeof hopper_words / sizeof *hopper_words; i++) {
		struct sass_word w = { .hi = hopper_words[i].hi, .lo = hopper_words[i].lo };
		char *text = hd__sass_decode(w, 90, 0);

		if (!text || strcmp(text, hopper_words[i].text) != 0) {
			printf("expected %s: ", hopper_words[i].text);
			fail("a word of sm_90", text);
		}
		free(text);
	}
}

/* ---- cubins with a byte that is another ---- */

#define STEP 7 /* every so many bytes */

static void read_damaged(const char *image, size_t size, size_t at, uint64_t flips)
{
	char *damaged = hd__xcalloc(size, 1); /* of its exact size, so that sanitizers see what is beyond */
	struct sass_code code = { 0 };
	struct hd_diags d = { 0 };

	memcpy(damaged, image, size);
	damaged[at] ^= (char)(flips | 1);
	hd__cubin_read(&code, "damaged", damaged, size, &d);
	for (size_t i = 0; i < code.n; i++)
		if (code.v[i].n > SASS_MAX_CODE || !code.v[i].name)
			fail("a function", code.v[i].name);
	hd__sass_free(&code);
	hd__diags_free(&d);
	free(damaged);
}

static void check_damage(const char *name)
{
	FILE *f = fopen(name, "rb");
	static char image[1 << 16];
	uint64_t state = 362436069;
	size_t size = f ? fread(image, 1, sizeof image, f) : 0;

	if (size == 0) {
		fail("no cubin", name);
		return;
	}
	fclose(f);
	for (size_t at = 0; at < size; at += STEP)
		read_damaged(image, size, at, next(&state));
	for (size_t cut = 1; cut < size; cut += 10 * STEP)
		read_damaged(image, cut, cut / 2, next(&state));
}

int main(void)
{
	const char *srcdir = getenv("srcdir");
	char *cubin = hd__format("%s/tests/trace/sass/small.cubin", srcdir ? srcdir : ".");

	check_rows();
	check_words();
	check_textures();
	check_hopper();
	check_controls();
	check_damage(cubin);
	free(cubin);
	return failures ? 1 : 0;
}
