/* cells.h - rows of named values (struct hd_cell) as JSON
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_CELLS_H
#define BASE_CELLS_H

#include <heddle/module.h>
#include <jansson.h>

/* Adds a member for the cell to an object.  Text that is not UTF-8 becomes "?". */
void hd__cell_json(json_t *row, const struct hd_cell *cell);
/* An object with a member for each of the n cells.  The caller owns the result. */
json_t *hd__cells_json(const struct hd_cell *cells, unsigned n);

#endif
