/* study_read.c - reads the file of a study
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study.h"
#include "base/json_read.h"
#include "base/pointer.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "kernel/netlist/netlist.h"

#include <errno.h>
#include <unistd.h>

#define PIECES 16 /* of a list, if the study does not say */

/* ---- netlists ------------------------------------------------------------------------------ */

/* The name of a file without folder and ".json". */
static char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file;
	size_t n = strlen(base);

	if (n > 5 && strcmp(base + n - 5, ".json") == 0)
		n -= 5;
	return hd__xstrndup(base, n);
}

bool study_is_file_name(const char *name)
{
	return name[0] != '\0' && name[0] != '.' && name[0] != '-' && strlen(name) <= HD_NAME_MAX
	       && name[strcspn(name, "/\n\t\\\"")] == '\0';
}

static void check_name(const struct study *s, struct hd_diags *d, size_t number)
{
	const struct study_netlist *n = &s->netlists[number];

	if (!study_is_file_name(n->name)) /* in the folder of results */
		study_bad(s, d, n->at, false, "bad name '%s' of a netlist; expected 1 to %u characters without '/', "
		          "not a dot or a hyphen at first", n->name, HD_NAME_MAX);
	for (size_t i = 0; i < number; i++) {
		if (strcmp(s->netlists[i].name, n->name) == 0) {
			study_bad(s, d, n->at, false, "two netlists have the name '%s'; expected a member \"name\" "
			          "that tells them apart", n->name);
			return;
		}
	}
}

static void find_file(const struct study *s, struct study_netlist *n, const char *name, const char *at,
                      struct hd_diags *d)
{
	n->file = hd__data_path(s->file, name);
	if (access(n->file, R_OK) == 0)
		return;
	study_bad(s, d, at, false, "cannot read the netlist '%s': %s", n->file, strerror(errno));
}

static void read_import(struct study *s, struct study_netlist *n, const json_t *o, const char *at,
                        struct hd_diags *d)
{
	char *place = hd__pointer_add(at, "import"), *option;
	json_t *one_sm = study_member(s, d, o, at, "one_sm", JSON_TRUE, "true or false"), *v;
	const char *key;

	if (study_is_texts(s, d, json_object_get(o, "import"), place,
	                   "the name of an option file or folder, or a list of them"))
		n->import = json_object_get(o, "import");
	free(place);
	n->one_sm = json_is_true(one_sm);
	n->options = study_member(s, d, o, at, "options", JSON_OBJECT, "an object of options and values");
	place = hd__pointer_add(at, "options");
	json_object_foreach(n->options, key, v) {
		option = hd__pointer_add(place, key);
		if (!json_is_string(v))
			study_bad(s, d, option, false, "value of option '%s': expected a string, as in the option "
			          "file", key);
		if (key[0] != '-')
			study_bad(s, d, option, true, "option '%s': expected a name that begins with '-'", key);
		free(option);
	}
	free(place);
}

static void read_object(struct study *s, struct study_netlist *n, const json_t *o, const char *at,
                        struct hd_diags *d)
{
	static const char *const members[] = { "file", "import", "options", "one_sm", "name", "set", "doc", NULL };
	json_t *file = study_member(s, d, o, at, "file", JSON_STRING, "the name of a netlist");
	json_t *name = study_member(s, d, o, at, "name", JSON_STRING, "a string");
	json_t *set = study_member(s, d, o, at, "set", JSON_OBJECT, "an object of paths and values"), *alone;
	char *place;

	study_members(s, d, o, at, "a netlist", members);
	n->name = name != NULL ? hd__xstrdup(json_string_value(name))
	        : file != NULL ? base_name(json_string_value(file)) : hd__xstrdup("imported");
	if (json_object_get(o, "import") != NULL)
		read_import(s, n, o, at, d);
	alone = json_object_get(o, "options") != NULL ? json_object_get(o, "options") : json_object_get(o, "one_sm");
	if ((json_object_get(o, "file") != NULL) == (json_object_get(o, "import") != NULL))
		study_bad(s, d, at, false, "expected either \"file\" or \"import\" in a netlist");
	else if (alone != NULL && json_object_get(o, "file") != NULL)
		study_bad(s, d, at, false, "\"options\" and \"one_sm\" are for \"import\"; expected \"set\"");
	if (file != NULL) {
		place = hd__pointer_add(at, "file");
		find_file(s, n, json_string_value(file), place, d);
		free(place);
	}
	place = hd__pointer_add(at, "set");
	study_read_set(s, &n->factors, set, place, d);
	free(place);
}

