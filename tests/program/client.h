/* client.h - what clients of a run and of its page share
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_PROGRAM_CLIENT_H
#define TESTS_PROGRAM_CLIENT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>

/* False: the other end has closed. */
static bool put(int fd, const char *text, size_t n)
{
	while (n > 0) {
		ssize_t got = send(fd, text, n, MSG_NOSIGNAL);

		if (got <= 0)
			return false;
		text += got;
		n -= (size_t)got;
	}
	return true;
}

/* To the test, which waits for it. */
static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

#endif
