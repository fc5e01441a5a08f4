/* whole_file.c - reads a whole file
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "whole_file.h"

#include "base/output.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdint.h>

#define MAX_BYTES (UINT64_C(1) << 30)
#define PIECE (1u << 16)

char *hd__trace_input(const char *file, size_t *size)
{
	bool standard = strcmp(file, "-") == 0;
	FILE *f = standard ? stdin : fopen(file, "r");
	char *bytes = NULL;
	size_t cap = 0, n = 0, got;

	if (!f) {
		fprintf(stderr, "heddle: %s: %s\n", file, strerror(errno));
		return NULL;
	}
	hd__input_note(fileno(f));
	errno = 0;
	do {
		bytes = hd__xreserve(bytes, n + PIECE + 1, &cap, 1);
		got = fread(bytes + n, 1, PIECE, f);
		n += got;
	} while (got > 0 && n <= MAX_BYTES);
	if (ferror(f) || n > MAX_BYTES) {
		fprintf(stderr, "heddle: %s: %s\n", file, strerror(ferror(f) ? errno : EFBIG));
		free(bytes);
		bytes = NULL;
	} else {
		bytes[n] = '\0';
	}
	if (!standard)
		fclose(f);
	*size = n;
	return bytes;
}
