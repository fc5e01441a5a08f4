/* packed.c - the file of a packed trace: mapped, and its list of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "packed.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

int hd__trace_packed_bad(const struct trace_packed *p, const void *at, const char *what)
{
	return hd__trace_error(p->host, "%s: damaged at byte %" PRIu64 ": %s; expected the file as 'heddle trace "
	                       "pack' wrote it", p->name,
	                       (uint64_t)((const unsigned char *)at - p->map), what);
}

const void *hd__trace_packed_part(const struct trace_packed *p, uint64_t at, uint64_t bytes,
                                  const char *what)
{
	if (at % 8 == 0 && at <= p->size && bytes <= p->size - at)
		return p->map + at;
	hd__trace_error(p->host, "%s: damaged: %s at bytes %" PRIu64 " to %" PRIu64 " of %" PRIu64
	                "; expected the file as 'heddle trace pack' wrote it", p->name, what, at, at + bytes,
	                p->size);
	return NULL;
}

static int map(struct trace_packed *p, int fd)
{
	p->map = mmap(NULL, p->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p->map != MAP_FAILED)
		return 0;
	p->map = NULL;
	return hd__trace_error(p->host, "%s: cannot map: %s", p->name, strerror(errno));
}

static int check_head(const struct trace_packed *p)
{
	const struct packed_head *h = (const struct packed_head *)p->map;

	if (p->size < sizeof *h)
		return hd__trace_error(p->host, "%s: the file ends within its head, after %" PRIu64 " bytes",
		                       p->name, p->size);
	if (h->order != PACKED_ORDER)
		return hd__trace_error(p->host, "%s: was packed on a machine with another byte order, or is "
		                       "damaged; expected one that was packed on this one", p->name);
	if (h->version != PACKED_VERSION)
		return hd__trace_error(p->host, "%s: has version %" PRIu32 " of packed traces; expected %u: pack "
		                       "the trace again", p->name, h->version, PACKED_VERSION);
	if (h->hash != XXH3_64bits(h, offsetof(struct packed_head, hash)))
		return hd__trace_packed_bad(p, h, "the head has another hash");
	if (h->bytes != p->size)
		return hd__trace_error(p->host, "%s: has %" PRIu64 " bytes; expected %" PRIu64 ": it was cut, or "
		                       "something was appended", p->name, p->size, h->bytes);
	return 0;
}

/* Takes `n` elements of `size` bytes from the front of the part [*at, end); NULL: they are not there. */
static const void *take(const unsigned char **at, const unsigned char *end, uint64_t n, size_t size)
{
	const unsigned char *v = *at;

	if (n > (size_t)(end - v) / size)
		return NULL;
	*at += n * size;
	return v;
}

static int check_items(const struct trace_packed *p)
{
	const struct packed_index *x = p->index;
	uint64_t copies = 0;

	for (uint64_t i = 0; i < x->items; i++) {
		const struct packed_item *it = &p->item[i];

		if (it->name >= x->names || it->ref >= x->refs || it->copies < copies
		    || it->copies > x->copies)
			return hd__trace_packed_bad(p, it, "an item of the list");
		copies = it->copies;
	}
	for (uint64_t i = 0; i < x->copies; i++)
		if (p->copy[i].bytes > TRACE_MOST_COPIED)
			return hd__trace_packed_bad(p, &p->copy[i], "a copy");
	return 0;
}

static int check_index(struct trace_packed *p)
{
	const struct packed_head *h = (const struct packed_head *)p->map;
	const unsigned char *at = hd__trace_packed_part(p, h->index, h->index_bytes, "the list"), *end;

	if (!at)
		return -1;
	end = at + h->index_bytes;
	if (XXH3_64bits(at, h->index_bytes) != h->index_hash)
		return hd__trace_packed_bad(p, at, "the list of kernels has another hash");
	p->index = take(&at, end, 1, sizeof *p->index);
	p->item = p->index ? take(&at, end, p->index->items, sizeof *p->item) : NULL;
	p->copy = p->item ? take(&at, end, p->index->copies, sizeof *p->copy) : NULL;
	p->ref = p->copy ? take(&at, end, p->index->refs, sizeof *p->ref) : NULL;
	p->names = p->ref ? take(&at, end, p->index->names, 1) : NULL;
	if (!p->names || at != end || p->index->items == 0 || p->index->names == 0 || end[-1] != '\0')
		return hd__trace_packed_bad(p, p->map + h->index, "the list of kernels has another size");
	return check_items(p);
}

int hd__trace_packed_open(struct trace_packed *p, const struct trace_host *host, const char *path)
{
	char magic[sizeof PACKED_MAGIC - 1];
	struct stat st;
	const char *why;
	int fd, bad;

	*p = (struct trace_packed){ .host = host };
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) /* its writer must not see a reader that goes away */
		return 0;
	fd = host->open(host->self, path, &why);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || pread(fd, magic, sizeof magic, 0) != sizeof magic
	    || memcmp(magic, PACKED_MAGIC, sizeof magic) != 0) {
		close(fd);
		return 0;
	}
	p->size = (uint64_t)st.st_size;
	p->name = strdup(path);
	bad = p->name ? map(p, fd) : hd__trace_error(host, "%s: out of memory", path);
	close(fd);
	return bad || check_head(p) || check_index(p) ? -1 : 1;
}

void hd__trace_packed_close(struct trace_packed *p)
{
	if (p->map)
		munmap(p->map, p->size);
	free(p->name);
	*p = (struct trace_packed){ 0 };
}

int hd__trace_packed_list(struct trace_packed *p, struct trace_list *l, uint64_t first, uint64_t last)
{
	const struct packed_index *x = p->index;

	*l = (struct trace_list){ .copies = x->list_copies, .copied = x->list_copied,
		                  .others = x->list_others, .ncopy = x->copies };
	if (first > x->items)
		return hd__trace_list_none(p->host, p->name, x->items, first, last);
	hd__trace_list_some(p->host, p->name, x->items, first, last);
	p->first = first;
	if (last > x->items)
		last = x->items;
	l->copy = calloc(x->copies + 1, sizeof *l->copy);
	l->v = calloc(last - first + 1, sizeof *l->v);
	if (!l->copy || !l->v)
		return hd__trace_error(p->host, "out of memory for the list of kernels");
	for (uint64_t i = 0; i < x->copies; i++)
		l->copy[i] = (struct hd_trace_copy){ p->copy[i].addr, p->copy[i].bytes };
	for (uint64_t i = first - 1; i < last; i++) {
		const struct packed_item *it = &p->item[i];
		struct trace_item *to = &l->v[l->n];

		*to = (struct trace_item){ .line = it->line, .copies = it->copies };
		if (asprintf(&to->path, "%s:%s", p->name, p->names + it->name) < 0)
			return hd__trace_error(p->host, "out of memory for the list of kernels");
		l->n++;
	}
	return 0;
}
