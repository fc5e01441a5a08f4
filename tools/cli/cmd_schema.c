/* cmd_schema.c - heddle schema: writes the JSON Schema of netlists, for editors and checkers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A fixed frame (schema_frame.json), and definitions for each module: generated from the descriptors, so that it
 * cannot contradict them.  It covers what an editor can check at one place of a file: names, forms, ranges.
 * `heddle check` checks what takes two places (do types fit, is a port open, does a clock exist).
 */
#include "cmd.h"
#include "base/embedded.h"
#include "base/xalloc.h"
#include "kernel/param.h"
#include "kernel/registry.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- parameters: any value may be a "$" string instead, which stands for one of the netlist's ---- */

/* {"$ref": "#/definitions/NAME"} */
static json_t *reference(const char *name)
{
	char *at = hd__format("#/definitions/%s", name);
	json_t *ref = hd__xcheck(json_pack("{s:s}", "$ref", at));

	free(at);
	return ref;
}

/* {"anyOf": [a, {"$ref": "#/definitions/REF"}]}; takes over `a`. */
static json_t *or_ref(json_t *a, const char *ref)
{
	return hd__xcheck(json_pack("{s:[o,o]}", "anyOf", a, reference(ref)));
}

static json_t *integer(const struct hd_param *p)
{
	bool any = p->min == 0 && p->max == 0;
	uint64_t max = any || p->max > UINT32_MAX ? UINT32_MAX : p->max;

	return hd__xcheck(json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum",
	                            (json_int_t)(any ? 0 : p->min), "maximum", (json_int_t)max));
}

static json_t *choice(const struct hd_param *p)
{
	json_t *words = hd__xcheck(json_array());

	for (size_t i = 0; p->choices[i] != NULL; i++)
		json_array_append_new(words, json_string(p->choices[i]));
	return hd__xcheck(json_pack("{s:o}", "enum", words));
}

/* A list of min to max items; takes over `item`. */
static json_t *list(const struct hd_param *p, json_t *item, bool counted)
{
	json_t *v = hd__xcheck(json_pack("{s:s, s:o}", "type", "array", "items", item));

	if (counted && (p->min != 0 || p->max != 0)) {
		json_object_set_new(v, "minItems", json_integer((json_int_t)p->min));
		json_object_set_new(v, "maxItems", json_integer((json_int_t)p->max));
	}
	return v;
}

static json_t *name(void)
{
	return hd__xcheck(json_pack("{s:s, s:i}", "type", "string", "minLength", 1));
}

static json_t *params_schema(const struct hd_param *params);

static json_t *value(const struct hd_param *p)
{
	switch (p->type) {
	case HD_U32:
		return or_ref(integer(p), "expression");
	case HD_BOOL:
		return or_ref(json_pack("{s:s}", "type", "boolean"), "parameter");
	case HD_CHOICE:
		return or_ref(choice(p), "parameter");
	case HD_U32S:
		return or_ref(list(p, or_ref(integer(p), "expression"), false), "parameter");
	case HD_SYMBOL:
		return name();
	case HD_SYMBOLS:
		return or_ref(list(p, name(), true), "parameter");
	case HD_TABLE:
		return or_ref(list(p, or_ref(params_schema(p->columns), "parameter"), true),
		              "parameter");
	case HD_STRING:
	case HD_PATH:
		break;
	}
	return hd__xcheck(json_pack("{s:s}", "type", "string"));
}

/* The doc as an editor shows it: "from acceptance to the result (integer 1..32768, cycles)". */
static char *description(const struct hd_param *p)
{
	char form[900];
	const char *unit = p->unit != NULL && p->unit[0] != '\0' ? p->unit : NULL;

	return hd__format("%s (%s%s%s%s)", p->doc, hd__param_form(p, form, sizeof form),
	                  unit ? ", " : "", unit ? unit : "", p->def ? "" : ", required");
}

static json_t *param_schema(const struct hd_param *p)
{
	char *text = description(p);
	json_t *v = value(p);

	json_object_set_new(v, "description", json_string(text));
	if (p->def != NULL)
		json_object_set_new(v, "default", json_loads(p->def, JSON_DECODE_ANY, NULL));
	free(text);
	return v;
}

/* An object of these parameters. */
static json_t *params_schema(const struct hd_param *params)
{
	json_t *members = hd__xcheck(json_object()), *required = hd__xcheck(json_array()), *v;

	json_object_set_new(members, "doc", reference("doc"));
	for (const struct hd_param *p = params; p != NULL && p->name != NULL; p++) {
		json_object_set_new(members, p->name, param_schema(p));
		if (p->def == NULL)
			json_array_append_new(required, json_string(p->name));
	}
	v = hd__xcheck(json_pack("{s:s, s:o, s:b}", "type", "object", "properties", members,
	                         "additionalProperties", 0));
	if (json_array_size(required) > 0)
		json_object_set(v, "required", required);
	json_decref(required);
	return v;
}

