/* read_file.c - files that a command reads: opened without waiting, whole up to a limit
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "read_file.h"
#include "output.h"
#include "xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT_ONCE ((size_t)1 << 16)     /* bytes */
#define MOST_FILE ((size_t)64 << 20)  /* bytes of a file that a person writes */
#define MOST_INPUT ((size_t)1 << 30)  /* of what a program makes */
#define WRITER_MS 3000                /* how long a pipe may be without a writer: a shell starts it in less */

const char *hd__input_why(int error)
{
	switch (error) {
	case ETXTBSY: return "the output would replace it; expected another name for what is written";
	case EFBIG: return "is larger than such a file ever is";
	case ETIMEDOUT: return "is a pipe into which no program writes";
	default: return strerror(error);
	}
}

/* Returns fd; or -1, with the file closed, if an output would replace it. */
static int note(int fd)
{
	if (fd < 0 || hd__input_note(fd))
		return fd;
	close(fd);
	errno = ETXTBSY;
	return -1;
}

int hd__input_open(const char *path, const char **why)
{
	int fd = note(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));

	if (fd < 0)
		*why = hd__input_why(errno);
	return fd;
}

const char *hd__input_refused(int fd, bool pipes)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return strerror(errno);
	if (S_ISREG(st.st_mode) || (pipes && S_ISFIFO(st.st_mode)))
		return NULL;
	if (S_ISFIFO(st.st_mode))
		return "is a pipe; expected a file, which can be read twice";
	if (S_ISDIR(st.st_mode))
		return "is a folder; expected a file";
	return "is a device; expected a file";
}

static bool await(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int got;

	do
		got = poll(&p, 1, ms);
	while (got < 0 && errno == EINTR);
	return got > 0;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

ssize_t hd__input_read(int fd, void *to, size_t n, bool first)
{
	for (;;) {
		ssize_t got = read(fd, to, n);

		if (got == 0 && first && n > 0 && is_pipe(fd)) {
			/* Has it no writer yet, or has one written nothing?  The second ends the wait at once. */
			first = false;
			if (await(fd, WRITER_MS))
				continue;
			errno = ETIMEDOUT;
			return -1;
		}
		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			return got;
		if (errno == EAGAIN)
			await(fd, -1);
	}
}

char *hd__input_rest(int fd, size_t most, size_t *length)
{
	char *text = NULL;
	size_t cap = 0, n = 0, first = AT_ONCE;
	struct stat st;
	ssize_t got;
	int why = 0;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		if ((uint64_t)st.st_size > most) {
			errno = EFBIG;
			return NULL;
		}
		first = (size_t)st.st_size + 1; /* with room to see that it ends */
	}
	do {
		text = hd__xreserve(text, n > 0 ? n + 1 : first, &cap, 1);
		got = hd__input_read(fd, text + n, cap - n, n == 0);
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0 && n <= most);
	why = got < 0 ? errno : n > most ? EFBIG : 0;
	if (!why) {
		text = hd__xrealloc(text, n + 1);
		text[n] = '\0';
		*length = n;
		return text;
	}
	free(text);
	errno = why;
	return NULL;
}

/* Reads the rest and closes the file, which may be -1. */
static char *rest(int fd, size_t most, size_t *length)
{
	char *text = fd >= 0 ? hd__input_rest(fd, most, length) : NULL;
	int why = errno;

	if (fd > STDIN_FILENO)
		close(fd);
	errno = why;
	return text;
}

char *hd__read_file(const char *file, size_t *length)
{
	return rest(note(open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)), MOST_FILE, length);
}

char *hd__read_input(const char *file, size_t *length)
{
	const char *why = NULL;
	bool standard = strcmp(file, "-") == 0;
	int fd = standard ? note(STDIN_FILENO) : hd__input_open(file, &why);
	char *text = NULL;

	if (fd >= 0 && !standard)
		why = hd__input_refused(fd, true);
	if (why && fd >= 0)
		close(fd);
	if (!why)
		text = rest(fd, MOST_INPUT, length);
	if (!text)
		fprintf(stderr, "heddle: %s: %s\n", file, why ? why : hd__input_why(errno));
	return text;
}
