/* set_path.c - sets the value that a path names: "units.count", "sp[*].timing[0].depth"
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	path = parameter {step} | clock "." member | instance ["[*]"] "." rest
 *	rest = "count" | "module" | "clock" | parameter of the module {step}
 *	step = "." member | "[" number "]"
 *
 * In an instance that is a netlist, `rest` is a path of that netlist.  "params.x", "clocks.x" and
 * "instances.x" select one of them where a name is used twice.
 */
#include "composition.h"
#include "base/xalloc.h"

#define LONGEST_PATH 4096u /* each step looks at the rest of the path */
#define LONGEST_NAME 256u  /* more than any that is accepted */

struct change {
	struct hd_netlist *n;
	struct hd_doc *doc;
	struct hd_diags *d;
	const char *path, *at;
	json_t *value;
};

static bool HD_PRINTF(2, 3) refuse(const struct change *c, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__netlist_diag_key(c->n, c->d, HD_DIAG_ERROR, c->at, NULL, "%s", text);
	free(text);
	return false;
}

/* The longest member of `all` that the path begins with, or NULL. */
static const char *first_name(json_t *all, const char *path)
{
	size_t longest = strnlen(path, LONGEST_NAME);
	char *name = hd__xstrndup(path, longest);
	const char *best = NULL;

	for (size_t n = longest; best == NULL && n > 0; n--) {
		void *at;

		if (strchr(".[", path[n]) == NULL) /* which the end of the path is, too */
			continue;
		name[n] = '\0';
		at = strcmp(name, "doc") != 0 ? json_object_iter_at(all, name) : NULL;
		best = at != NULL ? json_object_iter_key(at) : NULL;
	}
	free(name);
	return best;
}

/* The path up to `rest`, for messages. */
static char *before(const struct change *c, const char *rest)
{
	return hd__xstrndup(c->path, (size_t)(rest - c->path));
}

/* ---- steps inside of a value --------------------------------------------------------------- */

static bool bad_step(const struct change *c, const char *rest, const json_t *v)
{
	char *so_far = before(c, rest), buf[80];
	const char *s = json_string_value(v);

	if (s != NULL && s[0] == '$')
		refuse(c, "'%s' is '%s'; expected a change of the parameter named there", so_far,
		       s);
	else if (v == NULL)
		refuse(c, "'%s' is not given in the netlist; expected a whole value for it",
		       so_far);
	else if (json_is_array(v) && *rest == '[' && json_array_size(v) > 0)
		refuse(c, "'%s' is a list of %zu; expected an index 0..%zu", so_far,
		       json_array_size(v), json_array_size(v) - 1);
	else if (json_array_size(v) > 0)
		refuse(c, "'%s' is a list of %zu; expected an index, such as '%s[0]'", so_far,
		       json_array_size(v), so_far);
	else
		refuse(c, "'%s' is %s; expected a path that ends there", so_far,
		       hd__found(v, buf, sizeof buf));
	free(so_far);
	return false;
}

/* Adds the step at *rest to the pointer; *v becomes the value there, or NULL. */
static bool step(const struct change *c, const char **rest, const json_t **v, char **pointer)
{
	char *name, *longer;
	size_t n;

	if (**rest == '.' && json_is_object(*v)) {
		n = strcspn(*rest + 1, ".[");
		name = hd__xstrndup(*rest + 1, n);
		*v = json_object_get(*v, name);
		*rest += n + 1;
	} else {
		n = **rest == '[' ? strspn(*rest + 1, "0123456789") : 0;
		if (n == 0 || n > 9 || (*rest)[n + 1] != ']'
		    || strtoul(*rest + 1, NULL, 10) >= json_array_size(*v))
			return bad_step(c, *rest, *v);
		name = hd__xstrndup(*rest + 1, n);
		*v = json_array_get(*v, strtoul(name, NULL, 10));
		*rest += n + 2;
	}
	longer = hd__pointer_add(*pointer, name);
	free(*pointer);
	*pointer = longer;
	free(name);
	return true;
}

static bool too_many(const struct change *c)
{
	return !hd__netlist_takes(c->n, c->d, 0, c->at, NULL);
}

/* Follows the steps from `v`, which is at `pointer`, and puts the value there; frees `pointer`. */
static bool put_inside(const struct change *c, const char *rest, const json_t *v, char *pointer)
{
	bool ok = true;

	while (ok && *rest != '\0')
		ok = v == NULL ? bad_step(c, rest, v) : step(c, &rest, &v, &pointer);
	ok = ok && !too_many(c);
	if (ok)
		hd__doc_put(c->doc, pointer, c->value, c->at);
	free(pointer);
	return ok;
}

/* ---- parameters ---------------------------------------------------------------------------- */

