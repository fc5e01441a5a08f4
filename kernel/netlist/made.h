/* made.h - netlists whose declarations the build has made, so that a run need not read them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * They are numbers in the order in which made.c reads and netlist_make.c writes them: a word is its place among
 * the words, a value its position + 1; 0 is none.
 */
#ifndef KERNEL_NETLIST_MADE_H
#define KERNEL_NETLIST_MADE_H

#include "netlist.h"

enum hd_made_link { HD_MADE_HAS_LATENCY = 1, HD_MADE_STAGED = 2, HD_MADE_SHARED = 4, HD_MADE_ROTATE = 8 };

/* Fills a new netlist from what the build has made, if the file has this text and those that it extends have
 * theirs, too.  Takes over the text then.  Returns false if it has to be read. */
bool hd__netlist_made(struct hd_netlist *n, char *text, size_t length);

#endif
