/* entry.c - gets the members of one object of a netlist and checks their types
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "netlist_read.h"
#include "base/xalloc.h"

#include <inttypes.h>

void hd__entry_wrong(const struct hd_entry *e, const char *member, const char *expected,
                     const json_t *found)
{
	char buf[80];

	hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, member,
	                 "'%s' of %s: expected %s, found %s", member, e->what, expected,
	                 hd__found(found, buf, sizeof buf));
}

/* The member, or NULL with *got set: missing, or null because an error was reported. */
static const json_t *get(const struct hd_entry *e, const char *member, enum hd_got *got)
{
	const json_t *v = json_object_get(e->o, member);

	*got = v == NULL ? HD_GOT_NONE : json_is_null(v) ? HD_GOT_BAD : HD_GOT;
	return *got == HD_GOT ? v : NULL;
}

enum hd_got hd__entry_string(const struct hd_entry *e, const char *member, const char **v)
{
	enum hd_got got;
	const json_t *found = get(e, member, &got);

	if (found == NULL)
		return got;
	if (json_is_string(found)) {
		*v = json_string_value(found);
		return HD_GOT;
	}
	hd__entry_wrong(e, member, "string", found);
	return HD_GOT_BAD;
}

static enum hd_got get_name(const struct hd_entry *e, const char *member,
                            bool (*is)(const char *), const char **v)
{
	const char *s;
	enum hd_got got = hd__entry_string(e, member, &s);

	if (got != HD_GOT)
		return got;
	if (is(s)) {
		*v = s;
		return HD_GOT;
	}
	hd__entry_wrong(e, member, "a name", json_object_get(e->o, member));
	return HD_GOT_BAD;
}

enum hd_got hd__entry_name(const struct hd_entry *e, const char *member, const char **v)
{
	return get_name(e, member, hd__is_name, v);
}

enum hd_got hd__entry_clock(const struct hd_entry *e, const char *member, const char **v)
{
	return get_name(e, member, hd__is_path, v);
}

enum hd_got hd__entry_u64(const struct hd_entry *e, const char *member, uint64_t min, uint64_t max,
                          uint64_t *v)
{
	enum hd_got got;
	const json_t *found = get(e, member, &got);
	json_int_t i = json_integer_value(found);
	char expected[64];

	if (found == NULL)
		return got;
	if (json_is_integer(found) && i >= 0 && (uint64_t)i >= min && (uint64_t)i <= max) {
		*v = (uint64_t)i;
		return HD_GOT;
	}
	snprintf(expected, sizeof expected, "integer %" PRIu64 "..%" PRIu64, min, max);
	hd__entry_wrong(e, member, expected, found);
	return HD_GOT_BAD;
}

enum hd_got hd__entry_u32(const struct hd_entry *e, const char *member, uint32_t min, uint32_t max,
                          uint32_t *v)
{
	uint64_t wide;
	enum hd_got got = hd__entry_u64(e, member, min, max, &wide);

	if (got == HD_GOT)
		*v = (uint32_t)wide;
	return got;
}

enum hd_got hd__entry_bool(const struct hd_entry *e, const char *member, bool *v)
{
	enum hd_got got;
	const json_t *found = get(e, member, &got);

	if (found == NULL)
		return got;
	if (json_is_boolean(found)) {
		*v = json_is_true(found);
		return HD_GOT;
	}
	hd__entry_wrong(e, member, "true or false", found);
	return HD_GOT_BAD;
}

uint32_t hd__entry_known(const struct hd_entry *e, const char *const *known)
{
	const char *member;
	char buf[1000];
	json_t *v;
	size_t n = 0, i;
	uint32_t there = 0;

	while (known[n] != NULL)
		n++;
	json_object_foreach(e->o, member, v) {
		if (strcmp(member, "doc") == 0 && !json_is_string(v) && !json_is_null(v))
			hd__entry_wrong(e, member, "string", v);
		for (i = 0; i < n && !hd__same(known[i], member);)
			i++;
		if (i < n)
			there |= UINT32_C(1) << i;
		else if (strcmp(member, "doc") != 0)
			hd__netlist_diag_key(
				e->n, e->d, HD_DIAG_ERROR, e->at, member,
				"unknown member '%s' of %s%s", member, e->what,
				hd__may_suggest(e->d, n)
					? hd__suggest(member, known, n, "expected one of", buf, sizeof buf) : "");
	}
	return there;
}

const char *hd__hint(struct hd_diags *d, const char *word, json_t *all, const char *lead, char hint[HD_HINT])
{
	const char **names, *key;
	size_t n = 0;
	json_t *v;

	hint[0] = '\0';
	if (!hd__may_suggest(d, json_object_size(all) + 1))
		return hint;
	names = hd__xcalloc(json_object_size(all), sizeof *names);
	json_object_foreach(all, key, v)
		if (strcmp(key, "doc") != 0)
			names[n++] = key;
	hd__suggest(word, names, n, lead, hint, HD_HINT);
	free(names);
	return hint;
}