static const char *kind_of(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	case JSON_NULL:
		break;
	}
	return "null";
}

bool hd__param_same_type(const struct hd_netlist *n, const json_t *raw, const json_t *value,
                     const char *name, const char *at, struct hd_diags *d)
{
	const char *text;
	char buf[80];

	if (json_is_object(raw))
		raw = json_object_get(raw, "value");
	text = json_string_value(raw);
	if (raw == NULL || json_is_null(value) || (text != NULL && text[0] == '$'))
		return true;
	text = json_string_value(value);
	if ((text != NULL && text[0] == '$') || strcmp(kind_of(raw), kind_of(value)) == 0)
		return true;
	hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL,
	                 "parameter '%s': expected %s as its default is, found %s", name,
	                 kind_of(raw), hd__found(value, buf, sizeof buf));
	return false;
}

static bool set_param(const struct change *c, const char *name, const char *rest)
{
	const json_t *v = json_object_get(json_object_get(c->doc->root, "params"), name);
	char *pointer = hd__pointer_add("/params", name), *longer;

	if (*rest == '\0' && !hd__param_same_type(c->n, v, c->value, name, c->at, c->d)) {
		free(pointer);
		return false;
	}
	if (json_is_object(v)) {
		longer = hd__pointer_add(pointer, "value");
		free(pointer);
		pointer = longer;
		v = json_object_get(v, "value");
	}
	return put_inside(c, rest, v, pointer);
}

/* ---- clocks -------------------------------------------------------------------------------- */

static bool set_clock(const struct change *c, const char *name, const char *rest)
{
	const json_t *v = json_object_get(json_object_get(c->doc->root, "clocks"), name);

	if (*rest != '.')
		return refuse(c, "'%s' is a clock; expected one of its members, such as '%s.mhz'",
		              name, name);
	return put_inside(c, rest, v, hd__pointer_add("/clocks", name));
}

/* ---- instances ----------------------------------------------------------------------------- */

/* Removes "[*]" or "[3]" from *rest.  Returns false if it is neither. */
static bool take_index(const char **rest, bool *all, uint32_t *element)
{
	size_t n;

	*all = true;
	if (**rest != '[')
		return true;
	if (strncmp(*rest, "[*]", 3) == 0) {
		*rest += 3;
		return true;
	}
	n = strspn(*rest + 1, "0123456789");
	if (n == 0 || n > 5 || (*rest)[n + 1] != ']')
		return false;
	*all = false;
	*element = (uint32_t)strtoul(*rest + 1, NULL, 10);
	*rest += n + 2;
	return true;
}

static const struct hd_inner_change *inner_at(const struct hd_doc *doc, size_t number)
{
	return number > 0 ? &doc->inner[number - 1] : NULL;
}

const struct hd_inner_change *hd__doc_inner(const struct hd_doc *doc, const char *instance)
{
	json_t *ends = json_object_get(doc->inner_of, instance);

	return inner_at(doc, (size_t)json_integer_value(json_array_get(ends, 0)));
}

const struct hd_inner_change *hd__doc_inner_next(const struct hd_doc *doc, const struct hd_inner_change *c)
{
	return inner_at(doc, c->next);
}

/* Takes over what is in the change. */
static void add_inner(struct hd_doc *doc, struct hd_inner_change c)
{
	json_t *ends = json_object_get(doc->inner_of, c.instance);
	json_int_t number = (json_int_t)doc->ninner + 1;

	doc->inner = hd__xgrow(doc->inner, doc->ninner, &doc->cap, sizeof *doc->inner);
	doc->inner[doc->ninner++] = c;
	if (ends != NULL) {
		doc->inner[json_integer_value(json_array_get(ends, 1)) - 1].next = (size_t)number;
		json_array_set_new(ends, 1, json_integer(number));
		return;
	}
	if (doc->inner_of == NULL)
		doc->inner_of = hd__xcheck(json_object());
	json_object_set_new(doc->inner_of, c.instance, json_pack("[II]", number, number));
}

static bool is_member(const char *rest, const char *const *members)
{
	char *name = hd__xstrndup(rest, strcspn(rest, ".["));
	bool is = hd__listed(members, name);

	free(name);
	return is;
}

/* Sets a member of an instance that is a netlist, one of its parameters, or a value inside of
 * it. */
