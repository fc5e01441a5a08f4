/* first_diff.c - where the events of a run first differ from a reference log
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: first_diff REFERENCE EVENTS
 * Both are texts with a line for each event, "CYCLE NAME FIELD=VALUE...", plain or in xz; "-" is
 * standard input.  Of EVENTS, which is what `heddle run --events` writes, only those lines count
 * whose name occurs in the reference (issue, release).  Prints the first pair of lines that
 * differs, with their neighbours.
 * Exit status 0: no difference, 1: there is one, 2: a file could not be read.
 */
#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE 12
#define BEHIND 6
#define LINE 256
#define NAMES 16

struct text {
	const char *file;
	FILE *f;
	lzma_stream xz;
	bool packed, ended, bad;
	unsigned char in[1 << 15], out[1 << 15];
	size_t at, n;
	unsigned long line;
};

struct names {
	char v[NAMES][32];
	int n;
};

static bool failed(struct text *t, const char *why)
{
	fprintf(stderr, "first_diff: %s: %s\n", t->file, why);
	t->bad = true;
	return false;
}

static bool open_text(struct text *t, const char *file)
{
	static const unsigned char magic[6] = { 0xfd, '7', 'z', 'X', 'Z', 0 };

	memset(t, 0, sizeof *t);
	t->file = file;
	t->f = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
	if (!t->f)
		return failed(t, strerror(errno));
	t->n = fread(t->out, 1, sizeof t->out, t->f);
	if (t->n < sizeof magic || memcmp(t->out, magic, sizeof magic) != 0)
		return true;
	t->packed = true;
	memcpy(t->in, t->out, t->n);
	t->xz = (lzma_stream)LZMA_STREAM_INIT;
	t->xz.next_in = t->in;
	t->xz.avail_in = t->n;
	t->n = 0;
	if (lzma_stream_decoder(&t->xz, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK)
		return failed(t, "no decoder");
	return true;
}

static bool unpack(struct text *t)
{
	lzma_ret r = LZMA_OK;

	t->xz.next_out = t->out;
	t->xz.avail_out = sizeof t->out;
	while (t->xz.avail_out == sizeof t->out && r == LZMA_OK) {
		if (t->xz.avail_in == 0 && !feof(t->f)) {
			t->xz.next_in = t->in;
			t->xz.avail_in = fread(t->in, 1, sizeof t->in, t->f);
		}
		r = lzma_code(&t->xz, feof(t->f) ? LZMA_FINISH : LZMA_RUN);
	}
	t->at = 0;
	t->n = sizeof t->out - t->xz.avail_out;
	if (r != LZMA_OK && r != LZMA_STREAM_END)
		return failed(t, "damaged");
	return t->n > 0;
}

static bool more(struct text *t)
{
	if (t->packed)
		return unpack(t);
	t->at = 0;
	t->n = fread(t->out, 1, sizeof t->out, t->f);
	return t->n > 0;
}

static bool next_line(struct text *t, char *line)
{
	size_t n = 0;

	while (!t->bad && (t->at < t->n || more(t))) {
		char c = (char)t->out[t->at++];

		if (c == '\n') {
			line[n] = '\0';
			t->line++;
			return true;
		}
		if (n < LINE - 1)
			line[n++] = c;
	}
	line[n] = '\0';
	t->ended = true;
	return n > 0;
}

/* The name of the event in the line. */
static void name_of(const char *line, char *name, size_t size)
{
	const char *blank = strchr(line, ' ');

	snprintf(name, size, "%.*s", blank ? (int)strcspn(blank + 1, " ") : 0,
	         blank ? blank + 1 : "");
}

static bool has_name(const struct names *k, const char *name)
{
	for (int i = 0; i < k->n; i++)
		if (strcmp(k->v[i], name) == 0)
			return true;
	return false;
}

/* Names of the events that a log has. */
static bool collect(const char *file, struct names *k)
{
	static struct text t;
	char line[LINE], name[32];
	bool good = open_text(&t, file);

	k->n = 0;
	while (good && next_line(&t, line)) {
		name_of(line, name, sizeof name);
		if (!has_name(k, name) && k->n < NAMES)
			strcpy(k->v[k->n++], name);
	}
	if (t.packed)
		lzma_end(&t.xz);
	if (t.f)
		fclose(t.f);
	return good && !t.bad;
}

static bool next_known(struct text *t, const struct names *k, char *line)
{
	char name[32];

	while (next_line(t, line)) {
		name_of(line, name, sizeof name);
		if (has_name(k, name))
			return true;
	}
	return false;
}

static void behind(struct text *t, const struct names *k, const char *mark, const char *line)
{
	char next[LINE];

	printf("%s %s:%lu: %s\n", mark, t->file, t->line, line);
	for (int i = 0; i < BEHIND && next_known(t, k, next); i++)
		printf("%s     %s\n", mark, next);
}

static int compare(struct text *a, struct text *b, const struct names *k)
{
	char past[BEFORE][LINE], la[LINE], lb[LINE];
	unsigned long n = 0;

	for (;;) {
		bool ma = next_known(a, k, la), mb = next_known(b, k, lb);

		if (a->bad || b->bad)
			return 2;
		if (!ma && !mb)
			break;
		if (ma && mb && strcmp(la, lb) == 0) {
			strcpy(past[n++ % BEFORE], la);
			continue;
		}
		printf("%lu lines are equal, the last ones:\n", n);
		for (unsigned long i = n < BEFORE ? 0 : n - BEFORE; i < n; i++)
			printf("      %s\n", past[i % BEFORE]);
		behind(a, k, "-", ma ? la : "(the end)");
		behind(b, k, "+", mb ? lb : "(the end)");
		return 1;
	}
	printf("%lu lines, all equal\n", n);
	return 0;
}

int main(int argc, char **argv)
{
	static struct text a, b;
	struct names k;
	int status = 2;

	if (argc != 3) {
		fputs("usage: first_diff REFERENCE EVENTS\n", stderr);
		return 2;
	}
	if (collect(argv[1], &k) && open_text(&a, argv[1]) && open_text(&b, argv[2]))
		status = compare(&a, &b, &k);
	if (a.packed)
		lzma_end(&a.xz);
	if (b.packed)
		lzma_end(&b.xz);
	if (a.f)
		fclose(a.f);
	if (b.f && b.f != stdin)
		fclose(b.f);
	return status;
}
