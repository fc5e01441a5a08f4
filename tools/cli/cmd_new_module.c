/* cmd_new_module.c - heddle new-module: writes a template of a module, and its test
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The files are those of the folder skeletons/, with "@NAME@" replaced by NAME.
 */
#include "cmd.h"
#include "base/embedded.h"
#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct args {
	const char *name, *folder, *kind;
};

enum { KEY_KIND = 256 };

#define FILES 3u /* of a template */

static const char *const kinds[] = { "stage", "unit", "pipeline", "memory", "atomic", "policy", NULL };

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "folder to write to; made if it is not there", 0 },
	{ "kind", KEY_KIND, "KIND", 0, "what the template is for, see below", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static void choose_kind(struct args *a, const char *arg, struct argp_state *st)
{
	for (size_t i = 0; kinds[i] != NULL; i++)
		if (strcmp(arg, kinds[i]) == 0)
			a->kind = kinds[i];
	if (a->kind == NULL)
		argp_error(st, "--kind: unknown kind '%s'; expected stage, unit, pipeline, memory, atomic or policy",
		           arg);
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case 'o': a->folder = arg; break;
	case KEY_KIND:
		a->kind = NULL;
		choose_kind(a, arg, st);
		break;
	case ARGP_KEY_ARG:
		if (st->arg_num > 0)
			argp_error(st, "unexpected argument '%s'; expected NAME", arg);
		if (!hd__is_name(arg))
			argp_error(st, "'%s' cannot name a module; expected a letter or '_', then "
			           "letters, digits and '_', at most %u", arg, HD_NAME_MAX);
		a->name = arg;
		break;
	case ARGP_KEY_END:
		if (st->arg_num < 1)
			argp_error(st, "expected NAME");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options, parse, "NAME",
	"Writes NAME.c, a working module with a comment on each part, NAME.json, a netlist that "
	"uses it, and NAME_test.sh, which builds it as a plug-in and runs it.  Overwrites nothing.\v"
	"Kinds:\n"
	"  stage      passes payloads on, between two others (default)\n"
	"  unit       a function unit that works on one instruction at a time\n"
	"  pipeline   a function unit that takes an instruction every few cycles\n"
	"  memory     a unit that executes loads and stores by requests to memory\n"
	"  atomic     a unit that executes atomics and answers their lanes\n"
	"  policy     a scheduling policy\n\n"
	"Exit status: 0 written, 1 a file could not be written, 2 bad usage.",
	NULL, NULL, NULL
};

static void put(const struct hd_embedded *from, const char *name, FILE *out)
{
	static const char mark[] = "@NAME@";
	const char *p = from->text, *end = p + from->size, *next;

	while ((next = memmem(p, (size_t)(end - p), mark, sizeof mark - 1)) != NULL) {
		fwrite(p, 1, (size_t)(next - p), out);
		fputs(name, out);
		p = next + sizeof mark - 1;
	}
	fwrite(p, 1, (size_t)(end - p), out);
}

/* Writes the skeleton <kind><of> into `o`, which is to become the new file `path`.  Returns false after printing an
 * error. */
static bool write_one(const char *path, const char *name, const char *kind, const char *of, struct hd_output *o)
{
	char *skeleton = hd__format("%s%s", kind, of);
	struct stat st;
	bool ok = lstat(path, &st) != 0;

	if (!ok)
		fprintf(stderr, "heddle: %s: %s\n", path, strerror(EEXIST));
	ok = ok && hd__output_open(o, path, NULL) == HD_EXIT_OK;
	if (ok)
		put(hd__xcheck((void *)hd__embedded_find(skeleton)), name, o->f);
	/* who may read a script may run it */
	if (ok && strcmp(kind, "test") == 0 && fstat(fileno(o->f), &st) == 0)
		ok = fchmod(fileno(o->f), st.st_mode | (st.st_mode & 0444) >> 2) == 0;
	free(skeleton);
	return ok;
}

/* All files are there, or none. */
static bool write_all(const struct args *a)
{
	const char *const files[][3] = { { a->kind, ".c", ".c" }, { a->kind, ".json", ".json" },
	                                 { "test", ".sh", "_test.sh" } };
	struct hd_output o[FILES] = { { .f = NULL } };
	char *paths[FILES];
	bool ok = true;

	for (size_t i = 0; i < FILES; i++) {
		paths[i] = hd__format("%s/%s%s", a->folder, a->name, files[i][2]);
		ok = ok && write_one(paths[i], a->name, files[i][0], files[i][1], &o[i]);
	}
	for (size_t i = 0; i < FILES && ok; i++) {
		ok = fflush(o[i].f) == 0;
		if (!ok)
			fprintf(stderr, "heddle: %s: could not be written: %s\n", paths[i], strerror(errno));
	}
	for (size_t i = 0; i < FILES; i++)
		if (o[i].f)
			ok = hd__output_close(&o[i], ok) && ok;
	for (size_t i = 0; i < FILES; i++) {
		if (ok)
			puts(paths[i]);
		free(paths[i]);
	}
	return ok;
}

/* Makes the folder and those around it.  Returns false after printing an error. */
static bool make_folder(const char *path)
{
	char *part = hd__xstrdup(path);
	bool ok = true;

	for (char *p = part; ok && *p != '\0'; p++) {
		char *end = p + strcspn(p, "/"), was = *end;

		*end = '\0';
		ok = *part == '\0' || mkdir(part, 0777) == 0 || errno == EEXIST;
		*end = was;
		p = was != '\0' ? end : end - 1;
	}
	if (!ok)
		fprintf(stderr, "heddle: %s: %s\n", path, strerror(errno));
	free(part);
	return ok;
}

int hd__cmd_new_module(int argc, char **argv)
{
	struct args a = { .folder = ".", .kind = kinds[0] };

	hd__parse_args(&argp, argc, argv, &a);
	for (size_t i = 0; hd__builtin_modules[i] != NULL; i++) {
		if (strcmp(hd__builtin_modules[i]->name, a.name) == 0) {
			fprintf(stderr, "heddle: module '%s' is built in; expected another "
			        "name\n", a.name);
			return HD_EXIT_USAGE;
		}
	}
	return make_folder(a.folder) && write_all(&a) ? HD_EXIT_OK : HD_EXIT_FAILED;
}
