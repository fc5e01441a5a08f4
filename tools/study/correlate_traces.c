/* correlate_traces.c - the traces of the programs that are held against hardware: recorded, and their launches
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A recording has the hash of all that it depends on as its name: the program, its arguments, the files that these and
 * the list name, and the library that executes it.  What else a program reads is not known.
 */
#include "correlate.h"
#include "base/output.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "children.h"
#include "kernel_names.h"
#include "traces/trace_read.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what a recording depends on ---- */

struct texts {
	char **v;
	size_t n;
};

static void add_text(struct texts *t, const char *text)
{
	t->v = hd__xappend(t->v, t->n, sizeof *t->v);
	t->v[t->n++] = hd__xstrdup(text);
}

/* The hash of a file; a folder, and what is not there, have none. */
static void add_file(struct texts *t, struct study_cache *cache, const char *folder, const char *name)
{
	char *path = name[0] == '/' ? hd__xstrdup(name) : hd__format("%s/%s", folder, name), hash[STUDY_KEY] = "";
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		study_hash_file(cache, path, hash);
	add_text(t, hash);
	free(path);
}

static char *recording_name(const struct correlate *c, const struct correlate_trace *t, struct study_cache *cache,
                            const char *library)
{
	struct texts all = { .n = 0 };
	const char *gpu = c->gpu != NULL ? c->gpu : getenv("HEDDLE_GPU");
	char hash[STUDY_KEY];
	const json_t *v;
	size_t i;

	add_text(&all, PACKAGE_VERSION);
	add_file(&all, cache, library, "libcudart.so.13");
	add_text(&all, gpu != NULL ? gpu : "");
	add_text(&all, c->suits != NULL ? c->suits : "");
	add_text(&all, t->record != NULL ? t->record : "");
	add_text(&all, t->folder);
	json_array_foreach(t->command, i, v) {
		add_text(&all, json_string_value(v));
		add_file(&all, cache, t->folder, json_string_value(v));
	}
	add_text(&all, hd__digits((char[HD_DIGITS]){ 0 }, (size_t)t->status));
	json_array_foreach(t->inputs, i, v)
		add_file(&all, cache, t->folder, json_string_value(v));
	study_hash_texts((const char *const *)all.v, all.n, hash);
	for (i = 0; i < all.n; i++)
		free(all.v[i]);
	free(all.v);
	return hd__format("%s.hpack", hash);
}

/* ---- recording ---- */

/* "heddle trace record" for the program. */
static void make_task(struct child_task *task, const struct correlate *c, const struct correlate_trace *t, bool quiet)
{
	const json_t *v;
	size_t i;

	*task = (struct child_task){ .folder = t->folder, .seconds = (unsigned)ceil(c->list.seconds) };
	if (!quiet)
		task->label = hd__join("recording ", json_string_value(json_array_get(t->command, 0)), "");
	children_word(task, "heddle");
	children_word(task, "trace");
	children_word(task, "record");
	children_option(task, "--output", t->file);
	if (c->gpu != NULL)
		children_option(task, "--gpu", c->gpu);
	if (t->record != NULL)
		children_option(task, "--kernel", t->record);
	children_word(task, "--");
	json_array_foreach(t->command, i, v)
		children_word(task, json_string_value(v));
}

