/* cmd_bundle.c - heddle bundle: packs a study with its results and all that they depend on
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files keep their places to each other, from the folder that holds all of them, so that what names them relative to
 * itself still does.  Netlists that come with heddle are among them: the script that repeats the study looks there
 * first.
 */
#include "cmd.h"
#include "base/child.h"
#include "base/read_file.h"
#include "kernel/netlist/netlist.h"
#include "tools/study/inputs.h"
#include "tools/study/plan.h"
#include "tools/study/study_netlists.h"
#include "tools/study/study_pack.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct args {
	const char *study, *results, *output;
	const char **sources, **others;
	size_t nsources, nothers;
	struct hd_plugin_files plugins;
};

enum { KEY_SOURCE = 256, KEY_WITH };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "where to write, such as study.tar.xz; needed", 0 },
	{ "results", 'r', "FOLDER", 0, "the folder of its results; needed unless STUDY is one", 0 },
	{ "source", KEY_SOURCE, "FILE", 0, "the source of a plug-in, NAME.c, if it is not beside NAME.so; may be given "
	  "again", 0 },
	{ "with", KEY_WITH, "FILE", 0, "another file to pack, such as a plan of heddle sample; may be given again", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static void add_file(const char ***list, size_t *n, const char *file)
{
	*list = hd__xappend((void *)*list, *n, sizeof **list);
	(*list)[(*n)++] = file;
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: st->child_inputs[0] = &a->plugins; break;
	case 'o': a->output = arg; break;
	case 'r': a->results = arg; break;
	case KEY_SOURCE: add_file(&a->sources, &a->nsources, arg); break;
	case KEY_WITH: add_file(&a->others, &a->nothers, arg); break;
	case ARGP_KEY_ARG:
		if (a->study)
			argp_error(st, "unexpected argument '%s'; expected STUDY", arg);
		a->study = arg;
		break;
	case ARGP_KEY_END:
		if (!a->study)
			argp_error(st, "expected STUDY");
		if (!a->output)
			argp_error(st, "expected --output FILE");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options, parse, "STUDY",
	"Packs the study STUDY with its results, netlists, traces, sources of plug-ins and versions into a tar file. "
	"run.sh in it repeats the study, and compares the results byte by byte.\v"
	"STUDY is the file of a study, or a folder of results with the study in FOLDER.study, as Python's sweep() "
	"leaves them.\n\n"
	"Exit status: 0 it is written, 1 it could not be, 2 something is missing, or bad usage.",
	hd__plugin_args, NULL, NULL
};

/* ---- names --------------------------------------------------------------------------------- */

struct bundle {
	struct args *a;
	struct study *study;
	struct study_cache cache;   /* .seen: the files */
	struct study_plan plan;
	char folder[PATH_MAX];      /* of the study */
	json_t *imported;           /* names of the files of which netlists are made */
	size_t common;              /* bytes of real paths that all files share, with a '/' at the end */
	char **plugins;             /* names in the pack of their sources */
	size_t nplugins;
};

static bool missing(const char *what, const char *file, const char *expected)
{
	fprintf(stderr, "heddle bundle: %s '%s'%s\n", what, file, expected);
	return false;
}

static size_t shared(const char *a, const char *b)
{
	size_t n = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		n = a[i] == '/' ? i + 1 : n;
	return n;
}

/* The name that a real path has in the pack.  The caller frees it. */
static char *name_of(const struct bundle *b, const char *real)
{
	return hd__join("files/", real + b->common, "");
}

/* The path as seen from the folder of the study.  The caller frees it. */
static char *relative(const struct bundle *b, const char *path)
{
	char *from = hd__join(b->folder, "/", ""), *text;
	size_t n = shared(from, path), ups = 0;
	FILE *f;

	for (const char *p = from + n; *p; p++)
		ups += *p == '/';
	f = hd__xcheck(open_memstream(&text, &(size_t){ 0 }));
	while (ups-- > 0)
		fputs("../", f);
	fputs(path + n, f);
	fclose(f);
	free(from);
	return text;
}

/* ---- what is packed ------------------------------------------------------------------------ */

/* Files that a source includes by "NAME" beside it. */
static void add_headers(struct bundle *b, const char *real, unsigned deep)
{
	char *text = hd__read_file(real, &(size_t){ 0 });

	for (char *p = text; p && (p = strstr(p, "#include \"")) != NULL;) {
		char *name = p + strlen("#include \""), *end = strchr(name, '"'), *path, file[PATH_MAX];

		if (!end)
			break;
		*end = '\0';
		path = hd__format("%.*s%s", (int)(strrchr(real, '/') + 1 - real), real, name);
		if (realpath(path, file) && !json_object_get(b->cache.seen, file)) {
			study_cache_see(&b->cache, file);
			if (deep > 0)
				add_headers(b, file, deep - 1);
		}
		free(path);
		p = end + 1;
	}
	free(text);
}

/* The source of a plug-in: given, or beside it. */
static bool add_source(struct bundle *b, const char *plugin)
{
	const char *slash = strrchr(plugin, '/'), *base = slash ? slash + 1 : plugin;
	char *source = hd__format("%.*s.c", (int)(strlen(plugin) - strlen(".so")), plugin), real[PATH_MAX];
	size_t stem = strlen(base) - strlen(".so");
	bool found = realpath(source, real) != NULL;

	for (size_t i = 0; i < b->a->nsources; i++) {
		const char *s = strrchr(b->a->sources[i], '/') ? strrchr(b->a->sources[i], '/') + 1 : b->a->sources[i];

		if (strlen(s) == stem + 2 && strncmp(s, base, stem) == 0 && strcmp(s + stem, ".c") == 0)
			found = realpath(b->a->sources[i], real) != NULL;
	}
	if (found) {
		study_cache_see(&b->cache, real);
		add_headers(b, real, 4);
		b->plugins = hd__xappend((void *)b->plugins, b->nplugins, sizeof *b->plugins);
		b->plugins[b->nplugins++] = hd__xstrdup(real);
	} else {
		missing("there is no source of the plug-in", plugin,
		        "; expected one beside it, NAME.c, or --source FILE");
	}
	free(source);
	return found;
}

/* Is it a file?  Then its real path is in `real`. */
static bool is_file(const char *path, char real[PATH_MAX])
{
	struct stat st;

	return (realpath(path, real) && stat(real, &st) == 0 && S_ISREG(st.st_mode))
	       || missing("cannot pack the file", path, ": it is not there, or no file");
}

/* Each source that is given has to be of a plug-in. */
static bool check_sources(const struct bundle *b)
{
	bool ok = true;

	for (size_t i = 0; i < b->a->nsources; i++) {
		bool used = false;
		char real[PATH_MAX];

		if (!is_file(b->a->sources[i], real)) {
			ok = false;
			continue;
		}
		for (size_t k = 0; k < b->nplugins; k++)
			used = used || strcmp(b->plugins[k], real) == 0;
		if (!used)
			ok = missing("no plug-in has the source", b->a->sources[i], "; expected NAME.c for NAME.so");
	}
	return ok;
}

static bool add_plugins(struct bundle *b, const struct hd_registry *r)
{
	bool ok = true;

	for (size_t i = 0; i < r->n; i++) {
		const char *plugin = hd__registry_plugin(r, r->v[i].module);
		char real[PATH_MAX];

		if (!plugin)
			continue;
		if (realpath(plugin, real))
			json_object_del(b->cache.seen, real); /* it is made again from its source */
		ok = add_source(b, plugin) && ok;
	}
	return check_sources(b) && ok;
}

static bool add_others(struct bundle *b)
{
	bool ok = true;

	for (size_t i = 0; i < b->a->nothers; i++) {
		char real[PATH_MAX];

		if (is_file(b->a->others[i], real))
			study_cache_see(&b->cache, real);
		else
			ok = false;
	}
	return ok;
}

/* The real path of what is in a folder, which may be reached through links; the rest of the name may have "*".  NULL:
 * there is not such a folder.  The caller frees it. */
static char *in_real_folder(const char *path, size_t folder)
{
	char *name = folder > 0 ? hd__xstrndup(path, folder) : hd__xstrdup(path[0] == '/' ? "/" : "."), real[PATH_MAX];
	char *all = realpath(name, real) ? hd__format("%s/%s", real, path + folder + (path[folder] == '/')) : NULL;

	free(name);
	return all;
}

/* The folder of a file may be reached through links, but neither the file nor, where results name a trace by it, the
 * folder may have another name there. */
static bool check_place(const char *file, bool trace)
{
	const char *slash = strrchr(file, '/');
	size_t n = slash ? (size_t)(slash - file) : 0, own = n;
	char *named = in_real_folder(file, n), real[PATH_MAX], *end;
	bool ok;

	if (!named || !realpath(file, real)) {
		free(named);
		return missing("cannot read the file", file, "");
	}
	ok = strcmp(named, real) == 0;
	while (own > 0 && file[own - 1] != '/')
		own--;
	end = strrchr(named, '/');
	*end = '\0';
	if (trace && n > own && file[own] != '.')
		ok = ok && strlen(strrchr(named, '/') + 1) == n - own
		     && strncmp(strrchr(named, '/') + 1, file + own, n - own) == 0;
	free(named);
	return ok || missing("a symbolic link of another name leads to", file,
	                     "; expected a study that names the file itself");
}

/* Netlists that are imported are made again from the files that they are made of. */
static bool add_imported(struct bundle *b)
{
	bool ok = true;
	char real[PATH_MAX];
	json_t *file;
	size_t i;

	for (i = 0; i < b->study->nnetlists; i++)
		if (b->study->netlists[i].import && realpath(b->study->netlists[i].file, real))
			json_object_del(b->cache.seen, real);
	json_array_foreach(b->imported, i, file) {
		ok = check_place(json_string_value(file), false) && ok;
		if (realpath(json_string_value(file), real))
			study_cache_see(&b->cache, real);
	}
	return ok;
}

/* The files of all points, and where they lie. */
static bool gather(struct bundle *b, const struct hd_registry *r)
{
	char self[PATH_MAX], real[PATH_MAX];
	const struct study *s = b->study;
	bool ok = add_plugins(b, r);
	const char *path;
	json_t *v;
	size_t i;

	if (realpath("/proc/self/exe", self))
		json_object_del(b->cache.seen, self);
	ok = add_others(b) && ok;
	ok = add_imported(b) && ok;
	for (i = 0; i < s->nnetlists; i++)
		ok = (s->netlists[i].import || check_place(s->netlists[i].file, false)) && ok;
	for (i = 0; i < s->ntraces; i++)
		ok = check_place(s->traces[i].file, true) && ok;
	json_array_foreach(s->tables, i, v)
		ok = check_place(json_string_value(v), false) && ok;
	if (!realpath(s->file, real))
		return missing("cannot read the study", s->file, "");
	study_cache_see(&b->cache, real);
	b->common = strlen(real);
	json_object_foreach(b->cache.seen, path, v) {
		b->common = shared(path, real) < b->common ? shared(path, real) : b->common;
		if (strpbrk(path, "'\n"))
			ok = missing("cannot pack the file", path, "; expected a name without quotes and new lines");
	}
	return ok;
}

/* ---- the study, as it is packed ---- */

/* Names become relative to the folder of the study, without links. */
static void make_relative(const struct bundle *b, json_t *v)
{
	struct stat st;
	const char *text = json_string_value(v), *key;
	char *path, *real, *name;
	json_t *inner;
	size_t i, n;

	if (text) {
		path = text[0] == '/' ? hd__xstrdup(text) : hd__format("%s/%s", b->folder, text);
		n = strcspn(path, "*?[");
		while (n > 0 && path[n] != '/' && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
			n--;
		real = in_real_folder(path, n);
		name = real ? relative(b, real) : NULL;
		if (name) /* else it is found where netlists are */
			json_string_set(v, name);
		free(name);
		free(real);
		free(path);
	}
	json_array_foreach(v, i, inner)
		make_relative(b, inner);
	json_object_foreach(v, key, inner)
		if (strcmp(key, "file") == 0 || strcmp(key, "files") == 0 || strcmp(key, "import") == 0)
			make_relative(b, inner);
}

static bool pack_study(const struct bundle *b, struct study_pack *p, const char *name)
{
	json_t *root = json_deep_copy(b->study->root);
	char *text;
	bool ok;

	make_relative(b, json_object_get(root, "netlists"));
	make_relative(b, json_object_get(root, "traces"));
	make_relative(b, json_object_get(root, "energy"));
	if (json_equal(root, b->study->root)) {
		json_decref(root);
		return study_pack_bytes(p, name, b->study->text, strlen(b->study->text), false);
	}
	text = hd__xcheck(json_dumps(root, JSON_INDENT(1)));
	ok = study_pack_bytes(p, name, text, strlen(text), false);
	free(text);
	json_decref(root);
	return ok;
}

/* ---- the script ---- */

/* The folder of a name in the pack, once for each. */
static void add_folder(FILE *f, json_t *known, const char *name)
{
	const char *slash = strrchr(name, '/');
	char *folder = hd__xstrndup(name, (size_t)(slash - name));

	if (!json_object_get(known, folder)) {
		json_object_set_new(known, folder, json_true());
		fprintf(f, "%s'%s'", json_object_size(known) > 1 ? " " : "", folder);
	}
	free(folder);
}

/* Folders in which names of netlists are looked for: those of HEDDLE_DATA_PATH, and of heddle's own. */
static void print_folders(const struct bundle *b, FILE *f)
{
	const char *given = getenv("HEDDLE_DATA_PATH");
	char *own = hd__netlist_folder(), *all = hd__format("%s:%s", given ? given : "", own ? own : "");
	char real[PATH_MAX], *rest = all, *one;
	const char *path;
	json_t *v, *known = json_object();

	while ((one = strsep(&rest, ":")) != NULL) {
		bool used = false;

		if (!*one || !realpath(one, real))
			continue;
		json_object_foreach(b->cache.seen, path, v)
			used = used || (strncmp(path, real, strlen(real)) == 0 && path[strlen(real)] == '/');
		if (used) {
			char *in = hd__join(real, "/", ""), *name = name_of(b, in);

			add_folder(f, known, name);
			free(name);
			free(in);
		}
	}
	json_decref(known);
	free(all);
	free(own);
}

static bool pack_script(const struct bundle *b, struct study_pack *p, const char *study)
{
	char *text;
	size_t n;
	FILE *f = hd__xcheck(open_memstream(&text, &n));
	bool ok;

	fprintf(f, "#!/bin/sh\n# run.sh - repeats the study '%s', and compares the results byte by byte\n#\n"
	        "# Compared are the table of results, and the statistics of each point: all of a file but its first "
	        "line, which\n# has the command and the time that it took.\n"
	        "# HEDDLE names the program (default: heddle); it was %s then, with module ABI %u.\n"
	        "set -eu\ncd \"$(dirname \"$0\")\"\nheddle=${HEDDLE:-heddle}\n"
	        "! command -v xxh128sum >/dev/null || xxh128sum --quiet -c XXH128SUMS\n",
	        b->study->name, PACKAGE_VERSION, HD_ABI);
	fprintf(f, "version=$(\"$heddle\" --version)\ntest \"$version\" = 'heddle %s (module ABI %u)' || "
	        "echo \"this is $version\" >&2\n", PACKAGE_VERSION, HD_ABI);
	fputs("folders=\nfor folder in ", f);
	print_folders(b, f);
	fputs("; do\n\tfolders=$folders$PWD/$folder:\ndone\n"
	      "HEDDLE_DATA_PATH=$folders${HEDDLE_DATA_PATH-}\nexport HEDDLE_DATA_PATH\n"
	      "set --\nmkdir -p plugins\n", f);
	for (size_t i = 0; i < b->nplugins; i++) {
		char *name = name_of(b, b->plugins[i]), *base = hd__xstrdup(strrchr(name, '/') + 1);

		base[strlen(base) - 2] = '\0';
		fprintf(f, "${CC:-cc} -O2 -fPIC -shared ${HEDDLE_CFLAGS:-$(pkg-config --cflags heddle)} "
		        "-o 'plugins/%s.so' '%s'\n"
		        "set -- \"$@\" '--plugin=plugins/%s.so'\n", base, name, base);
		free(base);
		free(name);
	}
	fprintf(f, "\"$heddle\" sweep --quiet \"$@\" --csv=again.csv --output=again '%s'\n"
	        "sums()\n{\n\tfor file in \"$1\"/points/*.json; do\n\t\ttail -n +2 \"$file\" | sha256sum\n"
	        "\tdone | sort\n}\n"
	        "sums results >points.sums\nsums again >again.sums\n"
	        "cmp results.csv again.csv\ncmp results/statistics.json again/statistics.json\n"
	        "cmp points.sums again.sums\n"
	        "echo 'the results are the same, byte for byte'\n", study);
	fclose(f);
	ok = study_pack_bytes(p, "run.sh", text, n, true);
	free(text);
	return ok;
}

/* ---- the results --------------------------------------------------------------------------- */

/* What cannot be written is reported when the file is closed. */
static bool pack_file(struct study_pack *p, const char *name, const char *path)
{
	bool ok = study_pack_file(p, name, path);

	if (!ok && !ferror(p->out))
		fprintf(stderr, "heddle bundle: cannot pack '%s': %s\n", path, strerror(errno));
	return ok;
}

/* heddle sweep --collect, with a table. */
static bool collect(const struct bundle *b, const char *csv)
{
	char *words[] = { (char *)"heddle sweep", (char *)"--quiet", hd__join("--csv=", csv, ""), (char *)"--",
		(char *)b->a->results, NULL };
	int how = -1;
	pid_t pid;

	fflush(NULL);
	pid = hd__fork(SIGTERM);
	if (pid == 0)
		_exit(hd__cmd_exec(5, words));
	free(words[2]);
	return pid > 0 && waitpid(pid, &how, 0) == pid && how == 0;
}

static bool pack_result(const struct bundle *b, struct study_pack *p, const char *name)
{
	char *path = hd__format("%s/%s", b->a->results, name), *to = hd__join("results/", name, "");
	bool ok = pack_file(p, to, path);

	free(path);
	free(to);
	return ok;
}

static bool pack_results(const struct bundle *b, struct study_pack *p, const char *csv)
{
	bool ok = pack_file(p, "results.csv", csv) && pack_result(b, p, "points.json")
	          && pack_result(b, p, "statistics.json") && pack_result(b, p, "results.sqlite");
	json_t *known = json_object();

	for (size_t i = 0; ok && i < b->plan.n; i++) {
		char *name = hd__format("points/%s.json", b->plan.v[i].key);

		if (!json_object_get(known, name))
			ok = pack_result(b, p, name);
		json_object_set_new(known, name, json_true());
		free(name);
	}
	json_decref(known);
	return ok;
}

/* The file for xxh128sum -c. */
static bool pack_sums(struct study_pack *p)
{
	const char *name;
	char *text;
	size_t n;
	FILE *f = hd__xcheck(open_memstream(&text, &n));
	json_t *v;
	bool ok;

	json_object_foreach(p->sums, name, v)
		fprintf(f, "%s  %s\n", json_string_value(v), name);
	fclose(f);
	ok = study_pack_bytes(p, "XXH128SUMS", text, n, false);
	free(text);
	return ok;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool pack_all(const struct bundle *b, FILE *out, const char *csv)
{
	const char **files = hd__xcalloc(json_object_size(b->cache.seen), sizeof *files), *path;
	char real[PATH_MAX], *study = realpath(b->study->file, real) ? name_of(b, real) : hd__xstrdup("");
	struct study_pack p;
	size_t n = 0;
	bool ok = study_pack_open(&p, out);
	json_t *v;

	json_object_foreach(b->cache.seen, path, v)
		files[n++] = path;
	qsort(files, n, sizeof *files, by_name);
	ok = ok && pack_script(b, &p, study) && pack_study(b, &p, study);
	for (size_t i = 0; ok && i < n; i++) {
		char *name = name_of(b, files[i]);

		ok = strcmp(name, study) == 0 || pack_file(&p, name, files[i]);
		free(name);
	}
	ok = ok && pack_results(b, &p, csv) && pack_sums(&p);
	free(study);
	free(files);
	return study_pack_close(&p) && ok;
}

/* ---- the command --------------------------------------------------------------------------- */

static int write_bundle(struct bundle *b, const struct study_folder *scratch)
{
	char *csv = study_folder_name(scratch, "results.csv");
	struct hd_output o;
	int status = hd__output_open(&o, b->a->output, "--output");
	bool ok;

	hd__output_unfinished(csv);
	if (status == HD_EXIT_OK) {
		ok = collect(b, csv) && pack_all(b, o.f, csv);
		status = hd__output_close(&o, ok || ferror(o.f)) && ok ? HD_EXIT_OK : HD_EXIT_FAILED;
	}
	free(csv);
	return status;
}

/* Reads what the study depends on.  HD_EXIT_USAGE after printing what is missing. */
static int prepare(struct bundle *b, const struct hd_registry *r, struct hd_diags *d)
{
	char program[STUDY_KEY], (*hashes)[STUDY_KEY];
	struct study_folder results = { .at = -1, .lock = -1 }, scratch;
	int status = study_folder_look(&results, b->a->results);
	bool made = true;

	if (status != HD_EXIT_OK)
		return status;
	if (!study_folder_scratch(&scratch)) {
		study_folder_close(&results);
		return HD_EXIT_FAILED;
	}
	b->imported = json_array();
	for (size_t i = 0; i < b->study->nnetlists; i++)
		if (b->study->netlists[i].import)
			made = hd__import_of_study(b->study, &b->study->netlists[i], &scratch, b->imported) && made;
	study_cache_open(&b->cache, &results);
	b->cache.seen = json_object();
	hashes = made ? study_check_all(b->study, r, &b->cache, d) : NULL;
	status = HD_EXIT_USAGE;
	if (hashes) {
		study_hash_traces(b->study, &b->cache);
		study_hash_program(r, &b->cache, program);
		study_hash_netlists(b->study, r, &b->cache, 1, program, hashes);
		study_plan_make(&b->plan, b->study, program, hashes);
		study_plan_look(&b->plan, &results, 1, b->plan.n, false);
		if (b->plan.ndone < b->plan.n)
			fprintf(stderr, "heddle bundle: %zu of %zu points have no result of this program and these "
			        "inputs in '%s'; expected all: heddle sweep %s --output=%s\n",
			        b->plan.n - b->plan.ndone, b->plan.n, b->a->results, b->study->file,
			        b->a->results);
		else if (gather(b, r))
			status = write_bundle(b, &scratch);
		study_plan_free(&b->plan);
	}
	free(hashes);
	json_decref(b->cache.seen);
	json_decref(b->imported);
	b->cache.changed = false;
	study_cache_close(&b->cache);
	study_folder_close(&scratch);
	free((char *)scratch.path);
	study_folder_close(&results);
	return status;
}

/* STUDY may be the folder of results.  The caller frees it. */
static char *study_file(struct args *a)
{
	size_t n = strlen(a->study);
	struct stat st;

	if (stat(a->study, &st) != 0 || !S_ISDIR(st.st_mode))
		return hd__xstrdup(a->study);
	if (!a->results)
		a->results = a->study;
	while (n > 1 && a->study[n - 1] == '/')
		n--;
	return hd__format("%.*s.study/study.json", (int)n, a->study);
}

int hd__cmd_bundle(int argc, char **argv)
{
	struct args a = { .study = NULL };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	struct bundle b = { .a = &a };
	int status = HD_EXIT_USAGE;
	char *file;

	hd__parse_args(&argp, argc, argv, &a);
	file = study_file(&a);
	if (!a.results) {
		fprintf(stderr, "heddle bundle: expected --results FOLDER, where heddle sweep has written the results "
		        "of '%s'\n", file);
	} else {
		hd__open_registry(&registry, &a.plugins, &diags);
		if (diags.errors == 0)
			b.study = study_read(file, &diags);
		if (b.study && realpath(b.study->folder[0] ? b.study->folder : ".", b.folder))
			status = prepare(&b, &registry, &diags);
		hd__diags_print(&diags, stderr);
	}
	for (size_t i = 0; i < b.nplugins; i++)
		free(b.plugins[i]);
	free(b.plugins);
	study_free(b.study);
	free(file);
	free(a.sources);
	free(a.others);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}
