/* exec_fatbin.c - an array of cubins: picks one for a GPU, and decompresses it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_machine.h"

#include <limits.h>
#include <lz4.h>
#include <zstd.h>

#define MOST_CUBIN (UINT64_C(1) << 30) /* bytes of one, decompressed */
#define KIND_CUBIN 2u
#define IS_ZSTD UINT64_C(0x8000)
#define IS_LZ4 UINT64_C(0x2000) /* CUDA 12 and earlier */

struct fatbin_head {
	uint32_t magic;
	uint16_t version, head;
	uint64_t bytes;
};

struct fatbin_entry {
	uint16_t kind, version;
	uint32_t head;
	uint64_t padded;     /* bytes behind its head */
	uint32_t compressed; /* bytes; 0: it is not */
	uint32_t reserved[2], sm;
	uint64_t name, flags, zero, bytes; /* bytes: decompressed */
};

size_t hd__exec_fatbin_bytes(const void *fatbin)
{
	struct fatbin_head h;

	memcpy(&h, fatbin, sizeof h);
	return h.magic == HD_EXEC_FATBIN && h.bytes <= SIZE_MAX - h.head ? h.head + h.bytes : 0;
}

bool hd__exec_fits(uint32_t gpu, uint32_t code)
{
	return gpu == 0 || (gpu / 10 == code / 10 && code <= gpu);
}

static const void *decompress(const struct fatbin_entry *e, const unsigned char *data, size_t *size, void **made,
                              char **why)
{
	const char *words = "bytes of it are damaged";
	size_t n;

	if (e->bytes == 0 || e->bytes > MOST_CUBIN) {
		*why = hd__format("the cubin for sm_%u has %llu bytes; expected at most %llu", e->sm,
		                  (unsigned long long)e->bytes, (unsigned long long)MOST_CUBIN);
		return NULL;
	}
	*made = hd__xcheck(malloc(e->bytes));
	if (e->flags & IS_LZ4) {
		int got = e->compressed <= INT_MAX
		          ? LZ4_decompress_safe((const char *)data, *made, (int)e->compressed, (int)e->bytes) : -1;

		n = got < 0 ? SIZE_MAX : (size_t)got;
	} else {
		n = ZSTD_decompress(*made, e->bytes, data, e->compressed);
		if (ZSTD_isError(n)) {
			words = ZSTD_getErrorName(n);
			n = SIZE_MAX;
		}
	}
	if (n != SIZE_MAX) {
		*size = n;
		return *made;
	}
	*why = hd__format("the cubin for sm_%u cannot be decompressed: %s", e->sm, words);
	free(*made);
	*made = NULL;
	return NULL;
}

/* Versions that it has, for a message. */
static char *list(uint64_t seen[4], bool ptx)
{
	char *text = hd__xstrdup("");

	for (unsigned sm = 0; sm < 256; sm++)
		if (seen[sm / 64] >> sm % 64 & 1) {
			char *longer = hd__format("%s%ssm_%u", text, *text ? ", " : "", sm);

			free(text);
			text = longer;
		}
	if (ptx) {
		char *longer = hd__format("%s%sPTX", text, *text ? ", " : "");

		free(text);
		text = longer;
	}
	return text;
}

static void none(uint32_t sm, uint64_t seen[4], bool ptx, char **why)
{
	char *have = list(seen, ptx);

	if (sm)
		*why = hd__format("no cubin that a GPU of version %u executes; there are: %s; compile with -arch=sm_%u",
		                  sm, *have ? have : "none", sm);
	else
		*why = hd__format("no cubin; there are: %s; compile with -arch=sm_80 or the like",
				  *have ? have : "none");
	free(have);
}

const void *hd__exec_fatbin_pick(const void *bytes, size_t n, uint32_t sm, size_t *size, void **made, char **why)
{
	const unsigned char *p = bytes, *data = NULL;
	struct fatbin_head h;
	struct fatbin_entry best = { 0 };
	uint64_t seen[4] = { 0 };
	bool ptx = false;

	memcpy(&h, p, sizeof h);
	for (size_t at = h.head; at < n && n - at >= sizeof best;) {
		struct fatbin_entry e;

		memcpy(&e, p + at, sizeof e);
		if (e.head < sizeof e || e.head > n - at || e.padded > n - at - e.head
		    || e.compressed > e.padded) {
			*why = hd__format("the fatbin is damaged at byte %zu: an entry of %u + %llu bytes", at, e.head,
			                  (unsigned long long)e.padded);
			return NULL;
		}
		if (e.kind == KIND_CUBIN && e.sm < 256) {
			seen[e.sm / 64] |= UINT64_C(1) << e.sm % 64;
			if (hd__exec_fits(sm, e.sm) && (!data || e.sm > best.sm)) {
				best = e;
				data = p + at + e.head;
			}
		}
		ptx |= e.kind != KIND_CUBIN;
		at += e.head + e.padded;
	}
	if (!data) {
		none(sm, seen, ptx, why);
		return NULL;
	}
	if (best.compressed || best.flags & (IS_ZSTD | IS_LZ4))
		return decompress(&best, data, size, made, why);
	*size = best.padded;
	return data;
}
