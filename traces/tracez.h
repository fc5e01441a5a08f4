/* tracez.h - containers of compressed warps
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_TRACEZ_H
#define TRACES_TRACEZ_H

#include "trace_text.h"

#include <stdio.h>
#include <sys/types.h>

/* Opens the container that t->fd or t->memory is: sets t->z, which is closed after an error, too. */
int hd__trace_z_open(struct trace_text *t);
/* The next n bytes of text, fewer at the end only; -1 after an error. */
ssize_t hd__trace_z_read(struct trace_text *t, char *to, size_t n);
void hd__trace_z_close(struct trace_z *z); /* NULL: nothing */

#endif
