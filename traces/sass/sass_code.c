/* sass_code.c - machine code: control fields; functions and their instructions
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The control fields of an instruction have 21 bits, from the lowest: stall 4, yield 1 (0: the warp yields),
 * counter written 3, counter read 3, counters waited for 6, reuse 4.  They are bits 105 to 125 of 128; below
 * Volta a word of 64 has those of three instructions.  What is above them is zero.
 */
#include "sass.h"

#define FIELD_BITS 21u
#define COUNTERS 6u

/* Appends to what is there already. */
static char *wrong(char *was, const char *what)
{
	char *all = was ? hd__format("%s, %s", was, what) : hd__xstrdup(what);

	free(was);
	return all;
}

static char *counter(char *was, const char *role, unsigned n)
{
	char *what;

	if (n < COUNTERS || n == HASM_NO_COUNTER)
		return was;
	what = hd__format("%s counter %u; expected 0 to 5, or 7 for none", role, n);
	was = wrong(was, what);
	free(what);
	return was;
}

static char *fields(uint64_t v, struct hasm_control *c)
{
	*c = (struct hasm_control){
		.given = true,
		.stall = v & 15,
		.yield = !(v >> 4 & 1),
		.write = v >> 5 & 7,
		.read = v >> 8 & 7,
		.wait = v >> 11 & 63,
	};
	return counter(counter(NULL, "write", c->write), "read", c->read);
}

char *hd__sass_old_control(uint64_t word, unsigned i, struct hasm_control *c)
{
	char *bad = fields(word >> FIELD_BITS * i, c);

	return word >> 63 ? wrong(bad, "bit 63 of the control word is set") : bad;
}

char *hd__sass_control(struct sass_word w, struct hasm_control *c)
{
	char *bad = fields(hd__sass_bits(w, 105, FIELD_BITS), c);

	return hd__sass_bits(w, 126, 2) ? wrong(bad, "bits 126 and 127 are not zero") : bad;
}

void hd__sass_put_control(const struct hasm_control *c, FILE *f)
{
	char places[] = "------";

	for (unsigned k = 0; k < COUNTERS; k++)
		if (c->wait >> k & 1)
			places[k] = (char)('0' + k);
	fprintf(f, "[B%s:R%c:W%c:%c:S%02u]", places,
	        c->read < COUNTERS ? '0' + c->read : c->read == HASM_NO_COUNTER ? '-' : '?',
	        c->write < COUNTERS ? '0' + c->write : c->write == HASM_NO_COUNTER ? '-' : '?',
	        c->yield ? 'Y' : '-', c->stall);
}

/* ---- functions ---- */

struct sass_function *hd__sass_function(struct sass_code *code, const char *file, const char *name,
                                        size_t length, uint32_t sm)
{
	struct sass_function *f;

	code->v = hd__xgrow(code->v, code->n, &code->cap, sizeof *code->v);
	f = &code->v[code->n++];
	*f = (struct sass_function){ .name = hd__xstrndup(name, length), .file = file, .sm = sm };
	return f;
}

struct sass_inst *hd__sass_inst(struct sass_function *f, uint32_t pc)
{
	struct sass_inst *i;

	f->v = hd__xgrow(f->v, f->n, &f->cap, sizeof *f->v);
	i = &f->v[f->n++];
	*i = (struct sass_inst){ .pc = pc };
	return i;
}

void hd__sass_free(struct sass_code *code)
{
	for (size_t i = 0; i < code->n; i++) {
		struct sass_function *f = &code->v[i];

		for (size_t j = 0; j < f->n; j++) {
			free(f->v[j].text);
			free(f->v[j].wrong);
		}
		free(f->v);
		free(f->name);
	}
	free(code->v);
	*code = (struct sass_code){ 0 };
}
