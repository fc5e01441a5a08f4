/* schema_param.c - the JSON Schema of a parameter
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any value may be a "$" string instead, which stands for one of the netlist's parameters.
 */
#include "schema.h"
#include "base/xalloc.h"

#include <inttypes.h>

json_t *hd__schema_ref(const char *name)
{
	char *at = hd__format("#/definitions/%s", name);
	json_t *ref = hd__xcheck(json_pack("{s:s}", "$ref", at));

	free(at);
	return ref;
}

/* {"anyOf": [a, {"$ref": "#/definitions/REF"}]}; takes over `a`. */
static json_t *or_ref(json_t *a, const char *ref)
{
	return hd__xcheck(json_pack("{s:[o,o]}", "anyOf", a, hd__schema_ref(ref)));
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
		return or_ref(list(p, or_ref(hd__schema_params(p->columns), "parameter"), true),
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

json_t *hd__schema_param(const struct hd_param *p)
{
	char *text = description(p);
	json_t *v = value(p);

	json_object_set_new(v, "description", json_string(text));
	if (p->def != NULL)
		json_object_set_new(v, "default", json_loads(p->def, JSON_DECODE_ANY, NULL));
	free(text);
	return v;
}

json_t *hd__schema_params(const struct hd_param *params)
{
	json_t *members = hd__xcheck(json_object()), *required = hd__xcheck(json_array()), *v;

	json_object_set_new(members, "doc", hd__schema_ref("doc"));
	for (const struct hd_param *p = params; p != NULL && p->name != NULL; p++) {
		json_object_set_new(members, p->name, hd__schema_param(p));
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
