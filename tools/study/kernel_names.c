/* kernel_names.c - is the kernel of a trace the one that a measurement names?
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel_names.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <fnmatch.h>

#define MOST_ARGUMENTS 32

static bool is_mangled(const char *name)
{
	return strncmp(name, "_Z", 2) == 0;
}

/* "5hello" at p: its end, or NULL if there is none. */
static const char *identifier(const char *p, const char **text, size_t *n)
{
	char *end;
	unsigned long length = isdigit((unsigned char)*p) ? strtoul(p, &end, 10) : 0;

	if (length == 0 || strnlen(end, length) < length)
		return NULL;
	*text = end;
	*n = length;
	return end + length;
}

/* The last of the names in a mangled one; *behind: what follows it. */
static bool last_name(const char *name, const char **text, size_t *n, const char **behind)
{
	const char *p = name + 2, *next;
	bool nested = *p == 'N', found = false;

	p += nested;
	while (nested && *p != '\0' && strchr("KVr", *p) != NULL)
		p++;
	p += *p == 'L';
	while ((next = identifier(p, text, n)) != NULL) {
		found = true;
		p = next;
		if (!nested)
			break;
	}
	*behind = p;
	return found;
}

/* Where the list of a template's arguments begins, or of the function's, or the text ends. */
static const char *declared_end(const char *p)
{
	return p + strcspn(p, "<(");
}

/* The name in a declaration, behind the type of its result and namespaces. */
static const char *declared_name(const char *name)
{
	static const char *const unnamed[] = { "(anonymous namespace)::", "<unnamed>::", "(anonymous)::" };
	const char *p = strncmp(name, "void ", 5) == 0 ? name + 5 : name, *end, *at;

	for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++) {
		at = strstr(p, unnamed[i]);
		p = at != NULL ? at + strlen(unnamed[i]) : p;
	}
	end = declared_end(p);
	for (at = end; at > p; at--)
		if (at[-1] == ':' || (at[-1] == ' ' && *end != '\0'))
			return at;
	return p;
}

char *kernel_base(const char *name)
{
	const char *text, *behind;
	size_t n;

	if (is_mangled(name) && last_name(name, &text, &n, &behind))
		return hd__xstrndup(text, n);
	text = declared_name(name);
	n = (size_t)(declared_end(text) - text);
	while (n > 0 && text[n - 1] == ' ')
		n--;
	return hd__xstrndup(text, n);
}

/* ---- arguments of templates ---- */

struct arguments {
	char *v[MOST_ARGUMENTS];
	size_t n;
	bool known; /* there is a list, and all of it could be read */
};

static void free_arguments(struct arguments *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
}

static const char *builtin(char c)
{
	static const struct {
		char code;
		const char *name;
	} types[] = { { 'b', "bool" }, { 'c', "char" }, { 'a', "signed char" }, { 'h', "unsigned char" },
		{ 's', "short" }, { 't', "unsigned short" }, { 'i', "int" }, { 'j', "unsigned int" }, { 'l', "long" },
		{ 'm', "unsigned long" }, { 'x', "long long" }, { 'y', "unsigned long long" }, { 'f', "float" },
		{ 'd', "double" }, { 'v', "void" } };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].code == c)
			return types[i].name;
	return NULL;
}

/* "Li16E", "Lb1E": its end, or NULL. */
static const char *literal(const char *p, char **value)
{
	const char *digits = p + 2, *end;
	bool negative;

	if (builtin(p[1]) == NULL)
		return NULL;
	negative = *digits == 'n';
	digits += negative;
	end = digits + strspn(digits, "0123456789");
	if (end == digits || *end != 'E')
		return NULL;
	*value = hd__format("%s%.*s", negative ? "-" : "", (int)(end - digits), digits);
	return end + 1;
}

/* "IfLi16EE", as far as types are simple. */
static void mangled_arguments(struct arguments *a, const char *p)
{
	const char *text;
	size_t n;

	*a = (struct arguments){ .n = 0 };
	if (*p++ != 'I')
		return;
	while (*p != 'E' && a->n < MOST_ARGUMENTS) {
		char *v = NULL;

		if (*p == 'L') {
			p = literal(p, &v);
		} else if (builtin(*p) != NULL) {
			v = hd__xstrdup(builtin(*p++));
		} else {
			p = identifier(p, &text, &n);
			v = p != NULL ? hd__xstrndup(text, n) : NULL;
		}
		if (p == NULL)
			return;
		a->v[a->n++] = v;
	}
	a->known = *p == 'E';
}

/* Without blanks around it, and without the type of a number: "(int)16" is "16", true is 1. */
static char *plain(const char *p, size_t n)
{
	const char *close;

	while (n > 0 && *p == ' ') {
		p++;
		n--;
	}
	while (n > 0 && p[n - 1] == ' ')
		n--;
	close = n > 0 && *p == '(' ? memchr(p, ')', n) : NULL;
	if (close != NULL) {
		n -= (size_t)(close + 1 - p);
		p = close + 1;
	}
	if (n == 4 && memcmp(p, "true", 4) == 0)
		return hd__xstrdup("1");
	if (n == 5 && memcmp(p, "false", 5) == 0)
		return hd__xstrdup("0");
	return hd__xstrndup(p, n);
}

/* "<float, (int)16>" */
static void declared_arguments(struct arguments *a, const char *p)
{
	const char *begin = p + 1;
	int depth = 0;

	*a = (struct arguments){ .n = 0 };
	if (*p != '<')
		return;
	for (; *p != '\0' && a->n < MOST_ARGUMENTS; p++) {
		depth += (*p == '<' || *p == '(') - (*p == '>' || *p == ')');
		if ((depth == 1 && *p == ',') || depth == 0) {
			a->v[a->n++] = plain(begin, (size_t)(p - begin));
			begin = p + 1;
		}
		if (depth == 0)
			break;
	}
	a->known = *p == '>';
}

static void arguments_of(struct arguments *a, const char *name)
{
	const char *text, *behind;
	size_t n;

	if (!is_mangled(name))
		declared_arguments(a, declared_end(declared_name(name)));
	else if (last_name(name, &text, &n, &behind))
		mangled_arguments(a, behind);
	else
		*a = (struct arguments){ .n = 0 };
}

static bool same_arguments(const char *wanted, const char *name)
{
	struct arguments a, b;
	bool same = true;

	arguments_of(&a, wanted);
	arguments_of(&b, name);
	for (size_t i = 0; a.known && b.known && i < a.n && i < b.n; i++)
		same = same && strcmp(a.v[i], b.v[i]) == 0;
	free_arguments(&a);
	free_arguments(&b);
	return same;
}

bool kernel_fits(const char *wanted, const char *name)
{
	char *base = kernel_base(name), *asked = kernel_base(wanted);
	bool fits = fnmatch(wanted, name, 0) == 0 || fnmatch(wanted, base, 0) == 0
	            || (strcmp(asked, base) == 0 && same_arguments(wanted, name));

	free(base);
	free(asked);
	return fits;
}
