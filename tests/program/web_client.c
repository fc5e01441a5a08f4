/* web_client.c - a browser that need not behave well; for web.sh
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   raw PORT      sends what it reads, with CR LF for LF, and writes what comes back until the other end closes
 *   crowd PORT N  makes N connections that send nothing, and as many as fail again; writes "ready", waits to be
 *                 killed
 *   drip PORT N   N connections that send a header byte by byte, for ever; writes "ready"
 *   big PORT N    sends a header of N bytes; writes what comes back
 *   churn PORT N  connects and leaves N times, in the middle of a request
 *   noise PORT N  sends N requests of pseudo-random bytes
 */
#include "client.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int connected(unsigned port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
	                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int must_connect(unsigned port)
{
	int fd = connected(port);

	if (fd < 0) {
		perror("connect");
		exit(1);
	}
	return fd;
}

static void copy_back(int fd)
{
	char buf[65536];
	ssize_t n;

	while ((n = recv(fd, buf, sizeof buf, 0)) > 0)
		fwrite(buf, 1, (size_t)n, stdout);
}

static void raw(unsigned port)
{
	int fd, c;
	char *text;
	size_t n;
	FILE *all = open_memstream(&text, &n);

	while (all && (c = getchar()) != EOF)
		fprintf(all, c == '\n' ? "\r\n" : "%c", c);
	if (!all || fclose(all) != 0)
		exit(99);
	fd = must_connect(port);
	put(fd, text, n);
	free(text);
	copy_back(fd);
	close(fd);
}

static void crowd(unsigned port, int n)
{
	for (int i = 0; i < n; i++)
		if (connected(port) < 0)
			usleep(1000);
	ready();
	pause();
}

static void drip(unsigned port, int n)
{
	int *fd = calloc((size_t)n, sizeof *fd);

	for (int i = 0; i < n; i++) {
		fd[i] = must_connect(port);
		put(fd[i], "GET / HTTP/1.1\r\nX: ", 19);
	}
	ready();
	for (;;) {
		usleep(20000);
		for (int i = 0; i < n; i++)
			if (!put(fd[i], "x", 1)) {
				close(fd[i]);
				fd[i] = must_connect(port);
				put(fd[i], "GET / HTTP/1.1\r\nX: ", 19);
			}
	}
}

static void big(unsigned port, int n)
{
	int fd = must_connect(port);
	bool open = put(fd, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", 36);

	for (int i = 0; open && i < n; i++)
		open = put(fd, "x", 1);
	if (open)
		put(fd, "\r\n\r\n", 4);
	copy_back(fd);
}

static void churn(unsigned port, int n)
{
	for (int i = 0; i < n; i++) {
		int fd = connected(port);

		if (fd < 0)
			continue;
		put(fd, "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n", (size_t)(i % 37));
		close(fd);
	}
}

static void noise(unsigned port, int n)
{
	static const char *const begin[] = { "", "GET /", "POST /do", "GET / HTTP/1.1\r\n", "\r\n\r\n" };
	uint64_t seed = 88172645463325252;

	for (int i = 0; i < n; i++) {
		int fd = connected(port);
		char bytes[300];

		if (fd < 0)
			continue;
		for (size_t k = 0; k < sizeof bytes; k++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			bytes[k] = (char)(seed >> (i % 3 * 8));
			if (i % 2)
				bytes[k] = (char)(' ' + bytes[k] % 64);
		}
		put(fd, begin[i % 5], strlen(begin[i % 5]));
		put(fd, bytes, sizeof bytes);
		put(fd, "\r\n\r\n", 4);
		shutdown(fd, SHUT_WR);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	unsigned port = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	int n = argc > 3 ? atoi(argv[3]) : 1;

	alarm(1000); /* a time limit, in case the test hangs */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 3)
		return 99;
	if (strcmp(argv[1], "raw") == 0)
		raw(port);
	else if (strcmp(argv[1], "crowd") == 0)
		crowd(port, n);
	else if (strcmp(argv[1], "drip") == 0)
		drip(port, n);
	else if (strcmp(argv[1], "big") == 0)
		big(port, n);
	else if (strcmp(argv[1], "churn") == 0)
		churn(port, n);
	else if (strcmp(argv[1], "noise") == 0)
		noise(port, n);
	else
		return 99;
	return 0;
}
