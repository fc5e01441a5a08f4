/* cells.c - rows of named values as JSON
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cells.h"

json_t *hd__cells_json(const struct hd_cell *cells, unsigned n)
{
	json_t *row = json_object();

	for (unsigned i = 0; i < n; i++) {
		json_t *v = cells[i].text ? json_string(cells[i].text)
		                          : json_integer((json_int_t)cells[i].number);

		if (!v) /* not UTF-8 */
			v = json_string("?");
		json_object_set_new(row, cells[i].name, v);
	}
	return row;
}
