/* correlate_read.c - reads the list of programs that are held against hardware
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A point is made of an entry of the list and a row of a table of measurements: what the entry lacks is taken from the
 * row.  A table alone is a list with one entry, which the command line describes.
 */
#include "correlate.h"
#include "base/json_read.h"
#include "base/pointer.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "kernel/netlist/netlist.h"
#include "kernel_names.h"
#include "measured.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

const char *const correlate_classes[] = { "compute", "L1", "L2", "DRAM", "latency", "launch", NULL };

static const char *const point_members[] = { "name",   "doc",      "program", "arguments", "command", "cwd",
	                                     "inputs", "record",   "status",  "trace",     "kernel",  "launch",
	                                     "cycles", "measured", "class",   "others",    NULL };

/* Where an entry and a row come from, for messages and for names of files. */
struct place {
	struct correlate *c;
	struct hd_diags *d;
	const char *at;          /* the entry: pointer in the list, or NULL: the command line */
	const char *file;        /* of the row */
	int line;
};

/* An error of the point: at the entry's member if that has it, else at the row. */
static void bad(const struct place *p, const json_t *entry, const char *member, const char *fmt, ...) HD_PRINTF(4, 5);

static void bad(const struct place *p, const json_t *entry, const char *member, const char *fmt, ...)
{
	char *text, *at;
	va_list ap;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	if (p->at != NULL && (json_object_get(entry, member) != NULL || p->file == NULL)) {
		at = json_object_get(entry, member) != NULL ? hd__pointer_add(p->at, member) : hd__xstrdup(p->at);
		study_bad(&p->c->list, p->d, at, false, "%s", text);
		free(at);
	} else {
		hd__diag(p->d, HD_DIAG_ERROR, p->file, p->line, 1, "%s", text);
	}
	free(text);
}

static const json_t *get(const json_t *entry, const json_t *row, const char *member)
{
	const json_t *v = json_object_get(entry, member);

	return v != NULL ? v : json_object_get(row, member);
}

static const char *get_text(const json_t *entry, const json_t *row, const char *member)
{
	return json_string_value(get(entry, row, member));
}

/* ---- traces ---- */

/* The words of a command: blanks divide them, but not in quotes.  NULL: a quote has no end. */
static json_t *words_of(const char *text)
{
	json_t *words = json_array();

	while (*(text += strspn(text, " \t")) != '\0') {
		char *word = hd__xcalloc(strlen(text) + 1, 1), *to = word, quote = '\0';

		for (; *text != '\0' && (quote != '\0' || !strchr(" \t", *text)); text++) {
			if (quote == '\0' && strchr("'\"", *text) != NULL)
				quote = *text;
			else if (*text == quote)
				quote = '\0';
			else
				*to++ = *text;
		}
		json_array_append_new(words, json_string(word));
		free(word);
		if (quote != '\0') {
			json_decref(words);
			return NULL;
		}
	}
	return words;
}

/* The number of the trace, which is added unless it is there; takes over its members. */
static size_t add_trace(struct correlate *c, struct correlate_trace *t)
{
	json_t *what = t->command != NULL
	               ? json_pack("[O, s, s, i, O]", t->command, t->folder, t->record != NULL ? t->record : "",
	                           t->status, t->inputs != NULL ? t->inputs : json_null()) : json_pack("[s]", t->file);
	char *key = hd__xcheck(json_dumps(what, JSON_COMPACT));
	const json_t *number = json_object_get(c->by_trace, key);
	size_t i = number != NULL ? (size_t)json_integer_value(number) : c->ntraces;

	if (number == NULL) {
		json_object_set_new(c->by_trace, key, json_integer((json_int_t)i));
		c->traces = hd__xappend(c->traces, c->ntraces, sizeof *c->traces);
		c->traces[c->ntraces++] = *t;
	} else {
		free(t->file);
		free(t->folder);
		free(t->record);
		json_decref(t->command);
		json_decref(t->inputs);
	}
	free(key);
	json_decref(what);
	return i;
}

