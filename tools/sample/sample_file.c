/* sample_file.c - the file of a plan: which launches of a list are simulated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sample.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/pointer.h"
#include "base/words.h"
#include "base/xalloc.h"

#include <errno.h>
#include <inttypes.h>

#define MOST_INSTRUCTIONS UINT64_C(100000000000000000) /* estimates of cycles are whole numbers of 64 bits */

static const char *const policies[] = { "first", "middle", "random" };

/* ---- writing ---- */

static json_t *shares(const struct sample_plan *p, const struct sample_launch *k)
{
	json_t *o = json_object();

	for (size_t i = 0; i < SAMPLE_CLASSES; i++)
		if (k->mix[i] && p->class[i])
			json_object_set_new(o, p->class[i], json_real((double)k->mix[i] / (double)k->instructions));
	return o;
}

static json_t *text(const char *s)
{
	json_t *v = json_string(s);

	return v ? v : json_string("?"); /* names in traces need not be UTF-8 */
}

static json_t *launch_json(const struct sample_launch *k, size_t number)
{
	double n = k->instructions ? (double)k->instructions : 1;

	return json_pack("{s:I, s:i, s:b, s:o, s:[I,I,I], s:[I,I,I], s:I, s:f, s:I}", "kernel", (json_int_t)number,
	                 "group", (int)k->group, "simulate", k->simulate, "name", text(k->name),
	                 "grid", (json_int_t)k->grid[0], (json_int_t)k->grid[1], (json_int_t)k->grid[2],
	                 "block", (json_int_t)k->block[0], (json_int_t)k->block[1], (json_int_t)k->block[2],
	                 "warp_instructions", (json_int_t)k->instructions, "lanes", (double)k->lanes / n,
	                 "footprint", (json_int_t)k->footprint);
}

/* Sums for the reader: a run takes all from the launches. */
static json_t *groups_json(const struct sample_plan *p)
{
	json_t *groups = json_array();
	uint64_t *sums = hd__xcalloc(p->groups, 4 * sizeof *sums);
	size_t *first = hd__xcalloc(p->groups, sizeof *first);

	for (size_t i = p->n; i-- > 0;) {
		const struct sample_launch *k = &p->v[i];
		uint64_t *sum = &sums[4 * (k->group - 1)];

		first[k->group - 1] = i;
		sum[0]++;
		sum[1] += k->simulate;
		sum[2] += k->instructions;
		sum[3] += k->simulate ? k->instructions : 0;
	}
	for (uint32_t g = 0; g < p->groups; g++)
		json_array_append_new(groups, json_pack("{s:i, s:o, s:{s:I, s:I}, s:{s:I, s:I}, s:o}",
		                      "group", (int)g + 1, "name", text(p->v[first[g]].name),
		                      "kernels", "all", (json_int_t)sums[4 * g],
		                      "simulated", (json_int_t)sums[4 * g + 1],
		                      "warp_instructions", "all", (json_int_t)sums[4 * g + 2],
		                      "simulated", (json_int_t)sums[4 * g + 3], "mix", shares(p, &p->v[first[g]])));
	free(sums);
	free(first);
	return groups;
}

struct rows {
	const struct sample_plan *p;
	json_t *groups;
};

static size_t count_rows(void *arg, const char *name)
{
	const struct rows *r = arg;

	return strcmp(name, "kernels") == 0 ? r->p->n : json_array_size(r->groups);
}

static json_t *make_row(void *arg, const char *name, size_t i)
{
	const struct rows *r = arg;

	return strcmp(name, "kernels") == 0 ? launch_json(&r->p->v[i], i + 1)
	       : json_incref(json_array_get(r->groups, i));
}

bool hd__sample_write(const struct sample_plan *p, const struct sample_choice *c, const char *trace, FILE *out)
{
	struct rows r = { p, groups_json(p) };
	uint64_t all, simulated;
	size_t n = hd__sample_count(p, &all, &simulated);
	json_t *j = json_pack("{s:o, s:s, s:f, s:f, s:I, s:{s:I, s:I}, s:{s:I, s:I}, s:[], s:[]}", "trace", text(trace),
	                      "policy", policies[c->policy], "tolerance", c->tolerance, "budget", c->budget,
	                      "seed", (json_int_t)c->seed, "launches", "all", (json_int_t)p->n,
	                      "simulated", (json_int_t)n, "warp_instructions", "all", (json_int_t)all, "simulated",
	                      (json_int_t)simulated, "groups", "kernels");
	struct hd_json_rows rows = { count_rows, make_row, &r };
	bool whole = hd__json_rows_write(j, &rows, JSON_INDENT(1) | JSON_REAL_PRECISION(6), out);

	json_decref(r.groups);
	json_decref(j);
	return whole;
}

