/* catalogue.h - unit and meaning of every statistic
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_CATALOGUE_H
#define TOOLS_STUDY_CATALOGUE_H

#include "kernel/registry.h"

#include <jansson.h>

/* { "run": { figure: { "unit", "doc" } }, "modules": { module: { statistic: { "unit", "doc" } } } } */
json_t *study_catalogue(const struct hd_registry *r);

#endif