/* The files that the program reads, named as it would find them. */
static json_t *inputs_of(const struct place *p, const json_t *entry, const char *folder)
{
	const json_t *list = json_object_get(entry, "inputs"), *v;
	json_t *names = json_array();
	size_t i;

	json_array_foreach((json_t *)list, i, v) {
		char *name = json_is_string(v) ? study_below(folder, json_string_value(v)) : NULL;

		if (name == NULL)
			bad(p, entry, "inputs", "'inputs': expected a list of names of files");
		else
			json_array_append_new(names, json_string(name));
		free(name);
	}
	if (list != NULL && !json_is_array(list))
		bad(p, entry, "inputs", "'inputs': expected a list of names of files");
	return names;
}

/* SIZE_MAX after reporting an error. */
static size_t program_of(const struct place *p, const json_t *entry, const json_t *row, const char *folder)
{
	const json_t *v = get(entry, row, "command"), *status = json_object_get(entry, "status"), *word;
	const char *cwd = get_text(entry, row, "cwd"), *record = get_text(entry, row, "record");
	json_t *command = json_is_string(v) ? words_of(json_string_value(v)) : json_deep_copy(v);
	struct correlate_trace t = { .command = command };
	char buf[80];
	size_t i;
	bool ok = json_array_size(command) > 0;

	json_array_foreach(command, i, word)
		ok = ok && json_is_string(word);
	if (!ok)
		bad(p, entry, "command", "'command': expected a program and its arguments, a list of texts");
	if (record != NULL && !study_is_range(record)) {
		bad(p, entry, "record", "'record': '%s' is not a range of launches; expected N, N-M or N-, from 1",
		    record);
		ok = false;
	}
	if (status != NULL && !(json_is_integer(status) && json_integer_value(status) >= 0
	                        && json_integer_value(status) <= 255)) {
		bad(p, entry, "status", "'status': expected an exit status, an integer 0..255, found %s",
		    hd__found(status, buf, sizeof buf));
		ok = false;
	}
	if (!ok) {
		json_decref(command);
		return SIZE_MAX;
	}
	t.folder = cwd != NULL ? study_below(folder, cwd) : hd__xstrdup(folder[0] != '\0' ? folder : ".");
	t.status = (int)json_integer_value(status);
	t.record = record != NULL ? hd__xstrdup(record) : NULL;
	cwd = t.folder[strlen(t.folder) - 1] == '/' ? "" : "/";
	folder = hd__join(t.folder, cwd, "");
	t.inputs = inputs_of(p, entry, folder);
	free((char *)folder);
	return add_trace(p->c, &t);
}

static size_t trace_of(const struct place *p, const json_t *entry, const json_t *row)
{
	bool of_row = json_object_get(entry, "trace") == NULL && json_object_get(entry, "command") == NULL;
	char *folder = of_row && p->file != NULL ? study_folder_of(p->file)
	               : hd__xstrdup(p->at != NULL ? p->c->list.folder : "");
	const json_t *from = of_row ? row : entry;
	const char *trace = json_string_value(json_object_get(from, "trace"));
	bool program = json_object_get(from, "command") != NULL;
	size_t number = SIZE_MAX;

	if (trace != NULL && program) {
		bad(p, entry, "trace", "a point with 'trace' and 'command'; expected one of them");
	} else if (trace != NULL) {
		struct correlate_trace t = { .file = study_below(folder, trace) };

		number = add_trace(p->c, &t);
	} else if (program) {
		number = program_of(p, entry, row, folder);
	} else {
		bad(p, entry, "name", "a point without 'trace' and 'command'; expected %s", p->at != NULL
		    ? "one of them" : "one of these columns, or --trace FILE, or -- PROGRAM");
	}
	free(folder);
	return number;
}

/* ---- points ---- */

