/* module_check.h - checks of a module's descriptor, and of what a plug-in does when it is called
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_CHECK_MODULE_CHECK_H
#define KERNEL_CHECK_MODULE_CHECK_H

#include "kernel/sim.h"

/* Is the descriptor sane: names, docs, offsets inside the state, defaults inside their ranges. */
bool hd__module_check(const struct hd_module *m, const char *origin, struct hd_diags *d);
/* Are no two of the figures of the run to which the modules add such that one is a group of the other? */
bool hd__figures_apart(const struct hd_module *m, const char *origin, const struct hd_module *other,
                       struct hd_diags *d);

/* Members of struct hd_check_hooks. */
char *hd__sandbox_try(void (*f)(void *arg, struct hd_sandbox *t), void *arg, struct hd_sandbox *seen);
struct hd_crash *hd__crash_new(const struct hd_sim *s);
void hd__crash_free(struct hd_crash *c);
bool hd__crash_watch(struct hd_crash *c, const void *top);
void hd__crash_unwatch(struct hd_crash *c);

#endif
