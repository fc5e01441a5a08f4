/* exec_calls.c - functions that kernels call and the machine provides: printf, malloc, free, assert
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arguments are in registers from R4 on, results in R4.
 */
#include "exec_ops.h"

#include <ctype.h>

#define MOST_TEXT 4096u /* bytes of a format, or of a text that is printed */
#define MOST_SPECIFICATION 64u
#define MOST_DIGITS 4u       /* of a width or a precision: a kernel cannot fill memory with blanks */
#define MOST_WIDTH 10000

/* A call by one lane. */
struct call {
	struct exec_warp *w;
	uint32_t pc;
	unsigned lane;
	bool ok;
};

static uint64_t argument(const struct call *c, unsigned n)
{
	return pair(c->w->base[0] + (4 + 2 * n) * EXEC_LANES, c->lane);
}

/* A text in memory that a thread sees; NULL after a fault.  The caller frees it. */
static char *text_at(struct call *c, uint64_t address)
{
	char *text = hd__xcalloc(MOST_TEXT, 1);

	for (uint32_t i = 0; i + 1 < MOST_TEXT; i++) {
		text[i] = (char)hd__exec_read(c->w, c->pc, address + i, 1, c->lane, &c->ok);
		if (!c->ok) {
			free(text);
			return NULL;
		}
		if (!text[i])
			break;
	}
	return text;
}

/* The next argument of printf, at a multiple of its size. */
static uint64_t next(struct call *c, uint64_t *at, uint32_t bytes)
{
	uint64_t v;

	*at = (*at + bytes - 1) & ~(uint64_t)(bytes - 1);
	v = hd__exec_read(c->w, c->pc, *at, bytes, c->lane, &c->ok);
	*at += bytes;
	return v;
}

/* One "%..." of a format.  Returns its end; *n counts arguments. */
static const char *specification(struct call *c, const char *p, uint64_t *at, FILE *to, uint32_t *n)
{
	char spec[MOST_SPECIFICATION], kind;
	size_t length = 0, longs = 0, digits = 0;
	uint64_t v;

	spec[length++] = *p++;
	for (; *p && strchr("-+ #0123456789.*hlzjt", *p); p++) {
		digits = isdigit((unsigned char)*p) ? digits + 1 : 0;
		if (*p == '*')
			length += (size_t)snprintf(spec + length, 8, "%d", (int)next(c, at, 4) % MOST_WIDTH);
		else if (strchr("hlzjt", *p))
			longs += *p != 'h';
		else if (digits <= MOST_DIGITS)
			spec[length++] = *p;
		if (length > MOST_SPECIFICATION / 2)
			length = MOST_SPECIFICATION / 2;
	}
	kind = *p;
	if (!kind)
		return p;
	if (kind == '%') {
		fputc('%', to);
		return p + 1;
	}
	++*n;
	if (strchr("fFeEgGaA", kind)) {
		snprintf(spec + length, sizeof spec - length, "%c", kind);
		v = next(c, at, 8);
		if (c->ok)
			fprintf(to, spec, to_double(v));
	} else if (kind == 's') {
		char *text = text_at(c, next(c, at, 8));

		snprintf(spec + length, sizeof spec - length, "s");
		if (text)
			fprintf(to, spec, text);
		free(text);
	} else if (kind == 'p') {
		fprintf(to, "0x%llx", (unsigned long long)next(c, at, 8));
	} else if (kind == 'c') {
		snprintf(spec + length, sizeof spec - length, "c");
		fprintf(to, spec, (int)next(c, at, 4));
	} else if (strchr("diuoxX", kind)) {
		snprintf(spec + length, sizeof spec - length, "ll%c", kind);
		v = next(c, at, longs ? 8 : 4);
		if (kind == 'd' || kind == 'i')
			fprintf(to, spec, longs ? (long long)v : (long long)(int32_t)v);
		else
			fprintf(to, spec, (unsigned long long)v);
	}
	return p + 1;
}

static void print(struct call *c)
{
	FILE *to = c->w->run->x->options.print;
	char *format = text_at(c, argument(c, 0)), *line = NULL;
	uint64_t at = argument(c, 1);
	uint32_t n = 0;
	size_t size;
	FILE *f;

	if (!format)
		return;
	f = hd__xcheck(open_memstream(&line, &size));
	for (const char *p = format; *p && c->ok;) {
		if (*p == '%')
			p = specification(c, p, &at, f, &n);
		else
			fputc(*p++, f);
	}
	fclose(f);
	if (to && c->ok)
		fwrite(line, 1, size, to);
	free(line);
	free(format);
	c->w->base[0][4 * EXEC_LANES + c->lane] = n;
}

static void allocate(struct call *c)
{
	struct hd_exec *x = c->w->run->x;
	uint64_t bytes = argument(c, 0), address = bytes <= x->heap_left ? hd__exec_alloc(x, bytes) : 0;

	if (address)
		x->heap_left -= bytes;
	put_pair(c->w->base[0] + 4 * EXEC_LANES, c->lane, address);
}

static void release(struct call *c)
{
	struct hd_exec *x = c->w->run->x;
	uint64_t address = argument(c, 0), start, bytes;

	if (address && hd__exec_allocation(x, address, &start, &bytes) && start == address) {
		hd__exec_release(x, address);
		x->heap_left += bytes;
	}
}

/* Text, file, line, function. */
static void assertion(struct call *c)
{
	char *text = text_at(c, argument(c, 0)), *file = c->ok ? text_at(c, argument(c, 1)) : NULL;
	uint32_t line = c->w->base[0][8 * EXEC_LANES + c->lane];
	char *function = c->ok ? text_at(c, pair(c->w->base[0] + 10 * EXEC_LANES, c->lane)) : NULL;

	if (c->ok)
		hd__exec_fail(c->w, c->pc, UINT32_C(1) << c->lane, HD_EXEC_ASSERT, 0,
			      "%s:%u: %s: assertion `%s' failed", file, line, function, text);
	c->ok = false;
	free(text);
	free(file);
	free(function);
}

bool hd__exec_call(struct exec_warp *w, uint32_t pc, enum exec_call call, uint32_t lanes)
{
	static void (*const functions[])(struct call *) = { print, allocate, release, assertion };
	struct call c = { .w = w, .pc = pc, .ok = true };

	FOR_LANES(lanes) {
		c.lane = i;
		functions[call](&c);
		if (!c.ok)
			return false;
	}
	return true;
}
