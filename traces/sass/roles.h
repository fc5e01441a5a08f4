/* roles.h - which registers an operand of an instruction reads or writes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SASS_ROLES_H
#define TRACES_SASS_ROLES_H

#include "traces/hasm/hasm.h"

struct hasm_role {
	bool writes;      /* else it reads what the operand names */
	unsigned count;   /* registers from its number, or the base of its address, on; 0: none */
};

/* The role of operand i. */
struct hasm_role hd__hasm_role(const struct hasm_inst *inst, unsigned i);

#endif
