/* dump_sources.h - lines of the programs' source that the static instructions of a dump come from
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_DUMP_SOURCES_H
#define TOOLS_DUMP_DUMP_SOURCES_H

#include "dump_program.h"

struct dump_source {
	const char *text;  /* "src/sum.cu:9" */
	size_t file;       /* bytes of it that name the file */
	uint64_t line;
	const char *name;  /* the part of `text` that is printed: without the folder, unless there are two files of that
	                    * name */
};

struct dump_sources {
	struct dump_source *v; /* in order of file and line */
	size_t n, cap;
	int width;             /* of the longest name */
};

void dump_sources_find(struct dump_sources *s, const struct dump_program *p);
void dump_sources_free(struct dump_sources *s);
/* The number of the line; -1: the instruction has none. */
int64_t dump_source_of(const struct dump_sources *s, const struct dump_line *line);
/* Prints the folders of files that are printed without: behind an empty line, a line for each. */
void dump_sources_print(const struct dump_sources *s, FILE *out);

#endif
