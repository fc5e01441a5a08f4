/* make.h - what harnesses make their inputs with: files without a name, paths of the source, a core
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_FUZZ_MAKE_H
#define TESTS_FUZZ_MAKE_H

#include "kernel/sim.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Ends the process, as a finding, unless it holds. */
static inline void fuzz_must(bool holds, const char *what, const char *text)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s: %s\n", what, text);
	abort();
}

/* A file with these bytes, which lasts until *fd is closed; the caller frees its path. */
static inline char *fuzz_file(const void *bytes, size_t size, int *fd)
{
	*fd = memfd_create("fuzz", 0);
	if (*fd < 0 || (size > 0 && write(*fd, bytes, size) != (ssize_t)size))
		abort();
	return hd__format("/proc/self/fd/%d", *fd);
}

/* A part of the source, absolute, whose folder is in the environment as `srcdir`; the caller frees it. */
static inline char *fuzz_source(const char *folder, const char *name)
{
	const char *src = getenv("srcdir");
	char *top = realpath(src ? src : ".", NULL), *path;

	if (!top)
		abort();
	path = hd__format("%s/%s/%s", top, folder, name);
	free(top);
	return path;
}

/* The core of the tutorial, which reads o->input; NULL if it does not start. */
static inline struct hd_sim *fuzz_tutorial(const struct hd_options *o, struct hd_diags *d)
{
	static struct hd_registry r;
	char *netlist = fuzz_source("netlists", "tutorial.json");
	struct hd_netlist *n = hd__netlist_read_set(netlist, NULL, 0, d);

	if (r.n == 0)
		hd__registry_init(&r, d);
	fuzz_must(n != NULL, "the netlist is not found: is srcdir set?", netlist);
	free(netlist);
	return hd__sim_new(n, &r, o, false, d);
}

#endif
