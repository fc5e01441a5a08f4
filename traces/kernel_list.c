/* kernel_list.c - kernelslist.g: the files of the kernels of a run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MOST_LIST (UINT64_C(64) << 20) /* bytes: some million kernels */

static bool exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

/* Appends; owns path from here on, which may be NULL when memory has run out. */
static int append(struct trace_list *l, const struct trace_host *host, char *path, uint64_t line)
{
	struct trace_item *v = trace_reserve(l->v, l->n + 1, &l->cap, sizeof *v);

	if (v)
		l->v = v;
	if (!path || !v) {
		free(path);
		return hd__trace_error(host, "out of memory for the list of kernels");
	}
	l->v[l->n++] = (struct trace_item){ .path = path, .line = line, .copies = l->ncopy };
	return 0;
}

/* Traces get compressed after their list was written, and the other way round. */
static int kernel_line(struct trace_list *l, struct trace_text *t, const char *name, size_t len)
{
	const char *slash = strrchr(t->name, '/');
	size_t dir = *name == '/' || !slash ? 0 : (size_t)(slash - t->name) + 1;
	char *path = malloc(dir + len + sizeof ".xz");

	if (path) {
		memcpy(path, t->name, dir);
		memcpy(path + dir, name, len);
		path[dir + len] = '\0';
		if (!exists(path)) {
			bool packed = trace_ends(path, ".xz");

			if (packed)
				path[dir + len - 3] = '\0';
			else
				strcat(path, ".xz");
			if (!exists(path) && l->late) { /* it fails when it is opened */
				memcpy(path + dir, name, len);
				path[dir + len] = '\0';
			} else if (!exists(path)) {
				free(path);
				return hd__trace_error(t->host, "%s:%" PRIu64 ": no kernel file "
				                       "'%.*s', neither with nor without '.xz'", t->name,
				                       t->line, (int)(packed ? len - 3 : len), name);
			}
		}
	}
	return append(l, t->host, path, t->line);
}

/* at: after the first comma of the line. */
static int copy_line(struct trace_list *l, const struct trace_text *t, const char *line,
                     const char *at)
{
	struct hd_trace_copy *v;
	uint64_t address, bytes;
	const char *p = hd__trace_hex(at, &address);

	l->copies++;
	if (!p || *p != ',')
		return hd__trace_bad(t, line, p && trace_gap(*p) ? p : at, "'MemcpyHtoD,address,bytes'");
	at = p + 1;
	p = hd__trace_dec(at, &bytes);
	if (!p || !trace_gap(*p))
		return hd__trace_bad(t, line, at, "the number of bytes that are copied");
	if (bytes > TRACE_MOST_COPIED)
		return hd__trace_error(t->host, "%s:%" PRIu64 ": copies %" PRIu64 " bytes; expected at most %"
		                       PRIu64 ", the memory of a GPU", t->name, t->line, bytes, TRACE_MOST_COPIED);
	l->copied += bytes;
	v = trace_reserve(l->copy, l->ncopy + 1, &l->capcopy, sizeof *v);
	if (!v)
		return hd__trace_error(t->host, "out of memory for the list of copies");
	l->copy = v;
	l->copy[l->ncopy++] = (struct hd_trace_copy){ address, bytes };
	return 0;
}

/* A file of a kernel that the rule for names would lose without a word. */
static bool is_kernel_file(const char *name, size_t len)
{
	static const char *const tails[] = { ".traceg", ".traceg.xz", ".tracez" };

	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
		size_t n = strlen(tails[i]);

		if (len >= n && memcmp(name + len - n, tails[i], n) == 0)
			return true;
	}
	return false;
}