/* Which launches: N, "all", "mean".  What tables have for these is accepted: "mean of 6", "-". */
static void read_launch(const struct place *p, const json_t *entry, const json_t *row, struct correlate_point *to)
{
	const json_t *v = get(entry, row, "launch");
	const char *text = json_string_value(v);
	char *end = NULL, buf[80];

	to->mode = CORRELATE_ALL;
	if (v == NULL || (text != NULL && (strcmp(text, "all") == 0 || strcmp(text, "-") == 0)))
		return;
	if (text != NULL && strncmp(text, "mean", 4) == 0) {
		to->mode = CORRELATE_MEAN;
		return;
	}
	to->mode = CORRELATE_ONE;
	to->launch = (uint64_t)json_integer_value(v);
	if (text != NULL && text[strspn(text, "0123456789")] == '\0' && strlen(text) < 19)
		to->launch = strtoull(text, &end, 10);
	if (end == NULL && !(json_is_integer(v) && json_integer_value(v) >= 0))
		bad(p, entry, "launch",
		    "'launch': expected the number of a launch, from 0, or \"all\" or \"mean\", found %s",
		    hd__found(v, buf, sizeof buf));
}

static void read_class(const struct place *p, const json_t *entry, const json_t *row, struct correlate_point *to)
{
	const char *class = get_text(entry, row, "class");
	char buf[200];

	to->class = -1;
	for (int i = 0; class != NULL && i < CORRELATE_CLASSES; i++)
		if (strcasecmp(class, correlate_classes[i]) == 0)
			to->class = i;
	to->class_given = to->class >= 0;
	if (class != NULL && to->class < 0)
		bad(p, entry, "class", "'class': '%s' is none%s", class,
		    hd__suggest(class, correlate_classes, CORRELATE_CLASSES, "expected one of", buf, sizeof buf));
}

/* Cycles of other simulators, those of the entry above those of the row. */
static void read_others(const struct place *p, const json_t *entry, const json_t *row, struct correlate_point *to)
{
	json_t *own = json_object_get(entry, "others"), *v;
	const char *name;

	to->others =
		json_object_get(row, "others") != NULL ? json_deep_copy(json_object_get(row, "others")) : json_object();
	if (own != NULL && !json_is_object(own))
		bad(p, entry, "others", "'others': expected an object of names and cycles");
	json_object_foreach(own, name, v) {
		if (json_number_value(v) > 0)
			json_object_set_new(to->others, name, json_real(json_number_value(v)));
		else
			bad(p, entry, "others", "'others': cycles of '%s': expected a number above 0", name);
	}
}

/* The name of the program and what tells its points apart. */
static void name_point(const json_t *entry, const json_t *row, struct correlate_point *to, bool one)
{
	const char *given = get_text(entry, row, "name");
	char *base = to->kernel != NULL ? kernel_base(to->kernel) : NULL, *name;
	char launch[32] = "";

	if (to->mode == CORRELATE_ONE)
		snprintf(launch, sizeof launch, " %" PRIu64, to->launch);
	name = given != NULL ? hd__xstrdup(given)
	                     : hd__join(to->program, to->arguments[0] != '\0' ? " " : "", to->arguments);
	if (given == NULL || !one)
		to->name = hd__format("%s%s%s%s", name,
		                      base != NULL ? ": "
		                      : launch[0]  ? ":"
		                                   : "",
		                      base != NULL ? base : "", launch);
	else
		to->name = hd__xstrdup(name);
	for (char *p = to->name; *p != '\0'; p++)
		for (size_t bytes = hd__control(p); bytes > 0; bytes--)
			p[bytes - 1] = '?';
	free(name);
	free(base);
}

/* Of an export; a table has none. */
static void read_size(const json_t *row, const char *name, struct correlate_size *to)
{
	for (size_t i = 0; i < 3; i++)
		to->v[i] = (uint32_t)json_integer_value(json_array_get(json_object_get(row, name), i));
}