/* ---- errors that name what is wrong --------------------------------------------------------
 *
 * "A value, or a string with $" as `anyOf` is refused as "not valid under any of the given schemas";
 * as a condition on the string the error is that of the value.  And `additionalProperties` says only
 * that a name is unexpected, but `propertyNames` with the names lists what was expected instead. */

/* Is it a reference to what begins with "$"? */
static bool is_text_with_dollar(const json_t *schema)
{
	const char *ref = json_string_value(json_object_get(schema, "$ref"));

	return ref != NULL && (strcmp(ref, "#/definitions/expression") == 0
	                       || strcmp(ref, "#/definitions/parameter") == 0);
}

static void make_condition(json_t *schema)
{
	json_t *any = json_object_get(schema, "anyOf"), *only;

	if (json_array_size(any) == 1) {
		only = json_incref(json_array_get(any, 0));
		json_object_del(schema, "anyOf");
		json_object_update_missing(schema, only);
		json_decref(only);
		make_condition(schema);
		return;
	}
	if (json_array_size(any) != 2 || !is_text_with_dollar(json_array_get(any, 1)))
		return;
	json_object_set_new(schema, "if", json_pack("{s:s, s:s}", "type", "string", "pattern", "^\\$"));
	json_object_set(schema, "then", json_array_get(any, 1));
	json_object_set(schema, "else", json_array_get(any, 0));
	json_object_del(schema, "anyOf");
}

static void list_names(json_t *schema)
{
	json_t *members = json_object_get(schema, "properties"), *names, *v;
	const char *name;

	if (!json_is_false(json_object_get(schema, "additionalProperties")) || members == NULL)
		return;
	names = hd__xcheck(json_array());
	json_object_foreach(members, name, v)
		json_array_append_new(names, json_string(name));
	json_object_set_new(schema, "propertyNames", json_pack("{s:o}", "enum", names));
	json_object_del(schema, "additionalProperties");
}

/* Rewrites alternatives and closed objects, so that errors name what is wrong. */
static void make_plain(json_t *schema)
{
	const char *name;
	json_t *v;
	size_t i;

	if (json_is_object(schema)) {
		make_condition(schema);
		list_names(schema);
		json_object_foreach(schema, name, v)
			make_plain(v);
	}
	json_array_foreach(schema, i, v)
		make_plain(v);
}

/* ---- the frame ----------------------------------------------------------------------------- */

/* The part that does not depend on modules: schema_frame.json.  "@" in it is replaced by
 * "definitions/". */
static json_t *load(const char *file)
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
	                                    params_schema(hd__registry_params(r, m)),
	                                    reference("parameter")));

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
	                                               docs, reference("parameter")));
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
	json_t *mine = param_schema(p), *old = json_object_get(members, p->name), *v;
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

json_t *hd__netlist_schema(const struct hd_registry *r)
{
	json_t *schema = load("schema_frame.json"), *parts = json_object_get(schema, "definitions");

	add_modules(json_object_get(parts, "instance"), r);
	add_attributes(json_object_get(parts, "link"), r);
	make_plain(schema);
	return schema;
}

json_t *hd__study_schema(void)
{
	json_t *schema = load("study_schema.json");

	make_plain(schema);
	return schema;
}

/* ---- the command --------------------------------------------------------------------------- */

struct args {
	const char *output;
	bool study;
	struct hd_plugin_files plugins;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "where to write; default: standard output", 0 },
	{ "study", 's', NULL, 0, "the schema of studies, for heddle sweep, instead", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: st->child_inputs[0] = &a->plugins; return 0;
	case 'o': a->output = arg; return 0;
	case 's': a->study = true; return 0;
	case ARGP_KEY_ARG: argp_error(st, "unexpected argument '%s'", arg); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, NULL,
	"Writes a JSON Schema of netlists, made from the descriptors of all modules, plug-ins too: "
	"an editor that loads it completes, explains and checks names and values.\v"
	"A netlist names it in its member \"$schema\".",
	hd__plugin_args, NULL, NULL
};

static int write_schema(const json_t *schema, const char *output)
{
	struct hd_output o;
	int status = hd__output_open(&o, output, NULL);

	if (status != HD_EXIT_OK)
		return status;
	if (json_dumpf(schema, o.f, JSON_INDENT(1)) == 0) /* else the stream has an error */
		fputc('\n', o.f);
	return hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd__cmd_schema(int argc, char **argv)
{
	struct args a = { .output = NULL };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	json_t *schema;
	int status;

	hd__parse_args(&argp, argc, argv, &a);
	hd__open_registry(&registry, &a.plugins, &diags);
	hd__diags_print(&diags, stderr);
	status = HD_EXIT_USAGE;
	if (diags.errors == 0) {
		schema = a.study ? hd__study_schema() : hd__netlist_schema(&registry);
		status = write_schema(schema, a.output);
		json_decref(schema);
	}
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}
