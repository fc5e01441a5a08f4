/* study_units.h - units and meanings of the values of a run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_UNITS_H
#define TOOLS_STUDY_STUDY_UNITS_H

#include <jansson.h>

/* { "unit", "doc" } of a statistic, or NULL.  `meanings` is a catalogue (catalogue.h), or NULL; `statistics` those
 * of a run that has the value. */
const json_t *study_meaning(const json_t *meanings, const json_t *statistics, const char *kind, const char *path);
/* Its unit, "" for a share; NULL: not known.  Statistics that heddle run --stats has written have meanings of their
 * own, though not of figures of the run: these have the unit of the modules' statistics of that name. */
const char *study_unit(const json_t *meanings, const json_t *statistics, const char *kind, const char *path);

#endif
