/* store.c - blocks of memory for what is freed all at once
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "store.h"

enum { BLOCK = 8192 }; /* bytes; what is larger than a quarter of it has a block of its own */

struct hd_store_block {
	struct hd_store_block *up;
	max_align_t bytes[];
};

static void *add_block(struct hd_store *s, size_t n)
{
	struct hd_store_block *b = hd__xcheck(malloc(sizeof *b + n));

	b->up = s->blocks;
	s->blocks = b;
	return b->bytes;
}

void *hd__store_grow(struct hd_store *s, size_t n)
{
	char *p;

	if (n > BLOCK / 4)
		return add_block(s, n);
	p = add_block(s, BLOCK);
	s->next = p + n;
	s->left = BLOCK - n;
	return p;
}

void hd__store_free(struct hd_store *s)
{
	struct hd_store_block *b = s->blocks, *up;

	for (; b != NULL; b = up) {
		up = b->up;
		free(b);
	}
	*s = (struct hd_store){ NULL };
}