static bool set_sub(const struct change *c, const char *name, const char *rest, bool all,
                    uint32_t element)
{
	static const char *const own[] = { "netlist", "count", "clock", NULL };
	static const char *const objects[] = { "params", "clocks", NULL };
	struct hd_inner_change in = { .element = element, .all = all };
	const json_t *v = json_object_get(json_object_get(c->doc->root, "instances"), name);
	char *pointer = hd__pointer_add("/instances", name), *longer;

	if (all && (is_member(rest + 1, own) || is_member(rest + 1, objects)))
		return put_inside(c, rest, v, pointer);
	if (all && hd__is_name(rest + 1)) {
		longer = hd__format("%s/params", pointer);
		free(pointer);
		v = json_object_get(v, "params");
		if (v != NULL)
			return put_inside(c, rest, v, longer);
		pointer = hd__pointer_add(longer, rest + 1);
		hd__doc_put(c->doc, pointer, c->value, c->at);
		free(longer);
		free(pointer);
		return true;
	}
	free(pointer);
	in.instance = hd__xstrdup(name);
	in.path = hd__xstrdup(rest + 1);
	in.value = json_incref(c->value);
	in.at = hd__xstrdup(c->at);
	add_inner(c->doc, in);
	return true;
}

static bool set_module_param(const struct change *c, const char *name, const char *rest)
{
	json_t *inst = json_object_get(json_object_get(c->doc->root, "instances"), name);
	json_t *params = json_object_get(inst, "params"), *none = NULL;
	char *pointer = hd__pointer_add("/instances", name), *longer;
	bool ok;

	longer = hd__format("%s/params", pointer);
	free(pointer);
	if (params == NULL)
		params = none = hd__xcheck(json_object());
	ok = put_inside(c, rest, params, longer);
	json_decref(none);
	return ok;
}

/* How many members of "elements" a change of one element has to look at: up to the last that does not
 * name one element by its number.  Changes only add members that do, so this is counted once. */
static size_t count_ranges(struct hd_doc *doc, const char *name, json_t *elements)
{
	json_t *known = json_object_get(doc->ranges, name), *v;
	size_t n = 0, i = 0;
	char number[24];
	const char *key;

	if (known != NULL)
		return (size_t)json_integer_value(known);
	json_object_foreach(elements, key, v) {
		snprintf(number, sizeof number, "%lu", strtoul(key, NULL, 10));
		i++;
		if (strcmp(key, number) != 0)
			n = i;
	}
	if (doc->ranges == NULL)
		doc->ranges = hd__xcheck(json_object());
	json_object_set_new(doc->ranges, name, json_integer((json_int_t)n));
	return n;
}

/* What the element has for the parameter so far, as in the file: its own value, that of all, or that of the parameter
 * of the netlist which is named there.  `number`: the element's number as text.  NULL: none is given. */
static json_t *element_value(struct hd_doc *doc, const char *name, const char *number, uint32_t element,
                             const char *param)
{
	json_t *inst = json_object_get(json_object_get(doc->root, "instances"), name);
	json_t *v = json_object_get(json_object_get(inst, "params"), param), *own, *p;
	json_t *elements = json_object_get(inst, "elements");
	size_t n = count_ranges(doc, name, elements);
	bool met = false;
	const char *key, *text;

	hd__netlist_grows(doc->n, n / HD_COPIES);
	json_object_foreach(elements, key, own) {
		char *end;
		unsigned long first, last;

		if (n-- == 0)
			break;
		first = strtoul(key, &end, 10);
		last = strncmp(end, "..", 2) == 0 ? strtoul(end + 2, NULL, 10) : first;
		met = met || strcmp(key, number) == 0;
		if (element >= first && element <= last && json_object_get(own, param) != NULL)
			v = json_object_get(own, param);
	}
	own = met ? NULL : json_object_get(json_object_get(elements, number), param);
	if (own != NULL)
		v = own;
	text = json_string_value(v);
	p = text != NULL && text[0] == '$' ? json_object_get(json_object_get(doc->root, "params"), text + 1)
	                                   : NULL;
	if (p == NULL)
		return v;
	return json_is_object(p) ? json_object_get(p, "value") : p;
}

/* A parameter of one element, or a part of it. */
static bool set_element(const struct change *c, const char *name, const char *rest, uint32_t element)
{
	static const char *const shared[] = { "module", "count", "clock", NULL };
	json_t *inst = json_object_get(json_object_get(c->doc->root, "instances"), name), *now, *own;
	char *param, *base, *pointer, number[16];
	bool ok, inside;

	if (is_member(rest + 1, shared))
		return refuse(c, "the elements of '%s' share module and clock; expected '%s[*]%s'",
		              name, name, rest);
	if (too_many(c))
		return false;
	if (strncmp(rest, ".params.", 8) == 0)
		rest += 7;
	param = hd__xstrndup(rest + 1, strcspn(rest + 1, ".["));
	rest += 1 + strlen(param);
	inside = *rest != '\0';
	snprintf(number, sizeof number, "%u", element);
	base = hd__pointer_add("/instances", name);
	pointer = hd__format("%s/elements/%s", base, number);
	free(base);
	base = hd__pointer_add(pointer, param);
	free(pointer);
	own = json_object_get(json_object_get(json_object_get(inst, "elements"), number), param);
	now = inside ? element_value(c->doc, name, number, element, param) : NULL;
	if (now != NULL && now != own) /* the last that is given counts */
		hd__doc_put(c->doc, base, now, c->at);
	ok = put_inside(c, rest, now, base); /* which frees the pointer */
	free(param);
	return ok;
}

