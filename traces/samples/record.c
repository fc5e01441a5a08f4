/* record.c - one warp's instructions as lines of Accel-Sim's trace format
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "record.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct lanes linear(uint64_t first, int64_t stride)
{
	struct lanes l;

	for (int i = 0; i < LANES; i++)
		l.at[i] = first + (uint64_t)(i * stride);
	return l;
}

uint32_t lanes_below(int64_t first, int64_t limit)
{
	int64_t n = limit - first;

	if (n <= 0)
		return 0;
	return n >= LANES ? ALL_LANES : (1u << n) - 1;
}

/* xorshift between two odd multiplications: no state, so the data do not depend on the order in
 * which warps use them. */
uint32_t noise(uint32_t index)
{
	uint32_t x = index * 2654435761u + 0x68656464u;

	x ^= x >> 16;
	x *= 2246822519u;
	x ^= x >> 13;
	x *= 3266489917u;
	return x ^ x >> 16;
}

struct warp *when(struct warp *w, uint32_t lanes)
{
	w->guard = lanes;
	return w;
}

/* A bug in a kernel of this folder, not in the input. */
static void stop(const struct warp *w, const char *what)
{
	fprintf(stderr, "%s: block %d,%d warp %d pc %04x: %s\n", w->kernel->name, w->block[0],
		w->block[1], w->id, w->pc, what);
	abort();
}

static bool is_run(uint32_t mask)
{
	uint32_t low = mask & -mask;

	return (mask & (mask + low)) == 0;
}

/* The tracer's own choice: a stride if two or more neighbouring lanes have one, else deltas
 * between active lanes; without active lanes a stride of nothing. */
static void put_addresses(struct warp *w, uint32_t mask, const struct lanes *to)
{
	uint64_t a[LANES];
	int n = 0;
	bool strided;

	for (int i = 0; i < LANES; i++) {
		if (mask >> i & 1)
			a[n++] = to->at[i];
	}
	if (!n) {
		fputs("1 0x0 0 ", w->lines);
		return;
	}
	strided = n > 1 && is_run(mask);
	for (int i = 2; i < n; i++)
		strided = strided && a[i] - a[i - 1] == a[1] - a[0];
	fprintf(w->lines, "%d 0x%" PRIx64 " ", w->kernel->list ? 0 : strided ? 1 : 2, a[0]);
	for (int i = 1; i < n; i++) {
		if (w->kernel->list)
			fprintf(w->lines, "0x%" PRIx64 " ", a[i]);
		else if (i == 1 || !strided)
			fprintf(w->lines, "%" PRId64 " ", (int64_t)(a[i] - a[i - 1]));
	}
}

static void check_code(struct warp *w, const char *text)
{
	char *known = w->code[w->pc / 16];

	if (!w->mask)
		stop(w, "an instruction, but no active lane");
	if (w->pc / 16 >= MAX_CODE)
		stop(w, "code too long");
	if (!*known)
		strcpy(known, text);
	else if (strcmp(known, text) != 0)
		stop(w, "another instruction than before");
}

static void put(struct warp *w, int width, const struct lanes *to, const char *format, va_list ap)
{
	char text[MAX_TEXT], sources[MAX_TEXT] = "";
	uint32_t mask = w->mask & w->guard;
	int dst, used = 0, n_src = 0;
	long imm = 0;
	char *token;

	if (vsnprintf(text, sizeof text, format, ap) >= (int)sizeof text)
		stop(w, "instruction too long");
	check_code(w, text);

	fprintf(w->lines, "%04x %08" PRIx32 " ", w->pc, mask);
	token = strtok(text, " ");
	if (sscanf(token, "R%d%n", &dst, &used) == 1 && !token[used]) { /* but not R2UR */
		fprintf(w->lines, "1 R%d ", dst);
		token = strtok(NULL, " ");
	} else {
		fputs("0 ", w->lines);
	}
	fprintf(w->lines, "%s ", token);
	while ((token = strtok(NULL, " "))) {
		if (*token == '#') {
			imm = strtol(token + 1, NULL, 10);
			continue;
		}
		strcat(strcat(sources, token), " ");
		n_src++;
	}
	fprintf(w->lines, "%d %s%d ", n_src, sources, width);
	if (width)
		put_addresses(w, mask, to);
	if (w->kernel->version >= 5)
		fprintf(w->lines, "%ld ", imm);
	fputc('\n', w->lines);

	w->guard = ALL_LANES;
	w->pc += 16;
	w->count++;
}

void op(struct warp *w, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put(w, 0, NULL, format, ap);
	va_end(ap);
}

void mem(struct warp *w, int width, struct lanes to, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	put(w, width, &to, format, ap);
	va_end(ap);
}

bool branch(struct warp *w, bool taken, unsigned top)
{
	op(when(w, taken ? ALL_LANES : 0), "BRA #%u", top);
	if (taken)
		w->pc = top;
	return taken;
}

bool leave(struct warp *w, uint32_t lanes)
{
	lanes &= w->mask;
	op(when(w, lanes), "EXIT");
	w->live &= ~lanes;
	w->mask &= ~lanes;
	return w->live != 0;
}

struct region diverge(struct warp *w, unsigned length)
{
	struct region r = { .lanes = w->mask, .join = w->pc + 16 * (length + 1) };

	op(w, "BSSY #%u", r.join);
	return r;
}

/* These lanes wait at the BSYNC: each group that gets there executes it once. */
static void wait_at_join(struct warp *w, const struct region *r, uint32_t lanes)
{
	uint32_t stay = w->mask & ~lanes;
	unsigned pc = w->pc;

	if (!lanes)
		return;
	w->pc = r->join;
	w->mask = lanes;
	op(w, "BSYNC");
	w->pc = pc;
	w->mask = stay;
}

bool skip(struct warp *w, const struct region *r, uint32_t lanes)
{
	lanes &= w->mask;
	op(when(w, lanes), "BRA #%u", r->join);
	wait_at_join(w, r, lanes);
	return w->mask != 0;
}

bool again(struct warp *w, const struct region *r, uint32_t lanes, unsigned top)
{
	lanes &= w->mask;
	op(when(w, lanes), "BRA #%u", top);
	if (w->pc != r->join)
		stop(w, "a loop must end in front of its region's BSYNC");
	wait_at_join(w, r, w->mask & ~lanes);
	if (lanes)
		w->pc = top;
	return lanes != 0;
}

void converge(struct warp *w, const struct region *r)
{
	if (w->mask && w->pc != r->join)
		stop(w, "region of another length than that of its BSSY");
	wait_at_join(w, r, w->mask);
	w->mask = r->lanes & w->live;
	w->pc = r->join + 16;
}
