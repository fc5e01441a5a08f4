/* listing.c - the static instructions beside a trace (kernel-N.sass.json, docs/hasm.md)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "listing.h"

#include "hasm_lines.h"
#include "traces/sass/sass_inst.h"

#include <inttypes.h>

static const char *const kinds[] = {
	[HASM_REGISTER] = "register", [HASM_UNIFORM] = "uniform", [HASM_PREDICATE] = "predicate",
	[HASM_UNIFORM_PREDICATE] = "uniform_predicate", [HASM_BARRIER] = "barrier",
	[HASM_COUNTER] = "counter", [HASM_SPECIAL] = "special", [HASM_CONSTANT] = "constant",
	[HASM_ADDRESS] = "address", [HASM_INTEGER] = "integer", [HASM_FLOAT] = "float",
	[HASM_TARGET] = "target", [HASM_LIST] = "counters",
};

static void set(json_t *o, const char *name, int64_t v)
{
	json_object_set_new(o, name, json_integer(v));
}

static json_t *control(const struct hasm_control *c)
{
	json_t *o = json_object(), *wait = json_array();

	for (int k = 0; k < 6; k++)
		if (c->wait >> k & 1)
			json_array_append_new(wait, json_integer(k));
	json_object_set_new(o, "wait", wait);
	if (c->read != HASM_NO_COUNTER)
		set(o, "read", c->read);
	if (c->write != HASM_NO_COUNTER)
		set(o, "write", c->write);
	json_object_set_new(o, "yield", json_boolean(c->yield));
	set(o, "stall", c->stall);
	return o;
}

static json_t *guard(const struct hasm_inst *i)
{
	json_t *o = json_object();

	json_object_set_new(o, "kind", json_string(kinds[i->guard_uniform ? HASM_UNIFORM_PREDICATE
	                                                                  : HASM_PREDICATE]));
	if (i->guard != HASM_RZ)
		set(o, "number", i->guard);
	json_object_set_new(o, "not", json_boolean(i->guard_not));
	return o;
}

/* Registers without a number are RZ, URZ, PT, UPT. */
static json_t *operand(const struct hasm_inst *i, unsigned k)
{
	const struct hasm_operand *x = &i->operand[k];
	struct hasm_role r = hd__hasm_role(i, k);
	bool memory = x->kind == HASM_ADDRESS || x->kind == HASM_CONSTANT;
	json_t *o = json_object();

	json_object_set_new(o, "text", json_string(x->text));
	json_object_set_new(o, "kind", json_string(kinds[x->kind]));
	if (x->kind <= HASM_COUNTER && x->number != HASM_RZ)
		set(o, "number", x->number);
	if (x->kind == HASM_CONSTANT && x->descriptor < 0)
		set(o, "bank", x->number);
	if (memory && x->base >= 0 && x->base != (int32_t)HASM_RZ)
		set(o, "base", x->base);
	if (memory && x->uniform >= 0 && x->uniform != (int32_t)HASM_RZ)
		set(o, "uniform", x->uniform);
	if (memory && x->descriptor >= 0 && x->descriptor != (int32_t)HASM_RZ)
		set(o, "descriptor", x->descriptor);
	if (memory)
		set(o, "offset", x->value);
	if (x->kind == HASM_INTEGER || x->kind == HASM_TARGET)
		set(o, "value", x->value);
	if (r.count > 0 && (!memory || x->base != (int32_t)HASM_RZ))
		set(o, "count", r.count);
	if (x->kind <= HASM_BARRIER || memory)
		json_object_set_new(o, "access", json_string(r.writes ? "write" : "read"));
	if (x->reuse)
		json_object_set_new(o, "reuse", json_true());
	return o;
}