static void add_point(const struct place *p, const json_t *entry, const json_t *row, bool one)
{
	const char *declared = json_string_value(json_object_get(row, "declared"));
	const char *kernel = get_text(declared != NULL ? NULL : entry, row, "kernel");
	const char *program = get_text(entry, row, "program");
	const char *arguments = get_text(entry, row, "arguments"), *name;
	json_t *v;
	struct correlate_point to = { .trace = trace_of(p, entry, row) };
	const struct correlate_trace *t = to.trace != SIZE_MAX ? &p->c->traces[to.trace] : NULL;

	/* "(sum over all launches)" names none */
	to.kernel = kernel != NULL && kernel[0] != '(' && strcmp(kernel, "all") != 0 ? hd__xstrdup(kernel) : NULL;
	to.declared = declared != NULL ? hd__xstrdup(declared) : NULL;
	to.arguments = hd__xstrdup(arguments != NULL ? arguments : "");
	to.program = program != NULL ? hd__xstrdup(program) : t == NULL ? hd__xstrdup("?")
	             : study_short_name(t->file != NULL ? t->file : json_string_value(json_array_get(t->command, 0)));
	to.hardware = json_number_value(get(entry, row, "cycles"));
	if (json_object_get(entry, "cycles") != NULL && !(to.hardware > 0 && to.hardware < 1e15))
		bad(p, entry, "cycles", "'cycles': expected a number above 0");
	read_size(row, "grid", &to.sizes[CORRELATE_GRID]);
	read_size(row, "block", &to.sizes[CORRELATE_BLOCK]);
	read_launch(p, entry, row, &to);
	read_class(p, entry, row, &to);
	read_others(p, entry, row, &to);
	json_object_foreach(to.others, name, v)
		if (json_object_get(p->c->others, name) == NULL) /* it is a column of the output then */
			json_object_set_new(p->c->others, name, json_null());
	name_point(entry, row, &to, one);
	p->c->v = hd__xappend(p->c->v, p->c->n, sizeof *p->c->v);
	p->c->v[p->c->n++] = to;
}

/* ---- tables ---- */

/* Numbers become texts, as tables have them. */
static json_t *texts_of(const struct correlate *c, const json_t *o, const char *at, struct hd_diags *d)
{
	json_t *to = json_object(), *v;
	const char *name;
	char number[40];

	json_object_foreach((json_t *)o, name, v) {
		snprintf(number, sizeof number, "%.15g", json_number_value(v));
		if (json_is_string(v) || json_is_number(v))
			json_object_set_new(to, name, json_string(json_is_string(v) ? json_string_value(v) : number));
		else
			study_bad(&c->list, d, at, false, "'%s': expected a text or a number", name);
	}
	return to;
}

/* The member "clock_mhz" of the object; `otherwise`: there is none. */
static double read_clock(const struct correlate *c, const json_t *o, const char *at, double otherwise,
                         struct hd_diags *d)
{
	const json_t *v = json_object_get(o, "clock_mhz");
	char *place = hd__pointer_add(at, "clock_mhz");

	if (v != NULL && !(json_number_value(v) > 0 && json_number_value(v) < 1e6))
		study_bad(&c->list, d, place, false, "'clock_mhz': expected a number above 0");
	free(place);
	return v != NULL ? json_number_value(v) : otherwise;
}

/* One table of "measured": a name, or an object.  A list of rows, which have their "file"; NULL after an error. */
static json_t *read_one(const struct correlate *c, const json_t *v, const char *at, struct hd_diags *d)
{
	static const char *const members[] = {
		"file", "columns", "values", "where", "metric", "clock_mhz", "doc", NULL
	};
	const char *file = json_is_object(v) ? json_string_value(json_object_get(v, "file")) : json_string_value(v);
	struct measured_form form = { .others = c->others, .mhz = c->mhz, .found = c->found };
	json_t *rows = NULL, *row, *values, *where;
	size_t i, errors = d->errors;
	char *path;

	if (json_is_object(v))
		study_members(&c->list, d, v, at, "a table", members);
	if (file == NULL) {
		study_bad(&c->list, d, at, false, "expected the name of a table, or an object with its 'file'");
		return NULL;
	}
	form.columns = study_member(&c->list, d, v, at, "columns", JSON_ARRAY, "a list of names of columns");
	values = study_member(&c->list, d, v, at, "values", JSON_OBJECT, "an object of columns and values");
	where = study_member(&c->list, d, v, at, "where", JSON_OBJECT, "an object of columns and values");
	form.metric =
		json_string_value(study_member(&c->list, d, v, at, "metric", JSON_STRING, "the name of a metric"));
	form.mhz = read_clock(c, v, at, c->mhz, d);
	json_array_foreach((json_t *)form.columns, i, row)
		if (!json_is_string(row))
			study_bad(&c->list, d, at, false, "'columns': expected names, texts");
	form.values = values = texts_of(c, values, at, d);
	form.where = where = texts_of(c, where, at, d);
	path = study_below(c->list.folder, file);
	form.file = path;
	if (d->errors == errors)
		rows = measured_read(&form, d);
	json_array_foreach(rows, i, row)
		json_object_set_new(row, "file", json_string(path));
	free(path);
	json_decref(values);
	json_decref(where);
	return rows;
}

