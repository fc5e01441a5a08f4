/* cells.c - rows of named values as JSON
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cells.h"

void hd__cell_json(json_t *row, const struct hd_cell *cell)
{
	json_t *v = cell->text ? json_string(cell->text) : json_integer((json_int_t)cell->number);

	if (!v) /* not UTF-8 */
		v = json_string("?");
	json_object_set_new(row, cell->name, v);
}

json_t *hd__cells_json(const struct hd_cell *cells, unsigned n)
{
	json_t *row = json_object();

	for (unsigned i = 0; i < n; i++)
		hd__cell_json(row, &cells[i]);
	return row;
}
