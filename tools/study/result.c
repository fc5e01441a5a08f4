/* result.c - the file of one result: how a point ended, and the statistics of its run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It is not forced to the disk, which would take longer than many runs: the first line has the length and the
 * hash of the rest, so that a file which a power failure has cut counts as missing.
 */
#include "result.h"
#include "kernel/base/output.h"
#include "kernel/base/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static const char head[] = "{\"point\": ", middle[] = ",\n\"statistics\": ", tail[] = "}\n";

static void hash_of(const char *text, size_t n, char out[17])
{
	snprintf(out, 17, "%016" PRIx64, (uint64_t)XXH3_64bits(text, n));
}

bool study_result_write(const char *path, const char *part, json_t *point, const char *text, size_t n)
{
	FILE *f = fopen(part, "w");
	char hash[17], *line;
	bool ok;

	if (n == 0) {
		text = "null";
		n = 4;
	}
	hash_of(text, n, hash);
	json_object_set_new(point, "bytes", json_integer((json_int_t)n));
	json_object_set_new(point, "hash", json_string(hash));
	line = hd__xcheck(json_dumps(point, JSON_REAL_PRECISION(6)));
	json_decref(point);
	ok = f != NULL && fputs(head, f) >= 0 && fputs(line, f) >= 0 && fputs(middle, f) >= 0
	     && fwrite(text, 1, n, f) == n && fputs(tail, f) >= 0;
	free(line);
	if (f != NULL && fclose(f) != 0)
		ok = false;
	if (ok && rename(part, path) == 0)
		return true;
	n = (size_t)errno;
	unlink(part);
	errno = (int)n;
	return false;
}

/* The whole file, terminated; NULL: it cannot be read. */
static char *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0, got = 1;

	if (f != NULL)
		hd__input_note(fileno(f));
	for (*n = 0; f != NULL && got > 0; *n += got) {
		text = hd__xreserve(text, *n + 16384, &cap, 1);
		got = fread(text + *n, 1, cap - *n - 1, f);
		text[*n + got] = '\0';
	}
	if (f != NULL)
		fclose(f);
	return text;
}

json_t *study_result_read(const char *path, json_t **statistics)
{
	size_t n, length;
	char *text = slurp(path, &n), *line = text, *rest, hash[17] = "";
	json_t *point = NULL;
	const char *written;

	if (statistics != NULL)
		*statistics = NULL;
	rest = text != NULL && strncmp(text, head, sizeof head - 1) == 0 ? strstr(text, middle) : NULL;
	if (rest != NULL) {
		line += sizeof head - 1;
		point = json_loadb(line, (size_t)(rest - line), 0, NULL);
		rest += sizeof middle - 1;
		length = (size_t)json_integer_value(json_object_get(point, "bytes"));
		if (length + sizeof tail - 1 == (size_t)(text + n - rest))
			hash_of(rest, length, hash);
		written = json_string_value(json_object_get(point, "hash"));
		if (written == NULL || hash[0] == '\0' || strcmp(hash, written) != 0) {
			json_decref(point);
			point = NULL;
		} else if (statistics != NULL) {
			*statistics = json_loadb(rest, length, JSON_DECODE_ANY, NULL);
		}
	}
	free(text);
	return point;
}

bool study_result_finished(const json_t *point)
{
	const char *status = json_string_value(json_object_get(point, "status"));

	return status != NULL && (strcmp(status, "finished") == 0 || strcmp(status, "stopped at the cycle limit") == 0);
}