/* The rows of all tables that `v` names; an empty list if it is NULL. */
static json_t *read_tables(const struct correlate *c, const json_t *v, const char *at, struct hd_diags *d)
{
	json_t *all = json_array(), *one, *rows;
	size_t i;

	if (json_is_array(v)) {
		json_array_foreach((json_t *)v, i, one) {
			rows = read_one(c, one, at, d);
			if (rows != NULL)
				json_array_extend(all, rows);
			json_decref(rows);
		}
	} else if (v != NULL) {
		rows = read_one(c, v, at, d);
		if (rows != NULL)
			json_array_extend(all, rows);
		json_decref(rows);
	}
	return all;
}

/* Has the row the value that the entry has, or one of them none? */
static bool agrees(const json_t *entry, const json_t *row, const char *member)
{
	const json_t *a = json_object_get(entry, member), *b = json_object_get(row, member);
	char number[24];

	if (a == NULL || b == NULL)
		return true;
	if (json_is_integer(a) && json_is_integer(b))
		return json_integer_value(a) == json_integer_value(b);
	snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(json_is_integer(a) ? a : b));
	return strcmp(json_is_string(a) ? json_string_value(a) : number,
	              json_is_string(b) ? json_string_value(b) : number)
	       == 0;
}

/* Is it a measurement of the entry? */
static bool belongs(const json_t *entry, const json_t *row)
{
	const char *wanted = json_string_value(json_object_get(entry, "kernel"));
	const char *declared = json_string_value(json_object_get(row, "declared"));
	const char *kernel = declared != NULL ? declared : json_string_value(json_object_get(row, "kernel"));

	return agrees(entry, row, "program") && agrees(entry, row, "arguments") && agrees(entry, row, "launch")
	       && (wanted == NULL || kernel == NULL || kernel_fits(wanted, kernel) || kernel_fits(kernel, wanted));
}

static bool is_of_program(const json_t *entry, const json_t *row)
{
	return json_object_get(entry, "program") != NULL || json_object_get(row, "program") == NULL;
}

/* ---- the list ---- */

static void add_points(struct place *p, const json_t *entry, const json_t *rows, bool own)
{
	size_t i, n = 0;
	json_t *row;

	json_array_foreach((json_t *)rows, i, row)
		n += (own || is_of_program(entry, row)) && belongs(entry, row);
	json_array_foreach((json_t *)rows, i, row) {
		if (!(own || is_of_program(entry, row)) || !belongs(entry, row))
			continue;
		p->file = json_string_value(json_object_get(row, "file"));
		p->line = (int)json_integer_value(json_object_get(row, "line"));
		add_point(p, entry, row, n == 1);
	}
	p->file = NULL;
	if (n == 0)
		add_point(p, entry, NULL, true);
}

