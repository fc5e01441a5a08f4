/* exec_parts.c - hands on the parts of a trace while it is being made
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static bool complain(const char *what)
{
	fprintf(stderr, "heddle: %s: %s\n", what, strerror(errno));
	return false;
}

bool hd__parts_connect(struct exec_parts *p, const char *folder, const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	*p = (struct exec_parts){ .folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	if (p->folder < 0)
		return complain(folder);
	p->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	/* a path that is never too long for the address */
	snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d/%s", p->folder, name);
	if (p->socket >= 0 && connect(p->socket, (const struct sockaddr *)&to, sizeof to) == 0)
		return true;
	complain(folder);
	hd__parts_close(p);
	return false;
}

FILE *hd__parts_file(const struct exec_parts *p)
{
	int fd = openat(p->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	FILE *f;

	if (fd < 0) { /* not every file system has such files */
		fd = openat(p->folder, "part", O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
		unlinkat(p->folder, "part", 0);
	}
	f = fd >= 0 ? fdopen(fd, "w+") : NULL;
	if (!f)
		complain("a file for a part of the trace");
	if (!f && fd >= 0)
		close(fd);
	return f;
}

/* The reader has taken so many parts. */
static void note_taken(struct exec_parts *p, ssize_t n)
{
	for (; n > 0 && p->n > 0; n--, p->n--) {
		p->bytes -= p->waiting[p->first];
		p->first = (p->first + 1) % PARTS_WAITING;
	}
}

/* Each message of the reader is one byte. */
static bool wait_for_room(struct exec_parts *p)
{
	char byte;

	while (recv(p->socket, &byte, sizeof byte, MSG_DONTWAIT) > 0)
		note_taken(p, 1);
	while (p->n == PARTS_WAITING || (p->n > 1 && p->bytes > PARTS_WAITING_BYTES)) {
		ssize_t n = recv(p->socket, &byte, sizeof byte, 0);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		note_taken(p, n);
	}
	return true;
}

static bool send_message(const struct exec_parts *p, const struct part_message *m, int fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof fd)];
	} control = { .space = { 0 } };
	struct iovec part = { (void *)m, sizeof *m };
	struct msghdr h = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		h.msg_control = &control;
		h.msg_controllen = sizeof control;
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET,
			                         .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
	}
	do
		n = sendmsg(p->socket, &h, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof *m;
}

bool hd__parts_put(struct exec_parts *p, FILE *f, bool first, bool last)
{
	struct part_message m = { .kind = PART_BLOCKS, .first = first, .last = last };
	off_t bytes = fflush(f) == 0 && !ferror(f) ? lseek(fileno(f), 0, SEEK_END) : -1;
	bool good = bytes >= 0;

	if (!good)
		complain("a part of the trace could not be written");
	good = good && wait_for_room(p) && send_message(p, &m, fileno(f));
	fclose(f);
	if (!good)
		return false;
	p->waiting[(p->first + p->n++) % PARTS_WAITING] = (uint64_t)bytes;
	p->bytes += (uint64_t)bytes;
	return true;
}

bool hd__parts_say(const struct exec_parts *p, struct part_message m)
{
	return send_message(p, &m, -1);
}

bool hd__parts_time(struct exec_parts *p, uint64_t *ns)
{
	struct part_time t;
	ssize_t n;

	if (!hd__parts_say(p, (struct part_message){ .kind = PART_TIME }))
		return false;
	for (;;) {
		n = recv(p->socket, &t, sizeof t, 0);
		if (n == (ssize_t)sizeof t) {
			*ns = t.ns;
			return true;
		}
		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		note_taken(p, n);
	}
}

void hd__parts_close(struct exec_parts *p)
{
	if (p->socket >= 0)
		close(p->socket);
	if (p->folder >= 0)
		close(p->folder);
	p->socket = p->folder = -1;
}