static void read_netlists(struct study *s, json_t *list, struct hd_diags *d)
{
	char buf[80];
	json_t *v;
	size_t i;

	s->netlists = hd__xcalloc(json_array_size(list), sizeof *s->netlists);
	json_array_foreach(list, i, v) {
		struct study_netlist *n = &s->netlists[i];

		n->at = hd__numbered("/netlists/", i, "");
		s->nnetlists = i + 1;
		if (json_is_object(v)) {
			read_object(s, n, v, n->at, d);
		} else if (json_is_string(v)) {
			n->name = base_name(json_string_value(v));
			find_file(s, n, json_string_value(v), n->at, d);
		} else {
			n->name = hd__numbered("", i, "");
			study_bad(s, d, n->at, false, "expected the name of a netlist, or an object; found %s",
			          hd__found(v, buf, sizeof buf));
			continue;
		}
		check_name(s, d, i);
	}
}

/* ---- the whole ----------------------------------------------------------------------------- */

void study_read_limits(struct study *s, struct hd_diags *d)
{
	static const char *const members[] = { "seconds", "megabytes", NULL };
	json_t *o = study_member(s, d, s->root, "", "limits", JSON_OBJECT, "an object"), *v;

	study_members(s, d, o, "/limits", "\"limits\"", members);
	v = json_object_get(o, "seconds");
	s->seconds = json_number_value(v);
	if (v != NULL && !(s->seconds > 0 && s->seconds <= 1e9))
		study_bad(s, d, "/limits/seconds", false, "'seconds': expected a number above 0, at most 10^9");
	v = json_object_get(o, "megabytes");
	if (v != NULL && (!json_is_integer(v) || json_integer_value(v) < 1 || json_integer_value(v) > 1 << 30))
		study_bad(s, d, "/limits/megabytes", false, "'megabytes': expected an integer 1..2^30");
	else
		s->megabytes = (uint64_t)json_integer_value(v);
}

/* Lists that are simulated in parts. */
static void read_split(struct study *s, struct hd_diags *d)
{
	const json_t *split = study_member(s, d, s->root, "", "split", JSON_STRING, "\"kernels\"");
	const json_t *pieces = study_member(s, d, s->root, "", "pieces", JSON_INTEGER, "an integer 1..1000000");

	s->fresh = json_is_true(study_member(s, d, s->root, "", "fresh", JSON_TRUE, "true or false"));
	s->once = json_is_true(study_member(s, d, s->root, "", "once", JSON_TRUE, "true or false"));
	if (split != NULL && strcmp(json_string_value(split), "kernels") != 0)
		study_bad(s, d, "/split", false, "'split': expected \"kernels\", found \"%s\"",
		          json_string_value(split));
	if (pieces != NULL && split == NULL)
		study_bad(s, d, "/pieces", true, "'pieces': expected \"split\": \"kernels\" as well");
	if (pieces != NULL && (json_integer_value(pieces) < 1 || json_integer_value(pieces) > STUDY_MOST_POINTS))
		study_bad(s, d, "/pieces", false, "'pieces': expected an integer 1..1000000");
	if ((s->reasons || s->energy != NULL) && (split != NULL || s->fresh || s->once))
		study_bad(s, d, s->reasons ? "/reasons" : "/energy", true, "'%s' and '%s': expected one of them",
		          s->reasons ? "reasons" : "energy", split != NULL ? "split" : s->fresh ? "fresh" : "once");
	s->pieces = split == NULL ? 0 : pieces != NULL ? (uint64_t)json_integer_value(pieces) : PIECES;
}

/* A list that the study must have. */
static json_t *required(const struct study *s, const char *name, const char *of, struct hd_diags *d)
{
	json_t *v = study_member(s, d, s->root, "", name, JSON_ARRAY, "a list");
	json_t *given = json_object_get(s->root, name);
	char *at = hd__pointer_add("", name);

	if (given == NULL)
		study_bad(s, d, "", false, "the study has no member '%s'; expected a list of %s", name, of);
	else if (v != NULL && json_array_size(v) == 0)
		study_bad(s, d, at, false, "'%s' is empty; expected a list of %s", name, of);
	free(at);
	return v;
}

/* Is it a text that a terminal can show in a line? */
static bool is_line(const char *text)
{
	for (const char *p = text; *p != '\0'; p++)
		if (hd__control(p))
			return false;
	return text[0] != '\0';
}

/* The table and those that it extends: points depend on all of them. */
static void read_energy(struct study *s, const json_t *name, struct hd_diags *d)
{
	enum { MOST = 64 };
	json_t *next = name != NULL ? json_string(json_string_value(name)) : NULL, *root;
	const char *file = s->file;

	s->tables = json_array();
	while (next != NULL && json_array_size(s->tables) < MOST) {
		char *path = hd__data_path_in("energy", file, json_string_value(next));

		if (file == s->file && access(path, R_OK) != 0)
			study_bad(s, d, "/energy", false, "cannot read the table of energies '%s'",
			          json_string_value(next));
		json_array_append_new(s->tables, json_string(path));
		free(path);
		file = json_string_value(json_array_get(s->tables, json_array_size(s->tables) - 1));
		root = json_load_file(file, 0, NULL);
		json_decref(next);
		next = json_incref(json_object_get(root, "extends"));
		json_decref(root);
		if (!json_is_string(next)) {
			json_decref(next);
			next = NULL;
		}
	}
	json_decref(next);
	s->energy = json_string_value(json_array_get(s->tables, 0));
}

