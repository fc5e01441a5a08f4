/* checkpoint_file.c - the file of a checkpoint: what it belongs to, the state, sums over both
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A head, then one zstd frame: the length of a JSON object, the object, which says what was simulated,
 * and the state.  A sum detects damage; it does not protect from a file that is made to do harm.
 */
#include "save.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#define MAGIC "hdstate\n"
#define VERSION 3u
#define LEVEL 1
#define RATIO (1u << 17) /* zstd packs no more than that into a byte */

/* In the order of bytes of the machine, like all of the file: another one is another version. */
struct head {
	char magic[8];
	uint32_t version, text; /* text: bytes of the object */
	uint64_t plain, packed; /* bytes of what follows */
	uint64_t packed_hash;
	uint64_t head_hash;     /* of all before it */
};

/* ---- what was simulated ---- */

static json_t *hex(uint64_t v)
{
	return json_sprintf("%016" PRIx64, v);
}

static json_t *hash_of(const json_t *j)
{
	char *text = hd__json_text(j, JSON_COMPACT | JSON_SORT_KEYS);
	uint64_t hash = XXH64(text, strlen(text), 0);

	free(text);
	return hex(hash);
}

/* The layout of the states: of each module its name and size, and of the records.  A record that is arranged in
 * another way may have the same size, but another version of its type; a module's state, another VERSION of the
 * file. */
static json_t *layout_of(const struct hd_sim *s)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < s->narrays; i++) {
		const struct hd_module *m = s->arrays[i].module;

		hash = XXH64(m->name, strlen(m->name), hash + m->state_size);
	}
	for (size_t i = 0; i < s->npools; i++) {
		const struct hd_type *t = s->pools[i].type;

		hash = XXH64(t->name, strlen(t->name), hash + t->record);
		hash = XXH64(&t->version, sizeof t->version, hash);
	}
	return hex(hash);
}

/* Of the bytes of the input; what it names is the business of the instance that reads it. */
static json_t *hash_of_input(const char *path)
{
	XXH64_state_t *state = hd__xcheck(XXH64_createState());
	uint64_t hash;
	unsigned char part[65536];
	ssize_t got = 0;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	XXH64_reset(state, 0);
	while (fd >= 0 && (got = read(fd, part, sizeof part)) > 0)
		XXH64_update(state, part, (size_t)got);
	if (fd >= 0)
		close(fd);
	hash = XXH64_digest(state);
	XXH64_freeState(state);
	return hex(hash);
}

static const char *name_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

/* Members that must be equal, and how a difference is called. */
static const struct { const char *name, *what; } members[] = {
	{ "program", "by another version of the program" },
	{ "abi", "by a program with another module ABI" },
	{ "netlist", "from another netlist, or with other values in it" },
	{ "layout", "with modules whose states are others" },
	{ "trace", "from a trace of another name" },
	{ "trace_bytes", "from another trace" },
	{ "kernels", "with another --kernel" },
	{ "skipped", "with another --skip-kernels" },
	{ "strict", "with another --strict" },
};

static json_t *identity(const struct hd_sim *s, const json_t *netlist)
{
	return json_pack("{s:s, s:i, s:o, s:o, s:s, s:o, s:[I, I], s:I, s:b, s:I}", "program", PACKAGE_VERSION,
	                 "abi", (int)HD_ABI, "netlist", hash_of(netlist), "layout", layout_of(s),
	                 "trace", name_of(s->opt.input), "trace_bytes", hash_of_input(s->opt.input),
	                 "kernels", (json_int_t)s->opt.first, (json_int_t)s->opt.last,
	                 "skipped", (json_int_t)s->opt.skip,
	                 "strict", s->opt.strict, "cycle", (json_int_t)hd__sim_cycles(s));
}

static char *compare(const json_t *saved, const json_t *here)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const json_t *a = json_object_get(saved, members[i].name);
		const json_t *b = json_object_get(here, members[i].name);
		char *was, *is, *why;

		if (json_equal(a, b))
			continue;
		was = a ? hd__json_text(a, 0) : NULL;
		is = hd__json_text(b, 0);
		why = hd__format("it was saved %s: '%s' is %s, expected %s", members[i].what, members[i].name,
		                 was ? was : "not there", is);
		free(was);
		free(is);
		return why;
	}
	return NULL;
}

/* ---- writing ---- */

static bool pack(struct head *h, const struct hd_bytes *plain, FILE *out)
{
	size_t most = ZSTD_compressBound(plain->n), n;
	unsigned char *packed = hd__xcheck(malloc(most));
	bool ok;

	n = ZSTD_compress(packed, most, plain->v, plain->n, LEVEL);
	hd__xcheck(ZSTD_isError(n) ? NULL : packed);
	h->plain = plain->n;
	h->packed = n;
	h->packed_hash = XXH64(packed, n, 0);
	h->head_hash = XXH64(h, offsetof(struct head, head_hash), 0);
	ok = fwrite(h, sizeof *h, 1, out) == 1 && fwrite(packed, 1, n, out) == n;
	free(packed);
	return ok;
}

