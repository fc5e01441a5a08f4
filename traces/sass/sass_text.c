/* sass_text.c - reads what cuobjdump -sass and nvdisasm -hex print
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instruction is a line that begins with its pc in a comment; the words of its encoding are comments
 * behind it and in the next line.  Below Volta the word of control fields is a line of its own in front of
 * three instructions.  Lines between that say which function follows, and for which SM version it is.
 */
#include "sass_scan.h"
#include "sass.h"

#include <ctype.h>

#define MAX_INSTRUCTION 1000u /* characters of its text */
#define MAX_LABELS 65536u

struct label {
	char *name;
	uint32_t pc;
};

struct reader {
	struct hd_scan s;
	struct sass_code *code;
	struct sass_function *f; /* the present one, or NULL */
	uint32_t sm;
	bool old;            /* the function has words of control fields */
	uint64_t control;    /* that precedes, of `left` instructions, */
	unsigned left;
	bool half;           /* the second word of the last instruction is to come */
	struct label *label; /* of the present function */
	size_t nlabels, cap;
};

/* ---- lines ---- */

static bool begins(const char *p, const char *word)
{
	return strncmp(p, word, strlen(word)) == 0;
}

static const char *line_end(const struct reader *r)
{
	const char *p = memchr(r->s.p, '\n', (size_t)(r->s.end - r->s.p));

	return p ? p : r->s.end;
}

/* The word in the rest of the line, or NULL. */
static const char *in_line(const struct reader *r, const char *end, const char *word)
{
	return memmem(r->s.p, (size_t)(end - r->s.p), word, strlen(word));
}

/* A comment with 16 or 32 hexadecimal digits at p: up to two words, the low one first.  Returns how many,
 * and where it ends. */
static unsigned hex_words(const char *p, uint64_t word[2], const char **end)
{
	unsigned n = 0;

	if (!begins(p, "/*"))
		return 0;
	for (p += 2; *p == ' '; p++)
		;
	if (!begins(p, "0x"))
		return 0;
	word[0] = word[1] = 0;
	for (p += 2; isxdigit((unsigned char)*p) && n <= 32; p++, n++) {
		unsigned digit = isdigit((unsigned char)*p) ? (unsigned)(*p - '0')
		                 : (unsigned)(tolower((unsigned char)*p) - 'a') + 10;

		word[1] = word[1] << 4 | word[0] >> 60;
		word[0] = word[0] << 4 | digit;
	}
	for (; *p == ' '; p++)
		;
	*end = p + 2;
	return begins(p, "*/") && (n == 16 || n == 32) ? n / 16 : 0;
}

/* ---- labels ---- */

