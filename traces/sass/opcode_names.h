/* opcode_names.h - names of the opcodes of an SM version, from the tables that netlists use
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SASS_OPCODE_NAMES_H
#define TRACES_SASS_OPCODE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Of the SM version that was looked up last.  All zero: none. */
struct opcode_names {
	char **v;
	size_t n;
	uint32_t sm;
	int missing; /* no table could be read, which was printed */
};

/* self: a struct opcode_names.  The names until the next call; NULL if no table can be read, after a
 * warning, or lists that version. */
const char *const *hd__opcode_names(void *self, uint32_t sm, size_t *n);
void hd__opcode_names_free(struct opcode_names *o);

#endif
