/* json_made.h - JSON texts of which the build has made values (json_make.c), so that a run need not parse them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_JSON_MADE_H
#define BASE_JSON_MADE_H

#include "int_map.h"

#include <jansson.h>
#include <stdint.h>

enum { HD_JSON_SAME = 15 }; /* besides the json_types: once more the value at the position `n` */

/* A value; those in an array or an object follow it, each with those in it. */
struct hd_json_value {
	uint8_t type;    /* a json_type, or HD_JSON_SAME */
	uint8_t source;  /* a number that belongs to a string, or 0 */
	uint32_t member; /* where in the words its name is, if it is in an object */
	uint32_t n;      /* values in it; bytes of a string */
	union {
		uint32_t word; /* where a string is */
		json_int_t integer;
		double real;
	};
};

/* A file: its bytes, and what is made of them. */
struct hd_json_made {
	const char *text;
	size_t length;
	const struct hd_json_value *values; /* that of the text first, and others after it */
	const char *words; /* each ends with a NUL; none is at 0 */
	const uint32_t *netlist; /* declarations (kernel/netlist/made.c), or NULL */
	uint32_t nvalues;
};

extern const struct hd_json_made hd__json_made[]; /* ends with one without a text; generated */

/* The file with these bytes, or NULL. */
const struct hd_json_made *hd__json_made_find(const char *text, size_t length);
/* The value of a text of the build, the caller's; NULL if it is another text. */
json_t *hd__json_made_of(const char *text, size_t length);

/* Values made one by one.  Two at one position are the same. */
struct hd_json_maker {
	const struct hd_json_made *made;
	json_t **known;           /* by position: made so far, and not owned; or NULL if only the first is made */
	struct hd_int_map *texts; /* gets the sources of strings by their addresses; or NULL */
};

/* The value at the position, the caller's. */
json_t *hd__json_made_at(const struct hd_json_maker *m, uint32_t position);

#endif