/* Keeps the recording, or notes why there is none. */
static void note_end(struct correlate_trace *t, const struct child_task *task)
{
	int how = task->how;

	if (WIFEXITED(how) && WEXITSTATUS(how) == t->status && access(t->file, R_OK) == 0)
		return;
	unlink(t->file); /* what a program left that failed may lack kernels */
	if (how >= 0 && WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM)
		t->why = hd__xstrdup("recording: time limit");
	else if (task->err != NULL && task->err[0] != '\0')
		t->why = hd__join("recording: ", task->err + (strncmp(task->err, "heddle: ", 8) == 0 ? 8 : 0), "");
	else if (how >= 0 && WIFSIGNALED(how))
		t->why = hd__format("recording: ended by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
	else
		t->why = hd__format("recording: exit status %d, expected %d", WEXITSTATUS(how), t->status);
}

/* Is the program there?  The recorder would say so, too; this is before hours of others. */
static bool is_there(struct correlate_trace *t)
{
	const char *name = json_string_value(json_array_get(t->command, 0));
	char *path = name[0] == '/' ? hd__xstrdup(name) : hd__format("%s/%s", t->folder, name);
	bool there = strchr(name, '/') == NULL || access(path, X_OK) == 0;

	if (!there)
		t->why = hd__format("the program %s cannot be run: %s", path, strerror(errno));
	free(path);
	return there;
}

/* Names the recording.  Is it to be made? */
static bool is_missing(const struct correlate *c, struct correlate_trace *t, struct study_cache *cache,
                       const char *library, const char *folder)
{
	char *name;

	if (t->command == NULL || !is_there(t))
		return false;
	name = recording_name(c, t, cache, library);
	t->file = hd__format("%s/%s", folder, name);
	free(name);
	return access(t->file, R_OK) != 0;
}

bool correlate_record(struct correlate *c, const struct study_folder *f, struct study_cache *cache, const char *library,
                      unsigned most, bool quiet)
{
	struct child_task *tasks = hd__xcalloc(c->ntraces, sizeof *tasks);
	struct correlate_trace **traces = hd__xcalloc(c->ntraces, sizeof *traces);
	char *folder = study_folder_name(f, "traces"), *full;
	size_t n = 0;
	bool ok = mkdir(folder, 0777) == 0 || errno == EEXIST;

	full = ok ? realpath(folder, NULL) : NULL;
	if (full == NULL)
		fprintf(stderr, "heddle: %s: %s\n", folder, strerror(errno));
	for (size_t i = 0; full != NULL && i < c->ntraces; i++) {
		if (!is_missing(c, &c->traces[i], cache, library, full))
			continue;
		traces[n] = &c->traces[i];
		make_task(&tasks[n], c, traces[n], quiet);
		n++;
	}
	ok = full != NULL && children_run(tasks, n, most);
	for (size_t i = 0; ok && i < n; i++)
		note_end(traces[i], &tasks[i]);
	children_free(tasks, n);
	free(full);
	free(folder);
	free(traces);
	return ok;
}

/* ---- the launches of a point ---- */

/* Reads the names of the launches. */
static void read_kernels(struct correlate_trace *t)
{
	struct hd_diags d = { 0 };
	struct trace_program_host host;
	struct trace_reader r = { .host = &host.host, .opt = hd__trace_options("") };
	bool ok;

	hd__trace_host_init(&host, &d);
	r.opt.late = true;
	ok = access(t->file, R_OK) == 0 && hd__trace_open_list(&r, t->file, 1, UINT64_MAX) == 0;
	for (size_t i = 0; ok && i < r.list.n; i++) {
		struct trace_header h = { 0 };

		hd__input_note_name(r.list.v[i].path);
		ok = hd__trace_kernel_header(&r, &h, i) == 0;
		if (ok) {
			t->kernels = hd__xappend(t->kernels, t->n, sizeof *t->kernels);
			t->sizes = hd__xappend(t->sizes, t->n, sizeof *t->sizes);
			memcpy(t->sizes[t->n][CORRELATE_GRID].v, h.launch.grid, sizeof h.launch.grid);
			memcpy(t->sizes[t->n][CORRELATE_BLOCK].v, h.launch.block, sizeof h.launch.block);
			t->kernels[t->n++] = hd__xstrdup(h.launch.name);
		}
		hd__trace_header_free(&h);
	}
	if (!ok)
		t->why = d.n > 0 ? hd__xstrdup(d.v[0].text)
		                 : hd__format("trace %s: %s", t->file,
		                              access(t->file, R_OK) != 0 ? strerror(errno) : "cannot be read");
	else if (t->n == 0)
		t->why = hd__format("trace %s: has no kernel", t->file);
	hd__trace_close(&r);
	hd__trace_host_free(&host);
	hd__diags_free(&d);
}

/* Kernels of the trace, each once, for a message.  The caller frees it. */
static char *kernels_of(const struct correlate_trace *t)
{
	const char **v = hd__xcalloc(t->n, sizeof *v);
	char buf[300], *text;
	size_t n = 0;

	for (size_t i = 0; i < t->n && n < 20; i++) {
		bool known = false;

		for (size_t k = 0; k < n; k++)
			known = known || strcmp(v[k], t->kernels[i]) == 0;
		if (!known)
			v[n++] = t->kernels[i];
	}
	text = hd__xstrdup(hd__names(v, n, buf, sizeof buf));
	free(v);
	return text;
}

/* Is it another launch of the kernel than the one that was measured?  Says so. */
static void compare_sizes(struct correlate_point *p, const struct correlate_trace *t)
{
	static const char *const names[CORRELATE_SIZES] = { "grid", "block" };
	static const struct correlate_size unknown;

	for (size_t i = 0; i < CORRELATE_SIZES && p->why == NULL; i++) {
		const uint32_t *has = t->sizes[p->first][i].v, *wanted = p->sizes[i].v;

		if (memcmp(wanted, unknown.v, sizeof unknown.v) == 0 || memcmp(has, wanted, sizeof unknown.v) == 0)
			continue;
		p->why = hd__format("launch %" PRIu64 " of '%s' has the %s (%u, %u, %u); the export has (%u, %u, %u)",
		                    p->launch, p->kernel != NULL ? p->kernel : p->declared, names[i], has[0], has[1],
		                    has[2], wanted[0], wanted[1], wanted[2]);
	}
}

static void select_launches(struct correlate_point *p, const struct correlate_trace *t)
{
	size_t found = 0;

	p->first = t->n;
	p->counts = hd__xcalloc(t->n, sizeof *p->counts);
	for (size_t i = 0; i < t->n; i++) {
		if (p->kernel != NULL && !kernel_fits(p->kernel, t->kernels[i]))
			continue;
		if (p->mode != CORRELATE_ONE || found == p->launch) {
			p->counts[i] = true;
			p->first = p->first < i ? p->first : i;
			p->last = i;
		}
		found++;
	}
	if (p->first < t->n && p->declared != NULL && !kernel_fits(p->declared, t->kernels[p->first])) {
		p->why = hd__format("launch %" PRIu64 " of '%s' is %s; the export has %s", p->launch, p->kernel,
		                    t->kernels[p->first], p->declared);
	} else if (found == 0) {
		char *names = kernels_of(t);

		p->why = hd__format("no kernel of the program fits '%s'; there are %s", p->kernel, names);
		free(names);
	} else if (p->first == t->n) {
		p->why = hd__format("launch %" PRIu64 " is not there; there are %zu, from 0 on", p->launch, found);
	} else {
		compare_sizes(p, t);
	}
}

void correlate_select(struct correlate *c)
{
	for (size_t i = 0; i < c->ntraces; i++)
		if (c->traces[i].why == NULL)
			read_kernels(&c->traces[i]);
	for (size_t i = 0; i < c->n; i++) {
		struct correlate_point *p = &c->v[i];
		const struct correlate_trace *t = &c->traces[p->trace];

		if (t->why != NULL)
			p->why = hd__xstrdup(t->why);
		else
			select_launches(p, t);
	}
}
