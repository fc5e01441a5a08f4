/* diag.h - messages about the user's input, collected so that all are printed at once
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <heddle/module.h>
#include <stdarg.h>
#include <stdio.h>

enum hd_severity { HD_DIAG_ERROR, HD_DIAG_WARNING };

struct hd_diag {
	enum hd_severity severity;
	char *file;         /* or NULL */
	int line, column;   /* from 1; 0: unknown */
	uint64_t when;      /* cycle of a run, and the path of the instance; 0, NULL: not in a run */
	char *path;
	size_t others;      /* like ones between those in front of it and this one, which are not kept */
	char *text;         /* "what is wrong; what was expected; what exists", no full stop */
};

/* Messages kept; further ones are only counted, so that a hostile file cannot fill memory.  Of many about one place of
 * a file that differ only in elements, "sm[0].fetch" and "sm[1].fetch", the first ones and the last are kept. */
#define HD_DIAGS_KEPT 200u

/* Zero-initialise.  Messages are kept in the order of file, line and column when printed. */
struct hd_diags {
	struct hd_diag *v;
	size_t n, cap;
	size_t errors, warnings;
	size_t dropped; /* beyond HD_DIAGS_KEPT */
	size_t compared; /* names that suggestions have been looked for among */
	size_t located;  /* messages whose place was looked for once no more are kept */
	bool each;       /* keep all of those that differ only in elements, too */
};

void hd__diag(struct hd_diags *d, enum hd_severity s, const char *file, int line, int column,
              const char *fmt, ...) HD_PRINTF(6, 7);
void hd__diagv(struct hd_diags *d, enum hd_severity s, const char *file, int line, int column,
               const char *fmt, va_list ap);
/* "path: cycle N: ...", of an instance in a run.  Those of one cycle are kept in the order of the paths, and each
 * instance's as they come, so that nothing depends on which was evaluated first. */
void hd__diag_in_run(struct hd_diags *d, enum hd_severity s, const char *path, uint64_t cycle, const char *text);
/* "file:line:column: error: text" per line, sorted by place; identical messages once.  The last of like ones has the
 * number of those that are not kept. */
void hd__diags_print(struct hd_diags *d, FILE *out);
void hd__diags_free(struct hd_diags *d);

/* May the next message have a suggestion from so many names?  Not if it will only be counted, nor once
 * earlier ones have taken their time: a large file may have as many mistakes as names. */
bool hd__may_suggest(struct hd_diags *d, size_t names);

#endif
