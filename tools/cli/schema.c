/* schema.c - the JSON Schema of netlists: a fixed frame, and definitions for each module
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Generated from the descriptors, so that it cannot contradict them.  It covers what an editor can
 * check at one place of a file: names, forms, ranges.  `heddle check` checks what takes two places
 * (do types fit, is a port open, does a clock exist).
 */
#include "base/embedded.h"
#include "schema.h"
#include "base/xalloc.h"

/* The part that does not depend on modules: schema_frame.json.  "@" in it is replaced by
 * "definitions/". */
static json_t *parse(const char *file)
{
	const struct hd_embedded *f = hd__embedded_find(file);
	json_error_t e;
	json_t *v = json_loadb(f->text, f->size, JSON_REJECT_DUPLICATES, &e);

	if (v == NULL) {
		fprintf(stderr, "heddle: %s:%d: %s\n", file, e.line, e.text);
		abort();
	}
	return v;
}

/* ---- instances ----------------------------------------------------------------------------- */

static bool needs_params(const struct hd_module *m)
{
	for (const struct hd_param *p = m->params; p != NULL && p->name != NULL; p++)
		if (p->def == NULL)
			return true;
	return false;
}

/* "if the module is this one, then its params are these" */
static json_t *condition(const struct hd_registry *r, const struct hd_module *m)
{
	json_t *then = hd__xcheck(json_pack("{s:{s:{s:[o,o]}}}", "properties", "params", "anyOf",
	                                    hd__schema_params(hd__registry_params(r, m)),
	                                    hd__schema_ref("parameter")));

	if (needs_params(m))
		json_object_set_new(then, "required", json_pack("[s]", "params"));
	return hd__xcheck(json_pack("{s:{s:{s:{s:s}}, s:[s]}, s:o}", "if", "properties", "module",
	                            "const", m->name, "required", "module", "then", then));
}

static void add_modules(json_t *instance, const struct hd_registry *r)
{
	json_t *module = json_object_get(json_object_get(instance, "properties"), "module");
	json_t *names = hd__xcheck(json_array()), *docs = hd__xcheck(json_array());
	json_t *all = hd__xcheck(json_array());

	for (size_t i = 0; i < r->n; i++) {
		const struct hd_module *m = r->v[i].module;

		json_array_append_new(names, json_string(m->name));
		json_array_append_new(docs, json_string(m->doc));
		json_array_append_new(all, condition(r, m));
	}
	/* enumDescriptions is read by editors only */
	json_object_set_new(module, "anyOf", json_pack("[{s:o, s:o}, o]", "enum", names, "enumDescriptions",
	                                               docs, hd__schema_ref("parameter")));
	json_object_set_new(instance, "allOf", all);
}

/* ---- links --------------------------------------------------------------------------------- */

/* The same values?  The words about them may differ. */
static bool same_form(const json_t *a, const json_t *b)
{
	json_t *x = hd__xcheck(json_copy((json_t *)a)), *y = hd__xcheck(json_copy((json_t *)b));
	bool same;

	json_object_del(x, "description");
	json_object_del(y, "description");
	same = json_equal(x, y);
	json_decref(x);
	json_decref(y);
	return same;
}

/* Ports of several modules may have an attribute of this name, of different types. */
static void add_attribute(json_t *members, const struct hd_param *p)
{
	json_t *mine = hd__schema_param(p), *old = json_object_get(members, p->name), *v;
	size_t i;

	if (old == NULL) {
		json_object_set_new(members, p->name, json_pack("{s:[o]}", "anyOf", mine));
		return;
	}
	json_array_foreach(json_object_get(old, "anyOf"), i, v) {
		if (same_form(v, mine)) {
			json_decref(mine);
			return;
		}
	}
	json_array_append_new(json_object_get(old, "anyOf"), mine);
}

static void add_attributes(json_t *link, const struct hd_registry *r)
{
	json_t *members = json_object_get(link, "properties");

	for (size_t i = 0; i < r->n; i++)
		for (const struct hd_port *p = r->v[i].module->ports; p != NULL && p->name != NULL; p++)
			for (const struct hd_param *a = p->attrs; a != NULL && a->name != NULL; a++)
				add_attribute(members, a);
}

json_t *hd__schema(const struct hd_registry *r)
{
	json_t *schema = parse("schema_frame.json"), *parts = json_object_get(schema, "definitions");

	add_modules(json_object_get(parts, "instance"), r);
	add_attributes(json_object_get(parts, "link"), r);
	hd__schema_plain(schema);
	return schema;
}

json_t *hd__schema_study(void)
{
	json_t *schema = parse("study_schema.json");

	hd__schema_plain(schema);
	return schema;
}
