/* cmd_new_module.c - heddle new-module: writes a template of a module, and its test
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The files are those of the folder skeletons/, with "@NAME@" replaced by NAME.
 */
#include "cmd.h"
#include "kernel/base/embedded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct args {
	const char *name, *folder, *kind;
};

enum { KEY_KIND = 256 };

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

static bool write_file(const struct hd_embedded *from, const char *path, const char *name, int mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, mode);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok = false;

	if (f != NULL) {
		put(from, name, f);
		ok = ferror(f) == 0;
		ok = fclose(f) == 0 && ok;
	}
	if (!ok)
		fprintf(stderr, "heddle: %s: %s\n", path, strerror(errno));
	else
		printf("%s\n", path);
	return ok;
}

/* Writes DIR/NAME<ending> from the skeleton <kind><of>. */
static bool write_one(const struct args *a, const char *kind, const char *of, const char *ending,
                      int mode)
{
	char *skeleton = hd__format("%s%s", kind, of);
	char *path = hd__format("%s/%s%s", a->folder, a->name, ending);
	bool ok = write_file(hd__xcheck((void *)hd__embedded_find(skeleton)), path, a->name, mode);

	free(skeleton);
	free(path);
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
	if (make_folder(a.folder) && write_one(&a, a.kind, ".c", ".c", 0666) && write_one(&a, a.kind, ".json", ".json", 0666)
	    && write_one(&a, "test", ".sh", "_test.sh", 0777))
		return HD_EXIT_OK;
	return HD_EXIT_FAILED;
}