static void add_label(struct reader *r, const char *p, size_t length)
{
	if (!r->f || r->nlabels == MAX_LABELS)
		return;
	r->label = hd__xgrow(r->label, r->nlabels, &r->cap, sizeof *r->label);
	r->label[r->nlabels++] = (struct label){
		.name = hd__xstrndup(p, length),
		.pc = r->f->n ? r->f->v[r->f->n - 1].pc + (r->old ? SASS_OLD_BYTES : SASS_BYTES) : 0,
	};
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

/* "`(.L_x_0)" -> "0x70" */
static void aim(struct reader *r, struct sass_inst *i)
{
	char *at = i->text ? strstr(i->text, "`(") : NULL, *close = at ? strchr(at, ')') : NULL;
	const struct label *l;
	char *text;

	if (!close)
		return;
	*close = '\0';
	l = r->nlabels ? bsearch(&(struct label){ .name = at + 2 }, r->label, r->nlabels, sizeof *r->label,
	                         by_name) : NULL;
	*close = ')';
	if (!l)
		return;
	*at = '\0';
	text = hd__format("%s0x%x%s", i->text, l->pc, close + 1);
	free(i->text);
	i->text = text;
}

static void end_function(struct reader *r)
{
	if (r->f && r->half)
		hd__scan_bad(&r->s, r->s.start, "the encoding of the instruction at pc 0x%x has one word; "
		             "expected two", r->f->v[r->f->n - 1].pc);
	if (r->nlabels)
		qsort(r->label, r->nlabels, sizeof *r->label, by_name);
	for (size_t i = 0; r->f && i < r->f->n; i++)
		aim(r, &r->f->v[i]);
	for (size_t i = 0; i < r->nlabels; i++)
		free(r->label[i].name);
	if (r->f && r->f->n == 0) { /* a name only */
		free(r->f->name);
		r->code->n--;
	}
	r->f = NULL;
	r->nlabels = 0;
	r->half = r->old = false;
	r->left = 0;
}

/* ---- functions ---- */

static void begin_function(struct reader *r, const char *name)
{
	size_t n = strcspn(name, " \t\r\n,");

	if (n && name[n - 1] == ':')
		n--;
	if (n == 0 || (r->f && r->f->n == 0 && strlen(r->f->name) == n && strncmp(r->f->name, name, n) == 0))
		return;
	end_function(r);
	r->f = hd__sass_function(r->code, r->s.file, name, n, r->sm);
	r->old = r->sm && r->sm < SASS_VOLTA;
}

/* "sm_80", "EF_CUDA_SM80" */
static void note_version(struct reader *r, const char *end)
{
	static const char *const words[] = { "EF_CUDA_SM", "sm_" };
	bool tells = begins(r->s.p, "arch =") || begins(r->s.p, "code for") || begins(r->s.p, ".target")
	             || begins(r->s.p, ".headerflags"); /* names of functions may have such words */

	for (size_t i = 0; i < 2 && tells; i++) {
		const char *p = in_line(r, end, words[i]);
		unsigned v = 0;

		if (!p)
			continue;
		for (p += strlen(words[i]); isdigit((unsigned char)*p) && v < 1000; p++)
			v = v * 10 + (unsigned)(*p - '0');
		if (v == 0)
			continue;
		r->sm = v;
		if (r->f && r->f->n == 0) {
			r->f->sm = v;
			r->old = v < SASS_VOLTA;
		}
		return;
	}
}

static void other_line(struct reader *r, const char *end)
{
	static const char function[] = "Function : ", section[] = ".section";
	size_t n = hd__scan_name(&r->s);
	const char *name;

	if (begins(r->s.p, function)) {
		begin_function(r, r->s.p + sizeof function - 1);
	} else if (begins(r->s.p, ".text.") && r->s.p[n] == ':') {
		begin_function(r, r->s.p + 6);
	} else if (begins(r->s.p, section)) {
		name = in_line(r, end, ".text.");
		end_function(r);
		if (name)
			begin_function(r, name + 6);
	} else if (n > 0 && r->s.p[n] == ':') {
		add_label(r, r->s.p, n);
	} else {
		note_version(r, end);
	}
}

/* ---- instructions ---- */

/* Without blanks, braces of pairs and ';' around it. */
static char *instruction_text(const char *p, const char *end)
{
	const char *stop = memchr(p, ';', (size_t)(end - p));

	if (!stop)
		for (stop = p; stop < end && !begins(stop, "/*"); stop++)
			;
	while (p < stop && (isspace((unsigned char)*p) || *p == '{'))
		p++;
	while (stop > p && (isspace((unsigned char)stop[-1]) || stop[-1] == '}'))
		stop--;
	return stop > p && stop - p <= (ptrdiff_t)MAX_INSTRUCTION ? hd__xstrndup(p, (size_t)(stop - p)) : NULL;
}

static void finish(struct sass_inst *i)
{
	free(i->wrong);
	i->wrong = hd__sass_control(i->word, &i->control);
}

/* The first words of an instruction. */
static void encode(struct reader *r, struct sass_inst *i, const uint64_t word[2], unsigned n)
{
	i->word.lo = word[0];
	if (r->old && r->left > 0) {
		i->wrong = hd__sass_old_control(r->control, 3 - r->left, &i->control);
		r->left--;
	} else if (r->old) {
		hd__scan_bad(&r->s, r->s.start, "no control word in front of the instruction; expected one for "
		             "every three");
	} else if (n == 2) {
		i->word.hi = word[1];
		finish(i);
	} else {
		r->half = true;
	}
}

static void instruction(struct reader *r, uint32_t pc, const char *end)
{
	const char *from = r->s.p, *p = from, *after;
	struct sass_inst *i;
	uint64_t word[2];
	unsigned n = 0;

	if (!r->f)
		return;
	if (r->half)
		hd__scan_bad(&r->s, r->s.start, "the encoding of the instruction at pc 0x%x has one word; "
		             "expected two", r->f->v[r->f->n - 1].pc);
	r->half = false;
	if ((r->f->n && pc <= r->f->v[r->f->n - 1].pc) || r->f->n == SASS_MAX_CODE) {
		hd__scan_bad(&r->s, r->s.start, "pc 0x%x is not above the one before; expected pcs that ascend, "
		             "of at most %u instructions", pc, SASS_MAX_CODE);
		return;
	}
	while (p < end && !(n = hex_words(p, word, &after)))
		p++;
	if (n == 0) {
		hd__scan_bad(&r->s, r->s.start, "no encoding behind the instruction; expected what 'cuobjdump "
		             "-sass' or 'nvdisasm -hex' prints");
		return;
	}
	i = hd__sass_inst(r->f, pc);
	i->line = r->s.line;
	i->text = instruction_text(from, p);
	encode(r, i, word, n);
}

/* A line of nothing but an encoding: the second word of an instruction, or control fields. */
static void lone_word(struct reader *r, uint64_t word)
{
	if (!r->f)
		return;
	if (r->half) {
		struct sass_inst *i = &r->f->v[r->f->n - 1];

		i->word.hi = word;
		finish(i);
		r->half = false;
		return;
	}
	if (r->f->sm == 0 && r->f->n == 0)
		r->old = true;
	if (!r->old)
		hd__scan_bad(&r->s, r->s.start, "a word of encoding without an instruction");
	r->control = word;
	r->left = 3;
}

static void line(struct reader *r)
{
	const char *end = line_end(r), *after;
	uint64_t word[2];
	uint32_t pc;

	while (r->s.p < end && isspace((unsigned char)*r->s.p))
		r->s.p++;
	if (hex_words(r->s.p, word, &after) == 1) /* first: a pc is looked for behind other comments, too */
		lone_word(r, word[0]);
	else if (begins(r->s.p, "/*") && hd__scan_pc(&r->s, &pc))
		instruction(r, pc, end);
	else
		other_line(r, end);
	r->s.p = end;
}

void hd__sass_text_read(struct sass_code *code, const char *file, const char *text, size_t size,
                        struct hd_diags *d)
{
	struct reader r = { .s = { .file = file, .p = text, .end = text + size, .start = text, .line = 1,
	                           .d = d }, .code = code };

	for (;;) {
		line(&r);
		if (r.s.p >= r.s.end)
			break;
		r.s.p++;
		r.s.line++;
		r.s.start = r.s.p;
	}
	end_function(&r);
	free(r.label);
}
