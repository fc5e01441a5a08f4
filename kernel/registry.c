/* registry.c - registered modules: built in, and loaded from plug-ins
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Kept in order of name, so that lists of modules need no sorting.
 */
#include "base/output.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "registry.h"
#include "hooks.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

/* Index of `name`, or where it would be inserted. */
static size_t position(const struct hd_registry *r, const char *name, bool *there)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(r->v[middle].module->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*there = low < r->n && strcmp(r->v[low].module->name, name) == 0;
	return low;
}

const struct hd_registered *hd__registry_entry(const struct hd_registry *r, const char *name)
{
	bool there = false;
	size_t i = name != NULL ? position(r, name, &there) : 0;

	return there ? &r->v[i] : NULL;
}

const struct hd_module *hd__registry_find(const struct hd_registry *r, const char *name)
{
	const struct hd_registered *e = hd__registry_entry(r, name);

	return e != NULL ? e->module : NULL;
}

const struct hd_param *hd__registry_params(const struct hd_registry *r, const struct hd_module *m)
{
	const struct hd_registered *e = hd__registry_entry(r, m->name);

	return e != NULL && e->wide != NULL ? e->wide->params : m->params;
}

const char *hd__registry_plugin(const struct hd_registry *r, const struct hd_module *m)
{
	const struct hd_registered *e = hd__registry_entry(r, m->name);

	return e != NULL && e->handle != NULL ? e->origin : NULL;
}

bool hd__registry_add(struct hd_registry *r, const struct hd_module *m, const char *origin, void *handle,
                      struct hd_diags *d)
{
	bool there = false;
	size_t i = r->n;

	if (i > 0 && strcmp(r->v[i - 1].module->name, m->name) >= 0) /* the built-in ones come in order */
		i = position(r, m->name, &there);
	if (there) {
		const struct hd_registered *other = &r->v[i];

		hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0,
		         "two modules are named '%s': one is %s%s%s, the other %s%s%s", m->name,
		         other->handle != NULL ? "in plug-in '" : "", other->origin,
		         other->handle != NULL ? "'" : "", handle != NULL ? "in plug-in '" : "",
		         origin, handle != NULL ? "'" : "");
		return false;
	}
	/* `make check` checks the built-in ones */
	for (size_t k = 0; handle != NULL && hd__hooks.check && k < r->n; k++)
		if (!hd__hooks.check->figures(m, origin, r->v[k].module, d))
			return false;
	r->v = hd__xappend(r->v, r->n, sizeof *r->v);
	if (i < r->n)
		memmove(&r->v[i + 1], &r->v[i], (r->n - i) * sizeof *r->v);
	r->n++;
	r->v[i] = (struct hd_registered){ m, NULL, handle != NULL ? hd__xstrdup(origin) : origin, handle };
	return true;
}

/* ---- plug-ins ------------------------------------------------------------------------------ */

/* "hd_module_NAME" for a file NAME.so, or NULL. */
static char *symbol_of(const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file;
	size_t n = strlen(base);
	char *name, *symbol = NULL;

	if (n <= 3 || strcmp(base + n - 3, ".so") != 0)
		return NULL;
	name = hd__xstrndup(base, n - 3);
	if (hd__is_name(name))
		symbol = hd__format("hd_module_%s", name);
	free(name);
	return symbol;
}

static void HD_PRINTF(3, 4) refuse(struct hd_diags *d, const char *file, const char *fmt, ...)
{
	va_list ap;
	char *why;

	va_start(ap, fmt);
	why = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "plug-in '%s' %s", file, why);
	free(why);
}

/* Only the first two members may be read before they have been compared with this program's. */
static bool check_build(uint32_t abi, uint32_t size, const char *file, struct hd_diags *d)
{
	if (abi != HD_ABI)
		refuse(d, file,
		       "was built against heddle module ABI %u, this program has %u; rebuild "
		       "it with the headers of this program",
		       abi, HD_ABI);
	else if (size != sizeof(struct hd_module))
		refuse(d, file,
		       "has a descriptor of %u bytes, this program expects %zu; rebuild it "
		       "with the headers of this program",
		       size, sizeof(struct hd_module));
	return abi == HD_ABI && size == sizeof(struct hd_module);
}

static bool check_plugin(const struct hd_module *m, const char *file, const char *symbol,
                         struct hd_diags *d)
{
	const char *name = symbol + strlen("hd_module_");

	if (!check_build(m->abi, m->size, file, d) || (hd__hooks.check && !hd__hooks.check->module(m, file, d)))
		return false;
	if (strcmp(m->name, name) == 0)
		return true;
	refuse(d, file, "names its module '%s'; expected '%s', as the file", m->name, name);
	return false;
}

struct attempt {
	const char *path, *file, *symbol;
};

enum { NOT_LOADED, NO_SYMBOL, LOADED };

static void try_load(void *arg, struct hd_sandbox *t)
{
	const struct attempt *a = arg;
	void *handle = dlopen(a->path, RTLD_NOW | RTLD_LOCAL);
	const struct hd_module *m = handle != NULL ? dlsym(handle, a->symbol) : NULL;
	struct hd_diags unheard = { .n = 0 };

	t->step = handle == NULL ? NOT_LOADED : NO_SYMBOL;
	if (m == NULL)
		return;
	t->step = LOADED;
	t->value[0] = m->abi;
	t->value[1] = m->size;
	if (m->abi == HD_ABI && m->size == sizeof *m)
		hd__hooks.check->module(m, a->file, &unheard); /* a descriptor may point anywhere */
}

