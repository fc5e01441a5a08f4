/* recorder.c - a trace of several launches, of which some fail, as a runtime records them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/exec/exec_record.h"

#include "base/read_file.h"
#include "base/xalloc.h"

#include <sys/stat.h>

static unsigned failures;

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	printf("FAIL: %s\n", what);
	failures++;
}

/* `failing`: the one that fails as well, in its second block. */
static void launches(struct hd_record *r, struct hd_exec *x, struct hd_exec_image *m, bool failing)
{
	static const char *const names[] = { "integers", "traps", "diverge", "integers" };
	struct {
		uint64_t in, out;
		int32_t n;
	} args = { hd__exec_alloc(x, 4096), hd__exec_alloc(x, 32768), 64 };

	*(uint32_t *)hd__exec_host(x, args.in, 4) = 1; /* `traps` does so */
	for (int i = 0; i < 4; i++) {
		struct hd_exec_launch l = { .kernel = hd__exec_kernel(m, names[i]), .grid = { 2, 1, 1 },
		                            .block = { i == 1 ? 20 : 40, 1, 1 }, .args = &args, .nargs = 20 };
		struct hd_exec_counts counts;
		struct hd_exec_fault fault;
		enum hd_exec_status status;

		hd__record_copy(r, args.in, 4096);
		hd__record_stream(r, (uint64_t)i);
		if (i == 1 && !failing)
			continue;
		status = hd__record_run(r, x, &l, &counts, &fault);
		must(status == (i == 1 ? HD_EXEC_TRAP : HD_EXEC_DONE), names[i]);
		must(status != HD_EXEC_DONE || counts.blocks == 2, "two blocks");
	}
}

static off_t size_of(const char *file)
{
	struct stat st;

	must(stat(file, &st) == 0, file);
	return st.st_size;
}

/* usage: recorder OUT [text] */
int main(int argc, char **argv)
{
	const char *folder = getenv("srcdir") ? getenv("srcdir") : ".";
	char *name = hd__format("%s/tests/exec/kernels.fatbin", folder), *why = NULL, *bytes;
	const char *out = argc > 1 ? argv[1] : "tests/exec/recorder.hpack";
	struct hd_exec_options o = { .most = 1 << 20 };
	struct hd_exec *x = hd__xcheck(hd__exec_new(&o, &why));
	struct hd_exec_image *m;
	struct hd_record *r;
	size_t n;

	bytes = hd__xcheck(hd__read_file(name, &n));
	m = hd__xcheck(hd__exec_load(x, bytes, n, 80, name, &why));
	must(hd__record_open(&r, out, argc > 2) == 0, "a trace");
	launches(r, x, m, true);
	must(hd__record_close(r, true) == 0, "all of it");
	if (argc == 2) { /* nothing of the launch that failed is left in the file */
		char *other = hd__join(out, ".without", "");

		must(hd__record_open(&r, other, false) == 0, "another trace");
		launches(r, x, m, false);
		must(hd__record_close(r, true) == 0, "all of the other");
		must(size_of(out) == size_of(other), "the size of the trace");
		remove(other);
		free(other);
	}
	hd__exec_free(x);
	free(bytes);
	free(name);
	if (argc == 1)
		remove(out);
	return failures != 0;
}
