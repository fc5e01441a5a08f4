/* kernel_header.c - the head of a kernel's file: "-key = value" lines
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel_list.h"

#include <inttypes.h>
#include <stdlib.h>

#define NEWEST_VERSION 6u /* of the tracer */
#define MOST_HEADER (UINT64_C(1) << 20) /* bytes: the name of a kernel may have thousands */

enum kind { NAME, NUMBER, ID, WIDE, DIM, ADDRESS, VERSION, SWITCH, IGNORED };

#define IN_LAUNCH(m) (offsetof(struct trace_header, launch) + offsetof(struct hd_launch, m))

/* `must`: required.  All others have a harmless default. */
static const struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	bool must;
} keys[] = {
	{ .name = "kernel name", .kind = NAME },
	{ .name = "kernel id", .kind = ID, .offset = IN_LAUNCH(id) },
	{ .name = "grid dim", .kind = DIM, .offset = IN_LAUNCH(grid), .must = true },
	{ .name = "block dim", .kind = DIM, .offset = IN_LAUNCH(block), .must = true },
	{ .name = "cluster dim", .kind = DIM, .offset = IN_LAUNCH(cluster) },
	{ .name = "shmem", .kind = NUMBER, .offset = IN_LAUNCH(shmem) },
	{ .name = "nregs", .kind = NUMBER, .offset = IN_LAUNCH(nregs) },
	{ .name = "binary version", .kind = NUMBER, .offset = IN_LAUNCH(binary), .must = true },
	{ .name = "cuda stream id", .kind = WIDE, .offset = IN_LAUNCH(stream) },
	{ .name = "shmem base_addr", .kind = ADDRESS, .offset = IN_LAUNCH(shared_base) },
	{ .name = "local mem base_addr", .kind = ADDRESS, .offset = IN_LAUNCH(local_base) },
	{ .name = "nvbit version", .kind = IGNORED },
	{ .name = "accelsim tracer version", .kind = VERSION,
	  .offset = offsetof(struct trace_header, version) },
	{ .name = "enable lineinfo", .kind = SWITCH,
	  .offset = offsetof(struct trace_header, lineinfo) },
};

#define NKEYS (sizeof keys / sizeof keys[0])

/* *at: the first word that is wrong. */
static const char *parse_dim(const char *p, uint32_t dim[3], const char **at)
{
	if (*p++ != '(')
		return NULL;
	for (int i = 0; i < 3; i++) {
		const char *end;
		uint64_t v;

		*at = p = trace_skip(p);
		p = hd__trace_dec(p, &v);
		if (!p || v == 0 || v > UINT32_MAX)
			return NULL;
		dim[i] = (uint32_t)v;
		end = p;
		p = trace_skip(p);
		if (*p != (i < 2 ? ',' : ')')) {
			if (p > end || *p == ',' || *p == ')' || trace_gap(*p)) /* else it is a part of the word */
				*at = p;
			return NULL;
		}
		p++;
	}
	return p;
}

/* The value of one key.  `end` is the end of the line. */
static int take(struct trace_header *h, struct trace_text *t, const char *line,
                const struct key *k, const char *p, const char *end)
{
	void *to = (char *)h + k->offset;
	const char *at = p, *what = NULL;
	uint64_t v = 0;

	switch (k->kind) {
	case NAME:
		if (trace_control(p, end))
			return hd__trace_bad(t, line, trace_control(p, end), "a name without control characters");
		free((char *)h->launch.name);
		h->launch.name = strndup(p, (size_t)(end - p));
		return h->launch.name ? 0 : hd__trace_error(t->host, "%s: out of memory", t->name);
	case NUMBER:
		p = hd__trace_dec(p, &v);
		what = "a number of at most 32 bits";
		if (p && v <= UINT32_MAX)
			*(uint32_t *)to = (uint32_t)v;
		else
			p = NULL;
		break;
	case ID: /* is written to statistics, whose numbers have a sign */
		p = hd__trace_dec(p, &v);
		what = "a number of at most 63 bits";
		if (p && v <= INT64_MAX)
			*(uint64_t *)to = v;
		else
			p = NULL;
		break;
	case WIDE:
		/* Old tracers print stream handles as signed numbers. */
		p = hd__trace_dec(p + (*p == '-'), &v);
		what = "a number";
		*(uint64_t *)to = *at == '-' ? 0 - v : v;
		break;
	case DIM:
		p = parse_dim(p, to, &at);
		what = "(x,y,z), each from 1";
		break;
	case ADDRESS:
		p = hd__trace_hex(p, to);
		what = "an address";
		break;
	case VERSION:
		p = hd__trace_dec(p, &v);
		what = "a version";
		*(uint32_t *)to = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
		if (p && *p == '.')
			p = hd__trace_dec(p + 1, &v);
		break;
	case SWITCH:
		p = hd__trace_dec(p, &v);
		what = "0 or 1";
		*(bool *)to = v == 1;
		if (v > 1)
			p = NULL;
		break;
	case IGNORED:
		return 0;
	}
	if (p && p != end && trace_gap(*p))
		return hd__trace_bad(t, line, p, "the end of the line");
	if (p != end)
		return hd__trace_bad(t, line, at, what);
	return 0;
}

/* One "-key = value" line.  New tracers add keys: unknown ones are counted. */
static int key_line(struct trace_header *h, struct trace_text *t, const char *line, size_t len,
                    uint32_t *seen)
{
	const char *end = line + len;

	while (end > line && trace_gap(end[-1]))
		end--;
	for (size_t i = 0; i < NKEYS; i++) {
		const char *p = hd__trace_value(line + 1, keys[i].name);

		if (!p)
			continue;
		if (*seen >> i & 1)
			return hd__trace_error(t->host, "%s:%" PRIu64 ": the header has '%s' twice; expected one "
			                       "line with it", t->name, t->line, keys[i].name);
		*seen |= 1u << i;
		return take(h, t, line, &keys[i], p < end ? p : end, end);
	}
	if (!memchr(line, '=', len))
		return hd__trace_bad(t, line, line, "'-key = value'");
	h->unknown++;
	return 0;
}

