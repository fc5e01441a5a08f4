/* action.c - what a page may request of a run: the body of a request, checked
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "web.h"
#include "base/words.h"

#define MOST_CYCLES (INT64_C(1) << 62)

enum kind { NONE, NUMBER, SWITCH, TEXT };

/* What the request has besides its name. */
struct rule {
	struct hd_web_action action;
	const char *member;
	enum kind kind;
	bool optional;
};

static const struct rule rules[] = {
	{ { "pause", false }, NULL, NONE, true },
	{ { "resume", false }, NULL, NONE, true },
	{ { "step", true }, "cycles", NUMBER, true },
	{ { "until", true }, "cycle", NUMBER, false },
	{ { "dump", false }, "on", SWITCH, false },
	{ { "counters", false }, "select", TEXT, false },
	{ { "pending", false }, "select", TEXT, false },
	{ { NULL, false }, NULL, NONE, true },
};

static const struct rule *find(const char *name, char **why)
{
	const char *names[16];
	char rest[400];
	size_t n = 0;

	for (const struct rule *r = rules; r->action.name; r++) {
		if (strcmp(r->action.name, name) == 0)
			return r;
		names[n++] = r->action.name;
	}
	*why = hd__format("unknown request '%.60s'%s", name,
	                  hd__suggest(name, names, n, "expected one of", rest, sizeof rest));
	return NULL;
}

/* NULL, or what is expected instead. */
static const char *mistake(const struct rule *r, const json_t *value)
{
	if (!value)
		return r->optional ? NULL : "it is missing";
	switch (r->kind) {
	case NUMBER:
		return json_is_integer(value) && json_integer_value(value) > 0
		       && json_integer_value(value) <= MOST_CYCLES ? NULL : "expected an integer from 1";
	case SWITCH: return json_is_boolean(value) ? NULL : "expected true or false";
	case TEXT: return json_is_string(value) ? NULL : "expected a string";
	default: return NULL;
	}
}

/* Checks the members of the request.  Returns a message, to be freed, or NULL. */
static char *check(const struct rule *r, json_t *o)
{
	const char *key, *wrong;
	json_t *value;

	json_object_foreach(o, key, value)
		if (strcmp(key, "request") != 0 && (!r->member || strcmp(key, r->member) != 0))
			return hd__format("unknown member '%.60s' of '%s'%s%s", key, r->action.name,
			                  r->member ? "; expected " : "", r->member ? r->member : "");
	wrong = r->member ? mistake(r, json_object_get(o, r->member)) : NULL;
	return wrong ? hd__format("'%s' of '%s': %s", r->member, r->action.name, wrong) : NULL;
}

const struct hd_web_action *hd__web_action(const char *body, size_t n, json_t **members, char **why)
{
	json_error_t bad;
	json_t *o = json_loadb(body, n, JSON_REJECT_DUPLICATES, &bad);
	const char *name = json_string_value(json_object_get(o, "request"));
	const struct rule *r = name ? find(name, why) : NULL;

	if (!name)
		*why = hd__xstrdup("expected a JSON object with a string \"request\", like {\"request\": \"pause\"}");
	else if (r)
		*why = check(r, o);
	if (!r || *why) {
		json_decref(o);
		return NULL;
	}
	json_object_del(o, "request");
	*members = o;
	return &r->action;
}