/* As nvdisasm prints it. */
static json_t *text(const struct hasm_inst *i)
{
	char *s;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&s, &size));
	json_t *t;

	if (i->guarded && i->guard != HASM_RZ)
		fprintf(f, "@%s%sP%u ", i->guard_not ? "!" : "", i->guard_uniform ? "U" : "", i->guard);
	else if (i->guarded)
		fprintf(f, "@%s%sPT ", i->guard_not ? "!" : "", i->guard_uniform ? "U" : "");
	fputs(i->opcode, f);
	for (unsigned k = 0; k < i->n; k++)
		fprintf(f, "%s%s", k ? ", " : " ", i->operand[k].text);
	fclose(f);
	t = json_string(s);
	free(s);
	return t;
}

static json_t *instruction(const struct hasm_inst *i)
{
	json_t *o = json_object(), *operands = json_array();

	set(o, "pc", i->pc);
	json_object_set_new(o, "text", text(i));
	if (i->where) {
		json_t *where = json_string(i->where);

		json_object_set_new(o, "source", where ? where : json_string("?"));
	}
	if (i->control.given)
		json_object_set_new(o, "control", control(&i->control));
	if (i->guarded)
		json_object_set_new(o, "guard", guard(i));
	json_object_set_new(o, "opcode", json_string(i->opcode));
	for (unsigned k = 0; k < i->n; k++)
		json_array_append_new(operands, operand(i, k));
	json_object_set_new(o, "operands", operands);
	return o;
}

/* ---- all of them ---- */

static int compare(const void *a, const void *b)
{
	const struct hasm_inst *x = *(const struct hasm_inst *const *)a;
	const struct hasm_inst *y = *(const struct hasm_inst *const *)b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x < y ? -1 : x > y; /* the order of the text */
}

/* Is the instruction, with this pc, among the last ones of the list? */
static bool listed(const json_t *list, const json_t *inst)
{
	const json_t *pc = json_object_get(inst, "pc");

	for (size_t i = json_array_size(list); i-- > 0;) {
		const json_t *v = json_array_get(list, i);

		if (!json_equal(json_object_get(v, "pc"), pc))
			return false;
		if (json_equal(v, inst))
			return true;
	}
	return false;
}

/* A text may give a pc again: each different instruction of it is listed once. */
static void add_all(json_t *list, const struct hasm_inst *const *code, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		json_t *inst = instruction(code[i]);

		if (!listed(list, inst))
			json_array_append(list, inst);
		json_decref(inst);
	}
}

json_t *hd__listing(const struct hasm_kernel *k)
{
	const struct hasm_inst exit = { .pc = k->exit_pc, .opcode = (char[]){ "EXIT" } };
	const struct hasm_inst **code = hd__xcalloc(k->n + 1, sizeof *code);
	json_t *root = json_object(), *list = json_array(), *name;
	size_t n = 0;

	for (; n < k->n; n++)
		code[n] = &k->code[n];
	if (k->exit_added)
		code[n++] = &exit;
	qsort(code, n, sizeof *code, compare);
	add_all(list, code, n);
	free(code);
	set(root, "heddle_sass", 1);
	name = json_string(k->name); /* NULL: it is not UTF-8 */
	json_object_set_new(root, "kernel", name ? name : json_string(""));
	set(root, "binary_version", k->sm);
	json_object_set_new(root, "instructions", list);
	return root;
}

void hd__listing_put(const json_t *listing, FILE *f)
{
	const json_t *list = json_object_get(listing, "instructions"), *v;
	const char *key;
	size_t i, n = json_array_size(list);

	fputs("{\n", f);
	json_object_foreach((json_t *)listing, key, v) {
		if (v == list)
			continue;
		fprintf(f, " \"%s\": ", key);
		json_dumpf(v, f, JSON_ENCODE_ANY);
		fputs(",\n", f);
	}
	fputs(" \"instructions\": [\n", f);
	json_array_foreach(list, i, v) {
		fputs("  ", f);
		json_dumpf(v, f, 0);
		fputs(i + 1 < n ? ",\n" : "\n", f);
	}
	fputs(" ]\n}\n", f);
}

