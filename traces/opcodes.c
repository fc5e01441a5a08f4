/* opcodes.c - looks up an opcode, once for each static instruction
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The base opcode, the text before the first dot, is looked up, and whether an entry names one of its suffixes
 * as well; an opcode without an entry gets the longest matching prefix, else the default, and is counted.
 */
#include "opcodes.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#define UNKNOWN_SHOWN 40 /* opcodes that are warned about one by one; a file with more is broken */

void hd__trace_opcodes_free(struct trace_opcodes *o)
{
	for (size_t i = 0; i < o->nunknown; i++)
		free(o->unknown[i].name);
	if (o->base) {
		hd__trace_opcodes_free(o->base);
		free(o->base);
	}
	free(o->own);
	free(o->v);
	free(o->prefix);
	free(o->unknown);
	free(o->file);
	json_decref(o->json);
	json_decref(o->prefix_json);
	*o = (struct trace_opcodes){ 0 };
}

static bool has_token(const char *text, size_t len, const char *token)
{
	const char *end = text + len;
	size_t n = strlen(token);

	while ((text = memchr(text, '.', (size_t)(end - text)))) {
		text++;
		if ((size_t)(end - text) >= n && memcmp(text, token, n) == 0 &&
		    (text + n == end || text[n] == '.'))
			return true;
	}
	return false;
}

/* The entry of an opcode.  Those that name a suffix too follow it: F2F.F64 is for F2F.F32.F64, whose suffix it is.  Of
 * several the longest counts: HMMA.1688.F32.TF32, not HMMA.1688. */
static const struct trace_op *known(const struct trace_opcodes *o, const char *text, size_t all, size_t len)
{
	size_t lo = 0, hi = o->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strncmp(o->v[mid].name, text, len);

		if (c == 0 && o->v[mid].name[len] == '\0') {
			const struct trace_op_name *best = &o->v[mid];

			for (size_t i = mid + 1;
			     i < o->n && strncmp(o->v[i].name, text, len) == 0 && o->v[i].name[len] == '.'; i++)
				if (strlen(o->v[i].name) > strlen(best->name) &&
				    has_token(text, all, o->v[i].name + len + 1))
					best = &o->v[i];
			return &best->op;
		}
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static int guess(struct trace_opcodes *o, const char *base, size_t len, const struct trace_op **op,
                 uint32_t *unknown)
{
	struct trace_opcodes *from = hd__trace_opcodes_with_prefixes(o);
	struct trace_unknown *u;
	size_t i;

	if (!from->prefixes && hd__trace_opcodes_prefixes(from))
		return -1;
	*op = &o->fallback;
	for (i = 0; i < from->nprefix; i++) {
		size_t n = strlen(from->prefix[i].name);

		if (n <= len && memcmp(from->prefix[i].name, base, n) == 0) {
			*op = &from->prefix[i].op;
			break;
		}
	}
	for (i = 0; i < o->nunknown; i++)
		if (strncmp(o->unknown[i].name, base, len) == 0 && !o->unknown[i].name[len])
			break;
	if (i > UNKNOWN_SHOWN)
		i = UNKNOWN_SHOWN;
	*unknown = (uint32_t)i + 1;
	if (i < o->nunknown)
		return 0;
	u = realloc(o->unknown, (i + 1) * sizeof *u);
	if (!u)
		return hd__trace_error(o->host, "%s: out of memory", o->file);
	o->unknown = u;
	/* The entry after the last one that is shown stands for all others. */
	u[i] = (struct trace_unknown){ .name = i < UNKNOWN_SHOWN ? strndup(base, len) : strdup(""),
	                               .cls = (*op)->cls, .unit = hd__trace_opcodes_unit(from, base, len) };
	if (!u[i].name)
		return hd__trace_error(o->host, "%s: out of memory", o->file);
	o->nunknown++;
	return 0;
}

int hd__trace_opcode(struct trace_opcodes *o, const char *text, size_t len, struct trace_op *op,
                     uint32_t *unknown)
{
	const char *dot = memchr(text, '.', len);
	size_t base = dot ? (size_t)(dot - text) : len;
	const struct trace_op *found = known(o, text, len, base);
	unsigned hits = 0;

	*unknown = 0;
	if (!found && guess(o, text, base, &found, unknown))
		return -1;
	*op = *found;
	while (hits < op->ntokens && has_token(text, len, op->token[hits]))
		hits++;
	if (op->ntokens > 0 && hits == op->ntokens)
		op->flags |= HD_INST_BYPASS;
	if (o->power)
		hd__trace_power(o->power, text, len, base, op);
	return 0;
}

void hd__trace_opcodes_warn(struct trace_opcodes *o, const char *where)
{
	for (size_t i = 0; i < o->nunknown; i++) {
		struct trace_unknown *u = &o->unknown[i];

		if (u->count == 0)
			; /* from a malformed line, which was reported */
		else if (i < UNKNOWN_SHOWN && u->unit)
			hd__trace_warn(o->host, "%s: opcode '%s' is executed by %s, which is not simulated; %" PRIu64
			               " instruction%s taken as class %s, without memory accesses", where, u->name,
			               u->unit, u->count, u->count == 1 ? "" : "s",
			               o->host->class_name(o->host->self, u->cls));
		else if (i < UNKNOWN_SHOWN)
			hd__trace_warn(o->host, "%s: opcode '%s' is not in '%s'; %" PRIu64 " instruction%s "
			               "taken as class %s", where, u->name, o->file, u->count,
			               u->count == 1 ? "" : "s", o->host->class_name(o->host->self, u->cls));
		else
			hd__trace_warn(o->host, "%s: %" PRIu64 " instructions have other opcodes "
			               "that are not in '%s'", where, u->count, o->file);
		u->count = 0;
	}
}

/* Is `name` the opcode or its beginning up to a dot?  Returns its length then, else 0. */
static size_t fits(const char *name, const char *text, size_t len)
{
	size_t n = strlen(name);

	return n <= len && memcmp(name, text, n) == 0 && (n == len || text[n] == '.') ? n : 0;
}

bool hd__trace_reclass(const struct trace_reclass *r, const char *text, size_t len, uint8_t *cls)
{
	size_t best = 0;

	for (size_t i = 0; i < r->n; i++) {
		size_t n = fits(r->v[i].opcode, text, len);

		if (n > best) {
			best = n;
			*cls = r->v[i].cls;
		}
	}
	return best > 0;
}