bool hd__checkpoint_write(struct hd_sim *s, const json_t *netlist, FILE *out, char **why)
{
	json_t *id = identity(s, netlist);
	char *text = hd__json_text(id, JSON_COMPACT);
	struct hd_bytes plain = { .n = 0 };
	struct head h = { .magic = MAGIC, .version = VERSION, .text = (uint32_t)strlen(text) };
	bool ok;

	hd__bytes_append(&plain, text, h.text);
	*why = hd__sim_save(s, &plain);
	ok = !*why && pack(&h, &plain, out);
	free(plain.v);
	free(text);
	json_decref(id);
	return ok;
}

/* ---- reading ---- */

/* Fuzzing has to reach what is behind the sums. */
static bool has_sum(const void *bytes, size_t n, uint64_t sum)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	(void)bytes;
	(void)n;
	(void)sum;
	return true;
#else
	return XXH64(bytes, n, 0) == sum;
#endif
}

/* Checks the head, and unpacks what follows it.  Returns the reason why not, or NULL. */
static char *unpack(const unsigned char *bytes, size_t n, struct head *h, unsigned char **plain)
{
	const unsigned char *packed = bytes + sizeof *h;
	size_t got;

	*plain = NULL;
	if (n < sizeof *h || memcmp(bytes, MAGIC, sizeof h->magic) != 0)
		return hd__xstrdup("it is not a checkpoint; expected a file of 'heddle run --save-at'");
	memcpy(h, bytes, sizeof *h);
	if (h->version != VERSION)
		return hd__format("it has version %" PRIu32 " of the format; expected %u", h->version, VERSION);
	if (!has_sum(h, offsetof(struct head, head_hash), h->head_hash))
		return hd__xstrdup("it is damaged: its head does not have its sum");
	if (h->packed != n - sizeof *h)
		return hd__format("it is damaged: %zu bytes follow its head; expected %" PRIu64, n - sizeof *h,
		                  h->packed);
	if (!has_sum(packed, h->packed, h->packed_hash))
		return hd__xstrdup("it is damaged: its content does not have its sum");
	if (h->text > h->plain || h->plain / RATIO > h->packed)
		return hd__xstrdup("it is damaged: its sizes contradict each other");
	*plain = malloc(h->plain ? h->plain : 1);
	if (!*plain)
		return hd__format("it needs %" PRIu64 " bytes of memory, which are not there", h->plain);
	got = ZSTD_decompress(*plain, h->plain, packed, h->packed);
	if (ZSTD_isError(got) || got != h->plain)
		return hd__xstrdup("it is damaged: its content cannot be unpacked");
	return NULL;
}

static char *load(struct hd_sim *s, const json_t *netlist, const struct head *h,
                  const unsigned char *plain)
{
	json_t *saved = json_loadb((const char *)plain, h->text, 0, NULL), *here = identity(s, netlist);
	char *why = saved ? compare(saved, here) : hd__xstrdup("it is damaged: its first part is not JSON");
	char *wrong = why ? NULL : hd__sim_load(s, plain + h->text, h->plain - h->text);

	if (wrong)
		why = hd__format("its state does not fit: %s", wrong);
	free(wrong);
	json_decref(saved);
	json_decref(here);
	return why;
}

char *hd__checkpoint_parse(struct hd_sim *s, const json_t *netlist, const void *bytes, size_t n)
{
	unsigned char *plain;
	struct head h;
	char *why = unpack(bytes, n, &h, &plain);

	if (!why)
		why = load(s, netlist, &h, plain);
	free(plain);
	return why;
}

/* The file as a whole.  Returns NULL with errno's text in *why. */
static unsigned char *contents(const char *path, size_t *n, const char **why)
{
	struct hd_bytes all = { .n = 0 };
	struct stat st;
	ssize_t got = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*why = NULL;
	if (fd < 0 || fstat(fd, &st) != 0)
		*why = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		*why = "it is not a regular file";
	else if (!hd__input_note(fd))
		*why = "the output would replace it; expected another name for what is written";
	while (!*why && (got = read(fd, hd__bytes_room(&all, 65536), 65536)) != 0) {
		if (got > 0)
			all.n += (size_t)got;
		else if (errno != EINTR)
			*why = strerror(errno);
	}
	if (fd >= 0)
		close(fd);
	if (*why) {
		free(all.v);
		all.v = NULL;
	}
	*n = all.n;
	return all.v;
}

bool hd__checkpoint_read(struct hd_sim *s, const json_t *netlist, const char *path)
{
	const char *wrong;
	char *why;
	size_t n;
	unsigned char *bytes = contents(path, &n, &wrong);

	if (!bytes) {
		fprintf(stderr, "heddle: --load: %s: %s\n", path, wrong);
		return false;
	}
	why = hd__checkpoint_parse(s, netlist, bytes, n);
	if (why)
		fprintf(stderr, "heddle: --load: %s: %s\n", path, why);
	free(why);
	free(bytes);
	return !why;
}
