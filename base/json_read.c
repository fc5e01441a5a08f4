/* json_read.c - reads files of the user: text, JSON, syntax errors
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "json_read.h"
#include "output.h"
#include "pointer.h"
#include "xalloc.h"

#include <errno.h>

#define AT_ONCE ((size_t)1 << 16)     /* bytes */
#define MOST_JSON ((size_t)64 << 20)  /* bytes; a device file would never end */
#define MOST_INPUT ((size_t)1 << 30)

/* jansson gives the place after the offending text, and mostly quotes that text. */
static size_t error_place(const char *text, size_t length, const json_error_t *e)
{
	size_t place = e->position > 0 ? (size_t)e->position : 0, n;
	const char *near = strstr(e->text, " near '");

	if (place > length)
		place = length;
	if (near != NULL) {
		near += strlen(" near '");
		n = strlen(near);
		n -= n > 0; /* the closing quote */
		if (n <= place && memcmp(text + place - n, near, n) == 0)
			place -= n;
	} else if (json_error_code(e) == json_error_duplicate_key && place > 0) {
		do
			place--;
		while (place > 0
		       && (text[place - 1] != '"' || (place > 1 && text[place - 2] == '\\')));
		place -= place > 0;
	}
	return place;
}

/* A message where jansson's own would not help; else NULL. */
static const char *plain_words(const char *place, size_t left, const json_error_t *e)
{
	if (json_error_code(e) == json_error_null_character
	    || json_error_code(e) == json_error_null_byte_in_key)
		return "\\u0000 in a string; expected text";
	if (left > 0 && (*place == '/' || *place == '#'))
		return "comments are not JSON; expected a member \"doc\" instead";
	if (left > 3 && memcmp(place, "\xEF\xBB\xBF", 3) == 0)
		return "byte order mark; expected '{'";
	return NULL;
}

static void syntax_error(const char *file, const char *text, size_t length, json_error_t *e,
                         struct hd_diags *d)
{
	size_t place = error_place(text, length, e);
	size_t behind = e->position > 0 ? (size_t)e->position : 0;
	const char *plain = plain_words(text + place, length - place, e);
	int line, column;

	hd__line_column(text, text + place, NULL, &line, &column);
	if (json_error_code(e) == json_error_duplicate_key && behind >= place + 2)
		hd__diag(d, HD_DIAG_ERROR, file, line, column,
		         "member '%.*s' appears twice in one object; expected different names",
		         (int)(behind - place - 2), text + place + 1);
	else
		hd__diag(d, HD_DIAG_ERROR, file, line, column, "bad JSON: %s",
		         plain != NULL ? plain : e->text);
}

json_t *hd__json_parse(const char *file, const char *text, size_t length, struct hd_diags *d)
{
	json_error_t e;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);

	if (root == NULL)
		syntax_error(file, text, length, &e, d);
	return root;
}

/* The rest of a stream, which is noted as an input; NULL with errno set. */
static char *read_stream(FILE *f, size_t most, size_t *length)
{
	char *text = NULL;
	size_t cap = 0, n = 0;
	int why = 0;

	if (!hd__input_note(fileno(f))) {
		errno = ETXTBSY;
		return NULL;
	}
	errno = 0;
	do {
		text = hd__xreserve(text, n + AT_ONCE, &cap, 1);
		n += fread(text + n, 1, cap - n, f);
	} while (n == cap && n <= most);
	if (ferror(f))
		why = errno;
	else if (n > most)
		why = EFBIG;
	else
		text[n] = '\0'; /* n < cap */
	*length = n;
	if (!why)
		return hd__xrealloc(text, n + 1);
	free(text);
	errno = why;
	return NULL;
}

static char *read_file(const char *file, size_t most, size_t *length)
{
	FILE *f = fopen(file, "rb");
	char *text;
	int why;

	if (f == NULL)
		return NULL;
	text = read_stream(f, most, length);
	why = errno;
	fclose(f);
	errno = why;
	return text;
}

char *hd__read_file(const char *file, size_t *length)
{
	return read_file(file, MOST_JSON, length);
}

char *hd__read_input(const char *file, size_t *length)
{
	char *text = strcmp(file, "-") == 0 ? read_stream(stdin, MOST_INPUT, length)
	                                    : read_file(file, MOST_INPUT, length);

	if (text == NULL)
		fprintf(stderr, "heddle: %s: %s\n", file, strerror(errno));
	return text;
}
