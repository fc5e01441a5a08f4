/* blocks.c - blocks of a dump as they are loaded to pass their rows on in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: blocks DUMP...
 *
 * A block that is packed gives row after row what it gives as it is, in at most a third of the memory.
 * Reading what the file does not have ends, whatever an earlier call has left in errno.
 */
#include "dump/dump_decode.h"
#include "dump/row_order_block.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned failures;

static bool wrong(const struct dump *d, const struct dump_block_rows *l, const char *what)
{
	fprintf(stderr, "%s: block %" PRIu32 ", row %zu of %zu: %s\n", d->path, l->block, l->next, l->n, what);
	failures++;
	return false;
}

static bool same_transaction(const struct dump_transaction *a, const struct dump_transaction *b)
{
	bool same = a->begin == b->begin && a->end == b->end && a->unfinished == b->unfinished && a->n == b->n;

	for (uint32_t i = 0; same && i < a->n; i++)
		same = a->steps[i].cycle == b->steps[i].cycle && a->steps[i].cycles == b->steps[i].cycles
		       && a->steps[i].place == b->steps[i].place && a->steps[i].arg == b->steps[i].arg;
	return same;
}

/* The present row of a block, and of the same one packed. */
static bool same_row(const struct dump_block_rows *a, const struct dump_block_rows *b)
{
	uint32_t x = a->now.row, y = b->now.row;
	bool same = a->now.begin == b->now.begin && a->rows.cycle[x] == b->rows.cycle[y]
	            && a->rows.who[x] == b->rows.who[y];

	for (unsigned i = 0; same && i < a->rows.table->n; i++)
		same = a->rows.field[i][x] == b->rows.field[i][y];
	return same && (!a->transactions || same_transaction(&a->transactions[a->now.transaction],
	                                                     &b->transactions[b->now.transaction]));
}

/* Each row has at least its cycle, its instance, and its fields. */
static bool compare(struct dump *d, struct dump_block_rows *a, struct dump_block_rows *b, uint64_t *packed)
{
	if (a->numbers < (uint64_t)a->rows.n * (a->rows.table->n + 2))
		return wrong(d, a, "its numbers are not counted");
	dump_block_pack(b);
	if (a->n != b->n)
		return wrong(d, a, "packed it has another number of rows");
	*packed += b->packed.cap;
	while (a->next < a->n) {
		if (!same_row(a, b))
			return wrong(d, a, "packed it is another one");
		dump_block_next(a);
		dump_block_next(b);
	}
	return true;
}

static uint64_t compare_blocks(struct dump *d)
{
	struct dump_query q = { .head = 0 };
	uint64_t rows = 0, numbers = 0, packed = 0;

	if (!dump_query_bind(&q, d))
		exit(2);
	for (uint32_t i = 0; i < d->nblocks; i++) {
		struct dump_block_rows *a = dump_block_load(d, &q, i), *b = dump_block_load(d, &q, i);

		if (!a || !b) {
			fprintf(stderr, "%s: block %" PRIu32 " cannot be loaded\n", d->path, i);
			failures++;
		} else if (a->n > 0 && compare(d, a, b, &packed)) {
			rows += a->n;
			numbers += a->numbers;
		}
		if (a)
			dump_block_unload(a);
		if (b)
			dump_block_unload(b);
	}
	dump_query_free(&q, d);
	if (packed * 3 > numbers * sizeof(int64_t)) {
		fprintf(stderr, "%s: packed %" PRIu64 " numbers take %" PRIu64 " bytes\n", d->path, numbers, packed);
		failures++;
	}
	return rows;
}

/* A signal that came during an earlier call is none that came during this one. */
static void read_behind(const struct dump *d)
{
	unsigned char two[2];

	alarm(300);
	errno = EINTR;
	if (dump_read_at(d, d->size, two, 1) || dump_read_at(d, d->size - 1, two, 2)) {
		fprintf(stderr, "%s: has bytes behind its end\n", d->path);
		failures++;
	}
	if (!dump_read_at(d, d->size - 2, two, 2)) {
		fprintf(stderr, "%s: its last bytes cannot be read\n", d->path);
		failures++;
	}
	alarm(0);
}

int main(int argc, char **argv)
{
	uint64_t rows = 0;

	for (int i = 1; i < argc; i++) {
		struct dump *d = dump_open(argv[i]);

		if (!d)
			return 2;
		read_behind(d);
		rows += compare_blocks(d);
		dump_close(d);
	}
	if (rows == 0) {
		fprintf(stderr, "no rows\n");
		return 2;
	}
	printf("%" PRIu64 " rows\n", rows);
	return failures != 0;
}
