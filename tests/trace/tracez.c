/* tracez.c - containers of compressed warps: read as the text for which they stand, and damaged ones
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: tracez [folder with the opcode tables]
 *
 * As lines.c, but the expected log is that of the same kernel as a .traceg.
 */
#include "replay.h"

#include <zstd.h>

#define HEAD "-kernel name = k\n-kernel id = 7\n-grid dim = (4,1,1)\n-block dim = (64,1,1)\n-shmem = 16\n" \
	"-nregs = 8\n-binary version = 90\n-shmem base_addr = 0x1000\n-local mem base_addr = 0x5000\n" \
	"-accelsim tracer version = 6\n"
#define BLOCKS 4u
#define CLUSTER 2u /* blocks */
#define WARPS 2u
#define FRAME 2u /* instructions */

static const char *const program[] = {
	"0000 ffffffff 2 P0 R4 IADD3.X 4 R1 UR4 R2 P1 0 -5 NoVal",
	"0010 00000003 1 R2 LDG.E 2 R4 UR6 4 1 0x100 4 0 Val 1 0x5",
	"0020 00000001 0 UBLKCP 2 UR8 UR4 16 0x400 0 4096 4064 4 0x8000 2 64 0 NoVal",
	"0030 ffffffff 1 R5 FADD 2 R4 R2 0 0 NoVal",
	"0040 ffffffff 0 EXIT 0 0 0 NoVal",
};
#define INSTS ((unsigned)(sizeof program / sizeof *program))

/* The last warp of the last block did not run. */
static unsigned insts_of(unsigned block, unsigned warp)
{
	return block == BLOCKS - 1 && warp == WARPS - 1 ? 0 : INSTS;
}

struct bytes {
	unsigned char v[1 << 14];
	size_t n;
};

static void add(struct bytes *b, const void *from, size_t n)
{
	memcpy(b->v + b->n, from, n);
	b->n += n;
}

static void add_number(struct bytes *b, uint64_t v, unsigned bytes)
{
	for (; bytes > 0; bytes--, v >>= 8)
		b->v[b->n++] = (unsigned char)v;
}

static void add_frame(struct bytes *b, ZSTD_CCtx *encoder, const char *dictionary, size_t bytes, unsigned from,
                      unsigned to)
{
	char text[4096] = "", packed[8192];
	size_t n;

	for (; from < to; from++) {
		strcat(text, program[from]);
		strcat(text, from + 1 < to ? "\n" : "");
	}
	n = ZSTD_compress_usingDict(encoder, packed, sizeof packed, text, strlen(text), dictionary, bytes, 3);
	add_number(b, n, 4);
	add(b, packed, n);
}

/* The whole kernel.  A dictionary of 0 bytes: none. */
static void make_container(struct bytes *b, const char *header, const char *dictionary, size_t bytes)
{
	ZSTD_CCtx *encoder = ZSTD_createCCtx();
	struct bytes index = { .n = 0 };
	uint64_t at;

	b->n = 0;
	add(b, header, strlen(header) + 1);
	add_number(b, bytes, 4);
	add_number(b, FRAME, 4);
	add(b, dictionary, bytes);
	add_number(&index, BLOCKS, 4);
	for (unsigned i = 0; i < BLOCKS; i++) {
		for (unsigned k = 0; k < 10; k++)
			add_number(&index, k == 0 ? i : k == 3 ? i / CLUSTER : k == 6 || k == 9 ? i % CLUSTER : 0, 4);
		add_number(&index, WARPS, 4);
		for (unsigned w = 0; w < WARPS; w++) {
			unsigned n = insts_of(i, w), frames = (n + FRAME - 1) / FRAME;

			at = b->n;
			add_number(b, n, 4);
			add_number(b, frames, 4);
			add_number(&index, n, 4);
			add_number(&index, frames, 4);
			add_number(&index, at, 8);
			for (unsigned k = 0; k < n; k += FRAME) {
				unsigned to = k + FRAME < n ? k + FRAME : n;

				add_frame(b, encoder, dictionary, bytes, k, to);
				add_number(&index, to - k, 4);
			}
		}
	}
	at = b->n;
	add(b, index.v, index.n);
	add_number(b, at, 8);
	ZSTD_freeCCtx(encoder);
}

static void make_text(char *out)
{
	out += sprintf(out, "%s#\n", HEAD);
	for (unsigned i = 0; i < BLOCKS; i++) {
		out += sprintf(out, "#BEGIN_TB\nthread block = %u,0,0\ncluster id = %u,0,0\ncluster cta = %u,0,0\n"
		               "cluster rank = %u\n", i, i / CLUSTER, i % CLUSTER, i % CLUSTER);
		for (unsigned w = 0; w < WARPS; w++) {
			out += sprintf(out, "warp = %u\ninsts = %u\n", w, insts_of(i, w));
			for (unsigned k = 0; k < insts_of(i, w); k++)
				out += sprintf(out, "%s\n", program[k]);
		}
		out += sprintf(out, "#END_TB\n");
	}
}

static void check(const char *what, const struct bytes *b, const char *text)
{
	write_file("k.tracez", b->v, b->n);
	replay_with("k.tracez", NULL, 0);
	expect(what, text);
}

/* What the log of the text has, with the other name. */
static char *log_of_text(void)
{
	static char text[1 << 14];
	char *at;

	make_text(text);
	write_file("k.traceg", text, strlen(text));
	replay_with("k.traceg", NULL, 0);
	expect("the text", log_text); /* replaces the folder */
	while ((at = strstr(log_text, "k.traceg")))
		at[7] = 'z';
	return strdup(log_text);
}

/* Whatever is cut off: an error, and no crash. */
static void check_cut(const struct bytes *b)
{
	for (size_t n = 0; n < b->n; n++) {
		write_file("k.tracez", b->v, n);
		replay_with("k.tracez", NULL, 0);
		if (!strstr(log_text, "error: ")) {
			printf("FAIL %zu of %zu bytes: no error\n%s", n, b->n, log_text);
			failures++;
		}
	}
}

/* Whatever is changed: an end, and no crash. */
static void check_changed(const struct bytes *b)
{
	static struct bytes changed;

	for (size_t i = 0; i < b->n; i++) {
		changed = *b;
		changed.v[i] ^= (unsigned char)(1 + i % 255);
		write_file("k.tracez", changed.v, changed.n);
		replay_with("k.tracez", NULL, 0);
		if (!strstr(log_text, "error: ") && !strstr(log_text, "end\n")) {
			printf("FAIL byte %zu changed: no end\n%s", i, log_text);
			failures++;
		}
	}
}

int main(int argc, char **argv)
{
	static const char dictionary[] = "IADD3.X 4 R1 UR4 R2 P1 LDG.E UBLKCP NoVal ffffffff 00000003";
	static struct bytes b;
	char *same;
	size_t heads = strlen(HEAD) + 1;

	begin(argc, argv);
	same = log_of_text();
	if (!strstr(same, "UBLKCP") || !strstr(same, "end\n") || strstr(same, "error"))
		failures++;
	make_container(&b, HEAD "#\n", "", 0);
	check("without a dictionary", &b, same);
	make_container(&b, HEAD, dictionary, sizeof dictionary);
	check("with a dictionary, and no line with '#'", &b, same);
	free(same);

	check_cut(&b);
	check_changed(&b);
	b.n = heads + 3;
	check("cut", &b, "error: k.tracez: the container ends too early at byte 207 of 207\n");
	b.n = heads - 1;
	check("no NUL", &b, "error: k.tracez: the header does not end; expected a NUL at byte 203 of 203\n");
	return finish();
}
