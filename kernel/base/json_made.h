/* json_made.h - JSON texts of which the build has made values (json_make.c), so that a run need not parse them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_BASE_JSON_MADE_H
#define KERNEL_BASE_JSON_MADE_H

#include <jansson.h>
#include <stdint.h>

/* A value; those in an array or an object follow it, each with those in it. */
struct hd_json_value {
	uint8_t type;    /* a json_type */
	uint32_t member; /* where in the words its name is, if it is in an object */
	uint32_t n;      /* values in it; bytes of a string */
	union {
		uint32_t word; /* where a string is */
		json_int_t integer;
		double real;
	};
};

/* A file: its bytes, and the values made of them. */
struct hd_json_made {
	const char *text;
	size_t length;
	const struct hd_json_value *values;
	const char *words; /* each ends with a NUL */
};

extern const struct hd_json_made hd__json_made[]; /* ends with one without a text; generated */

/* The value of a text of the build, the caller's; NULL if it is another text. */
json_t *hd__json_made_of(const char *text, size_t length);

#endif
