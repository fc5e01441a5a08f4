/* packed_write.c - writes the parts of a packed trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each kernel is behind its blocks, the list behind the kernels, and the head, which has the place of the list, is
 * written last.
 */
#include "packed.h"

#include <unistd.h>
#include <xxhash.h>

static XXH3_state_t *new_hash(void)
{
	XXH3_state_t *hash = hd__xcheck(XXH3_createState());

	XXH3_64bits_reset(hash);
	return hash;
}

static uint64_t end_hash(XXH3_state_t *hash)
{
	uint64_t v = XXH3_64bits_digest(hash);

	XXH3_freeState(hash);
	return v;
}

static void put(struct packed_writer *w, const void *v, size_t n)
{
	if (n)
		fwrite(v, 1, n, w->to);
	w->at += n;
}

static const char zeros[8];

void hd__packed_begin(struct packed_writer *w, FILE *to)
{
	static const struct packed_head space;

	*w = (struct packed_writer){ .to = to };
	put(w, &space, sizeof space);
}

/* Order of the warps in the text: those without a line come last. */
static void set_order(struct packed_warp *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = 0;

		for (uint32_t j = 0; j < n; j++)
			place += v[j].line - 1 < v[i].line - 1 || (j < i && v[j].line == v[i].line);
		v[place].order = i;
	}
}

void hd__packed_block(struct packed_writer *w, struct packed_block *h, struct packed_warp *warp, uint32_t warps,
                      const void *data)
{
	XXH3_state_t *hash = new_hash();
	size_t gap = -h->data & 7;

	set_order(warp, warps);
	h->bytes = sizeof *h + warps * sizeof *warp + h->data + gap;
	XXH3_64bits_update(hash, &h->bytes, sizeof *h - offsetof(struct packed_block, bytes));
	XXH3_64bits_update(hash, warp, warps * sizeof *warp);
	XXH3_64bits_update(hash, data, h->data);
	XXH3_64bits_update(hash, zeros, gap);
	h->hash = end_hash(hash);
	put(w, h, sizeof *h);
	put(w, warp, warps * sizeof *warp);
	put(w, data, h->data);
	put(w, zeros, gap);
}

bool hd__packed_back(struct packed_writer *w, uint64_t at)
{
	w->at = at;
	return fflush(w->to) == 0 && ftruncate(fileno(w->to), (off_t)at) == 0
	       && fseeko(w->to, (off_t)at, SEEK_SET) == 0;
}

void hd__packed_kernel(struct packed_writer *w, struct packed_kernel *h, const struct packed_static *statics,
                       const struct hd_bytes *texts, const char *name, const struct hd_bytes *listing,
                       struct packed_ref *ref)
{
	XXH3_state_t *hash = new_hash();

	w->part.n = 0;
	h->texts = texts->n;
	h->name = strlen(name) + 1;
	h->listing = listing->n;
	hd__bytes_append(&w->part, statics, h->statics * sizeof *statics);
	hd__bytes_append(&w->part, texts->v, texts->n);
	hd__bytes_append(&w->part, name, h->name);
	hd__bytes_append(&w->part, listing->v, listing->n);
	XXH3_64bits_update(hash, h, sizeof *h);
	XXH3_64bits_update(hash, w->part.v, w->part.n);
	ref->hash = end_hash(hash);
	ref->kernel = w->at;
	ref->bytes = sizeof *h + w->part.n;
	put(w, h, sizeof *h);
	put(w, w->part.v, w->part.n);
	put(w, zeros, -w->at & 7);
	hd__bytes_append(&w->refs, ref, sizeof *ref);
}

void hd__packed_item(struct packed_writer *w, struct packed_item *it, const char *name)
{
	it->name = w->names.n;
	hd__bytes_append(&w->names, name, strlen(name) + 1);
	hd__bytes_append(&w->items, it, sizeof *it);
}

void hd__packed_end(struct packed_writer *w, struct packed_index *x)
{
	struct packed_head h = { .magic = PACKED_MAGIC, .order = PACKED_ORDER, .version = PACKED_VERSION };
	struct hd_bytes *all = &w->part;

	x->items = w->items.n / sizeof(struct packed_item);
	x->copies = w->copies.n / sizeof(struct packed_copy);
	x->refs = w->refs.n / sizeof(struct packed_ref);
	x->names = w->names.n;
	all->n = 0;
	hd__bytes_append(all, x, sizeof *x);
	hd__bytes_append(all, w->items.v, w->items.n);
	hd__bytes_append(all, w->copies.v, w->copies.n);
	hd__bytes_append(all, w->refs.v, w->refs.n);
	hd__bytes_append(all, w->names.v, w->names.n);
	h.index = w->at;
	h.index_bytes = all->n;
	h.index_hash = XXH3_64bits(all->v, all->n);
	put(w, all->v, all->n);
	h.bytes = w->at;
	h.hash = XXH3_64bits(&h, offsetof(struct packed_head, hash));
	rewind(w->to);
	put(w, &h, sizeof h);
}

void hd__packed_free(struct packed_writer *w)
{
	free(w->items.v);
	free(w->copies.v);
	free(w->refs.v);
	free(w->names.v);
	free(w->part.v);
}