/* ---- reading ---- */

struct reading {
	const char *file, *text;
	struct hd_diags *d;
	struct hd_found found; /* so that places of many rows are found in one pass */
};

static bool bad(struct reading *r, const struct hd_place *at, const char *format, ...) HD_PRINTF(3, 4);
static bool bad(struct reading *r, const struct hd_place *at, const char *format, ...)
{
	char *pointer = hd__place_pointer(at);
	const char *byte = hd__find(r->text, pointer, false, &r->found);
	int line = 0, column = 0;
	va_list ap;

	if (byte)
		hd__line_column(r->text, byte, &r->found, &line, &column);
	va_start(ap, format);
	hd__diagv(r->d, HD_DIAG_ERROR, r->file, line, column, format, ap);
	va_end(ap);
	free(pointer);
	return false;
}

/* A member that has to be there; NULL after a message. */
static const json_t *member(struct reading *r, const json_t *o, const struct hd_place *at, const char *name,
                            bool right(const json_t *v), const char *expected)
{
	const json_t *v = json_object_get(o, name);
	struct hd_place place = { at, NULL, name, 0 };
	char buf[80];

	if (v && right(v))
		return v;
	if (v)
		bad(r, &place, "'%s': expected %s, found %s", name, expected, hd__found(v, buf, sizeof buf));
	else
		bad(r, at, "there is no '%s'; expected %s, as 'heddle sample' writes it", name, expected);
	return NULL;
}

static bool is_text(const json_t *v)
{
	return json_is_string(v);
}

static bool is_bool(const json_t *v)
{
	return json_is_boolean(v);
}

static bool is_number(const json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0;
}

static bool is_array(const json_t *v)
{
	return json_is_array(v);
}

static bool is_size(const json_t *v)
{
	bool good = json_is_array(v) && json_array_size(v) == 3;

	for (size_t i = 0; good && i < 3; i++)
		good = is_number(json_array_get(v, i)) && json_integer_value(json_array_get(v, i)) <= UINT32_MAX;
	return good;
}

static void read_size(const json_t *v, uint32_t to[3])
{
	for (size_t i = 0; i < 3; i++)
		to[i] = (uint32_t)json_integer_value(json_array_get(v, i));
}

static bool read_launch(struct reading *r, struct sample_launch *k, const json_t *o, const struct hd_place *at,
                        size_t n)
{
	const json_t *number, *group, *simulate, *name, *grid, *block, *instructions;
	struct hd_place place = { at, NULL, "kernel", 0 };

	number = member(r, o, at, "kernel", is_number, "its position in the list, from 1");
	group = number ? member(r, o, at, "group", is_number, "the number of its group, from 1") : NULL;
	simulate = group ? member(r, o, at, "simulate", is_bool, "true or false") : NULL;
	name = simulate ? member(r, o, at, "name", is_text, "the name of the kernel") : NULL;
	grid = name ? member(r, o, at, "grid", is_size, "a list of three numbers") : NULL;
	block = grid ? member(r, o, at, "block", is_size, "a list of three numbers") : NULL;
	instructions = block ? member(r, o, at, "warp_instructions", is_number, "a number") : NULL;
	if (!instructions)
		return false;
	if (json_integer_value(number) != (json_int_t)n + 1)
		return bad(r, &place, "kernel %" JSON_INTEGER_FORMAT " is element %zu; expected all kernels of the "
		           "list, in its order", json_integer_value(number), n + 1);
	place.member = "group";
	if (json_integer_value(group) < 1 || json_integer_value(group) > INT32_MAX)
		return bad(r, &place, "group %" JSON_INTEGER_FORMAT "; expected a number from 1",
		           json_integer_value(group));
	k->group = (uint32_t)json_integer_value(group);
	k->simulate = json_is_true(simulate);
	k->name = hd__xstrdup(json_string_value(name));
	read_size(grid, k->grid);
	read_size(block, k->block);
	k->instructions = (uint64_t)json_integer_value(instructions);
	return true;
}

/* Numbers of groups may have gaps after someone has edited the file: they get numbers without. */
static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static uint32_t *numbers_of(struct sample_plan *p)
{
	uint32_t *v = hd__xcalloc(p->n, sizeof *v);

	for (size_t i = 0; i < p->n; i++)
		v[i] = p->v[i].group;
	qsort(v, p->n, sizeof *v, by_number);
	for (size_t i = 0; i < p->n; i++)
		if (p->groups == 0 || v[p->groups - 1] != v[i])
			v[p->groups++] = v[i];
	return v;
}

