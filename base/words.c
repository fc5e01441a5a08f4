/* words.c - values, expectations and lists of names in the form that messages print
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "words.h"
#include "xalloc.h"

#include <ctype.h>
#include <inttypes.h>

enum {
	MAX_LISTED = 12, /* names in one message */
	MAX_WORD = 64,   /* longer words get no suggestion */
	MAX_QUOTED = 40, /* bytes of a string value that a message repeats */
};

/* In any locale. */
static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

bool hd__is_name(const char *s)
{
	size_t n = 0;

	if (s[0] >= '0' && s[0] <= '9')
		return false;
	while (in_name(s[n]))
		n++;
	return n > 0 && n <= HD_NAME_MAX && s[n] == '\0';
}

/* "sm[1].sched": names, each but the last with an index or none */
bool hd__is_path(const char *s)
{
	char name[HD_NAME_MAX + 1];

	if (hd__is_name(s))
		return true;
	for (;;) {
		size_t n = strcspn(s, "[.");

		if (n > HD_NAME_MAX)
			return false;
		memcpy(name, s, n);
		name[n] = '\0';
		if (!hd__is_name(name))
			return false;
		s += n;
		if (*s == '\0')
			return true;
		if (*s == '[') {
			n = strspn(s + 1, "0123456789");
			if (n == 0 || n > 5 || s[n + 1] != ']')
				return false;
			s += n + 2;
		}
		if (*s++ != '.')
			return false;
	}
}

/* ---- values -------------------------------------------------------------------------------- */

static const char *found_string(const char *s, char *buf, size_t size)
{
	size_t n = strlen(s), shown = n;

	if (n > MAX_QUOTED) {
		shown = MAX_QUOTED;
		while (((unsigned char)s[shown] & 0xC0) == 0x80)
			shown--;
	}
	snprintf(buf, size, "string \"%.*s%s\"", (int)shown, s, shown < n ? "..." : "");
	return buf;
}

/* In the fewest digits that read back as the same number, and not as an integer, which may be what was expected. */
static const char *found_real(double v, char *buf, size_t size)
{
	snprintf(buf, size, "%.15g", v);
	if (strtod(buf, NULL) != v)
		snprintf(buf, size, "%.17g", v);
	if (strspn(buf, "-0123456789") == strlen(buf))
		snprintf(buf + strlen(buf), size - strlen(buf), ".0");
	return buf;
}

const char *hd__found(const json_t *v, char *buf, size_t size)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		snprintf(buf, size, "an object");
		break;
	case JSON_ARRAY:
		snprintf(buf, size, "a list of %zu", json_array_size(v));
		break;
	case JSON_STRING:
		return found_string(json_string_value(v), buf, size);
	case JSON_INTEGER:
		snprintf(buf, size, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		break;
	case JSON_REAL:
		return found_real(json_real_value(v), buf, size);
	case JSON_TRUE:
	case JSON_FALSE:
		snprintf(buf, size, json_is_true(v) ? "true" : "false");
		break;
	case JSON_NULL:
		snprintf(buf, size, "null");
		break;
	}
	return buf;
}

/* ---- names --------------------------------------------------------------------------------- */

const char *hd__names(const char *const *names, size_t n, char *buf, size_t size)
{
	size_t used = 0;

	snprintf(buf, size, "none");
	for (size_t i = 0; i < n && used < size; i++) {
		/* room for this one, and for how many are left */
		if (i == MAX_LISTED || used + strlen(names[i]) + sizeof ", and 18446744073709551615 more" > size) {
			snprintf(buf + used, size - used, " and %zu more", n - i);
			break;
		}
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i > 0 ? ", " : "",
		                         names[i]);
	}
	return buf;
}

/* Upper and lower case, '-' and '_' count as the same. */
static int fold(char c)
{
	return c == '-' ? '_' : tolower((unsigned char)c);
}

