/* child.h - a child process that does not outlive its parent
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <sys/types.h>

/* Forks; the child gets the signal `number`, with its default action, when the thread that called this ends,
 * however that ends, and after execve() as well. */
pid_t hd__fork(int number);

#endif
