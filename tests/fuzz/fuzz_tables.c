/* fuzz_tables.c - feeds bytes to readers of tables and lists: energies, plans, measurements
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  The first line of an input
 * is the name of its reader.  What is refused must have a message; what is accepted is whole.
 * Needs the folder of the source in the environment: srcdir=.. tests/fuzz/fuzz_tables.
 */
#include "make.h"
#include "tools/energy/energy.h"
#include "tools/sample/sample.h"
#include "tools/study/correlate.h"

#include <math.h>

static struct hd_registry modules;

static bool read_energies(const char *file, char *text, struct hd_diags *d)
{
	struct hd_energy_table t = { 0 };
	char *name = fuzz_source("netlists/energy", "fuzz.json"); /* beside those that it may extend */
	bool good = hd__energy_read(&t, name, hd__xstrdup(text), &modules, d);

	(void)file;
	for (size_t i = 0; good && i < t.nevents; i++)
		for (size_t k = 0; k < t.events[i].pj.n; k++) {
			const struct hd_energy_part *p = &t.events[i].pj.v[k];

			fuzz_must(p->component < t.ncomponents && isfinite(p->v), "energy of an event", t.events[i].at);
		}
	hd__energy_free(&t);
	free(name);
	return good;
}

static bool read_plan(const char *file, char *text, struct hd_diags *d)
{
	struct sample_plan p = { 0 };
	bool good = hd__sample_load(&p, file, d);
	uint64_t all, some;

	(void)text;
	for (size_t i = 0; good && i < p.n; i++)
		fuzz_must(p.v[i].group >= 1 && p.v[i].group <= p.groups, "group of a launch", p.v[i].name);
	if (good)
		fuzz_must(hd__sample_count(&p, &all, &some) <= p.n && some <= all, "instructions", file);
	hd__sample_free(&p);
	return good;
}

static bool read_measured(const char *file, char *text, struct hd_diags *d)
{
	static char *program[] = { "program", NULL };
	const struct correlate_given g = { .netlist = "volta_sm.json", .program = *text == '{' ? NULL : program };
	struct correlate c;
	bool good = correlate_read(&c, file, &g, d);

	for (size_t i = 0; good && i < c.n; i++) {
		fuzz_must(c.v[i].trace < c.ntraces, "a point without a trace", c.v[i].name);
		fuzz_must(isfinite(c.v[i].hardware) && c.v[i].hardware >= 0, "cycles of a point", c.v[i].name);
	}
	correlate_free(&c);
	return good;
}

static const struct {
	const char *name;
	bool (*read)(const char *file, char *text, struct hd_diags *d);
} readers[] = { { "energies", read_energies }, { "plan", read_plan }, { "measured", read_measured } };

static void read_by(size_t i, char *text, size_t size, FILE *null)
{
	struct hd_diags d = { 0 };
	int fd;
	char *file = fuzz_file(text, size, &fd);
	bool good = readers[i].read(file, text, &d);

	fuzz_must(good == (d.errors == 0), "refused without a message, or taken with one", readers[i].name);
	hd__diags_print(&d, getenv("FUZZ_VERBOSE") ? stdout : null);
	hd__diags_free(&d);
	free(file);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	char *text = hd__xcalloc(size + 1, 1), *line;

	if (!null) {
		struct hd_diags d = { 0 };

		null = fopen("/dev/null", "w");
		hd__registry_init(&modules, &d);
	}
	if (size)
		memcpy(text, data, size);
	line = memchr(text, '\n', size);
	for (size_t i = 0; line && i < sizeof readers / sizeof *readers; i++)
		if (strlen(readers[i].name) == (size_t)(line - text) &&
		    strncmp(text, readers[i].name, (size_t)(line - text)) == 0)
			read_by(i, line + 1, size - (size_t)(line + 1 - text), null);
	free(text);
	return 0;
}

#include "files.h"
