/* exec_findings.h - prints what was found in kernels that were executed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_EXEC_EXEC_FINDINGS_H
#define TRACES_EXEC_EXEC_FINDINGS_H

#include "exec.h"

/* Prints findings on standard error, and writes them into a file, JSON, unless its name is NULL; it is there
 * without findings, too.  Returns an exit status: HD_EXIT_FAILED if there are some. */
int hd__findings_put(const struct hd_exec *x, const char *file);

#endif
