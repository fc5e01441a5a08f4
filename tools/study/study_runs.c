/* study_runs.c - reads runs to compare: statistics, points, folders of results
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_runs.h"
#include "base/output.h"
#include "base/read_file.h"
#include "base/xalloc.h"
#include "study_arrays.h"
#include "study_folder.h"
#include "study_numbers.h"
#include "study_result.h"
#include "study_table.h"
#include "tools/dump/writers.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- values -------------------------------------------------------------------------------- */

static uint32_t number_of(struct study_names *names, const char *kind, const char *path, const json_t *statistics,
                          bool share)
{
	char *name = hd__join(kind, " ", path);
	uint32_t number = study_name(names, name);

	if (number == UINT32_MAX)
		number = study_name_add(names, name, study_unit(names->meanings, statistics, kind, path), share);
	free(name);
	return number;
}

static int order(const void *a, const void *b)
{
	const struct study_entry *x = a, *y = b;

	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

bool study_value_of(const struct study_run *r, uint32_t kernel, uint32_t name, double *value)
{
	struct study_entry key = { kernel, name, 0 }, *found;

	found = r->n > 0 ? bsearch(&key, r->v, r->n, sizeof *r->v, order) : NULL;
	if (found != NULL)
		*value = found->value;
	return found != NULL;
}

struct reader {
	struct study_names *names;
	struct study_run *run;
	const json_t *statistics; /* but rows of kernels */
	bool all;                 /* names of values of kernels are numbered, not only that of their cycles */
	unsigned only;            /* the kernel that stands for the run, from 1; 0: the run itself */
	unsigned rows;            /* of kernels so far */
	char *wrong;              /* what is wrong with the statistics, or NULL */
};

static void take(void *arg, unsigned kernel, const char *kind, const char *path, const json_t *value)
{
	struct reader *r = arg;
	struct study_run *run = r->run;

	bool kept = kernel == 0 || (strcmp(kind, "run") == 0 && strcmp(path, "cycles") == 0);
	uint32_t number = kept || r->all ? number_of(r->names, kind, path, r->statistics, json_is_real(value)) : 0;

	if (!kept)
		return;
	run->v = hd__xgrow(run->v, run->n, &run->cap, sizeof *run->v);
	run->v[run->n++] = (struct study_entry){ kernel, number, json_number_value(value) };
}

/* Sorts the entries from `first` on, which are of one kernel. */
static void settle(struct study_run *run, size_t first)
{
	size_t n = first;

	if (run->n > first)
		qsort(run->v + first, run->n - first, sizeof *run->v, order);
	for (size_t i = first; i < run->n; i++)
		if (i == first || order(&run->v[i - 1], &run->v[i]) != 0)
			run->v[n++] = run->v[i];
	run->n = n;
}

/* A copy of the name that all kernels of that name share. */
static const char *kernel_name(struct study_names *names, const char *name)
{
	void *at = json_object_iter_at(names->kernels, name);

	if (at == NULL) {
		json_object_set_new_nocheck(names->kernels, name, json_null());
		at = json_object_iter_at(names->kernels, name);
	}
	return json_object_iter_key(at);
}

static void take_kernel(void *arg, unsigned kernel, json_t *row)
{
	struct reader *r = arg;
	struct study_run *run = r->run;
	const char *name = json_string_value(json_object_get(row, "name"));
	size_t first = run->n;
	char *wrong = r->wrong == NULL && (r->only == 0 || r->only == kernel) ? study_bad_number(row) : NULL;

	r->rows = kernel;
	if (wrong != NULL)
		r->wrong = hd__format("kernel %u: %s", kernel, wrong);
	free(wrong);
	if (r->only > 0) {
		if (r->only == kernel)
			study_walk_kernel(row, 0, take, r);
		return;
	}
	study_walk_kernel(row, kernel, take, r);
	settle(run, first);
	run->kernels = hd__xgrow(run->kernels, run->nkernels, &run->capkernels, sizeof *run->kernels);
	run->kernels[run->nkernels++] = (struct study_kernel){
		kernel_name(r->names, name != NULL ? name : ""), json_integer_value(json_object_get(row, "id"))
	};
}

/* Names are kept once. */
static bool is_kernel(const struct study_kernel *a, const struct study_run *b, uint32_t k)
{
	return k <= b->nkernels && b->kernels[k - 1].name == a->name && b->kernels[k - 1].id == a->id;
}

uint32_t study_same_kernel(const struct study_run *a, uint32_t k, const struct study_run *b)
{
	const struct study_kernel *kernel = &a->kernels[k - 1];

	if (is_kernel(kernel, b, k))
		return k;
	for (uint32_t i = 1; i <= b->nkernels; i++)
		if (is_kernel(kernel, b, i))
			return i;
	return 0;
}

/* Instances that count how issue slots are used. */
static bool has_slots(const json_t *instance)
{
	static const char *const uses[] = { "single", "dual", "stall", "idle" };

	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
		if (!json_is_number(json_object_get(instance, uses[i])))
			return false;
	return true;
}

/* Of arrays that work in turn one element has a slot in each cycle. */
static double schedulers_of(const json_t *statistics)
{
	json_t *modules = json_object(), *o;
	const char *name;
	double n = 0;

	json_object_foreach(json_object_get(statistics, "instances"), name, o)
		if (has_slots(o) && json_is_string(json_object_get(o, "module")))
			json_object_set_new(modules, json_string_value(json_object_get(o, "module")), json_null());
	json_object_foreach(json_object_get(statistics, "arrays"), name, o) {
		const char *module = json_string_value(json_object_get(o, "module"));
		double turns = json_number_value(json_object_get(o, "turns"));

		if (module != NULL && json_object_get(modules, module) != NULL)
			n += json_number_value(json_object_get(o, "count")) / (turns > 1 ? turns : 1);
	}
	json_decref(modules);
	return n > 0 ? n : 0;
}

/* `statistics`: all but rows of kernels, which are read now; `only`: the kernel that is read in place of the run, or 0.
 * Returns false after printing what is wrong with them. */
static bool read_values(struct study_sides *s, struct study_run *run, const struct study_statistics *text,
                        const json_t *statistics, unsigned only)
{
	struct reader r = { &s->names, run, statistics, s->all, only, 0, study_bad_number(statistics) };
	bool ok;

	study_arrays_take(&s->arrays, run, json_object_get(statistics, "arrays"));
	run->schedulers = schedulers_of(statistics);
	if (only == 0)
		study_walk(statistics, take, &r);
	settle(run, 0);
	json_decref(study_statistics_read(text, take_kernel, &r));
	if (only > 0)
		settle(run, 0);
	ok = r.wrong == NULL && only <= r.rows;
	if (r.wrong != NULL)
		fprintf(stderr, "heddle: %s: %s\n", run->file, r.wrong);
	else if (!ok)
		fprintf(stderr, "heddle: %s: there is no kernel %u; it has %u\n", run->file, only, r.rows);
	free(r.wrong);
	return ok;
}

/* ---- kernels one by one -------------------------------------------------------------------- */

static bool is_changed(const struct study_run *r)
{
	fprintf(stderr, "heddle: %s: has changed since it was read; expected results that stay as they are\n", r->file);
	return false;
}

bool study_kernels_open(struct study_kernels *k, const struct study_sides *sides, const struct study_run *r)
{
	struct study_statistics *s = &k->result.statistics;
	bool ok;

	*k = (struct study_kernels){ .sides = sides, .of = r, .now = { .v = r->v } };
	if (r->point) {
		ok = study_result_open(&k->result, r->file);
	} else {
		*s = (struct study_statistics){ r->copy != NULL ? r->copy : fopen(r->file, "r"), 0, SIZE_MAX,
			r->inner };
		ok = s->f != NULL;
	}
	if (!ok)
		return is_changed(r);
	while (k->now.n < r->n && r->v[k->now.n].kernel == 0)
		k->now.n++;
	study_rows_open(&k->rows, s);
	return true;
}

static void take_again(void *arg, unsigned kernel, const char *kind, const char *path, const json_t *value)
{
	struct study_kernels *k = arg;
	struct study_run *now = &k->now;
	char *other = study_arrays_path(&k->sides->arrays, k->of, kind, path);
	char *name = hd__join(kind, " ", other != NULL ? other : path);
	uint32_t number = study_name(&k->sides->names, name);

	free(other);
	free(name);
	if (number == UINT32_MAX)
		k->changed = true;
	now->v = hd__xgrow(now->v, now->n, &now->cap, sizeof *now->v);
	now->v[now->n++] = (struct study_entry){ kernel, number, json_number_value(value) };
}

bool study_kernels_next(struct study_kernels *k)
{
	bool more = k->kernel < k->of->nkernels;
	json_t *row = more ? study_rows_next(&k->rows) : NULL;

	if (k->now.cap == 0) /* those of the run */
		k->now.v = NULL;
	k->now.n = 0;
	k->changed = k->changed || (more && row == NULL);
	if (row == NULL)
		return false;
	study_walk_kernel(row, ++k->kernel, take_again, k);
	settle(&k->now, 0);
	json_decref(row);
	return true;
}

bool study_kernels_close(struct study_kernels *k)
{
	bool ok = !k->changed;

	if (k->now.cap > 0)
		free(k->now.v);
	study_rows_close(&k->rows);
	if (k->of->point)
		study_result_close(&k->result);
	else if (k->of->copy == NULL)
		fclose(k->result.statistics.f);
	return ok || is_changed(k->of);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static struct study_run *add_run(struct study_side *side)
{
	side->runs = hd__xappend(side->runs, side->n, sizeof *side->runs);
	side->runs[side->n] = (struct study_run){ 0 };
	return &side->runs[side->n++];
}

static char *text(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return hd__xstrdup(s != NULL ? s : "");
}

static struct study_side *add_side(struct study_sides *s, const char *label)
{
	s->v = hd__xappend(s->v, s->n, sizeof *s->v);
	s->v[s->n] = (struct study_side){ .label = hd__xstrdup(label) };
	return &s->v[s->n++];
}

#define MOST_STATISTICS ((size_t)1 << 30) /* bytes */

/* A copy of what comes out of a pipe; NULL with errno set. */
static FILE *copy_of(int pipe)
{
	size_t n;
	char *text = hd__input_rest(pipe, MOST_STATISTICS, &n);
	FILE *copy = text != NULL ? tmpfile() : NULL;

	if (copy != NULL && (fwrite(text, 1, n, copy) < n || fseek(copy, 0, SEEK_SET) != 0)) {
		fclose(copy);
		copy = NULL;
	}
	free(text);
	return copy;
}

/* Does not wait for the writer of a pipe. */
static FILE *open_file(const char *file, bool *copied)
{
	const char *why;
	int fd = hd__input_open(file, &why);
	FILE *f = NULL;

	*copied = fd >= 0 && lseek(fd, 0, SEEK_CUR) < 0;
	if (fd < 0 || !*copied)
		return fd < 0 ? NULL : fdopen(fd, "r");
	f = copy_of(fd);
	close(fd);
	return f;
}

static void add_row(void *kernels, const char *table, json_t *row)
{
	if (strcmp(table, "kernels") == 0)
		json_array_append(kernels, row);
}

/* The number in the dump of the kernel that row `at` is of; 0: it has none. */
static uint32_t kernel_of_row(const struct dump *d, const json_t *kernels, size_t at)
{
	json_int_t id = json_integer_value(json_object_get(json_array_get(kernels, at), "id"));
	size_t before = 0; /* launches of the same kernel of the trace */

	for (size_t i = 0; i < at; i++)
		before += json_integer_value(json_object_get(json_array_get(kernels, i), "id")) == id;
	for (uint32_t i = 0; i < d->nkernels; i++)
		if (d->kernels[i].name != NULL && d->kernels[i].launch == (uint64_t)id && before-- == 0)
			return i;
	return 0;
}

/* The statistics of a dump, with the reasons for lost issue slots of the run, or of the kernel `only`; NULL after
 * printing an error. */
static FILE *statistics_of_dump(const char *file, unsigned only)
{
	struct dump *d = dump_open(file);
	json_t *kernels = json_array(), *statistics = d != NULL ? dump_statistics(d, add_row, kernels) : NULL;
	json_t *row = only > 0 ? json_array_get(kernels, only - 1) : NULL;
	bool counted = statistics != NULL && dump_count_stalls(d, row ? kernel_of_row(d, kernels, only - 1) : 0,
	                                                       row ? row : statistics);
	FILE *text = NULL;

	if (d != NULL && (statistics == NULL || d->damage != NULL))
		fprintf(stderr, "heddle: %s: %s; expected the whole dump of a run that has ended\n", file,
		        d->damage != NULL ? d->damage : "it has no statistics");
	if (counted && d->damage == NULL) {
		json_object_del(statistics, "edges"); /* only dumps have it */
		json_object_set(statistics, "kernels", kernels);
		text = tmpfile();
		if (text == NULL || json_dumpf(statistics, text, JSON_REAL_PRECISION(15)) != 0 || fflush(text) != 0)
			fprintf(stderr, "heddle: %s: unable to write a temporary file: %s\n", file, strerror(errno));
	}
	json_decref(statistics);
	json_decref(kernels);
	dump_close(d);
	return text;
}

/* Opens a file that can be read more than once: of a pipe or a dump a copy.  NULL with errno set, or with 0 after
 * printing an error. */
static FILE *open_again(const char *file, unsigned only, bool *copied)
{
	char head[sizeof HD_DUMP_MAGIC - 1];
	FILE *f = open_file(file, copied), *copy;
	size_t n = f != NULL ? fread(head, 1, sizeof head, f) : 0;

	if (n < sizeof head || memcmp(head, HD_DUMP_MAGIC, n) != 0) {
		if (f != NULL)
			rewind(f);
		return f;
	}
	*copied = true;
	copy = statistics_of_dump(file, only);
	fclose(f);
	errno = 0;
	return copy;
}

/* Prints why the file cannot be used; f may be NULL, with errno set. */
static void refuse(const char *file, FILE *f)
{
	const char *why = hd__input_why(errno);
	json_error_t e = { .line = -1 };
	json_t *root = NULL;

	if (f != NULL) {
		rewind(f);
		root = json_loadf(f, 0, &e);
		why = root != NULL ? "no statistics" : e.text;
	}
	fprintf(stderr, "heddle: %s:%d: %s%s%s%s; expected statistics as heddle run --stats writes them, a dump, a "
	        "folder of heddle sweep, or FOLDER:N\n", file, root != NULL ? 1 : e.line,
	        f != NULL ? "" : "unable to open ", f != NULL ? "" : file, f != NULL ? "" : ": ", why);
	json_decref(root);
}

/* `only`: the kernel that stands for the run, or 0. */
static bool read_file(struct study_sides *s, const char *label, const char *file, unsigned only)
{
	bool copied;
	struct study_statistics text_of = { .f = open_again(file, only, &copied), .bytes = SIZE_MAX };
	json_t *root = text_of.f != NULL ? study_statistics_read(&text_of, NULL, NULL) : NULL;
	const json_t *statistics = json_object_get(root, "statistics"), *point = json_object_get(root, "point");
	bool ok = root != NULL && (point != NULL || statistics != NULL || json_object_get(root, "cycles") != NULL);
	struct study_run *run;

	hd__input_note_name(file);
	if (ok) {
		text_of.inner = json_object_get(root, "cycles") == NULL;
		run = add_run(add_side(s, label));
		run->file = hd__xstrdup(file);
		run->copy = copied ? text_of.f : NULL;
		run->inner = text_of.inner;
		run->label = hd__xstrdup(label);
		run->trace = hd__xstrdup("");
		run->status = text(point != NULL ? point : root, "status");
		if (json_object_get(text_of.inner ? statistics : root, "estimate") != NULL)
			fprintf(stderr, "heddle: warning: %s is of a plan: its figures are those of the kernels that "
			        "were simulated, and 'estimate' has those of all\n", file);
		if (!read_values(s, run, &text_of, text_of.inner ? statistics : root, only)) {
			json_decref(root);
			if (!copied)
				fclose(text_of.f);
			return false;
		}
	} else if (text_of.f != NULL || errno != 0) {
		refuse(file, text_of.f);
	}
	if (text_of.f != NULL && !(ok && copied))
		fclose(text_of.f);
	json_decref(root);
	return ok;
}

/* The label of a design: its netlist, its name, and the values that vary. */
static char *design_label(const json_t *one, const json_t *varied)
{
	const json_t *set = json_object_get(one, "set");
	char *label = text(one, "netlist"), *longer;
	const char *path, *design = json_string_value(json_object_get(one, "design"));
	json_t *v;

	if (design != NULL && design[0] != '\0') {
		longer = hd__join(label, " ", design);
		free(label);
		label = longer;
	}
	json_object_foreach((json_t *)set, path, v) {
		char *value;

		if (json_object_get(varied, path) == NULL)
			continue;
		value = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
		longer = hd__format("%s %s=%s", label, path, value);
		free(value);
		free(label);
		label = longer;
	}
	return label;
}

/* Adds a point of a folder that has a result. */
static bool add_point(struct study_sides *s, struct study_side *side, const struct study_folder *f,
                      const json_t *plan, size_t number, const char *label)
{
	const json_t *one = json_array_get(json_object_get(plan, "points"), number);
	const char *key = json_string_value(json_object_get(one, "key"));
	char *path = study_folder_point(f, key != NULL ? key : "");
	struct study_result result;
	bool ok = study_result_open(&result, path);
	json_t *statistics;
	struct study_run *run;

	if (!ok) {
		free(path);
		return false;
	}
	statistics = study_statistics_read(&result.statistics, NULL, NULL);
	run = add_run(side);
	run->file = path;
	run->point = true;
	run->trace = text(one, "trace");
	run->label = hd__join(label, " ", run->trace);
	run->status = text(result.point, "status");
	run->set = json_incref(json_object_get(one, "set"));
	ok = read_values(s, run, &result.statistics, statistics, 0);
	json_decref(statistics);
	study_result_close(&result);
	return ok;
}

static void read_meanings(struct study_names *names, const struct study_folder *f)
{
	json_decref(names->meanings);
	names->meanings = study_folder_read(f, "statistics.json");
}

/* Points of one design follow each other. */
static void read_points(struct study_sides *s, const struct study_folder *f, const json_t *plan, bool designs)
{
	const json_t *points = json_object_get(plan, "points"), *varied = json_object_get(plan, "varied"), *one;
	struct study_side *side = designs ? NULL : add_side(s, f->path);

	read_meanings(&s->names, f);
	for (size_t i = 0; i < json_array_size(points); i++) {
		char *label;

		one = json_array_get(points, i);
		label = design_label(one, varied);
		if (designs && (side == NULL || strcmp(side->label, label) != 0)) {
			side = add_side(s, label);
			side->netlist = text(one, "netlist");
			side->set = json_incref(json_object_get(one, "set"));
		}
		add_point(s, side, f, plan, i, label);
		free(label);
	}
}

/* "FOLDER:N".  Returns false after printing an error. */
static bool read_point(struct study_sides *s, const char *folder, const char *number)
{
	struct study_folder f = { .path = folder, .at = -1, .lock = -1 };
	json_t *plan = study_points_read(&f);
	size_t n = json_array_size(json_object_get(plan, "points"));
	unsigned long k = strtoul(number, NULL, 10);
	char *label;
	bool ok = false;

	if (plan != NULL && (k == 0 || k > n)) {
		fprintf(stderr, "heddle: %s: there is no point %s; expected a number from 1 to %zu\n", folder, number,
		        n);
	} else if (plan != NULL) {
		const json_t *one = json_array_get(json_object_get(plan, "points"), k - 1);

		read_meanings(&s->names, &f);
		label = design_label(one, json_object_get(plan, "varied"));
		ok = add_point(s, add_side(s, label), &f, plan, k - 1, label);
		free(label);
		if (!ok)
			fprintf(stderr, "heddle: %s: point %lu has no result yet; expected it after heddle sweep\n",
			        folder, k);
	}
	json_decref(plan);
	return ok;
}

/* "#2": a kernel of the file in front of it, by its row. */
static bool is_number(const char *hash)
{
	return hash != NULL && hash[1] >= '1' && hash[1] <= '9' && strlen(hash) < 10
	       && hash[1 + strspn(hash + 1, "0123456789")] == '\0';
}

static bool read_argument(struct study_sides *s, const char *argument, bool alone)
{
	const char *colon = strrchr(argument, ':'), *hash = strrchr(argument, '#');
	struct study_folder f = { .path = argument, .at = -1, .lock = -1 };
	struct stat st;
	json_t *plan;
	char *folder, *file;
	bool ok;

	if (stat(argument, &st) == 0 && !S_ISDIR(st.st_mode))
		return read_file(s, argument, argument, 0);
	if (stat(argument, &st) == 0) {
		plan = study_points_read(&f);
		if (plan != NULL)
			read_points(s, &f, plan, alone);
		ok = plan != NULL;
		json_decref(plan);
		return ok;
	}
	if (is_number(hash)) {
		file = hd__xstrndup(argument, (size_t)(hash - argument));
		ok = stat(file, &st) == 0 && !S_ISDIR(st.st_mode);
		if (ok)
			ok = read_file(s, argument, file, (unsigned)strtoul(hash + 1, NULL, 10));
		else
			fprintf(stderr, "heddle: %s: expected a file of statistics or a dump in front of '%s'\n",
			        argument, hash);
		free(file);
		return ok;
	}
	if (colon == NULL || colon[1] == '\0' || colon[1 + strspn(colon + 1, "0123456789")] != '\0') {
		fprintf(stderr, "heddle: %s: %s\n", argument, strerror(ENOENT));
		return false;
	}
	folder = hd__xstrndup(argument, (size_t)(colon - argument));
	ok = read_point(s, folder, colon + 1);
	free(folder);
	return ok;
}

bool study_sides_read(struct study_sides *s, const char *const *arguments, size_t n, bool all)
{
	*s = (struct study_sides){ .all = all,
		.names = { .numbers = json_object(), .kernels = json_object(), .units = json_object() } };
	for (size_t i = 0; i < n; i++)
		if (!read_argument(s, arguments[i], n == 1))
			return false;
	study_arrays_join(s);
	s->designs = n == 1;
	if (s->n >= 2)
		return true;
	fprintf(stderr, "heddle: %s: there is only one %s; expected another one to compare it with\n", arguments[0],
	        n == 1 && s->n == 1 && s->v[0].set != NULL ? "design" : "run");
	return false;
}

void study_sides_free(struct study_sides *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct study_side *side = &s->v[i];

		for (size_t k = 0; k < side->n; k++) {
			struct study_run *r = &side->runs[k];

			free(r->kernels);
			free(r->file);
			if (r->copy != NULL)
				fclose(r->copy);
			free(r->label);
			free(r->trace);
			free(r->status);
			free(r->v);
			json_decref(r->set);
			json_decref(r->arrays);
		}
		free(side->runs);
		free(side->label);
		free(side->netlist);
		json_decref(side->set);
	}
	free(s->v);
	study_arrays_free(&s->arrays);
	free(s->names.v);
	free(s->names.share);
	json_decref(s->names.meanings);
	json_decref(s->names.numbers);
	json_decref(s->names.kernels);
	json_decref(s->names.units);
}
