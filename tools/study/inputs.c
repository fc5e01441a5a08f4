/* inputs.c - hashes of what a point depends on: files of traces, the program, values and options
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "inputs.h"
#include "base/json_read.h"
#include "base/output.h"
#include "base/xalloc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <lzma.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define CACHE "traces.cache"
#define AT_ONCE (1u << 20) /* bytes */
#define XZ_FIRST 0xFD     /* first byte of an xz file */
#define XZ_MEMORY (UINT64_C(256) << 20) /* bytes that its decoder may take */
#define PACKED_FIRST 0x89 /* first byte of a packed trace */
#define LONGEST_LINE (256u << 10) /* bytes of a line of a list */
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

void study_cache_open(struct study_cache *c, const struct study_folder *f)
{
	*c = (struct study_cache){ .folder = f, .files = study_folder_read(f, CACHE), .used = json_object() };
	if (!json_is_object(c->files)) {
		json_decref(c->files);
		c->files = json_object();
	}
}

void study_cache_close(struct study_cache *c)
{
	json_object_set_new(c->files, "netlists", c->used); /* without those of other values */
	if (c->changed)
		study_folder_write(c->folder, CACHE, c->files, JSON_INDENT(1) | JSON_SORT_KEYS);
	json_decref(c->files);
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

/* The hash of a regular file, from the cache if it has not changed.  Returns its size. */
static uint64_t hash_file(struct study_cache *c, const char *path, char out[STUDY_KEY])
{
	char real[PATH_MAX];
	struct stat st;
	json_t *known;

	out[0] = '\0';
	if (realpath(path, real) == NULL || stat(real, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	hd__input_note_name(real);
	known = json_object_get(c->files, real);
	if (is_known(known, &st)) {
		snprintf(out, STUDY_KEY, "%s", json_string_value(json_array_get(known, HASH_AT)));
		return (uint64_t)st.st_size;
	}
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
	hash_file(c, path, out);
}

/* ---- traces -------------------------------------------------------------------------------- */

/* The listing beside a kernel's file, which cores that follow control words read. */
static void hash_listing(struct study_cache *c, XXH3_state_t *h, const char *kernel)
{
	static const char *const tails[] = { ".xz", ".traceg", ".tracez" };
	size_t n = strlen(kernel);
	char *path, hash[STUDY_KEY];

	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
		size_t tail = strlen(tails[i]);

		if (n > tail && strncmp(kernel + n - tail, tails[i], tail) == 0)
			n -= tail;
	}
	path = hd__format("%.*s.sass.json", (int)n, kernel);
	hash_file(c, path, hash);
	add_text(h, hash);
	free(path);
}

/* A file that a list names, as a run finds it: with or without ".xz". */
static uint64_t hash_kernel(struct study_cache *c, XXH3_state_t *h, const char *list, const char *name)
{
	const char *slash = strrchr(list, '/');
	size_t folder = name[0] == '/' || slash == NULL ? 0 : (size_t)(slash + 1 - list), n = strlen(name);
	char *path = hd__format("%.*s%s%s", (int)folder, list, name, ".xz"), hash[STUDY_KEY];
	char *end = path + folder + n;
	uint64_t bytes;

	*end = '\0';
	if (access(path, F_OK) != 0 && n > 3 && strcmp(end - 3, ".xz") == 0)
		end[-3] = '\0';
	else if (access(path, F_OK) != 0)
		*end = '.';
	bytes = hash_file(c, path, hash);
	add_text(h, hash);
	hash_listing(c, h, path);
	free(path);
	return bytes;
}

/* The kernels of a list: lines whose file name begins with "kernel".  A run reads none behind a line too long. */
static uint64_t hash_list(struct study_cache *c, XXH3_state_t *h, const char *list, FILE *f)
{
	char *line = hd__xcalloc(LONGEST_LINE + 1, 1);
	uint64_t bytes = 0;

	line[LONGEST_LINE] = '.'; /* until a line reaches it */
	while (fgets(line, LONGEST_LINE + 1, f) != NULL && line[LONGEST_LINE] != '\0') {
		const char *name = line + strspn(line, " \t\r"), *slash;

		for (size_t n = strlen(line); n > 0 && strchr(" \t\r\n", line[n - 1]) != NULL;)
			line[--n] = '\0';
		slash = strrchr(name, '/');
		if (name[0] != '#' && strncmp(slash != NULL ? slash + 1 : name, "kernel", 6) == 0)
			bytes += hash_kernel(c, h, list, name);
	}
	free(line);
	return bytes;
}

struct unpacked {
	FILE *f;
	lzma_stream xz;
	lzma_ret ret;
	uint8_t in[BUFSIZ];
};

static ssize_t unpack(void *cookie, char *to, size_t n)
{
	struct unpacked *u = cookie;

	u->xz.next_out = (uint8_t *)to;
	u->xz.avail_out = n;
	while (u->ret == LZMA_OK && u->xz.avail_out > 0) {
		if (u->xz.avail_in == 0) {
			u->xz.next_in = u->in;
			u->xz.avail_in = fread(u->in, 1, sizeof u->in, u->f);
		}
		u->ret = lzma_code(&u->xz, u->xz.avail_in > 0 ? LZMA_RUN : LZMA_FINISH);
	}
	return (ssize_t)(n - u->xz.avail_out);
}

static int close_unpacked(void *cookie)
{
	struct unpacked *u = cookie;

	lzma_end(&u->xz);
	fclose(u->f);
	free(u);
	return 0;
}

/* The text of an xz file, which is closed with it. */
static FILE *open_unpacked(FILE *f)
{
	struct unpacked *u = hd__xcalloc(1, sizeof *u);

	u->f = f;
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	u->ret = lzma_stream_decoder(&u->xz, XZ_MEMORY, LZMA_CONCATENATED);
	return hd__xcheck(fopencookie(u, "r", (cookie_io_functions_t){ .read = unpack, .close = close_unpacked }));
}

/* The content tells whether a file is a list, as in a run: a kernel begins with '-', a packed trace with a byte of its
 * own.  But containers are known by their name. */
static FILE *open_list(const char *path)
{
	size_t n = strlen(path);
	bool container = n > 7 && strcmp(path + n - 7, ".tracez") == 0;
	FILE *f = container ? NULL : fopen(path, "re");
	int first = f != NULL ? getc(f) : EOF;

	if (first == XZ_FIRST) {
		rewind(f);
		f = open_unpacked(f);
		first = getc(f);
	}
	if (f != NULL && first != '-' && first != PACKED_FIRST) {
		ungetc(first, f);
		return f;
	}
	if (f != NULL)
		fclose(f);
	return NULL;
}

void study_hash_traces(struct study *s, struct study_cache *c)
{
	for (size_t i = 0; i < s->ntraces; i++) {
		struct study_trace *t = &s->traces[i];
		XXH3_state_t *h = begin();
		char hash[STUDY_KEY];
		FILE *list;

		t->bytes = hash_file(c, t->file, hash);
		add_text(h, hash);
		list = hash[0] != '\0' ? open_list(t->file) : NULL;
		if (list != NULL) {
			t->bytes += hash_list(c, h, t->file, list);
			fclose(list);
		} else {
			hash_listing(c, h, t->file);
		}
		put_key(h, t->hash);
		XXH3_freeState(h);
	}
}

/* ---- the program, the point ---------------------------------------------------------------- */

void study_hash_program(const struct hd_registry *r, struct study_cache *c, char out[STUDY_KEY])
{
	XXH3_state_t *h = begin();
	char hash[STUDY_KEY];

	add_text(h, PACKAGE_VERSION);
	hash_file(c, "/proc/self/exe", hash);
	add_text(h, hash);
	for (size_t i = 0; i < r->n; i++) {
		const char *plugin = hd__registry_plugin(r, r->v[i].module);

		if (plugin == NULL)
			continue;
		hash_file(c, plugin, hash);
		add_text(h, r->v[i].module->name);
		add_text(h, hash);
	}
	put_key(h, out);
	XXH3_freeState(h);
}

void study_point_key(const struct study *s, const char *program, const char *netlist,
                     size_t trace, char out[STUDY_KEY])
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