static int list_line(struct trace_list *l, struct trace_text *t, const char *line, size_t len,
                     uint64_t *kernels, uint64_t first, uint64_t last)
{
	static const char copy[] = "MemcpyHtoD";
	const char *name = line, *slash, *file;

	while (len > 0 && trace_gap(line[len - 1]))
		len--;
	for (; len > 0 && trace_gap(*name); name++)
		len--;
	if (len == 0)
		return 0;
	if (*name == '#') {
		l->others++;
		return 0;
	}
	slash = memrchr(name, '/', len);
	file = slash ? slash + 1 : name;
	if (name + len - file > 6 && memcmp(file, "kernel", 6) == 0) {
		++*kernels;
		if (*kernels < first || *kernels > last)
			return 0;
		if (memchr(name, '\0', len))
			return hd__trace_bad(t, line, name, "the name of a file");
		return kernel_line(l, t, name, len);
	}
	if (len >= sizeof copy - 1 && memcmp(name, copy, sizeof copy - 1) == 0) {
		if (name[sizeof copy - 1] != ',')
			return hd__trace_bad(t, line, name, "'MemcpyHtoD,address,bytes'");
		return copy_line(l, t, line, name + sizeof copy);
	}
	if (is_kernel_file(name, len))
		return hd__trace_bad(t, line, file, "a file whose name begins with 'kernel', or '#' in front of a "
		                     "comment");
	l->others++;
	return 0;
}

int hd__trace_list_read(struct trace_list *l, const struct trace_host *host, const char *input,
                        uint64_t first, uint64_t last, uint64_t xz_memory)
{
	struct trace_text t = { 0 };
	uint64_t kernels = 0;
	const char *line;
	size_t len;
	int got = -1;

	*l = (struct trace_list){ .late = l->late };
	if (trace_ends(input, ".trace") || trace_ends(input, ".trace.xz"))
		return hd__trace_error(host, "%s: is a raw trace, its warps are interleaved; expected the "
		                       ".traceg that the tracer's post-processing makes of it", input);
	if (trace_ends(input, ".hasm"))
		return hd__trace_error(host, "%s: is a text of kernels; expected the kernelslist.g that 'heddle trace "
		                       "assemble' makes of it", input);
	if (hd__trace_text_open_once(&t, host, input, xz_memory))
		goto out;
	while ((got = trace_text_line(&t, &line, &len)) > 0) {
		if (hd__trace_text_limit(&t, MOST_LIST, "the list of kernels")
		    || (t.line == 1 && hd__trace_text_plain(&t, line, len))) {
			got = -1;
			break;
		}
		if (t.line == 1 && *line == '-') { /* not a list but a kernel's own file */
			kernels = 1;
			got = first <= 1 && last >= 1 ? append(l, host, strdup(input), 0) : 0;
			if (t.pipe) {
				t.pos = t.buf;
				t.line = 0;
				l->pipe = t;
				t = (struct trace_text){ .fd = -1 };
			}
			break;
		}
		got = list_line(l, &t, line, len, &kernels, first, last);
		if (got < 0)
			break;
	}
	if (got == 0 && t.line == 0 && kernels == 0)
		got = hd__trace_error(host, "%s: is empty; expected a list of kernels or a trace", input);
	else if (got == 0 && kernels == 0)
		got = hd__trace_error(host, "%s: names no kernel; expected lines that begin with 'kernel'",
		                      input);
	else if (got == 0 && l->n == 0)
		got = hd__trace_list_none(host, input, kernels, first, last);
	else if (got == 0)
		hd__trace_list_some(host, input, kernels, first, last);
out:
	hd__trace_text_close(&t);
	return got;
}

int hd__trace_list_none(const struct trace_host *host, const char *input, uint64_t kernels, uint64_t first,
                        uint64_t last)
{
	char to[40] = "";

	if (last != first && last != UINT64_MAX)
		snprintf(to, sizeof to, " to %" PRIu64 " were", last);
	return hd__trace_error(host, "%s: has %" PRIu64 " kernel%s; kernel%s %" PRIu64 "%s requested", input, kernels,
	                       kernels == 1 ? "" : "s", *to ? "s" : "", first,
	                       *to ? to : last == first ? " was" : " and those behind it were");
}

void hd__trace_list_some(const struct trace_host *host, const char *input, uint64_t kernels, uint64_t first,
                         uint64_t last)
{
	if (kernels < last && last != UINT64_MAX)
		hd__trace_warn(host, "%s: has %" PRIu64 " kernel%s; kernels %" PRIu64 " to %" PRIu64 " were requested",
		               input, kernels, kernels == 1 ? "" : "s", first, last);
}

void hd__trace_list_free(struct trace_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].path);
	free(l->v);
	free(l->copy);
	hd__trace_text_close(&l->pipe);
	*l = (struct trace_list){ 0 };
}
