/* inputs.c - hashes of what a point depends on: files of traces, the program, values and options
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "inputs.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "traces/control_words.h"
#include "traces/trace_read.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define CACHE "traces.cache"
#define AT_ONCE (1u << 20) /* bytes */
#define HASH_AT 6 /* place of the hash in what is known of a file */
#define SETTLED 3 /* seconds after which a file that has not changed counts as complete */

static void put_key(XXH3_state_t *h, char out[STUDY_KEY])
{
	XXH128_hash_t v = XXH3_128bits_digest(h);

	snprintf(out, STUDY_KEY, "%016" PRIx64 "%016" PRIx64, (uint64_t)v.high64, (uint64_t)v.low64);
}

static XXH3_state_t *begin(void)
{
	XXH3_state_t *h = hd__xcheck(XXH3_createState());

	XXH3_128bits_reset(h);
	return h;
}

/* With its end, so that texts do not run together. */
static void add_text(XXH3_state_t *h, const char *text)
{
	XXH3_128bits_update(h, text, strlen(text) + 1);
}

/* ---- files --------------------------------------------------------------------------------- */

static void hash_json(const json_t *v, char out[STUDY_KEY])
{
	char *text = hd__xcheck(json_dumps(v, JSON_SORT_KEYS | JSON_COMPACT));

	study_hash_texts((const char *const[]){ text }, 1, out);
	free(text);
}

void study_cache_open(struct study_cache *c, const struct study_folder *f)
{
	json_t *root = study_folder_read(f, CACHE), *files = json_object_get(root, "known");
	const char *sum = json_string_value(json_object_get(root, "checksum"));
	char now[STUDY_KEY] = "";

	if (json_is_object(files) && sum != NULL)
		hash_json(files, now);
	/* a bit that flipped in it would be taken for the hash of another trace */
	files = now[0] != '\0' && strcmp(sum, now) == 0 ? json_incref(files) : json_object();
	*c = (struct study_cache){ .folder = f, .files = files, .used = json_object() };
	json_decref(root);
}

void study_cache_close(struct study_cache *c)
{
	json_t *root = json_object();
	char sum[STUDY_KEY];

	json_object_set_new(c->files, "netlists", c->used); /* without those of other values */
	hash_json(c->files, sum);
	json_object_set_new(root, "checksum", json_string(sum));
	json_object_set_new(root, "known", c->files);
	if (c->changed)
		study_folder_write(c->folder, CACHE, root, JSON_INDENT(1) | JSON_SORT_KEYS);
	json_decref(root);
}

const char *study_cache_netlist(struct study_cache *c, const char *origin)
{
	json_t *known = json_object_get(json_object_get(c->files, "netlists"), origin);

	if (json_string_length(known) != STUDY_KEY - 1)
		return NULL;
	json_object_set(c->used, origin, known);
	return json_string_value(known);
}

void study_cache_keep(struct study_cache *c, const char *origin, const char *netlist)
{
	json_object_set_new(c->used, origin, json_string(netlist));
	c->changed = true;
}

/* The hash of a file's content; "" if it cannot be read. */
static void hash_content(const char *path, char out[STUDY_KEY])
{
	XXH3_state_t *h = begin();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *buffer = hd__xcheck(malloc(AT_ONCE));
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, buffer, AT_ONCE)) > 0)
		XXH3_128bits_update(h, buffer, (size_t)n);
	put_key(h, out);
	if (n < 0)
		out[0] = '\0';
	if (fd >= 0)
		close(fd);
	free(buffer);
	XXH3_freeState(h);
}

static bool is_known(const json_t *known, const struct stat *st)
{
	const json_int_t now[] = { st->st_size, st->st_mtim.tv_sec, st->st_mtim.tv_nsec, (json_int_t)st->st_ino,
	                           st->st_ctim.tv_sec, st->st_ctim.tv_nsec };

	for (size_t i = 0; i < sizeof now / sizeof *now; i++)
		if (json_integer_value(json_array_get(known, i)) != now[i])
			return false;
	return json_string_length(json_array_get(known, HASH_AT)) == STUDY_KEY - 1;
}

/* Is the file to be hashed?  A kernel of a trace must have its header: what is none may be endless. */
static bool is_kernel(struct trace_reader *r, size_t i)
{
	struct trace_header header = { 0 };
	bool good = hd__trace_kernel_header(r, &header, i) == 0;

	hd__trace_header_free(&header);
	return good;
}

void study_cache_see(struct study_cache *c, const char *real)
{
	if (c->seen != NULL)
		json_object_set_new_nocheck(c->seen, real, json_true());
}

/* The hash of a regular file, from the cache if it has not changed.  r: it is file i of this trace; or NULL.  Returns
 * its size. */