/* ---- reading ---- */

/* What is printed must be an instruction, and nothing else. */
static bool parse(struct listing *l, size_t i, struct hd_diags *d)
{
	const char *text = l->controls.v[i].printed;
	char *place = hd__format("%s: pc 0x%" PRIx32, l->controls.file, l->controls.v[i].pc);
	struct hd_scan s = { .file = place, .p = text, .end = text ? text + strlen(text) : NULL, .start = text,
	                       .d = d };
	bool good = text != NULL;

	if (!good)
		hd__diag(d, HD_DIAG_ERROR, place, 0, 0, "expected 'text', a string");
	good = good && hd__hasm_inst(&s, &l->inst[i])
	       && (hd__scan_at_end(&s) || hd__scan_expected(&s, "the end of the instruction"));
	free(place);
	return good;
}

/* Takes the name of the file. */
static struct listing *read_listing(const struct trace_host *host, char *file, const char *text, size_t size,
                                    struct hd_diags *d)
{
	struct listing *l = hd__xcalloc(1, sizeof *l);

	l->controls.file = file;
	if (text && hd__trace_listing_parse(&l->controls, host, text, size) == 0)
		l->inst = hd__xcalloc(l->controls.n + 1, sizeof *l->inst);
	for (size_t i = 0; l->inst && i < l->controls.n && d->errors == 0; i++)
		parse(l, i, d);
	return l;
}

struct listing *hd__listing_read(const struct trace_host *host, const char *kernel_file, struct hd_diags *d)
{
	char *file, *text;
	struct listing *l = NULL;
	size_t size;

	if (hd__trace_listing_text(host, kernel_file, &file, &text, &size) == 0)
		free(file);
	else
		l = read_listing(host, file, text, size, d);
	free(text);
	return l;
}

struct listing *hd__listing_packed(const struct trace_host *host, const char *kernel_file, const char *text,
                                   size_t size, struct hd_diags *d)
{
	return read_listing(host, hd__listing_name(kernel_file), text, size, d);
}

void hd__listing_free(struct listing *l)
{
	for (size_t i = 0; l && l->inst && i < l->controls.n; i++)
		hd__hasm_inst_free(&l->inst[i]);
	if (!l)
		return;
	free(l->inst);
	hd__trace_controls_free(&l->controls);
	free(l);
}

/* ---- finding ---- */

bool hd__listing_same_registers(const struct hasm_inst *x, const struct hd_inst *i)
{
	uint16_t src[HD_MAX_SRC] = { 0 }, dst = 0, first[HASM_OPERANDS];
	unsigned n = hd__hasm_registers(x, &dst, first), distinct = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned j = 0;

		while (j < distinct && src[j] != first[k])
			j++;
		if (j == distinct && distinct < HD_MAX_SRC)
			src[distinct++] = first[k];
	}
	return distinct == i->nsrc && memcmp(src, i->src, distinct * sizeof *src) == 0
	       && (dst == i->dst || !i->dst);
}

/* Would the tracer write the instruction as this one is? */
static bool fits(const struct hasm_inst *x, const struct hd_inst *i, const char *opcode)
{
	bool accesses = hd__hasm_accesses(x) && !hd__hasm_bulk(x);

	return strcmp(x->opcode, opcode) == 0 && accesses == (i->width > 0)
	       && (hd__hasm_immediate(x) == i->imm || hd__hasm_names_barrier(x)) && hd__listing_same_registers(x, i);
}

const struct trace_control *hd__listing_find(const struct listing *l, const struct hd_inst *i,
                                             const char *opcode)
{
	const struct trace_controls *c = &l->controls;

	for (size_t k = hd__trace_control_at(c, i->pc); k < c->n && c->v[k].pc == i->pc; k++)
		if (fits(&l->inst[k], i, opcode))
			return &c->v[k];
	return NULL;
}
