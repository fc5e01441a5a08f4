/* points.h - reads the list of the points in a folder of results
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_POINTS_H
#define TOOLS_STUDY_POINTS_H

#include "study_folder.h"

/* points.json of the folder.  NULL after printing an error. */
json_t *study_points_read(const struct study_folder *f);

#endif
