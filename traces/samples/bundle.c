/* bundle.c - kernel files and the list of them, as the simulators read them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "record.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_PATH 4096

static int no_memory(void)
{
	fputs("make_traces: out of memory\n", stderr);
	return -1;
}

static void put_header(FILE *out, const struct kernel *k, unsigned id)
{
	fprintf(out, "-kernel name = %s\n-kernel id = %u\n", k->name, id);
	fprintf(out, "-grid dim = (%d,%d,1)\n", k->grid[0], k->grid[1]);
	fprintf(out, "-block dim = (%d,%d,1)\n", k->block[0], k->block[1]);
	fprintf(out, "-shmem = %d\n-nregs = %d\n", k->shmem, k->nregs);
	fprintf(out, "-binary version = %d\n-cuda stream id = 0\n", k->sm);
	fprintf(out, "-shmem base_addr = 0x00007f6a40000000\n");
	fprintf(out, "-local mem base_addr = 0x00007f6a3e000000\n");
	fprintf(out, "-nvbit version = none\n-accelsim tracer version = %d\n", k->version);
	fprintf(out, "-enable lineinfo = 0\n\n#traces format = PC mask dest_num [reg_dests] opcode "
		"src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]%s\n\n",
		k->version >= 5 ? " immediate" : "");
}

/* A warp's lines are counted before they are written, so they are collected first. */
static int put_warp(FILE *out, struct warp *w)
{
	char *text = NULL;
	size_t size;

	w->lines = open_memstream(&text, &size);
	if (!w->lines)
		return no_memory();
	w->live = w->mask = w->guard = ALL_LANES;
	w->pc = 0;
	w->count = 0;
	w->kernel->run(w);
	if (fclose(w->lines))
		return no_memory();
	if (w->live) {
		fprintf(stderr, "%s: warp %d ends, but not its lanes\n", w->kernel->name, w->id);
		abort();
	}
	fprintf(out, "\nwarp = %d\ninsts = %d\n%s", w->id, w->count, text);
	free(text);
	return w->count;
}

static long put_kernel(FILE *out, const struct kernel *k, unsigned id)
{
	struct warp w = { .kernel = k, .code = calloc(MAX_CODE, sizeof *w.code) };
	int warps = k->block[0] * k->block[1] / LANES;
	long insts = 0;

	if (!w.code)
		return no_memory();
	put_header(out, k, id);
	for (int cta = 0; cta < k->grid[0] * k->grid[1]; cta++) {
		w.block[0] = cta % k->grid[0];
		w.block[1] = cta / k->grid[0];
		fprintf(out, "\n#BEGIN_TB\n\nthread block = %d,%d,0\n", w.block[0], w.block[1]);
		for (w.id = 0; w.id < warps && insts >= 0; w.id++) {
			int n = put_warp(out, &w);

			insts = n < 0 ? -1 : insts + n;
		}
		fputs("\n#END_TB\n", out);
	}
	free(w.code);
	return insts;
}

/* Replaces *text, which it frees, by compressed text; 0 if that is not possible. */
static int compress(char **text, size_t *size)
{
	size_t bound = lzma_stream_buffer_bound(*size), n = 0;
	uint8_t *packed = malloc(bound);

	if (!packed)
		return 0;
	if (lzma_easy_buffer_encode(9, LZMA_CHECK_CRC64, NULL, (uint8_t *)*text, *size, packed, &n,
		    bound) != LZMA_OK) {
		free(packed);
		return 0;
	}
	free(*text);
	*text = (char *)packed;
	*size = n;
	return 1;
}

static int write_file(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "wb");
	int ok = f && fwrite(text, 1, size, f) == size;

	if (f && fclose(f))
		ok = 0;
	if (!ok)
		fprintf(stderr, "make_traces: '%s': %s\n", path, strerror(errno));
	return ok;
}

static long record_kernel(const struct bundle *b, unsigned i, const char *folder)
{
	char path[MAX_PATH], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	long insts;

	if (!out)
		return no_memory();
	insts = put_kernel(out, &b->kernels[i], i + 1);
	if (fclose(out) && insts >= 0)
		insts = no_memory();
	snprintf(path, sizeof path, "%s/%s/kernel-%u.traceg%s", folder, b->name, i + 1,
		b->plain ? "" : ".xz");
	if (insts >= 0 && !b->plain && !compress(&text, &size)) {
		fprintf(stderr, "make_traces: '%s': cannot be compressed\n", path);
		insts = -1;
	}
	if (insts >= 0 && !write_file(path, text, size))
		insts = -1;
	free(text);
	return insts;
}

long record(const struct bundle *b, const char *folder)
{
	char path[MAX_PATH], list[1024];
	long insts = 0;
	int n = 0;

	if (snprintf(path, sizeof path, "%s/%s", folder, b->name) >= MAX_PATH - 64) {
		fprintf(stderr, "make_traces: '%s': name too long\n", folder);
		return -1;
	}
	if (mkdir(path, 0777) && errno != EEXIST) {
		fprintf(stderr, "make_traces: '%s': %s\n", path, strerror(errno));
		return -1;
	}
	for (unsigned i = 0; i < MAX_COPIES && b->copies[i].bytes; i++)
		n += snprintf(list + n, sizeof list - (size_t)n, "MemcpyHtoD,0x%016llx,%d\n",
			(unsigned long long)b->copies[i].to, b->copies[i].bytes);
	for (unsigned i = 0; i < MAX_KERNELS && b->kernels[i].run; i++) {
		long more = record_kernel(b, i, folder);

		if (more < 0)
			return -1;
		insts += more;
		n += snprintf(list + n, sizeof list - (size_t)n, "kernel-%u.traceg%s\n", i + 1,
			b->plain ? "" : ".xz");
	}
	strcat(path, "/kernelslist.g");
	return write_file(path, list, (size_t)n) ? insts : -1;
}
