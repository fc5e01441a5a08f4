/* check_room.c - what the checks of plug-ins are for the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "module_check.h"

const struct hd_check_hooks hd__check_room = {
	.module = hd__module_check,
	.figures = hd__figures_apart,
	.try = hd__sandbox_try,
	.crash_new = hd__crash_new,
	.crash_free = hd__crash_free,
	.watch = hd__crash_watch,
	.unwatch = hd__crash_unwatch,
};
