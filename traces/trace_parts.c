/* trace_parts.c - takes the parts of a trace that comes while it is being made
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

bool hd__trace_parts_open(struct trace_parts *p, const struct trace_host *host, const char *input)
{
	struct stat st;
	int n = 0;

	*p = (struct trace_parts){ .host = host, .input = input };
	p->on = sscanf(input, "/dev/fd/%d%n", &p->socket, &n) == 1 && input[n] == '\0' && fstat(p->socket, &st) == 0
	        && S_ISSOCK(st.st_mode);
	return p->on;
}

/* ---- messages ---- */

/* The next message, and the descriptor that came with it, or -1.  Returns false at the end, however that came. */
static bool next_message(const struct trace_parts *p, struct part_message *m, int *fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { m, sizeof *m };
	struct msghdr h = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
		            .msg_controllen = sizeof control };
	struct cmsghdr *c;
	ssize_t n;

	do /* a maker that ends without having looked at bytes resets the connection; what it sent is still there */
		n = recvmsg(p->socket, &h, MSG_CMSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	*fd = -1;
	c = n > 0 ? CMSG_FIRSTHDR(&h) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof *fd))
		memcpy(fd, CMSG_DATA(c), sizeof *fd);
	if (n == (ssize_t)sizeof *m)
		return true;
	if (*fd >= 0)
		close(*fd);
	return false;
}

static int no_memory(struct trace_parts *p)
{
	p->failed = p->over = true;
	return hd__trace_error(p->host, "out of memory for the list of kernels");
}

static int add_copy(struct trace_parts *p, struct trace_list *l, const struct part_message *m)
{
	struct hd_trace_copy *v = trace_reserve(l->copy, l->ncopy + 1, &l->capcopy, sizeof *v);

	if (!v)
		return no_memory(p);
	l->copy = v;
	v[l->ncopy++] = (struct hd_trace_copy){ m->addr, m->bytes < TRACE_MOST_COPIED ? m->bytes : TRACE_MOST_COPIED };
	l->copies++;
	l->copied += m->bytes;
	return 0;
}

static int add_item(struct trace_parts *p, struct trace_list *l, const struct trace_packed *file)
{
	const struct packed_item *from = file->item;
	struct trace_item *v = trace_reserve(l->v, l->n + 1, &l->cap, sizeof *v);

	if (!v)
		return no_memory(p);
	l->v = v;
	v[l->n] = (struct trace_item){ .line = from->line, .copies = l->ncopy };
	if (asprintf(&v[l->n].path, "%s:%s", p->input, file->names + from->name) < 0)
		return no_memory(p);
	l->n++;
	return 0;
}

/* A part is the list's next item, or belongs to the last one. */
static int add_part(struct trace_parts *p, struct trace_list *l, const struct part_message *m, int fd)
{
	struct trace_part *part = calloc(1, sizeof *part), **to;
	struct trace_item *item;
	int got;

	if (!part) {
		close(fd);
		return no_memory(p);
	}
	got = hd__trace_packed_take(&part->file, p->host, p->input, fd);
	if (got == 0 || (got > 0 && l->n == 0 && !m->first))
		got = hd__trace_error(p->host, "%s: something else than a trace comes through it; expected heddle's "
		                      "CUDA runtime at its other end", p->input);
	if (got < 0 || (m->first && add_item(p, l, &part->file))) {
		p->failed = p->over = true;
		hd__trace_packed_close(&part->file);
		free(part);
		return -1;
	}
	item = &l->v[l->n - 1];
	item->whole = m->last;
	if (item->dropped) {
		hd__trace_packed_close(&part->file);
		free(part);
		return 0;
	}
	for (to = &item->part; *to; to = &(*to)->next)
		;
	*to = part;
	return 0;
}

/* Nothing more comes; a kernel whose last part has not come has failed. */
static void end(struct trace_parts *p, struct trace_list *l)
{
	p->over = true;
	if (l->n && !l->v[l->n - 1].whole)
		l->v[l->n - 1].whole = l->v[l->n - 1].failed = true;
}

static int tell_time(struct trace_parts *p)
{
	const struct part_time t = { p->ns };

	if (p->ns == UINT64_MAX) {
		p->failed = p->over = true;
		return hd__trace_error(p->host, "--simulated-time expects kernels that run one after another; this "
		                       "netlist's dispatcher runs several at a time");
	}
	(void)send(p->socket, &t, sizeof t, MSG_NOSIGNAL);
	return 0;
}

static int take(struct trace_parts *p, struct trace_list *l)
{
	static const char taken;
	struct part_message m;
	int fd, bad = 0;

	if (!next_message(p, &m, &fd)) {
		end(p, l);
		return 0;
	}
	switch (m.kind) {
	case PART_COPY: return add_copy(p, l, &m);
	case PART_BLOCKS:
		bad = add_part(p, l, &m, fd);
		/* a maker that has ended needs no answer; what it sent is still there */
		(void)send(p->socket, &taken, sizeof taken, MSG_NOSIGNAL | MSG_DONTWAIT);
		break;
	case PART_TIME: return tell_time(p);
	default: /* FAILED, too: all launches after it fail */ end(p, l);
	}
	return bad;
}

/* ---- items and their parts ---- */

int hd__trace_parts_item(struct trace_parts *p, struct trace_list *l, size_t i, bool whole)
{
	while (!p->over && (l->n <= i || (whole && !l->v[i].whole)))
		if (take(p, l))
			return -1;
	if (p->failed)
		return -1;
	if (whole && i < l->n && l->v[i].failed) { /* the last one; it has not begun, so there is nothing of it */
		hd__trace_parts_drop(&l->v[i]);
		free(l->v[i].path);
		l->n--;
	}
	return i < l->n;
}

static void drop_first(struct trace_item *item)
{
	struct trace_part *part = item->part;

	item->part = part->next;
	item->gone++;
	hd__trace_packed_close(&part->file);
	free(part);
}

/* Part n of the kernel; earlier ones may be gone then.  NULL: there is none, or *bad after a message. */
static const struct trace_packed *find_part(struct trace_packed_kernel *k, uint32_t n, int *bad)
{
	struct trace_parts *p = k->parts;
	struct trace_list *l = k->list;

	for (;;) {
		struct trace_item *item = &l->v[k->item];
		struct trace_part *part = item->part;

		for (uint32_t at = item->gone; part && at < n; at++)
			part = part->next;
		if (part) {
			while (!k->keeps && item->gone < n)
				drop_first(item);
			return &part->file;
		}
		if (item->whole || p->over) {
			k->ended = item->failed;
			return NULL;
		}
		*bad = take(p, l);
		if (*bad)
			return NULL;
	}
}

void hd__trace_parts_begin(struct trace_parts *p, struct trace_list *l, size_t i, bool keeps,
                           struct trace_packed_kernel *k)
{
	k->parts = p;
	k->list = l;
	k->item = i;
	k->keeps = keeps;
	k->more = find_part;
}

void hd__trace_parts_drop(struct trace_item *item)
{
	item->dropped = true;
	while (item->part)
		drop_first(item);
}

void hd__trace_parts_free(struct trace_parts *p, struct trace_list *l)
{
	for (size_t i = 0; p->on && i < l->n; i++)
		hd__trace_parts_drop(&l->v[i]);
}
