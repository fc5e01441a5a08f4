/* fuzz_study.c - feeds bytes to the reader of studies, as heddle sweep does
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  What is refused must
 * have a message; in what is accepted each design sets a path once, in a netlist of the study.  Beside the
 * study lies the source, as a folder "99", for the names of its netlists and traces.
 * Needs the folder of the source in the environment: srcdir=.. tests/fuzz/fuzz_study.
 */
#include "make.h"
#include "tools/study/study.h"

#include <fcntl.h>

#define BESIDE 99 /* the study is a file of /proc/self/fd/, and so is this number */
#define SHOWN 64u /* designs that are looked at; a study may have a million */

static void check_design(const struct study *s, const struct study_design *g)
{
	fuzz_must(g->netlist < s->nnetlists, "a design of no netlist", s->name);
	fuzz_must(g->label != NULL, "a design without a label", s->name);
	for (size_t i = 0; i < g->n; i++) {
		size_t n = strlen(g->v[i]->path);

		fuzz_must(strncmp(g->v[i]->set, g->v[i]->path, n) == 0 && g->v[i]->set[n] == '=', "what is set",
		          g->v[i]->set);
		for (size_t k = 0; k < i; k++)
			fuzz_must(strcmp(g->v[i]->path, g->v[k]->path) != 0, "a path twice", g->v[i]->path);
	}
}

static void check(const struct study *s)
{
	fuzz_must(s->nnetlists > 0 && s->ntraces > 0, "a study of nothing", s->name);
	fuzz_must(study_points(s) > 0 && study_points(s) <= STUDY_MOST_POINTS, "points", s->name);
	for (size_t i = 0; i < s->ndesigns && i < SHOWN; i++)
		check_design(s, &s->designs[i]);
	for (size_t i = 0; i < s->ntraces; i++)
		fuzz_must(s->traces[i].name && s->traces[i].file, "a trace without a name", s->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	struct hd_diags d = { 0 };
	struct study *s;
	char *path;
	int fd;

	if (!null) {
		char *source = fuzz_source("", "");

		null = fopen("/dev/null", "w");
		if (!null || dup2(open(source, O_PATH | O_DIRECTORY), BESIDE) != BESIDE)
			abort();
		free(source);
	}
	path = fuzz_file(data, size, &fd);
	s = study_read(path, &d);
	fuzz_must(s != NULL || d.errors > 0, "a study that is refused without a message", path);
	if (s)
		check(s);
	if (getenv("FUZZ_VERBOSE"))
		printf("%zu points\n", s ? study_points(s) : 0);
	hd__diags_print(&d, getenv("FUZZ_VERBOSE") ? stdout : null);
	hd__diags_free(&d);
	study_free(s);
	free(path);
	close(fd);
	return 0;
}

#include "files.h"