static void read_point(struct correlate *c, const json_t *entry, const char *at, const json_t *rows, struct hd_diags *d)
{
	static const char *const texts[] = { "name",  "program", "arguments", "cwd", "record",
		                             "trace", "kernel",  "class",     NULL };
	struct place p = { .c = c, .d = d, .at = at };
	const json_t *measured = json_object_get(entry, "measured");
	size_t errors = d->errors;
	json_t *own;
	char *place;

	if (!json_is_object(entry)) {
		study_bad(&c->list, d, at, false, "expected a point, an object");
		return;
	}
	study_members(&c->list, d, entry, at, "a point", point_members);
	for (const char *const *name = texts; *name != NULL; name++)
		study_member(&c->list, d, entry, at, *name, JSON_STRING, "a text");
	if (measured != NULL && json_object_get(entry, "cycles") != NULL)
		study_bad(&c->list, d, at, false, "a point with 'cycles' and 'measured'; expected one of them");
	if (d->errors > errors)
		return;
	place = hd__pointer_add(at, "measured");
	own = read_tables(c, measured, place, d);
	free(place);
	if (d->errors == errors && measured != NULL && json_array_size(own) == 0)
		study_bad(&c->list, d, at, false, "'measured': the tables have no row");
	if (d->errors == errors && json_object_get(entry, "cycles") != NULL)
		add_point(&p, entry, NULL, true);
	else if (d->errors == errors)
		add_points(&p, entry, measured != NULL ? own : rows, measured != NULL);
	json_decref(own);
}

static void read_points(struct correlate *c, const json_t *rows, struct hd_diags *d)
{
	json_t *list = study_member(&c->list, d, c->list.root, "", "points", JSON_ARRAY, "a list"), *v;
	size_t i;

	if (json_object_get(c->list.root, "points") == NULL || (list != NULL && json_array_size(list) == 0))
		study_bad(&c->list, d, list != NULL ? "/points" : "", false,
		          "the list has no points; expected a list \"points\" "
		          "with a program or a trace each");
	json_array_foreach(list, i, v) {
		char *at = hd__numbered("/points/", i, "");

		read_point(c, v, at, rows, d);
		free(at);
	}
}

static void add_set(struct correlate *c, const char *set)
{
	c->sets = hd__xappend(c->sets, c->nsets, sizeof *c->sets);
	c->sets[c->nsets++] = hd__xstrdup(set);
}

static void read_sets(struct correlate *c, struct hd_diags *d)
{
	json_t *set = study_member(&c->list, d, c->list.root, "", "set", JSON_OBJECT, "an object of paths and values"),
	       *v;
	const char *path;

	json_object_foreach(set, path, v) {
		char *value = hd__xcheck(json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT)),
		     *text = hd__join(path, "=", value);

		add_set(c, text);
		free(text);
		free(value);
	}
}

static void read_columns(struct correlate *c, struct hd_diags *d)
{
	json_t *others =
		study_member(&c->list, d, c->list.root, "", "others", JSON_OBJECT, "an object of names and columns");
	json_t *v;
	const char *name;

	json_object_foreach(others, name, v) {
		if (json_is_string(v) && json_object_get(c->others, name) == NULL) /* else --other has another column */
			json_object_set(c->others, name, v);
		else if (!json_is_string(v))
			study_bad(&c->list, d, "/others", false, "'%s': expected the name of a column", name);
	}
}

