/* network.c - the networks of an imported GPU: crossbars, or routers that a file of their own describes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * With -network_mode 1 the file of -inter_config_file has lines "name = value;".  One router for each
 * direction is modelled; every name that concerns it has to have the value that is.
 */
#include "import_gpu.h"

#include "base/xalloc.h"

#include <ctype.h>
#include <unistd.h>

#define OPTION "inter_config_file"

/* A name in the file.  value: the only one that is modelled, or NULL. */
struct entry {
	const char *name, *value;
};

static const struct entry entries[] = {
	{ "topology", "fly" },
	{ "routing_function", "dest_tag" },
	{ "n", "1" },
	{ "k", NULL }, /* nodes: checked */
	{ "subnets", "2" },
	{ "use_map", "0" },
	{ "num_vcs", "1" },
	{ "wait_for_tail_credit", "0" },
	{ "vc_allocator", "islip" },
	{ "sw_allocator", "islip" },
	{ "alloc_iters", "1" },
	{ "credit_delay", "0" },
	{ "routing_delay", "0" },
	{ "vc_alloc_delay", "1" },
	{ "sw_alloc_delay", "1" },
	{ "input_speedup", "1" },
	{ "output_speedup", "1" },
	{ "internal_speedup", "2.0" },
	{ "flit_size", NULL },
	{ "ejection_buffer_size", NULL },
	{ "input_buffer_size", NULL },
	{ "boundary_buffer_size", NULL },
	{ "vc_buf_size", NULL },
};

#define COUNT (sizeof entries / sizeof *entries)
enum { NODES = 3, FLIT = 18, EJECTION, INPUT, BOUNDARY, VC };

struct found {
	char *value; /* NULL: not there */
	unsigned line;
};

static size_t entry_of(const char *name, size_t length)
{
	size_t i = 0;

	while (i < COUNT && (strlen(entries[i].name) != length
	                     || strncmp(entries[i].name, name, length) != 0))
		i++;
	return i;
}

static const char *blanks(const char *at, const char *end, unsigned *line)
{
	for (; at < end; at++) {
		if (at + 1 < end && at[0] == '/' && at[1] == '/')
			while (at < end && *at != '\n')
				at++;
		if (at < end && !isspace((unsigned char)*at))
			break;
		*line += at < end && *at == '\n';
	}
	return at < end ? at : end;
}

/* All statements.  Returns false after reporting one that is none. */
static bool read_entries(struct hd_import *im, const char *file, const char *at, const char *end,
                         struct found *f)
{
	unsigned line = 1;

	while ((at = blanks(at, end, &line)) < end) {
		const char *name = at, *stop, *close;
		size_t length, i;

		while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
			at++;
		length = (size_t)(at - name);
		at = blanks(at, end, &line);
		close = at < end ? memchr(at, ';', (size_t)(end - at)) : NULL;
		if (!length || *at != '=' || !close) {
			fprintf(stderr, "%s:%u: expected 'name = value;'\n", file, line);
			im->errors++;
			return false;
		}
		at = blanks(at + 1, close, &line);
		for (stop = close; stop > at && isspace((unsigned char)stop[-1]);)
			stop--;
		i = entry_of(name, length);
		if (i < COUNT) {
			free(f[i].value);
			f[i] = (struct found){ hd__xstrndup(at, (size_t)(stop - at)), line };
		}
		at = close + 1;
	}
	return true;
}

static bool same(const char *a, const char *b)
{
	char *end;
	double x = strtod(a, &end);

	return strcmp(a, b) == 0 || (end != a && *end == '\0' && x == strtod(b, NULL));
}

static void wrong(struct hd_import *im, const char *file, const struct found *f, size_t i,
                  const char *expected)
{
	if (f[i].value)
		fprintf(stderr, "%s:%u: '%s' is '%.40s'; expected %s\n", file, f[i].line,
		        entries[i].name, f[i].value, expected);
	else
		fprintf(stderr, "%s: '%s' is not set; expected %s\n", file, entries[i].name, expected);
	im->errors++;
}

/* A number of the file, reported if it is outside of its limits. */
static uint32_t number(struct hd_import *im, const char *file, const struct found *f, size_t i,
                       uint32_t min, uint32_t max)
{
	char *end, *expected;
	unsigned long v = f[i].value ? strtoul(f[i].value, &end, 10) : 0;

	if (f[i].value && isdigit((unsigned char)*f[i].value) && *end == '\0' && v >= min && v <= max)
		return (uint32_t)v;
	expected = min == max ? hd__format("%u", min) : hd__format("%u to %u", min, max);
	wrong(im, file, f, i, expected);
	free(expected);
	return min;
}

static void router(struct hd_import *im, const char *file, const struct found *f, json_t *gpu)
{
	uint32_t nodes = hd__import_number(im, "gpgpu_n_clusters", 1, 4096)
	                 + hd__import_number(im, "gpgpu_n_mem", 1, 1024)
	                 * hd__import_number(im, "gpgpu_n_sub_partition_per_mchannel", 1, 64);
	uint32_t input, depth, boundary;

	for (size_t i = 0; i < COUNT; i++)
		if (entries[i].value && (!f[i].value || !same(f[i].value, entries[i].value)))
			wrong(im, file, f, i, entries[i].value);
	number(im, file, f, NODES, nodes, nodes);
	number(im, file, f, FLIT, 40, 65536); /* a packet is one flit */
	input = number(im, file, f, INPUT, 0, 65536);
	depth = number(im, file, f, VC, 1, 65536);
	boundary = number(im, file, f, BOUNDARY, 1, 65536);
	number(im, file, f, EJECTION, depth, UINT32_MAX);
	for (size_t i = 0; i < 2; i++) {
		static const char *const module[] = { "requests.module", "replies.module" };
		static const char *const depths[] = { "requests.depth", "replies.depth" };

		hd__import_put(gpu, module[i], json_string("fly"));
		hd__import_put(gpu, depths[i], json_integer(depth));
	}
	hd__import_put(gpu, "in_buffer", json_integer(input ? input : 9));
	hd__import_put(gpu, "out_buffer", json_integer(boundary));
}

void hd__import_router(struct hd_import *im, json_t *gpu)
{
	const char *name = hd__import_text(im, OPTION), *from = hd__import_file_of(im, OPTION);
	const char *slash = from ? strrchr(from, '/') : NULL;
	struct found f[COUNT] = { { NULL, 0 } };
	char *file = hd__format("%.*s%s", slash && *name != '/' ? (int)(slash + 1 - from) : 0, from,
	                        name), *text, *end;

	if (access(file, F_OK) != 0) {
		hd__import_error(im, OPTION, "is '%.80s', and there is no file '%s'; expected the "
		                 "description of the network for '-network_mode 1'", name, file);
	} else if ((text = hd__import_slurp(im, file, &end)) != NULL) {
		if (read_entries(im, file, text, end, f))
			router(im, file, f, gpu);
		free(text);
	}
	for (size_t i = 0; i < COUNT; i++)
		free(f[i].value);
	free(file);
}
