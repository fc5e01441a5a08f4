/* study_result.c - the file of one result: how a point ended, and the statistics of its run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It is not forced to the disk, which would take longer than many runs: the first line has the length and the
 * hash of the rest, so that a file which a power failure has cut counts as missing.
 */
#include "study_result.h"
#include "base/below.h"
#include "base/output.h"
#include "base/xalloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char head[] = "{\"point\": ", middle[] = ",\n\"statistics\": ", tail[] = "}\n";

/* Hashes the next n bytes, and writes them to `to`, or nowhere if it is NULL.  Returns false if there are fewer,
 * or after a write error. */
static bool hash_of(FILE *f, size_t n, FILE *to, char out[17])
{
	XXH3_state_t *hash = hd__xcheck(XXH3_createState());
	char piece[1 << 14];
	size_t got = 1;

	XXH3_64bits_reset(hash);
	for (; n > 0 && got > 0; n -= got) {
		got = fread(piece, 1, n < sizeof piece ? n : sizeof piece, f);
		XXH3_64bits_update(hash, piece, got);
		if (to != NULL && fwrite(piece, 1, got, to) != got)
			break;
	}
	snprintf(out, 17, "%016" PRIx64, (uint64_t)XXH3_64bits_digest(hash));
	XXH3_freeState(hash);
	return n == 0;
}

/* Rewinds the text for each of its two uses. */
static bool write_file(FILE *f, json_t *point, FILE *text, size_t n)
{
	static char null[] = "null";
	FILE *none = n == 0 ? hd__xcheck(fmemopen(null, 4, "r")) : NULL;
	char hash[17], *line;
	bool ok;

	text = none != NULL ? none : text;
	n = none != NULL ? 4 : n;
	rewind(text);
	ok = hash_of(text, n, NULL, hash);
	json_object_set_new(point, "bytes", json_integer((json_int_t)n));
	json_object_set_new(point, "hash", json_string(hash));
	line = hd__xcheck(json_dumps(point, JSON_REAL_PRECISION(6)));
	rewind(text);
	ok = ok && fputs(head, f) >= 0 && fputs(line, f) >= 0 && fputs(middle, f) >= 0 && hash_of(text, n, f, hash)
	     && fputs(tail, f) >= 0;
	free(line);
	if (none != NULL)
		fclose(none);
	return ok;
}

bool study_result_write(const struct study_folder *folder, const char *key, const char *part, json_t *point, FILE *text,
                        size_t n)
{
	char *from = hd__join("tmp/", part, ""), *to = hd__format("points/%s.json", key);
	FILE *f = study_folder_temporary(folder, part);
	bool ok = f != NULL && write_file(f, point, text, n);
	int why = errno;

	json_decref(point);
	if (f != NULL && fclose(f) != 0) {
		why = ok ? errno : why;
		ok = false;
	}
	if (ok && !hd__below_rename(folder->at, from, to)) {
		why = errno;
		ok = false;
	}
	if (!ok)
		hd__below_remove(folder->at, from);
	free(from);
	free(to);
	errno = why;
	return ok;
}

/* The first line, without what follows the point in it; NULL: it is not one. */
static json_t *read_line(FILE *f)
{
	static const char behind[] = "\"statistics\": ";
	char *line = NULL, next[sizeof behind - 1];
	size_t cap = 0;
	ssize_t n = getline(&line, &cap, f);
	json_t *point = NULL;

	if (n > (ssize_t)sizeof head && strncmp(line, head, sizeof head - 1) == 0 && line[n - 2] == ','
	    && fread(next, 1, sizeof next, f) == sizeof next && memcmp(next, behind, sizeof next) == 0)
		point = json_loadb(line + sizeof head - 1, (size_t)n - 2 - (sizeof head - 1), 0, NULL);
	free(line);
	return point;
}

/* Behind the first line: do all the bytes follow that it tells of, and no more? */
static bool is_whole(const struct study_result *r)
{
	const char *written = json_string_value(json_object_get(r->point, "hash"));
	char hash[17], end[sizeof tail];

	return written != NULL && hash_of(r->statistics.f, r->statistics.bytes, NULL, hash)
	       && fread(end, 1, sizeof end, r->statistics.f) == sizeof tail - 1 && strcmp(hash, written) == 0;
}

/* Is the file named by the key of the point that it is of? */
static bool is_in_place(const json_t *point, const char *path)
{
	const char *key = json_string_value(json_object_get(point, "key")), *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	size_t n = key != NULL ? strlen(key) : 0;

	return n > 0 && strncmp(name, key, n) == 0 && strcmp(name + n, ".json") == 0;
}

