/* points.c - reads the list of the points in a folder of results
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/output.h"
#include "base/xalloc.h"
#include "points.h"

json_t *study_points_read(const struct study_folder *f)
{
	char *path = study_folder_name(f, "points.json");
	json_error_t e;
	json_t *plan = json_load_file(path, 0, &e);

	hd__input_note_name(path);
	if (plan == NULL)
		fprintf(stderr, "heddle: %s: cannot be read; expected a folder that heddle sweep has written: %s\n", path,
		        e.text);
	free(path);
	return plan;
}
