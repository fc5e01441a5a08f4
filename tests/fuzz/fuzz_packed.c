/* fuzz_packed.c - feeds bytes to the reader of packed traces, with the hashes that they should have
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  What stands where a
 * hash stands in the file is replaced by the right one, from the blocks to the head, as in a file that was
 * made to break the reader.  Then the core of the tutorial runs it for CYCLES cycles.
 * Needs the folder of the source in the environment: srcdir=.. tests/fuzz/fuzz_packed.
 */
#include "traces/packed.h"
#include "make.h"

#include <xxhash.h>

#define CYCLES 2000

struct image {
	unsigned char *bytes;
	size_t size;
};

/* That part of the file, or NULL. */
static void *part(const struct image *m, uint64_t at, uint64_t bytes)
{
	return at % 8 == 0 && at <= m->size && bytes <= m->size - at ? m->bytes + at : NULL;
}

static void mend_blocks(const struct image *m, uint64_t at, uint64_t bytes)
{
	const size_t hashed = offsetof(struct packed_block, bytes);
	struct packed_block *b;

	while (bytes >= sizeof *b && (b = part(m, at, sizeof *b)) != NULL && part(m, at, b->bytes)
	       && b->bytes >= sizeof *b && b->bytes <= bytes) {
		b->hash = XXH3_64bits((const char *)b + hashed, b->bytes - hashed);
		at += b->bytes;
		bytes -= b->bytes;
	}
}

/* The list of kernels, and the kernels it refers to. */
static void mend_index(const struct image *m, struct packed_head *h)
{
	struct packed_index *x = part(m, h->index, h->index_bytes);
	uint64_t at = h->index + sizeof *x;

	if (!x || h->index_bytes < sizeof *x)
		return;
	at += x->items * sizeof(struct packed_item) + x->copies * sizeof(struct packed_copy);
	for (uint64_t i = 0; i < x->refs; i++) {
		struct packed_ref *r = part(m, at + i * sizeof *r, sizeof *r);
		struct packed_kernel *k = r ? part(m, r->kernel, r->bytes) : NULL;

		if (!r)
			break;
		if (!k || r->bytes < sizeof *k)
			continue;
		mend_blocks(m, k->blocks, k->blocks_bytes);
		r->hash = XXH3_64bits(k, r->bytes);
	}
	h->index_hash = XXH3_64bits(x, h->index_bytes);
}

static void mend(const struct image *m)
{
	struct packed_head *h = part(m, 0, sizeof *h);

	if (!h)
		return;
	memcpy(h->magic, PACKED_MAGIC, sizeof h->magic);
	h->bytes = m->size;
	mend_index(m, h);
	h->hash = XXH3_64bits(h, offsetof(struct packed_head, hash));
}

static void run(const char *path, bool strict)
{
	struct hd_options o = { .input = path, .last = UINT64_MAX, .max_cycles = CYCLES, .strict = strict };
	struct hd_diags d = { 0 };
	struct hd_sim *s = fuzz_tutorial(&o, &d);
	enum hd_run_status status = HD_RUN_MORE;

	while (s && status == HD_RUN_MORE)
		status = hd__sim_run(s, 512);
	fuzz_must(s ? status != HD_RUN_BAD_INPUT || d.errors > 0 : d.errors > 0, "refused without a message", path);
	hd__sim_free(s);
	hd__diags_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct image m = { hd__xcalloc(size + 1, 1), size };
	char *path;
	int fd;

	if (size)
		memcpy(m.bytes, data, size);
	mend(&m);
	path = fuzz_file(m.bytes, size, &fd);
	run(path, size & 1);
	free(path);
	close(fd);
	free(m.bytes);
	return 0;
}

#include "files.h"