static uint64_t hash_file(struct study_cache *c, const char *path, struct trace_reader *r, size_t i,
                          char out[STUDY_KEY])
{
	char real[PATH_MAX];
	struct stat st;
	json_t *known;

	out[0] = '\0';
	if (realpath(path, real) == NULL || stat(real, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	hd__input_note_name(real);
	study_cache_see(c, real);
	known = json_object_get(c->files, real);
	if (is_known(known, &st)) {
		snprintf(out, STUDY_KEY, "%s", json_string_value(json_array_get(known, HASH_AT)));
		return (uint64_t)st.st_size;
	}
	if (r != NULL && !is_kernel(r, i))
		return 0;
	hash_content(real, out);
	if (out[0] != '\0' && st.st_ctime + SETTLED < time(NULL)) {
		json_object_set_new(c->files, real, json_pack("[I, I, I, I, I, I, s]", (json_int_t)st.st_size,
			(json_int_t)st.st_mtim.tv_sec, (json_int_t)st.st_mtim.tv_nsec, (json_int_t)st.st_ino,
			(json_int_t)st.st_ctim.tv_sec, (json_int_t)st.st_ctim.tv_nsec, out));
		c->changed = true;
	}
	return (uint64_t)st.st_size;
}

void study_hash_file(struct study_cache *c, const char *path, char out[STUDY_KEY])
{
	hash_file(c, path, NULL, 0, out);
}

/* ---- traces -------------------------------------------------------------------------------- */

/* The listing beside a kernel's file, which cores that follow control words read. */
static void hash_listing(struct study_cache *c, XXH3_state_t *h, const char *kernel)
{
	char *path = hd__listing_name(kernel), hash[STUDY_KEY] = "";
	struct stat st;

	if (stat(path, &st) == 0 && (uint64_t)st.st_size <= TRACE_MOST_LISTING)
		hash_file(c, path, NULL, 0, hash);
	add_text(h, hash);
	free(path);
}

/* What cannot be read as a trace counts as empty: a run reports it. */
static void hash_trace(struct study_trace *t, struct study_cache *c, XXH3_state_t *h, struct trace_reader *r)
{
	struct stat st;
	bool readable = stat(t->file, &st) == 0 && S_ISREG(st.st_mode)
	                && hd__trace_open_list(r, t->file, 1, UINT64_MAX) == 0;
	bool list = readable && r->packed.map == NULL && r->list.v[0].line > 0;
	char hash[STUDY_KEY] = "";

	if (readable)
		t->bytes = hash_file(c, t->file, NULL, 0, hash);
	add_text(h, hash);
	if (!list)
		hash_listing(c, h, t->file);
	for (size_t i = 0; list && i < r->list.n; i++) {
		t->bytes += hash_file(c, r->list.v[i].path, r, i, hash);
		add_text(h, hash);
		hash_listing(c, h, r->list.v[i].path);
	}
}

static void hash_tables(struct study *s, struct study_cache *c)
{
	XXH3_state_t *h = begin();
	char hash[STUDY_KEY];
	json_t *file;
	size_t i;

	json_array_foreach(s->tables, i, file) {
		hash_file(c, json_string_value(file), NULL, 0, hash);
		add_text(h, hash);
	}
	put_key(h, s->tables_hash);
	XXH3_freeState(h);
}

void study_hash_traces(struct study *s, struct study_cache *c)
{
	hash_tables(s, c);
	for (size_t i = 0; i < s->ntraces; i++) {
		struct hd_diags d = { 0 };
		struct trace_program_host host;
		struct trace_reader r = { .host = &host.host, .opt = hd__trace_options("") };
		XXH3_state_t *h = begin();

		hd__trace_host_init(&host, &d);
		r.opt.late = true;
		hash_trace(&s->traces[i], c, h, &r);
		put_key(h, s->traces[i].hash);
		XXH3_freeState(h);
		hd__trace_close(&r);
		hd__trace_host_free(&host);
		hd__diags_free(&d);
	}
}

/* ---- the program, the point ---------------------------------------------------------------- */

void study_hash_program(const struct hd_registry *r, struct study_cache *c, char out[STUDY_KEY])
{
	XXH3_state_t *h = begin();
	char hash[STUDY_KEY];

	add_text(h, PACKAGE_VERSION);
	hash_file(c, "/proc/self/exe", NULL, 0, hash);
	add_text(h, hash);
	for (size_t i = 0; i < r->n; i++) {
		const char *plugin = hd__registry_plugin(r, r->v[i].module);

		if (plugin == NULL)
			continue;
		hash_file(c, plugin, NULL, 0, hash);
		add_text(h, r->v[i].module->name);
		add_text(h, hash);
	}
	put_key(h, out);
	XXH3_freeState(h);
}

void study_point_key(const struct study *s, const char *program, const char *netlist,
                     size_t trace, uint64_t piece, char out[STUDY_KEY])
{
	const struct study_trace *t = &s->traces[trace];
	XXH3_state_t *h = begin();
	char options[64];

	add_text(h, program);
	add_text(h, netlist);
	add_text(h, t->hash);
	snprintf(options, sizeof options, "%" PRIu64 " %d %d %d %d", t->max_cycles, t->strict, t->keep_going, s->each,
	         s->reasons);
	add_text(h, options);
	add_text(h, t->kernels != NULL ? t->kernels : "");
	snprintf(options, sizeof options, "%" PRIu64 " %" PRIu64 " %d %d", piece, s->pieces, s->fresh, s->once);
	add_text(h, options);
	if (s->energy != NULL)
		add_text(h, s->tables_hash);
	put_key(h, out);
	XXH3_freeState(h);
}

void study_hash_texts(const char *const *texts, size_t n, char out[STUDY_KEY])
{
	XXH3_state_t *h = begin();

	for (size_t i = 0; i < n; i++)
		add_text(h, texts[i]);
	put_key(h, out);
	XXH3_freeState(h);
}