/* "FOLDER/points/KEY.json": the last two are names in the folder. */
static FILE *open_file(const char *path)
{
	const char *at = path + strlen(path);
	char *folder;
	FILE *f;

	for (int names = 0; at > path && names < 2; names += *at == '/')
		at--;
	folder = hd__xstrndup(path, (size_t)(at - path));
	f = hd__read_below(folder, *at == '/' ? at + 1 : at);
	free(folder);
	return f;
}

bool study_result_open(struct study_result *r, const char *path)
{
	*r = (struct study_result){ .statistics = { .f = open_file(path) } };
	if (r->statistics.f == NULL)
		return false;
	hd__input_note(fileno(r->statistics.f));
	r->point = read_line(r->statistics.f);
	r->statistics.at = ftell(r->statistics.f);
	r->statistics.bytes = (size_t)json_integer_value(json_object_get(r->point, "bytes"));
	if (r->point != NULL && is_in_place(r->point, path) && is_whole(r))
		return true;
	study_result_close(r);
	return false;
}

void study_result_close(struct study_result *r)
{
	fclose(r->statistics.f);
	json_decref(r->point);
}

json_t *study_result_read(const char *path)
{
	struct study_result r;
	json_t *point;

	if (!study_result_open(&r, path))
		return NULL;
	point = json_incref(r.point);
	study_result_close(&r);
	return point;
}

bool study_result_finished(const json_t *point)
{
	const char *status = json_string_value(json_object_get(point, "status"));

	return status != NULL && (strcmp(status, "finished") == 0 || strcmp(status, "stopped at the cycle limit") == 0);
}

/* ---- statistics, rows of kernels one by one ---- */

struct reader {
	void (*row)(void *arg, unsigned kernel, json_t *row);
	void *arg;
	unsigned n;     /* rows so far */
	bool rows;      /* are those of this object asked for? */
	bool outermost;
	const struct study_statistics *s;
	json_t *to;
};

static void take(void *arg, const char *name, json_t *row)
{
	struct reader *r = arg;

	(void)name;
	r->row(r->arg, ++r->n, row);
}

static bool read_member(void *arg, const char *name, struct hd_json_text *t)
{
	struct reader *r = arg;

	if (strcmp(name, "kernels") == 0 && hd__json_comes(t, '['))
		return hd__json_rows(t, r->row != NULL && r->rows && r->n == 0 ? take : NULL, r, name);
	if (r->outermost && strcmp(name, "statistics") == 0 && hd__json_next(t) == '{') {
		struct reader inner = { r->row, r->arg, 0, r->s->inner, false, r->s, json_object() };

		json_object_set_new(r->to, name, inner.to);
		return hd__json_members(t, read_member, &inner);
	}
	return json_object_set_new(r->to, name, hd__json_value(t)) == 0;
}

bool study_statistics_open(const struct study_statistics *s, struct hd_json_file *file, struct hd_json_text *t)
{
	hd__json_file_open(file, t, s->f, s->bytes);
	return fseek(s->f, s->at, SEEK_SET) == 0;
}

json_t *study_statistics_read(const struct study_statistics *s, void (*row)(void *arg, unsigned kernel, json_t *row),
                              void *arg)
{
	struct reader r = { row, arg, 0, !s->inner, true, s, json_object() };
	struct hd_json_file file;
	struct hd_json_text t;
	bool ok = study_statistics_open(s, &file, &t) && hd__json_members(&t, read_member, &r) && hd__json_over(&t);

	hd__json_file_close(&file);
	if (ok)
		return r.to;
	json_decref(r.to);
	return NULL;
}

/* ---- one by one ---- */

/* Ends at the first row. */
static bool find_rows(void *arg, const char *name, struct hd_json_text *t)
{
	struct study_rows *r = arg;

	if (strcmp(name, "kernels") == 0 && hd__json_comes(t, '[')) {
		if (r->inner)
			return hd__json_rows(t, NULL, NULL, name);
		r->more = !hd__json_comes(t, ']');
		return !r->more;
	}
	if (r->inner && strcmp(name, "statistics") == 0 && hd__json_next(t) == '{') {
		r->inner = false;
		return hd__json_members(t, find_rows, r) && !r->more;
	}
	json_decref(hd__json_value(t));
	return true;
}

void study_rows_open(struct study_rows *r, const struct study_statistics *s)
{
	*r = (struct study_rows){ .inner = s->inner };
	if (study_statistics_open(s, &r->file, &r->text))
		hd__json_members(&r->text, find_rows, r);
}

json_t *study_rows_next(struct study_rows *r)
{
	json_t *row = r->more ? hd__json_value(&r->text) : NULL;

	r->more = row != NULL && hd__json_comes(&r->text, ',');
	return row;
}

void study_rows_close(struct study_rows *r)
{
	hd__json_file_close(&r->file);
}