static void read_list(struct correlate *c, struct hd_diags *d)
{
	static const char *const members[] = { "correlate", "name",      "doc",    "netlist", "set",
		                               "gpu",       "clock_mhz", "others", "limits",  "measured",
		                               "points",    "$schema",   NULL };
	const struct study *s = &c->list;
	json_t *version = json_object_get(s->root, "correlate"), *v, *rows;
	size_t errors = d->errors;
	double mhz;

	if (json_object_get(s->root, "heddle") != NULL || json_object_get(s->root, "study") != NULL) {
		study_bad(s, d, "", false, "this is a %s; expected a list of programs, with \"correlate\": 1",
		          json_object_get(s->root, "heddle") != NULL ? "netlist" : "study");
		return;
	}
	study_members(s, d, s->root, "", "the list", members);
	if (json_integer_value(version) != 1)
		study_bad(s, d, version != NULL ? "/correlate" : "", false,
		          "expected \"correlate\": 1, the version of the format");
	v = study_member(s, d, s->root, "", "name", JSON_STRING, "a text");
	if (v != NULL) {
		free(c->list.name);
		c->list.name = hd__xstrdup(json_string_value(v));
	}
	if (!study_is_file_name(c->list.name))
		study_bad(s, d, v != NULL ? "/name" : "", false,
		          "bad name '%s' of a list, whose results are in the folder NAME.results; expected 1 to %u "
		          "characters without '/', not a dot or a hyphen at first",
		          c->list.name, HD_NAME_MAX);
	c->list.doc = json_string_value(study_member(s, d, s->root, "", "doc", JSON_STRING, "a text"));
	v = study_member(s, d, s->root, "", "netlist", JSON_STRING, "the name of a netlist");
	if (v != NULL && c->netlist == NULL)
		c->netlist = hd__data_path(s->file, json_string_value(v));
	v = study_member(s, d, s->root, "", "gpu", JSON_STRING, "the name of a GPU");
	c->gpu = c->gpu != NULL ? c->gpu : json_string_value(v);
	mhz = read_clock(c, s->root, "", 0, d);
	c->mhz = c->mhz > 0 ? c->mhz : mhz;
	read_sets(c, d);
	study_read_limits(&c->list, d);
	read_columns(c, d);
	if (d->errors > errors)
		return;
	rows = read_tables(c, json_object_get(s->root, "measured"), "/measured", d);
	if (d->errors == errors)
		read_points(c, rows, d);
	json_decref(rows);
}

/* A table of measurements: its rows are the points. */
static void read_rows(struct correlate *c, const struct correlate_given *g, struct hd_diags *d)
{
	struct measured_form form = { .file = c->list.file, .others = c->others, .metric = g->metric, .mhz = c->mhz,
		                      .found = c->found };
	struct place p = { .c = c, .d = d, .file = c->list.file };
	json_t *rows = measured_read(&form, d), *row, *entry = json_object(), *words = json_array();
	size_t i;

	for (size_t k = 0; g->program != NULL && g->program[k] != NULL; k++)
		if (json_array_append_new(words, json_string(g->program[k])) != 0)
			hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "an argument of the program is not UTF-8");
	if (g->program != NULL)
		json_object_set(entry, "command", words);
	if (g->trace != NULL)
		json_object_set_new(entry, "trace", json_string(g->trace));
	json_array_foreach(rows, i, row) {
		p.line = (int)json_integer_value(json_object_get(row, "line"));
		add_point(&p, entry, row, false);
	}
	if (rows != NULL && json_array_size(rows) == 0)
		hd__diag(d, HD_DIAG_ERROR, c->list.file, 0, 0, "the table has no rows");
	json_decref(words);
	json_decref(entry);
	json_decref(rows);
}

/* Does the file begin as JSON does? */
static bool is_json(const char *text, size_t n)
{
	size_t i = 0;

	while (i < n && strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0')
		i++;
	return i < n && text[i] == '{';
}

/* Tells points of one name apart. */
static void number_names(struct correlate *c)
{
	json_t *seen = json_object();

	for (size_t i = 0; i < c->n; i++) {
		struct correlate_point *p = &c->v[i];
		json_int_t n = json_integer_value(json_object_get(seen, p->name)) + 1;
		char *other;

		json_object_set_new_nocheck(seen, p->name, json_integer(n));
		if (n == 1)
			continue;
		other = hd__format("%s (%lld)", p->name, (long long)n);
		free(p->name);
		p->name = other;
	}
	json_decref(seen);
}

/* Outputs have the names of files, and JSON has UTF-8 only. */
static void check_names(const struct correlate *c, const struct correlate_given *g, struct hd_diags *d)
{
	const char *const names[] = { c->list.file, c->netlist, g->trace };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		json_t *text = names[i] != NULL ? json_string(names[i]) : json_null();

		if (text == NULL)
			hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "the name of a file is not UTF-8: '%s'", names[i]);
		json_decref(text);
	}
}