/* Each group needs a launch that is simulated, and launches with instructions one that has some. */
static bool check_groups(struct reading *r, struct sample_plan *p, const struct hd_place *kernels)
{
	uint32_t *numbers = numbers_of(p);
	uint64_t *most = hd__xcalloc(p->groups, sizeof *most);
	bool good = true;

	for (size_t i = 0; i < p->n; i++) {
		struct sample_launch *k = &p->v[i];
		uint32_t *at = bsearch(&k->group, numbers, p->groups, sizeof *numbers, by_number);

		k->group = (uint32_t)(at - numbers) + 1;
		if (k->simulate && most[k->group - 1] <= k->instructions)
			most[k->group - 1] = k->instructions + 1; /* 0: none is simulated */
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct sample_launch *k = &p->v[i];
		struct hd_place at = { kernels, NULL, NULL, i };
		uint64_t of = most[k->group - 1];

		if (of > 1 || (of == 1 && k->instructions == 0))
			continue;
		good = bad(r, &at, "no kernel %sof group %" PRIu32 " is simulated; expected \"simulate\": true in at "
		           "least one", of ? "with instructions " : "", numbers[k->group - 1]);
		most[k->group - 1] = UINT64_MAX; /* one message for a group */
	}
	free(numbers);
	free(most);
	return good;
}

static bool read_root(struct reading *r, struct sample_plan *p, const json_t *root)
{
	struct hd_place top = { NULL, "", NULL, 0 }, place = { &top, NULL, "kernels", 0 };
	const json_t *kernels, *o;
	uint64_t all = 0;
	bool good = true;
	size_t i;

	if (!json_is_object(root))
		return bad(r, &top, "expected a plan, as 'heddle sample' writes it");
	kernels = member(r, root, &top, "kernels", is_array, "a list of kernels");
	if (!kernels)
		return false;
	if (json_array_size(kernels) == 0)
		return bad(r, &place, "there are no kernels; expected all of the list");
	p->v = hd__xcalloc(json_array_size(kernels), sizeof *p->v);
	json_array_foreach(kernels, i, o) {
		struct hd_place at = { &place, NULL, NULL, i }, where = { &at, NULL, "warp_instructions", 0 };

		good = read_launch(r, &p->v[p->n], o, &at, i) && good;
		all += p->v[p->n].instructions;
		if (good && (all > MOST_INSTRUCTIONS || p->v[p->n].instructions > MOST_INSTRUCTIONS))
			good = bad(r, &where, "all kernels up to this one execute more than %" PRIu64 " warp "
			           "instructions; expected a plan as 'heddle sample' writes it", MOST_INSTRUCTIONS);
		p->n++;
	}
	return good && check_groups(r, p, &place);
}

bool hd__sample_load(struct sample_plan *p, const char *file, struct hd_diags *d)
{
	struct reading r = { .file = file, .d = d };
	size_t length;
	char *content = hd__read_file(file, &length);
	json_t *root;
	bool good;

	*p = (struct sample_plan){ .n = 0 };
	if (!content) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "cannot read the plan: %s", hd__input_why(errno));
		return false;
	}
	r.text = content;
	root = hd__json_parse(file, content, length, d);
	good = root && read_root(&r, p, root);
	json_decref(root);
	free(content);
	return good;
}

/* ---- is it of this list? ---- */

static bool same_shape(const struct sample_launch *k, const struct hd_launch *l)
{
	json_t *name = text(l->name);
	bool same = strcmp(k->name, json_string_value(name)) == 0 && memcmp(k->grid, l->grid, sizeof k->grid) == 0
	            && memcmp(k->block, l->block, sizeof k->block) == 0;

	json_decref(name);
	return same;
}

bool hd__sample_fits(const struct sample_plan *p, const char *file, struct trace_input *t)
{
	for (size_t i = 0; i < t->r.list.n && i < p->n; i++) {
		const struct sample_launch *k = &p->v[i];
		struct trace_header h = { .version = 0 };
		bool good = hd__trace_kernel_header(&t->r, &h, i) == 0;
		const struct hd_launch *l = &h.launch;

		if (good && !same_shape(k, l))
			hd__diag(&t->d, HD_DIAG_ERROR, file, 0, 0, "kernel %zu is '%s', grid (%u,%u,%u), block "
			         "(%u,%u,%u), in the plan and '%s', grid (%u,%u,%u), block (%u,%u,%u), in the list; "
			         "expected a plan of this list, from 'heddle sample'", i + 1, k->name, k->grid[0],
			         k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2],
			         l->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
		hd__trace_header_free(&h);
		if (t->d.errors)
			return false;
	}
	if (t->r.list.n != p->n)
		hd__diag(&t->d, HD_DIAG_ERROR, file, 0, 0, "the plan has %zu kernels and the list %zu; expected a plan "
		         "of this list, from 'heddle sample'", p->n, t->r.list.n);
	return t->d.errors == 0;
}