static void read_members(struct study *s, struct hd_diags *d)
{
	static const char *const members[] = { "study", "name", "doc", "netlists", "traces", "set", "together",
		"designs", "limits", "instances", "reasons", "energy", "split", "pieces", "fresh", "once", "$schema",
		NULL };
	json_t *version = json_object_get(s->root, "study"), *v;

	study_members(s, d, s->root, "", "the study", members);
	if (json_integer_value(version) != 1)
		study_bad(s, d, version != NULL ? "/study" : "", false, "expected \"study\": 1, the version of the "
		          "format");
	v = study_member(s, d, s->root, "", "name", JSON_STRING, "a string");
	s->name = v != NULL ? hd__xstrdup(json_string_value(v)) : base_name(s->file);
	if (v != NULL && !is_line(s->name))
		study_bad(s, d, "/name", false, "bad name of a study; expected a text without control characters");
	s->doc = json_string_value(study_member(s, d, s->root, "", "doc", JSON_STRING, "a string"));
	v = study_member(s, d, s->root, "", "instances", JSON_STRING, "\"together\" or \"each\"");
	s->each = v != NULL && strcmp(json_string_value(v), "each") == 0;
	if (v != NULL && !s->each && strcmp(json_string_value(v), "together") != 0)
		study_bad(s, d, "/instances", false, "'instances': expected \"together\" or \"each\", found \"%s\"",
		          json_string_value(v));
	s->reasons = json_is_true(study_member(s, d, s->root, "", "reasons", JSON_TRUE, "true or false"));
	read_energy(s, study_member(s, d, s->root, "", "energy", JSON_STRING, "the name of a table of energies"), d);
	read_split(s, d);
	study_read_limits(s, d);
	read_netlists(s, required(s, "netlists", "netlists", d), d);
	study_read_traces(s, required(s, "traces", "traces", d), d);
	study_read_designs(s, &s->factors, study_member(s, d, s->root, "", "designs", JSON_OBJECT,
	                   "an object of names and values"), d);
	study_read_together(s, &s->factors, study_member(s, d, s->root, "", "together", JSON_ARRAY,
	                    "a list of objects"), d);
	study_read_set(s, &s->factors, study_member(s, d, s->root, "", "set", JSON_OBJECT,
	               "an object of paths and values"), "/set", d);
}

const char *study_needs_whole(const struct study *s)
{
	for (size_t i = 0; i < s->ntraces; i++)
		if (s->traces[i].max_cycles > 0 || s->traces[i].keep_going)
			return s->traces[i].keep_going ? "keep_going" : "max_cycles";
	return s->reasons ? "reasons" : s->energy != NULL ? "energy" : NULL;
}

struct study *study_read(const char *file, struct hd_diags *d)
{
	struct study *s = hd__xcalloc(1, sizeof *s);
	char buf[80];
	size_t length;

	s->file = hd__xstrdup(file);
	s->folder = study_folder_of(file);
	s->text = hd__read_file(file, &length);
	if (s->text == NULL) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "cannot read the study: %s", hd__input_why(errno));
		study_free(s);
		return NULL;
	}
	s->root = hd__json_parse(file, s->text, length, d);
	if (s->root != NULL && !json_is_object(s->root))
		hd__diag(d, HD_DIAG_ERROR, file, 1, 1, "expected a study, an object; found %s",
		         hd__found(s->root, buf, sizeof buf));
	else if (s->root != NULL && json_object_get(s->root, "heddle") != NULL
	         && json_object_get(s->root, "study") == NULL)
		hd__diag(d, HD_DIAG_ERROR, file, 1, 1, "this is a netlist; expected a study, which names netlists");
	else if (s->root != NULL)
		read_members(s, d);
	if (d->errors == 0 && study_expand(s, d))
		return s;
	study_free(s);
	return NULL;
}

void study_free(struct study *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->nnetlists; i++) {
		free(s->netlists[i].name);
		free(s->netlists[i].file);
		free(s->netlists[i].at);
		study_free_factors(&s->netlists[i].factors);
	}
	for (size_t i = 0; i < s->ntraces; i++) {
		free(s->traces[i].name);
		free(s->traces[i].file);
		free(s->traces[i].kernels);
	}
	for (size_t i = 0; i < s->ndesigns; i++)
		free(s->designs[i].v);
	free(s->designs);
	free(s->netlists);
	free(s->traces);
	study_free_factors(&s->factors);
	json_decref(s->root);
	json_decref(s->tables);
	free(s->text);
	free(s->name);
	free(s->file);
	free(s->folder);
	free(s);
}
