/* read_dump.h - reads a dump in every way that the program has, for the fuzzers of dumps
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_FUZZ_READ_DUMP_H
#define TESTS_FUZZ_READ_DUMP_H

#include "make.h"
#include "base/exit.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "tools/dump/writers.h"

#include <unistd.h>

/* Every selection, so that their code runs; a name that the dump does not have is refused. */
static inline void fuzz_select(struct dump_query *q, unsigned which)
{
	static const char *const conditions[] = { "cycle=2-40", "warp=0-3,64", "pc=0-0x100",
		"kernel=1", "event=i*", "instance=*" };

	for (unsigned i = 0; i < sizeof conditions / sizeof *conditions; i++)
		if (which >> i & 1)
			free(hd__filter_add(&q->filter, conditions[i]));
}

/* A database has a name while it is written. */
static inline void fuzz_write_path(struct dump *d, const struct dump_query *q, const struct dump_writer *w)
{
	const char *folder = getenv("TMPDIR");
	char *path = hd__format("%s/fuzz-%d.sqlite", folder ? folder : "/tmp", (int)getpid());
	struct hd_output o;

	if (hd__output_name(&o, path, NULL) == HD_EXIT_OK) {
		w->write_path(d, q, &o);
		hd__output_close(&o, false);
	}
	free(path);
}

/* The result in every format, to nowhere. */
static inline void fuzz_use_dump(struct dump *d, unsigned which)
{
	static FILE *null;
	static const char *const by[] = { NULL, "pc", "warp", "unit", "scheduler", "reason" };
	struct dump_query q = { .top = 3, .columns = 60, .steps = which & 1, .by = by[which % 6] };

	if (!null)
		null = fopen("/dev/null", "w");
	fuzz_select(&q, which);
	if (dump_query_bind(&q, d)) {
		dump_info(d, &q, null);
		dump_list(d, &q, null);
		dump_print_stalls(d, &q, null);
		dump_pipeline(d, &q, null);
		for (const struct dump_writer *w = dump_writers; w->name; w++)
			if (w->write && !w->write_path)
				w->write(d, &q, null);
			else if (w->write_path && !w->write)
				fuzz_write_path(d, &q, w);
		for (uint32_t i = 0; i < d->ntables && i < 4; i++) {
			q.table = d->tables[i].name;
			for (const struct dump_writer *w = dump_writers; w->name; w++)
				if (w->write && w->write_path)
					w->write(d, &q, null);
		}
	}
	dump_query_free(&q, d);
}

#endif