static bool set_instance(const struct change *c, const char *name, const char *rest)
{
	static const char *const own[] = { "module", "count", "clock", NULL };
	json_t *inst = json_object_get(json_object_get(c->doc->root, "instances"), name);
	uint32_t element = 0;
	bool all;

	if (!take_index(&rest, &all, &element))
		return refuse(c, "'%.*s' does not name an element of '%s'; expected '%s[*]' for all, '%s[0]' for "
		              "one, or \"elements\" in a netlist for a range",
		              (int)strcspn(rest, "]") + (strchr(rest, ']') != NULL), rest, name, name, name);
	if (*rest != '.')
		return refuse(c, "'%s' is an instance; expected '%s.count', '%s.module' or "
		              "one of its parameters",
		              name, name, name);
	if (json_object_get(inst, "netlist") != NULL)
		return set_sub(c, name, rest, all, element);
	if (!all)
		return set_element(c, name, rest, element);
	if (is_member(rest + 1, own) || strcmp(rest, ".params") == 0) /* of all elements */
		return put_inside(c, rest, inst, hd__pointer_add("/instances", name));
	if (strncmp(rest, ".params", 7) == 0 && (rest[7] == '.' || rest[7] == '['))
		rest += 7;
	return set_module_param(c, name, rest);
}

/* ---- choosing the section ------------------------------------------------------------------ */

static void unknown(const struct change *c, const char *path)
{
	static const char *const sections[] = { "params", "instances", "clocks" };
	char *name = hd__xstrndup(path, strcspn(path, ".[")), hint[HD_HINT];
	json_t *all = hd__xcheck(json_object());

	for (size_t i = 0; i < 3 && hd__may_suggest(c->d, 0); i++) {
		json_t *section = json_object_get(c->doc->root, sections[i]);

		if (json_is_object(section))
			json_object_update(all, section);
	}
	refuse(c, "'%s' is not a parameter, instance or clock of '%s'%s", name, c->n->sources[c->doc->top]->file,
	       hd__hint(c->d, name, all, "it has", hint));
	json_decref(all);
	free(name);
}

/* Returns whether the path begins with the section; if so, sets the value in it. */
static bool in_section(const struct change *c, const char *section, const char *path, bool *ok,
                       bool (*set)(const struct change *, const char *, const char *))
{
	size_t n = strlen(section);
	const char *name;

	if (strncmp(path, section, n) != 0 || path[n] != '.')
		return false;
	name = first_name(json_object_get(c->doc->root, section), path + n + 1);
	if (name != NULL)
		*ok = set(c, name, path + n + 1 + strlen(name));
	else
		unknown(c, path + n + 1);
	return true;
}

bool hd__doc_set(struct hd_netlist *n, struct hd_doc *doc, const char *path, json_t *value,
                 const char *at, struct hd_diags *d)
{
	const struct change c = { n, doc, d, path, at, value };
	json_t *root = doc->root;
	const char *name;
	bool ok = false;

	if (strnlen(path, LONGEST_PATH + 1) > LONGEST_PATH) {
		hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL,
		                 "the path '%.60s...' has %zu characters; expected at most %u", path, strlen(path),
		                 LONGEST_PATH);
		return false;
	}
	doc->changed = true;
	if (json_array_size(doc->before) == 0)
		json_array_append(doc->before, root);
	if (json_object_get(json_object_get(root, "params"), path) != NULL)
		return set_param(&c, path, path + strlen(path));
	if (strcmp(path, "watchdog") == 0) {
		hd__doc_put(doc, "/watchdog", value, at);
		return true;
	}
	if (in_section(&c, "params", path, &ok, set_param)
	    || in_section(&c, "clocks", path, &ok, set_clock)
	    || in_section(&c, "instances", path, &ok, set_instance))
		return ok;
	if ((name = first_name(json_object_get(root, "instances"), path)) != NULL)
		return set_instance(&c, name, path + strlen(name));
	if ((name = first_name(json_object_get(root, "params"), path)) != NULL)
		return set_param(&c, name, path + strlen(name));
	if ((name = first_name(json_object_get(root, "clocks"), path)) != NULL)
		return set_clock(&c, name, path + strlen(name));
	unknown(&c, path);
	return false;
}
