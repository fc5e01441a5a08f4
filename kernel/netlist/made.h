/* made.h - netlists whose declarations the build has made, so that a run need not read them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * They are numbers in the order of made_fields.h, with which netlist_make.c writes and made.c reads them: a word is
 * its place among the words, a value its position + 1; 0 is none.
 */
#ifndef KERNEL_NETLIST_MADE_H
#define KERNEL_NETLIST_MADE_H

#include "netlist.h"

/* Fills a new netlist from what the build has made, if the file has this text and those that it extends have
 * theirs, too.  Takes over the text then.  Returns false if it has to be read. */
bool hd__netlist_made(struct hd_netlist *n, char *text, size_t length);

#endif
