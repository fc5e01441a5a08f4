/* exec_table.c - the functions of operations
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_ops.h"

exec_function *const EXEC_NAME(functions)[] = {
#define X(n) EXEC_NAME(op_##n),
	EXEC_OPERATIONS(X)
#undef X
};
