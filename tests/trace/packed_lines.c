/* packed_lines.c - thread blocks of packed traces whose hashes fit, but whose lines may contradict each other
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: packed_lines [folder with the opcode tables]
 *
 * Hashes can be made for any bytes.  A block is read if all of its lines may be executed.
 */
#include "replay.h"

#include "traces/packed.h"

#include <stddef.h>
#include <xxhash.h>

#define MOST 8

/* Three instructions, of which number 2 ends lanes; one warp of 16 threads. */
enum { STATICS = 3, ENDS = 2, THREADS = 16 };

static const struct {
	const char *what;
	bool good;
	unsigned n, kept; /* kept: lines up to those that no lane executes at the end; 0: all */
	uint32_t left;    /* good: lanes that end with the last line */
	struct {
		uint32_t index, mask;
	} line[MOST];
} cases[] = {
	{ "all lanes end", true, 3, 0, 0, { { 0, 0xffff }, { 1, 0xff }, { ENDS, 0xffff } } },
	{ "half of the lanes end, then the others", true, 4, 0, 0,
	  { { 0, 0xffff }, { ENDS, 0xff00 }, { 1, 0xff }, { ENDS, 0xff } } },
	{ "lanes are left", true, 3, 0, 0xff, { { 0, 0xffff }, { ENDS, 0xff00 }, { 1, 0xf } } },
	{ "a line without lanes while some are left", true, 3, 0, 0xff,
	  { { 0, 0xffff }, { ENDS, 0xff00 }, { 1, 0 } } },
	{ "lines without lanes at the end", true, 4, 2, 0xffff,
	  { { 0, 0xffff }, { 1, 1 }, { 0, 0 }, { 1, 0 } } },
	{ "lanes that the block has not", false, 1, 0, 0, { { 0, 0x1ffff } } },
	{ "lanes that ended before, while others are left", false, 3, 0, 0,
	  { { 0, 0xffff }, { ENDS, 0xff00 }, { 1, 0x1ff } } },
	{ "all ended before", false, 3, 0, 0, { { 0, 0xffff }, { ENDS, 0xffff }, { 1, 1 } } },
	{ "a line without lanes when all have ended", false, 3, 0, 0,
	  { { 0, 0xffff }, { ENDS, 0xffff }, { 1, 0 } } },
	{ "an instruction that is not there", false, 2, 0, 0, { { 0, 0xffff }, { STATICS, 0xffff } } },
};

/* The file has nothing but the block. */
static void make_block(size_t i, unsigned char *file, size_t size, uint64_t *bytes)
{
	struct packed_block *b = (struct packed_block *)file;
	struct packed_warp *w = (struct packed_warp *)(b + 1);
	unsigned char room[MOST * TRACE_LONGEST];
	struct trace_cta cta = { .data = room };
	struct trace_cursor at = { .mask = (1u << THREADS) - 1, .index = TRACE_NOWHERE };

	memset(file, 0, size);
	for (unsigned k = 0; k < cases[i].n; k++) {
		struct trace_line line = { .index = cases[i].line[k].index, .mask = cases[i].line[k].mask };

		trace_pack(&cta, &at, &line, false);
		if (k + 1 == cases[i].kept || !cases[i].kept)
			w->kept = cta.n;
	}
	w->to = cta.n;
	memcpy(w + 1, room, cta.n);
	b->data = cta.n;
	b->statics = STATICS;
	b->instructions = cases[i].n;
	*bytes = b->bytes = (sizeof *b + sizeof *w + cta.n + 7) / 8 * 8;
	b->hash = XXH3_64bits(file + offsetof(struct packed_block, bytes),
	                      b->bytes - offsetof(struct packed_block, bytes));
}

static void check(size_t i)
{
	static uint64_t file[1024];
	static struct trace_static statics[STATICS];
	struct trace_packed packed = { .host = &log_host, .name = (char *)"app", .map = (unsigned char *)file,
		                       .size = sizeof file };
	struct packed_kernel head = { .statics = STATICS };
	uint8_t kind[STATICS] = { [ENDS] = 1 }; /* KIND_EXITS of packed.c */
	struct trace_packed_kernel k = { .file = &packed, .head = &head, .kind = kind, .cap = STATICS };
	struct trace_header header = { .launch = { .warps = 1, .threads = THREADS } };
	struct trace_code code = { .v = statics, .n = STATICS, .header = &header };
	struct trace_packed_at at = { .ordinal = 0 };
	struct trace_packed_block block;
	char want[512];
	int got;

	make_block(i, (unsigned char *)file, sizeof file, &head.blocks_bytes);
	clear_log();
	got = hd__trace_packed_next(&k, &at, &code, &block);
	if (got > 0)
		log_add("left %x\n", block.tail[0]);
	if (got > 0 && hd__trace_packed_next(&k, &at, &code, &block) != 0)
		log_add("a second block\n");
	snprintf(want, sizeof want, "left %x\n", cases[i].left);
	expect(cases[i].what, cases[i].good ? want : "error: app: damaged at byte 0: an instruction of the "
	       "thread block; expected the file as 'heddle trace pack' wrote it\n");
}

int main(int argc, char **argv)
{
	begin(argc, argv);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check(i);
	return finish();
}
