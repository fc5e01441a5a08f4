/* import_units.h - private to units.c and collector.c: the kinds of function unit of an imported core
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_IMPORT_IMPORT_UNITS_H
#define TOOLS_IMPORT_IMPORT_UNITS_H

#include "import.h"

struct kind {
	char unit[32], instance[32]; /* "SP", "sp" */
	char option[64];             /* of a specialized unit: where it comes from */
	bool sp, memory, special;
	uint32_t id, ex, count;      /* widths of ID_OC and OC_EX, number of units */
	json_t *classes, *timing;
};

struct units {
	struct kind kind[16];
	unsigned n;
	uint32_t ex_wb;
};

void hd__import_collector(struct hd_import *im, const struct units *u); /* collector.c */

#endif
