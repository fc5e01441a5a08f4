/* kernel_names.h - is the kernel of a trace the one that a measurement names?
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Traces have mangled names, profilers print declarations: "_Z4axpyIfEviT_PKS0_PS0_" is
 * "void axpy<float>(int, T1, const T1 *, T1 *)".
 */
#ifndef TOOLS_STUDY_KERNEL_NAMES_H
#define TOOLS_STUDY_KERNEL_NAMES_H

#include <stdbool.h>

/* The name of the function alone, without namespaces, arguments, and arguments of a template: "axpy" of both.  The
 * caller frees it. */
char *kernel_base(const char *name);
/* Does it fit?  `wanted`: a name in either form, or a pattern with *, ? and [...] of the mangled name, or of the base.
 * Arguments of templates are compared if they are written on both sides and are numbers or names of types. */
bool kernel_fits(const char *wanted, const char *name);

#endif
