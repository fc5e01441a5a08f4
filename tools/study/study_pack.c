/* study_pack.c - writes a tar file, compressed by xz
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_pack.h"
#include "base/read_file.h"
#include "base/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { BLOCK = 512, NAME = 100, AT_ONCE = 1 << 16 };

bool study_pack_open(struct study_pack *p, FILE *out)
{
	lzma_stream *xz = hd__xcalloc(1, sizeof *xz);

	*xz = (lzma_stream)LZMA_STREAM_INIT;
	*p = (struct study_pack){ .out = out, .xz = xz, .buffer = hd__xcalloc(AT_ONCE, 1), .sums = hd__xcheck(json_object()) };
	p->failed = lzma_easy_encoder(xz, 6, LZMA_CHECK_CRC64) != LZMA_OK;
	return !p->failed;
}

static bool compress(struct study_pack *p, const void *data, size_t n, lzma_action action)
{
	lzma_stream *xz = p->xz;
	lzma_ret ret = LZMA_OK;

	xz->next_in = data;
	xz->avail_in = n;
	while (!p->failed && ret != LZMA_STREAM_END && (xz->avail_in > 0 || action == LZMA_FINISH)) {
		xz->next_out = p->buffer;
		xz->avail_out = AT_ONCE;
		ret = lzma_code(xz, action);
		p->failed = (ret != LZMA_OK && ret != LZMA_STREAM_END)
		            || fwrite(p->buffer, 1, AT_ONCE - xz->avail_out, p->out) != AT_ONCE - xz->avail_out;
	}
	return !p->failed;
}

static void pad(struct study_pack *p, uint64_t n)
{
	static const char zeros[BLOCK];

	if (n % BLOCK > 0)
		compress(p, zeros, BLOCK - n % BLOCK, LZMA_RUN);
}

/* A header of the format ustar; `type`: '0' a file, 'x' what the next header has no room for. */
static void header(struct study_pack *p, const char *name, uint64_t n, bool program, char type)
{
	char h[BLOCK] = { 0 };
	unsigned sum = 0;

	snprintf(h, NAME, "%s", name);
	snprintf(h + 100, 8, "%07o", program ? 0755u : 0644u);
	snprintf(h + 108, 8, "%07o", 0u); /* owner, group */
	snprintf(h + 116, 8, "%07o", 0u);
	snprintf(h + 124, 12, "%011" PRIo64, n);
	snprintf(h + 136, 12, "%011o", 0u); /* time */
	memset(h + 148, ' ', 8);
	h[156] = type;
	memcpy(h + 257, "ustar\00000", 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	compress(p, h, BLOCK, LZMA_RUN);
}

static void begin(struct study_pack *p, const char *name, uint64_t n, bool program)
{
	size_t length = strlen(name) + strlen(" path=\n");
	char *more, digits[HD_DIGITS];

	if (strlen(name) >= NAME) {
		/* its own digits count, too */
		length += strlen(hd__digits(digits, length + strlen(hd__digits(digits, length))));
		more = hd__format("%zu path=%s\n", length, name);
		header(p, "name", strlen(more), false, 'x');
		compress(p, more, strlen(more), LZMA_RUN);
		pad(p, strlen(more));
		free(more);
	}
	header(p, name, n, program, '0');
}

static void end(struct study_pack *p, const char *name, uint64_t n, XXH3_state_t *h)
{
	XXH128_hash_t v = XXH3_128bits_digest(h);
	char *sum = hd__format("%016" PRIx64 "%016" PRIx64, (uint64_t)v.high64, (uint64_t)v.low64);

	pad(p, n);
	json_object_set_new(p->sums, name, json_string(sum));
	free(sum);
	XXH3_freeState(h);
}

bool study_pack_bytes(struct study_pack *p, const char *name, const void *data, size_t n, bool program)
{
	XXH3_state_t *h = hd__xcheck(XXH3_createState());

	XXH3_128bits_reset(h);
	XXH3_128bits_update(h, data, n);
	begin(p, name, n, program);
	compress(p, data, n, LZMA_RUN);
	end(p, name, n, h);
	return !p->failed;
}

/* So many bytes of the file.  One that becomes shorter meanwhile is an error. */
static void copy(struct study_pack *p, int fd, uint64_t left, XXH3_state_t *h)
{
	char *buffer = hd__xcheck(malloc(AT_ONCE));

	while (left > 0 && !p->failed) {
		ssize_t n = read(fd, buffer, left < AT_ONCE ? (size_t)left : AT_ONCE);

		if (n <= 0) {
			errno = n < 0 ? errno : ESTALE;
			p->failed = true;
			break;
		}
		XXH3_128bits_update(h, buffer, (size_t)n);
		compress(p, buffer, (size_t)n, LZMA_RUN);
		left -= (uint64_t)n;
	}
	free(buffer);
}

bool study_pack_file(struct study_pack *p, const char *name, const char *path)
{
	XXH3_state_t *h = hd__xcheck(XXH3_createState());
	const char *why;
	int fd = hd__input_open(path, &why);
	struct stat st;

	XXH3_128bits_reset(h);
	p->failed |= fd < 0 || fstat(fd, &st) != 0;
	if (!p->failed) {
		begin(p, name, (uint64_t)st.st_size, (st.st_mode & 0100) != 0);
		copy(p, fd, (uint64_t)st.st_size, h);
		end(p, name, (uint64_t)st.st_size, h);
	} else {
		XXH3_freeState(h);
	}
	if (fd >= 0)
		close(fd);
	return !p->failed;
}

bool study_pack_close(struct study_pack *p)
{
	static const char zeros[2 * BLOCK];

	compress(p, zeros, sizeof zeros, LZMA_RUN);
	compress(p, NULL, 0, LZMA_FINISH);
	lzma_end(p->xz);
	free(p->xz);
	free(p->buffer);
	json_decref(p->sums);
	return !p->failed && fflush(p->out) == 0;
}