/* Reports columns of other simulators that no table has. */
static void check_others(const struct correlate *c, struct hd_diags *d)
{
	const char *name;
	json_t *v;

	json_object_foreach(c->others, name, v)
		if (json_is_string(v) && json_object_get(c->found, json_string_value(v)) == NULL)
			hd__diag(d, HD_DIAG_ERROR, c->list.file, 0, 0,
			         "no table has the column '%s' for the cycles by '%s'", json_string_value(v), name);
}

static bool take_given(struct correlate *c, const struct correlate_given *g, struct hd_diags *d)
{
	for (size_t i = 0; i < g->nothers; i++) {
		const char *equal = strchr(g->others[i], '=');
		char *name = equal != NULL ? hd__xstrndup(g->others[i], (size_t)(equal - g->others[i]))
		                           : hd__xstrdup(g->others[i]);

		if (json_object_get(c->others, name) != NULL)
			hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "--other: '%s' has two columns; expected one", name);
		if (json_object_set_new(c->others, name, json_string(equal != NULL ? equal + 1 : g->others[i])) != 0)
			hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "--other: the name is not UTF-8");
		free(name);
	}
	c->netlist = g->netlist != NULL ? hd__data_path(NULL, g->netlist) : NULL;
	c->gpu = g->gpu;
	c->mhz = g->mhz;
	check_names(c, g, d);
	return d->errors == 0;
}

/* ".json", ".csv": the file is named without these. */
static char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file, *dot = strrchr(base, '.');

	return dot != NULL && dot > base ? hd__xstrndup(base, (size_t)(dot - base)) : hd__xstrdup(base);
}

bool correlate_read(struct correlate *c, const char *file, const struct correlate_given *g, struct hd_diags *d)
{
	struct study *s = &c->list;
	size_t length;

	*c = (struct correlate){ .others = json_object(), .found = json_object(), .by_trace = json_object() };
	s->file = hd__xstrdup(file);
	s->folder = study_folder_of(file);
	s->name = base_name(file);
	s->text = hd__read_file(file, &length);
	if (s->text == NULL) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "cannot read the list: %s", hd__input_why(errno));
		return false;
	}
	if (!take_given(c, g, d))
		return false;
	if (!is_json(s->text, length)) {
		read_rows(c, g, d);
	} else if (g->trace != NULL || g->program != NULL || g->metric != NULL) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0,
		         "is a list, whose points name their programs; expected %s with a table of "
		         "measurements only",
		         g->metric != NULL  ? "--metric"
		         : g->trace != NULL ? "--trace"
		                            : "-- PROGRAM");
	} else {
		s->root = hd__json_parse(file, s->text, length, d);
		if (s->root != NULL)
			read_list(c, d);
	}
	for (size_t i = 0; i < g->nsets; i++)
		add_set(c, g->sets[i]);
	if (d->errors == 0)
		check_others(c, d);
	if (d->errors == 0 && c->netlist == NULL)
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "there is no netlist; expected %s--netlist FILE",
		         s->root != NULL ? "a member \"netlist\" or " : "");
	number_names(c);
	return d->errors == 0;
}

void correlate_free(struct correlate *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct correlate_point *p = &c->v[i];

		free(p->name);
		free(p->program);
		free(p->arguments);
		free(p->kernel);
		free(p->declared);
		free(p->why);
		free(p->page);
		free(p->counts);
		json_decref(p->others);
		json_decref(p->sums.rates);
	}
	for (size_t i = 0; i < c->ntraces; i++) {
		struct correlate_trace *t = &c->traces[i];

		for (size_t k = 0; k < t->n; k++)
			free(t->kernels[k]);
		free(t->kernels);
		free(t->sizes);
		free(t->file);
		free(t->folder);
		free(t->record);
		free(t->why);
		json_decref(t->command);
		json_decref(t->inputs);
	}
	for (size_t i = 0; i < c->nsets; i++)
		free(c->sets[i]);
	free(c->sets);
	free(c->v);
	free(c->traces);
	free(c->netlist);
	free(c->machine);
	json_decref(c->others);
	json_decref(c->found);
	json_decref(c->by_trace);
	json_decref(c->list.root);
	free(c->list.file);
	free(c->list.folder);
	free(c->list.name);
	free(c->list.text);
}
