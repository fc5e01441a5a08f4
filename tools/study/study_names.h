/* study_names.h - the statistics of runs to compare, by number
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_NAMES_H
#define TOOLS_STUDY_STUDY_NAMES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct study_names {
	json_t *meanings;   /* of the folder that is read: its statistics.json (plan.h); or NULL */
	json_t *numbers;    /* "KIND PATH" -> number */
	json_t *kernels;    /* names of kernels, each once */
	json_t *units;      /* "KIND PATH" -> unit, where it is known */
	const char **v;     /* "KIND PATH", owned by `numbers` */
	bool *share;        /* is it no count, but a share or a mean? */
	size_t n, cap;
};

/* The number of a statistic; UINT32_MAX: there is none of that name. */
uint32_t study_name(const struct study_names *names, const char *kind_and_path);
/* The same; if there is none, it is a new one with this unit, or NULL. */
uint32_t study_name_add(struct study_names *names, const char *kind_and_path, const char *unit, bool share);

#endif
