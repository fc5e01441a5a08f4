/* roles.h - which registers an operand of an instruction reads or writes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_TRACE_ROLES_H
#define TOOLS_TRACE_ROLES_H

#include "hasm.h"

struct hasm_role {
	bool writes;      /* else it reads what the operand names */
	unsigned count;   /* registers from its number, or the base of its address, on; 0: none */
};

/* The role of operand i. */
struct hasm_role hd__hasm_role(const struct hasm_inst *inst, unsigned i);

#endif
