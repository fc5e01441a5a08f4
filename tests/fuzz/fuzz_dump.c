/* fuzz_dump.c - feeds bytes to the reader of dumps, and the result to every format
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Built with FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION: hashes are not checked, and compressed
 * parts may also be uncompressed.  With -DHD_FUZZ_MAIN a program that runs the files named on
 * its command line once.
 */
#include "tools/dump/print.h"
#include "tools/dump/writers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static FILE *null;

/* Every selection, so that their code runs; a name that the dump does not have is refused. */
static void select_some(struct dump_query *q, unsigned which)
{
	static const char *const conditions[] = { "cycle=2-40", "warp=0-3,64", "pc=0-0x100",
		"kernel=1", "event=i*", "instance=*" };

	for (unsigned i = 0; i < sizeof conditions / sizeof *conditions; i++)
		if (which >> i & 1)
			free(hd__filter_add(&q->filter, conditions[i]));
}

static void use(struct dump *d, unsigned which)
{
	static const char *const by[] = { NULL, "pc", "warp", "unit", "scheduler", "reason" };
	struct dump_query q = { .top = 3, .columns = 60, .steps = which & 1, .by = by[which % 6] };

	select_some(&q, which);
	if (dump_query_bind(&q, d)) {
		dump_info(d, &q, null);
		dump_list(d, &q, null);
		dump_print_stalls(d, &q, null);
		dump_pipeline(d, &q, null);
		for (const struct dump_writer *w = dump_writers; w->name; w++)
			if (w->write && !w->write_path)
				w->write(d, &q, null);
			else if (w->write_path && !w->write)
				w->write_path(d, &q, ":memory:");
		for (uint32_t i = 0; i < d->ntables && i < 4; i++) {
			q.table = d->tables[i].name;
			for (const struct dump_writer *w = dump_writers; w->name; w++)
				if (w->write && w->write_path)
					w->write(d, &q, null);
		}
	}
	dump_query_free(&q, d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct dump *d;
	int fd = memfd_create("dump", 0);

	if (!null)
		null = fopen("/dev/null", "w");
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	d = dump_open(path);
	if (d) {
		use(d, 0);
		use(d, size ? data[size - 1] : 0);
	}
	dump_close(d);
	close(fd);
	return 0;
}

#include "files.h"