/* Loading runs the constructors of a shared object, so a copy of this process does that first: a
 * plug-in that crashes, or was built against another contract, never runs in this process. */
static bool survives(const struct attempt *a, struct hd_diags *d)
{
	struct hd_sandbox t;
	char *why = hd__hooks.check->try(try_load, (void *)a, &t);

	if (why != NULL) {
		refuse(d, a->file, "%s while it was loaded", why);
		free(why);
		return false;
	}
	return !t.tried || t.step != LOADED || check_build(t.value[0], t.value[1], a->file, d);
}

/* A plug-in that does not exist is apart; loading it gives the reason. */
static bool is_apart(const char *path, const char *file, struct hd_diags *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool apart = fd < 0 || hd__input_note(fd);

	if (!apart)
		refuse(d, file, "would be replaced by an output; expected another name for what is written");
	if (fd >= 0)
		close(fd);
	return apart;
}

static bool load(struct hd_registry *r, const char *file, const char *symbol, struct hd_diags *d)
{
	/* Without a slash dlopen would search the folders of the system. */
	char *path = hd__format("%s%s", strchr(file, '/') != NULL ? "" : "./", file);
	const struct attempt a = { path, file, symbol };
	bool ok = is_apart(path, file, d) && (r->trusting || !hd__hooks.check || survives(&a, d)), alive = ok;
	void *handle = ok ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	const struct hd_module *m = handle != NULL ? dlsym(handle, symbol) : NULL;

	free(path);
	ok = false;
	if (handle == NULL) {
		if (alive)
			refuse(d, file, "cannot be loaded: %s", dlerror());
		return false;
	}
	if (m == NULL)
		refuse(d, file, "has no '%s'; expected the descriptor of its module there", symbol);
	else if (hd__registry_find(r, symbol + strlen("hd_module_")) == m)
		ok = true; /* the same file a second time */
	else if (check_plugin(m, file, symbol, d) && hd__registry_add(r, m, file, handle, d))
		return true;
	dlclose(handle);
	return ok;
}

bool hd__registry_load(struct hd_registry *r, const char *file, struct hd_diags *d)
{
	char *symbol = symbol_of(file);
	bool ok;

	if (symbol == NULL) {
		refuse(d, file,
		       "is not named like a module; expected NAME.so of letters, digits "
		       "and '_'");
		return false;
	}
	ok = load(r, file, symbol, d);
	if (!ok) {
		r->refused = hd__xappend(r->refused, r->nrefused, sizeof *r->refused);
		r->refused[r->nrefused++] = hd__xstrdup(symbol + strlen("hd_module_"));
	}
	free(symbol);
	return ok;
}

/* ---- folders ------------------------------------------------------------------------------- */

static int is_plugin(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 3 && e->d_name[0] != '.' && strcmp(e->d_name + n - 3, ".so") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_folder(struct hd_registry *r, const char *folder, struct hd_diags *d)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_plugin, by_name);

	if (n < 0) {
		hd__diag(d, HD_DIAG_WARNING, NULL, 0, 0,
		         "cannot read folder '%s' of HEDDLE_MODULE_PATH", folder);
		return;
	}
	for (int i = 0; i < n; i++) {
		char *file = hd__format("%s/%s", folder, entries[i]->d_name);

		hd__registry_load(r, file, d);
		free(file);
		free(entries[i]);
	}
	free(entries);
}

static void fill(struct hd_registry *r, bool trusting, struct hd_diags *d)
{
	const char *path = getenv("HEDDLE_MODULE_PATH");
	size_t at = 0;

	*r = (struct hd_registry){ .trusting = trusting };
	for (size_t i = 0; hd__builtin_modules[i] != NULL; i++) /* `make check` checks these */
		hd__registry_add(r, hd__builtin_modules[i], "built in", NULL, d);
	for (size_t i = 0; hd__builtin_wide[i] != NULL; i++) { /* some of them, mostly in the same order */
		while (!hd__same(r->v[at].module->name, hd__builtin_wide[i]->name))
			at = at + 1 < r->n ? at + 1 : 0;
		r->v[at].wide = hd__builtin_wide[i];
	}
	while (path != NULL && *path != '\0') {
		size_t n = strcspn(path, ":");
		char *folder = hd__xstrndup(path, n);

		if (n > 0)
			load_folder(r, folder, d);
		free(folder);
		path += n + (path[n] == ':');
	}
}

void hd__registry_init(struct hd_registry *r, struct hd_diags *d)
{
	fill(r, false, d);
}

void hd__registry_init_trusting(struct hd_registry *r, struct hd_diags *d)
{
	fill(r, true, d);
}

void hd__registry_free(struct hd_registry *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->v[i].handle == NULL)
			continue;
		free((char *)r->v[i].origin);
		dlclose(r->v[i].handle);
	}
	free(r->v);
	for (size_t i = 0; i < r->nrefused; i++)
		free(r->refused[i]);
	free(r->refused);
	*r = (struct hd_registry){ 0 };
}

/* ---- figures of a run ------------------------------------------------------------------------ */

/* What the statistics of a run have besides its figures. */
bool hd__figure_reserved(const char *name, size_t n)
{
	static const char *const members[] = { "heddle", "netlist", "status", "cycles", "clocks", "queues", "instances",
		                               "modules", "streams", NULL };

	for (size_t i = 0; members[i]; i++)
		if (strlen(members[i]) == n && strncmp(members[i], name, n) == 0)
			return true;
	return false;
}

bool hd__figure_within(const char *name, const char *group)
{
	size_t n = strlen(group);

	return strncmp(name, group, n) == 0 && name[n] == '.';
}