int hd__trace_header_derive(struct trace_header *h, struct trace_text *t)
{
	struct hd_launch *l = &h->launch;
	uint64_t threads, ctas;

	if (h->version > NEWEST_VERSION)
		return hd__trace_error(t->host, "%s: unsupported tracer version %" PRIu32 "; expected at "
		                       "most %u", t->name, h->version, NEWEST_VERSION);
	if (__builtin_mul_overflow((uint64_t)l->grid[0] * l->grid[1], l->grid[2], &ctas))
		return hd__trace_error(t->host, "%s: grid (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") is too "
		                       "large", t->name, l->grid[0], l->grid[1], l->grid[2]);
	if (__builtin_mul_overflow((uint64_t)l->block[0] * l->block[1], l->block[2], &threads) ||
	    threads > TRACE_WARPS * HD_LANES)
		return hd__trace_error(t->host, "%s: block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") is too "
		                       "large; expected at most %u threads", t->name, l->block[0],
		                       l->block[1], l->block[2], TRACE_WARPS * HD_LANES);
	for (int i = 0; i < 3; i++)
		if (l->cluster[0] && l->grid[i] % l->cluster[i])
			return hd__trace_error(t->host, "%s: clusters of (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") thread "
				"blocks do "
			                       "not divide the grid of (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", t->name,
			                       l->cluster[0], l->cluster[1], l->cluster[2], l->grid[0], l->grid[1],
			                       l->grid[2]);
	if (l->cluster[0] && l->binary && l->binary < TRACE_CLUSTERS_SM)
		return hd__trace_error(t->host, "%s: clusters of (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") thread blocks, "
		                       "which sm_%" PRIu32 " does not have; expected sm_%u or later", t->name,
		                       l->cluster[0], l->cluster[1], l->cluster[2], l->binary,
		                       TRACE_CLUSTERS_SM);
	l->ctas = ctas;
	l->threads = (uint32_t)threads;
	l->warps = (l->threads + HD_LANES - 1) / HD_LANES;
	if (!l->name)
		l->name = strdup("");
	return l->name ? 0 : hd__trace_error(t->host, "%s: out of memory", t->name);
}

int hd__trace_header_read(struct trace_header *h, struct trace_text *t)
{
	uint32_t seen = 0;
	const char *line;
	size_t len;
	int got;

	hd__trace_header_free(h);
	h->version = 1;
	/* The first '#' line ends the header, whatever its text. */
	while ((got = trace_text_line(t, &line, &len)) > 0) {
		if (hd__trace_text_limit(t, MOST_HEADER, "the header"))
			return -1;
		if (t->line == 1 && hd__trace_text_plain(t, line, len))
			return -1;
		if (*line == '#')
			break;
		if (*line == '-') {
			if (key_line(h, t, line, len, &seen))
				return -1;
		} else if (trace_skip(line) < line + len) {
			return hd__trace_bad(t, line, line, "'-key = value' or a line with '#'");
		}
	}
	if (got < 0)
		return -1;
	if (got == 0 && t->line == 0)
		return hd__trace_error(t->host, "%s: is empty; expected a trace", t->name);
	if (got == 0)
		return hd__trace_error(t->host, "%s:%" PRIu64 ": the file ends within the header; "
		                       "expected a line with '#'", t->name, t->line);
	for (size_t i = 0; i < NKEYS; i++)
		if (keys[i].must && !(seen >> i & 1))
			return hd__trace_error(t->host, "%s:%" PRIu64 ": the header has no '%s'", t->name,
			                       t->line, keys[i].name);
	return hd__trace_header_derive(h, t);
}

/* "x,y,z" */
static bool three(const char *p, uint64_t v[3])
{
	for (int i = 0; i < 3; i++) {
		p = hd__trace_dec(trace_skip(p), &v[i]);
		if (!p || v[i] >= UINT32_MAX || (i < 2 && *p++ != ','))
			return false;
	}
	return true;
}

int hd__trace_header_clusters(struct trace_header *h, struct trace_text *t)
{
	uint64_t size[3] = { 1, 1, 1 }, first[3], v[3];
	bool any = false, told = false;
	const char *line;
	size_t len;
	int got;

	while ((got = trace_text_line(t, &line, &len)) > 0) {
		const char *p;

		if (len > 5 && memcmp(line, "warp ", 5) == 0 && !any)
			return 0;
		if ((p = hd__trace_value(line, "cluster id")) && three(p, v)) {
			if (any && memcmp(v, first, sizeof v) != 0)
				break;
			memcpy(first, v, sizeof v);
			any = true;
		} else if (any && (p = hd__trace_value(line, "cluster cta")) && three(p, v)) {
			told = true;
			for (int i = 0; i < 3; i++)
				size[i] = v[i] + 1 > size[i] ? v[i] + 1 : size[i];
		}
	}
	if (got < 0)
		return -1;
	if (!told || size[0] * size[1] * size[2] == 1)
		return 0;
	for (int i = 0; i < 3; i++)
		h->launch.cluster[i] = (uint32_t)size[i];
	return hd__trace_header_derive(h, t);
}

void hd__trace_header_free(struct trace_header *h)
{
	free((char *)h->launch.name);
	*h = (struct trace_header){ .version = 1 };
}