static unsigned min2(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* What one search for a near name may cost, in cells of its tables: a file may hold many names and many mistakes. */
enum { MAX_CELLS = 1 << 19 };

/* A word with its case folded. */
struct folded {
	size_t n;
	char c[MAX_WORD];
};

static void fold_word(struct folded *f, const char *word, size_t n)
{
	f->n = n;
	for (size_t i = 0; i < n; i++)
		f->c[i] = (char)fold(word[i]);
}

/* Edits (insert, delete, replace, swap neighbours) between two words; more than LIMIT are LIMIT + 1.  Cells further
 * than LIMIT from the diagonal are not filled in: a path through them has more edits than that.  Adds to CELLS those
 * that were. */
static unsigned distance(const struct folded *a, const struct folded *b, unsigned limit, size_t *cells)
{
	unsigned row[3][MAX_WORD + 2];
	unsigned *before = row[0], *above = row[1], *here = row[2], *t, least_above = 0;

	for (size_t j = 0; j <= b->n + 1; j++) {
		above[j] = (unsigned)j;
		before[j] = here[j] = limit + 1;
	}
	for (size_t i = 1; i <= a->n; i++) {
		size_t from = i > limit ? i - limit : 1;
		size_t to = i + limit < b->n ? i + limit : b->n;
		unsigned least;

		here[from - 1] = from == 1 ? (unsigned)i : limit + 1;
		least = here[from - 1];
		for (size_t j = from; j <= to; j++) {
			unsigned differ = a->c[i - 1] != b->c[j - 1];

			here[j] = min2(above[j - 1] + differ, min2(above[j], here[j - 1]) + 1);
			if (i > 1 && j > 1 && a->c[i - 1] == b->c[j - 2] && a->c[i - 2] == b->c[j - 1])
				here[j] = min2(here[j], before[j - 2] + 1);
			least = min2(least, here[j]);
		}
		here[to + 1] = limit + 1; /* the next row looks one cell further */
		*cells += to + 1 - min2((unsigned)from, (unsigned)to);
		if (least > limit && least_above > limit)
			return limit + 1;
		least_above = least;
		t = before, before = above, above = here, here = t;
	}
	return min2(above[b->n], limit + 1);
}

/* The name that differs in the fewest edits, *edits. */
static const char *least_edits(const char *word, const char *const *names, size_t n, unsigned *edits)
{
	size_t length = strlen(word), cells = 0;
	const char *best = NULL;
	unsigned best_distance = 0;
	struct folded a, b;

	fold_word(&a, word, length);
	for (size_t i = 0; i < n && cells < MAX_CELLS; i++) {
		size_t name_length = strlen(names[i]);
		size_t longer = length > name_length ? length : name_length;
		size_t shorter = length > name_length ? name_length : length;
		unsigned far, limit = (unsigned)(longer + 1) / 3;

		/* One edit in three characters may be a misspelling; more make another word. */
		if (limit >= longer)
			limit = (unsigned)longer - 1;
		if (best != NULL && best_distance <= limit)
			limit = best_distance - 1; /* later ones must be nearer */
		cells++;
		if (longer > MAX_WORD || longer - shorter > limit)
			continue;
		fold_word(&b, names[i], name_length);
		far = distance(&a, &b, limit, &cells);
		if (far <= limit) {
			best = names[i];
			best_distance = far;
			if (far == 0)
				break;
		}
	}
	*edits = best_distance;
	return best;
}

/* Does the name have all parts of the word, in this order, and others besides?  Returns how many others; 0: no.
 * Parts are divided by '_', '-' and ':'. */
static unsigned parts_besides(const char *word, const char *name)
{
	static const char between[] = "_-:";
	unsigned besides = 0;

	while (*name) {
		size_t a = strcspn(word, between), b = strcspn(name, between);

		if (a == b && strncasecmp(word, name, a) == 0)
			word += a + (word[a] != '\0');
		else
			besides++;
		name += b + (name[b] != '\0');
	}
	return *word ? 0 : besides;
}

/* The only name that has all parts of the word and the fewest others, at most two. */
static const char *least_besides(const char *word, const char *const *names, size_t n)
{
	const char *best = NULL;
	unsigned least = 3;

	for (size_t i = 0; i < n; i++) {
		unsigned besides = parts_besides(word, names[i]);

		if (besides == 0 || besides > least)
			continue;
		best = besides < least ? names[i] : NULL;
		least = besides;
	}
	return best;
}

const char *hd__nearest(const char *word, const char *const *names, size_t n)
{
	size_t length = strlen(word);
	const char *near, *longer;
	unsigned edits = 0;

	if (length == 0 || length > MAX_WORD)
		return NULL;
	near = least_edits(word, names, n, &edits);
	if (near != NULL && edits <= 1)
		return near;
	longer = least_besides(word, names, n); /* "rop_latency" is "l2_rop_latency" rather than "cdp_latency" */
	return longer != NULL ? longer : near;
}

bool hd__listed(const char *const *names, const char *name)
{
	for (; *names != NULL; names++)
		if (hd__same(*names, name))
			return true;
	return false;
}

const char *hd__suggest(const char *word, const char *const *names, size_t n, const char *lead,
                        char *buf, size_t size)
{
	const char *near = hd__nearest(word, names, n);
	char list[900];

	if (near != NULL)
		snprintf(buf, size, "; did you mean '%s'?", near);
	else
		snprintf(buf, size, "; %s %s", lead, hd__names(names, n, list, sizeof list));
	return buf;
}

/* ---- numbers ---- */

const char *hd__grouped(uint64_t n, char buf[32])
{
	char plain[24];
	int len = snprintf(plain, sizeof plain, "%" PRIu64, n), o = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[o++] = ',';
		buf[o++] = plain[i];
	}
	buf[o] = '\0';
	return buf;
}

bool hd__in_list(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = list; p != NULL; p = strchr(p, ','), p += p != NULL)
		if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0'))
			return true;
	return false;
}
