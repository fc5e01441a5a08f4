/* schema.h - the JSON Schema of netlists, made from the registered modules
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_SCHEMA_H
#define TOOLS_CLI_SCHEMA_H

#include "kernel/param.h"
#include "kernel/registry.h"

/* The whole schema (draft 7); the caller owns it. */
json_t *hd__schema(const struct hd_registry *r);
/* The schema of studies, tools/study/study_schema.json. */
json_t *hd__schema_study(void);

/* schema_param.c: an object of these parameters.  `names`: only its members, for links, which may
 * have others besides.  The caller owns it. */
json_t *hd__schema_params(const struct hd_param *params);
/* The schema of one parameter. */
json_t *hd__schema_param(const struct hd_param *p);
/* schema_plain.c: rewrites alternatives and closed objects, so that errors name what is wrong. */
void hd__schema_plain(json_t *schema);
/* {"$ref": "#/definitions/NAME"} */
json_t *hd__schema_ref(const char *name);

#endif
