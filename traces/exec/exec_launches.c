/* exec_launches.c - executes launches that are described in words, and records them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_launches.h"

#include "base/exit.h"
#include "base/json_read.h"
#include "base/output.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "exec_findings.h"
#include "exec_record.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MOST_ARGS 4096u /* bytes of arguments */

struct buffer {
	char *name;
	uint64_t address;
};

/* A tensor map, as an argument. */
struct map {
	char *name;
	unsigned char words[HD_EXEC_TENSOR];
};

struct session {
	const struct exec_launches *l;
	struct hd_exec *x;
	struct hd_exec_image *image;
	struct hd_record *record;
	struct buffer *buffer; /* that have names */
	size_t buffers;
	struct map *map;
	size_t maps;
	char *place;           /* "launches[0]", for messages */
	bool unwritten;        /* writing the trace failed, which was printed */
};

static bool wrong(const struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(const struct session *s, const char *format, ...)
{
	va_list ap;

	fputs("heddle: ", stderr);
	if (s->l->file)
		fprintf(stderr, "%s: ", s->l->file);
	if (s->place && s->l->file)
		fprintf(stderr, "%s: ", s->place);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return false;
}

/* Of a number: a zero in front is none of an octal one. */
static int base_of(const char *text)
{
	text += *text == '-';
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
}

/* ---- buffers ---- */

static uint32_t noise(uint32_t v)
{
	v = (v ^ v >> 16) * 2246822519u;
	v = (v ^ v >> 13) * 3266489917u;
	return v ^ v >> 16;
}

static bool fill_from_file(struct session *s, unsigned char *p, uint64_t bytes, const char *name)
{
	size_t n;
	char *v = hd__read_input(name, &n);

	if (!v)
		return false;
	if (n < bytes)
		wrong(s, "'%s' has %zu bytes; the buffer has %" PRIu64, name, n, bytes);
	else
		memcpy(p, v, bytes);
	free(v);
	return n >= bytes;
}

/* Zeros, numbers from 0 on, the same noise in every run, a file. */
static bool fill(struct session *s, unsigned char *p, uint64_t bytes, const char *with)
{
	bool iota = strcmp(with, "iota") == 0, floats = strcmp(with, "frand") == 0;

	if (strcmp(with, "zero") == 0)
		return true;
	if (strncmp(with, "file=", 5) == 0)
		return fill_from_file(s, p, bytes, with + 5);
	if (!iota && !floats && strcmp(with, "rand") != 0)
		return wrong(s, "a buffer filled with '%s'; expected zero, iota, rand, frand or file=NAME", with);
	for (uint64_t i = 0; i < bytes / 4; i++) {
		uint32_t v = iota ? (uint32_t)i : noise((uint32_t)i + 1);
		float f = (float)(v >> 8) * 0x1p-24f;

		memcpy(p + 4 * i, floats ? (void *)&f : (void *)&v, 4);
	}
	return true;
}

/* BYTES[:FILL].  What is not zeros is copied to the device, as a program would do. */
static bool make_buffer(struct session *s, const char *words, uint64_t *address)
{
	char *end;
	uint64_t bytes;

	errno = 0;
	bytes = strtoull(words, &end, base_of(words));
	if (!isdigit((unsigned char)*words) || errno || bytes == 0 || (*end && *end != ':'))
		return wrong(s, "a buffer 'buf:%s'; expected buf:BYTES or buf:BYTES:FILL, such as buf:4096:iota",
			     words);
	*address = hd__exec_alloc(s->x, bytes);
	if (!*address)
		return wrong(s, "a buffer of %" PRIu64 " bytes does not fit into device memory", bytes);
	if (!*end)
		return true;
	hd__exec_written(s->x, *address, bytes);
	if (strcmp(end, ":zero") == 0)
		return true;
	if (!fill(s, hd__exec_host(s->x, *address, bytes), bytes, end + 1))
		return false;
	if (s->record)
		hd__record_copy(s->record, *address, bytes);
	return true;
}

static bool make_buffers(struct session *s, json_t *buffers)
{
	const char *name;
	json_t *v;

	if (buffers && !json_is_object(buffers))
		return wrong(s, "\"buffers\" is not an object; expected one such as {\"a\": \"4096:iota\"}");
	json_object_foreach(buffers, name, v) {
		struct buffer b = { .name = NULL };

		if (!json_is_string(v))
			return wrong(s, "buffer \"%s\" is not a text; expected one such as \"4096:iota\"", name);
		if (!make_buffer(s, json_string_value(v), &b.address))
			return false;
		b.name = hd__xstrdup(name);
		s->buffer = hd__xappend(s->buffer, s->buffers, sizeof *s->buffer);
		s->buffer[s->buffers++] = b;
	}
	return true;
}

/* ---- tensor maps ---- */

/* An array of numbers, at most `most`; less than 0: it is none. */
static int numbers(json_t *v, uint64_t *to, size_t most)
{
	json_t *x;
	size_t i;

	if (!json_is_array(v) || json_array_size(v) > most)
		return -1;
	json_array_foreach(v, i, x) {
		if (!json_is_integer(x) || json_integer_value(x) < 0)
			return -1;
		to[i] = (uint64_t)json_integer_value(x);
	}
	return (int)json_array_size(v);
}

static uint64_t address_of(const struct session *s, const char *name)
{
	for (size_t i = 0; i < s->buffers; i++)
		if (strcmp(s->buffer[i].name, name) == 0)
			return s->buffer[i].address;
	return 0;
}

/* UINT32_MAX: it is not a number of 32 bits.  NULL: 0. */
static uint32_t small(json_t *v)
{
	json_int_t n = json_integer_value(v);

	return v && (!json_is_integer(v) || n < 0 || n > UINT32_MAX) ? UINT32_MAX : (uint32_t)n;
}

static bool make_map(struct session *s, const char *name, json_t *v)
{
	static const char *const names[] = { "buffer", "bytes", "size", "stride", "box", "swizzle" };
	json_t *buffer = json_object_get(v, "buffer"), *x;
	struct hd_exec_tensor t = { .step = { 1, 1, 1, 1, 1 } };
	uint64_t box[5];
	const char *member, *wrong_how;
	struct map m = { .name = NULL };
	int rank;

	json_object_foreach(v, member, x) {
		size_t i = 0;

		while (i < sizeof names / sizeof *names && strcmp(names[i], member) != 0)
			i++;
		if (i == sizeof names / sizeof *names)
			return wrong(s,
				     "map \"%s\": unknown member \"%s\"; expected buffer, bytes, size, stride, box, "
				     "swizzle",
				     name, member);
	}
	rank = numbers(json_object_get(v, "size"), t.size, 5);
	if (!json_is_string(buffer) || rank < 1 || numbers(json_object_get(v, "box"), box, 5) != rank
	    || (rank > 1 && numbers(json_object_get(v, "stride"), t.stride, 4) != rank - 1))
		return wrong(s,
			     "map \"%s\": expected \"buffer\", its name, and as many numbers in \"size\" and \"box\", "
			     "one less in \"stride\", such as {\"buffer\": \"a\", \"bytes\": 2, \"size\": [256, 128], "
			     "\"stride\": [512], \"box\": [64, 128], \"swizzle\": 128}",
			     name);
	t.base = address_of(s, json_string_value(buffer));
	if (!t.base)
		return wrong(s, "map \"%s\": there is no buffer '%s'", name, json_string_value(buffer));
	t.rank = (uint32_t)rank;
	t.bytes = small(json_object_get(v, "bytes"));
	t.swizzle = small(json_object_get(v, "swizzle"));
	for (int i = 0; i < rank; i++)
		t.box[i] = box[i] > UINT32_MAX ? 0 : (uint32_t)box[i];
	wrong_how = hd__exec_tensor_wrong(&t);
	if (wrong_how)
		return wrong(s, "map \"%s\": expected %s", name, wrong_how);
	m.name = hd__xstrdup(name);
	hd__exec_tensor_encode(&t, m.words);
	s->map = hd__xappend(s->map, s->maps, sizeof *s->map);
	s->map[s->maps++] = m;
	return true;
}

static bool make_maps(struct session *s, json_t *maps)
{
	const char *name;
	json_t *v;

	if (maps && !json_is_object(maps))
		return wrong(s, "\"maps\" is not an object; expected one with tensor maps by name");
	json_object_foreach(maps, name, v)
		if (!make_map(s, name, v))
			return false;
	return true;
}

/* ---- arguments ---- */

struct value {
	unsigned char bytes[HD_EXEC_TENSOR];
	uint32_t n;
};

static bool bad_argument(const struct session *s, const char *word)
{
	return wrong(s,
		     "argument '%s'; expected buf:BYTES[:FILL], @NAME of a buffer, map:NAME, or i32:, u32:, i64:, "
		     "u64:, f32:, f64: and a number",
		     word);
}

static bool number(const struct session *s, const char *word, const char *text, struct value *v)
{
	char kind = word[0], *end;
	float f;
	double d;

	if (isspace((unsigned char)*text)) /* which strtoull() would skip, and take a sign behind it */
		return bad_argument(s, word);
	errno = 0;
	v->n = word[1] == '6' ? 8 : 4;
	if (kind == 'f') {
		d = strtod(text, &end);
		f = (float)d;
		memcpy(v->bytes, v->n == 8 ? (void *)&d : (void *)&f, v->n);
	} else if (kind == 'u') {
		uint64_t u = strtoull(text, &end, base_of(text));

		memcpy(v->bytes, &u, 8);
		if (*text == '-' || (v->n == 4 && u > UINT32_MAX))
			return wrong(s, "argument '%s' is out of range", word);
	} else {
		int64_t i = strtoll(text, &end, base_of(text));

		memcpy(v->bytes, &i, 8);
		if (v->n == 4 && (i > INT32_MAX || i < INT32_MIN))
			return wrong(s, "argument '%s' is out of range", word);
	}
	return (*text && !*end && !errno) || bad_argument(s, word);
}

static bool argument(struct session *s, const char *word, struct value *v)
{
	static const char *const kinds[] = { "i32:", "u32:", "i64:", "u64:", "f32:", "f64:" };
	uint64_t address = 0;

	*v = (struct value){ .n = 8 };
	if (strncmp(word, "map:", 4) == 0) {
		for (size_t i = 0; i < s->maps; i++)
			if (strcmp(s->map[i].name, word + 4) == 0) {
				memcpy(v->bytes, s->map[i].words, sizeof s->map[i].words);
				v->n = HD_EXEC_TENSOR;
				return true;
			}
		return wrong(s, "argument '%s': there is no such map in \"maps\"", word);
	}
	if (*word == '@') {
		address = address_of(s, word + 1);
		if (!address)
			return wrong(s, "argument '%s': there is no such buffer in \"buffers\"", word);
	} else if (strncmp(word, "buf:", 4) == 0) {
		if (!make_buffer(s, word + 4, &address))
			return false;
	} else {
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (strncmp(word, kinds[i], 4) == 0)
				return number(s, word, word + 4, v);
		return bad_argument(s, word);
	}
	memcpy(v->bytes, &address, 8);
	return true;
}

/* "A,B,C" as the kernel has them. */
static bool arguments(struct session *s, const struct hd_exec_kernel *k, const char *list, unsigned char *to)
{
	char *words = hd__xstrdup(list), *left = words, *word;
	uint32_t n = 0;
	bool good = true;

	while (good && (word = strsep(&left, ",")) != NULL) {
		struct value v;

		if (!*word && !left && n == 0)
			break;
		if (n == k->params) {
			good = wrong(s, "more than %u arguments, at '%s'; kernel '%s' has %u", n, word, k->name,
				     k->params);
			break;
		}
		good = argument(s, word, &v);
		if (good && v.n != k->param[n].bytes)
			good = wrong(s, "argument %u, '%s', has %u bytes; kernel '%s' expects %u there", n + 1, word,
				     v.n, k->name, k->param[n].bytes);
		if (good)
			memcpy(to + k->param[n].offset, v.bytes, v.n);
		n++;
	}
	if (good && n < k->params)
		good = wrong(s, "%u argument%s; kernel '%s' has %u", n, n == 1 ? "" : "s", k->name, k->params);
	free(words);
	return good;
}

/* ---- a launch ---- */

static bool three(const struct session *s, const char *what, json_t *v, uint32_t to[3])
{
	char *text = json_is_integer(v) ? hd__format("%lld", (long long)json_integer_value(v))
	             : json_is_string(v) ? hd__xstrdup(json_string_value(v)) : NULL, *p = text, *end;
	unsigned n = 0;

	to[0] = to[1] = to[2] = 1;
	while (p && n < 3) {
		unsigned long long u = strtoull(p, &end, 10);

		if (!isdigit((unsigned char)*p) || u == 0 || u > UINT32_MAX || (*end && *end != ','))
			break;
		to[n++] = (uint32_t)u;
		if (!*end) {
			free(text);
			return true;
		}
		p = end + 1;
	}
	wrong(s, "%s '%s'; expected X, X,Y or X,Y,Z, numbers from 1 on", what, text ? text : "");
	free(text);
	return false;
}

/* Is it the name that the program gave it?  Then its length and it follow _Z. */
static bool is_named(const char *mangled, const char *name)
{
	char *begin = hd__format("_Z%zu%s", strlen(name), name);
	bool is = strcmp(mangled, name) == 0 || strncmp(mangled, begin, strlen(begin)) == 0;

	free(begin);
	return is;
}

static const struct hd_exec_kernel *find_kernel(const struct session *s, json_t *name)
{
	const struct hd_exec_kernel *found = NULL, *k;
	const char **names = NULL;
	size_t n = 0, fits = 0;
	char list[400];

	for (size_t i = 0; (k = hd__exec_kernel_at(s->image, i)) != NULL; i++) {
		names = hd__xappend(names, n, sizeof *names);
		names[n++] = k->name;
		if (name && strcmp(k->name, json_string_value(name)) == 0) {
			free(names);
			return k;
		}
		if (!name || is_named(k->name, json_string_value(name))) {
			found = k;
			fits++;
		}
	}
	if (fits != 1)
		wrong(s, "kernel '%s' is %s in the cubin; it has %s",
		      name ? json_string_value(name) : "",
		      fits ? "not the only one of that name" : "not", hd__names(names, n, list, sizeof list));
	free(names);
	return fits == 1 ? found : NULL;
}

static bool report(const struct session *s, enum hd_exec_status status, const struct hd_exec_fault *f)
{
	return wrong(s, "%s: %s", hd__exec_status(status), f->words);
}

static bool one_launch(struct session *s, json_t *v)
{
	static const char *const names[] = { "kernel", "grid", "block", "args", "shared", "cooperative",
		"cluster" };
	const struct hd_exec_kernel *k;
	struct hd_exec_counts counts = { 0 };
	struct hd_exec_fault fault;
	unsigned char args[MOST_ARGS] = { 0 };
	struct hd_exec_launch l = { .args = args };
	enum hd_exec_status status;
	json_t *x, *shared = json_object_get(v, "shared"), *list = json_object_get(v, "args");
	json_t *kernel = json_object_get(v, "kernel"), *cooperative = json_object_get(v, "cooperative");
	const char *name;

	if (!json_is_object(v))
		return wrong(s, "a launch is not an object; expected \"kernel\", \"grid\", \"block\", \"args\"");
	json_object_foreach(v, name, x) {
		size_t i = 0;

		while (i < sizeof names / sizeof *names && strcmp(names[i], name) != 0)
			i++;
		if (i == sizeof names / sizeof *names)
			return wrong(s,
				     "unknown member \"%s\"; expected kernel, grid, block, args, shared, cooperative, "
				     "cluster",
				     name);
	}
	if (kernel && !json_is_string(kernel))
		return wrong(s, "\"kernel\" is not a text; expected the name of one");
	if (cooperative && !json_is_boolean(cooperative))
		return wrong(s, "\"cooperative\" is not true or false");
	k = find_kernel(s, kernel);
	if (!k || !three(s, "grid", json_object_get(v, "grid"), l.grid)
	    || !three(s, "block", json_object_get(v, "block"), l.block)
	    || (json_object_get(v, "cluster") && !three(s, "cluster", json_object_get(v, "cluster"), l.cluster)))
		return false;
	if (shared
	    && (!json_is_integer(shared) || json_integer_value(shared) < 0 || json_integer_value(shared) > INT32_MAX))
		return wrong(s, "\"shared\" is not a number of bytes");
	if (list && !json_is_string(list))
		return wrong(s, "\"args\" is not a text; expected one such as \"buf:4096:iota,i32:1024\"");
	if (k->args > MOST_ARGS)
		return wrong(s, "kernel '%s' has %u bytes of arguments; at most %u can be given here", k->name,
			     k->args, MOST_ARGS);
	if (!arguments(s, k, list ? json_string_value(list) : "", args))
		return false;
	l.kernel = k;
	l.shared = (uint32_t)json_integer_value(shared);
	l.nargs = k->args;
	l.cooperative = json_is_true(cooperative);
	status = s->record ? hd__record_run(s->record, s->x, &l, &counts, &fault)
	         : hd__exec_run(s->x, &l, NULL, &counts, &fault);
	s->unwritten = status == HD_EXEC_STOPPED;
	if (s->unwritten)
		return false;
	if (status != HD_EXEC_DONE)
		return report(s, status, &fault);
	if (s->l->verbose)
		printf("kernel '%s': %" PRIu64 " blocks, %" PRIu64 " warp instructions, %" PRIu64
		       " thread instructions\n",
		       k->name, counts.blocks, counts.warp_instructions, counts.thread_instructions);
	return true;
}

/* ---- all of them ---- */

static char *beside(const char *file, const char *name)
{
	const char *slash = file && *name != '/' ? strrchr(file, '/') : NULL;

	return slash ? hd__format("%.*s%s", (int)(slash + 1 - file), file, name) : hd__xstrdup(name);
}

static bool load(struct session *s, json_t *cubin)
{
	char *path, *bytes, *why = NULL;
	size_t n;

	if (!json_is_string(cubin))
		return wrong(s, "there is no \"cubin\"; expected the name of a file");
	path = beside(s->l->file, json_string_value(cubin));
	bytes = hd__read_input(path, &n);
	if (bytes)
		s->image = hd__exec_load(s->x, bytes, n, s->l->sm, path, &why);
	if (why)
		fprintf(stderr, "heddle: %s\n", why);
	free(why);
	free(bytes);
	free(path);
	return s->image != NULL;
}

static bool run(struct session *s, json_t *d)
{
	json_t *launches = json_object_get(d, "launches"), *v, *x;
	const char *name;
	size_t i;

	if (!json_is_object(d) || !json_is_array(launches))
		return wrong(s, "expected an object with \"cubin\" and an array \"launches\"");
	json_object_foreach(d, name, x)
		if (strcmp(name, "cubin") != 0 && strcmp(name, "buffers") != 0 && strcmp(name, "maps") != 0
		    && strcmp(name, "launches") != 0)
			return wrong(s, "unknown member \"%s\"; expected cubin, buffers, maps, launches", name);
	if (!load(s, json_object_get(d, "cubin")) || !make_buffers(s, json_object_get(d, "buffers"))
	    || !make_maps(s, json_object_get(d, "maps")))
		return false;
	json_array_foreach(launches, i, v) {
		free(s->place);
		s->place = hd__format("launches[%zu]", i);
		if (!one_launch(s, v))
			return false;
	}
	return true;
}

static json_t *read_description(const struct exec_launches *l)
{
	struct hd_diags d = { 0 };
	json_t *v = NULL;
	size_t n;
	char *text;

	if (l->description)
		return json_incref(l->description);
	text = hd__read_input(l->file, &n);
	if (text)
		v = hd__json_parse(l->file, text, n, &d);
	hd__diags_print(&d, stderr);
	hd__diags_free(&d);
	free(text);
	return v;
}

static void end(struct session *s)
{
	for (size_t i = 0; i < s->buffers; i++)
		free(s->buffer[i].name);
	free(s->buffer);
	for (size_t i = 0; i < s->maps; i++)
		free(s->map[i].name);
	free(s->map);
	free(s->place);
	hd__exec_free(s->x);
}

int hd__exec_launches(const struct exec_launches *l)
{
	struct session s = { .l = l };
	json_t *d = read_description(l);
	char *why = NULL;
	int status, closed = HD_EXIT_OK, found = HD_EXIT_OK;

	if (!d)
		return HD_EXIT_USAGE;
	status = l->output ? hd__record_open(&s.record, l->output, l->text) : HD_EXIT_OK;
	if (status == HD_EXIT_OK) {
		s.x = hd__exec_new(&l->options, &why);
		if (!s.x)
			fprintf(stderr, "heddle: %s\n", why);
		status = !s.x ? HD_EXIT_FAILED : run(&s, d) ? HD_EXIT_OK : s.unwritten ? HD_EXIT_FAILED : HD_EXIT_USAGE;
		if (s.record)
			closed = hd__record_close(s.record, status == HD_EXIT_OK);
		if (s.x && l->options.check)
			found = hd__findings_put(s.x, l->findings);
		status = found != HD_EXIT_OK ? found : status == HD_EXIT_OK ? closed : status;
	}
	free(why);
	json_decref(d);
	end(&s);
	return status;
}
