/* reclass.c - opcodes that a netlist moves to another class than that of their table
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "opcodes.h"

/* Is `name` the opcode or its beginning up to a dot?  Returns its length then, else 0. */
static size_t fits(const char *name, const char *text, size_t len)
{
	size_t n = strlen(name);

	return n <= len && memcmp(name, text, n) == 0 && (n == len || text[n] == '.') ? n : 0;
}

bool hd__trace_reclass(const struct trace_reclass *r, const char *text, size_t len, uint8_t *cls)
{
	const struct trace_reclass_row *row = r->table.rows;
	size_t best = 0;

	for (uint32_t i = 0; i < r->table.n; i++) {
		for (uint64_t set = row[i].opcodes; set;) {
			size_t n = fits(hd_symbol_name(r->ctx, "opcode", hd_bits_pop(&set)), text,
			                len);

			if (n > best) {
				best = n;
				*cls = (uint8_t)row[i].cls;
			}
		}
	}
	return best > 0;
}

int hd__trace_reclass_check(const struct trace_reclass *r)
{
	const struct trace_reclass_row *row = r->table.rows;
	uint64_t seen = 0, twice;

	for (uint32_t i = 0; i < r->table.n; i++) {
		twice = seen & row[i].opcodes;
		if (twice)
			return hd_error(r->ctx, "two rows of 'classes' name opcode '%s'; expected one",
			                hd_symbol_name(r->ctx, "opcode",
			                               hd_bits_first(twice)));
		seen |= row[i].opcodes;
	}
	return 0;
}
