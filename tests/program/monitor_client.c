/* monitor_client.c - the other end of a monitor's socket, well behaved or not; for monitor.sh
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   talk PATH    reads a script: a line is sent as it is, and the next reply is written; but
 *                @event NAME  waits for that event and writes it
 *                @reply       waits for a reply without a request
 *                @send TEXT   sends TEXT without a newline, and waits for nothing
 *                @file NAME   sends what is in a file
 *                @big N       sends N bytes without a newline
 *                @half        closes its sending half
 *                @gone        waits until the other end has closed
 *   hang PATH N  N connections that subscribe and never read; writes "ready", waits to be killed
 *   flood PATH   sends requests for ever and never reads; writes "ready"
 *   idle PATH N  N connections that send nothing
 *   churn PATH N connects and leaves N times, in the middle of a request
 *   lie PATH HOW is a server: garbage, array, stranger, future, wordless, vanish, long, silent,
 *                liar, escape; writes "ready", serves one client
 */
#include "client.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof a.sun_path) {
		fprintf(stderr, "path too long\n");
		exit(99);
	}
	strcpy(a.sun_path, path);
	return a;
}

static int connected(const char *path)
{
	struct sockaddr_un a = address(path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) != 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

static bool say(int fd, const char *text)
{
	return put(fd, text, strlen(text));
}

/* ---- talk ---- */

/* Writes the next line that has `text`; passes over others. */
static void await(FILE *in, const char *text)
{
	char *line = NULL;
	size_t cap = 0;

	for (;;) {
		if (getline(&line, &cap, in) < 0) {
			puts("(closed)");
			break;
		}
		if (strstr(line, text)) {
			fputs(line, stdout);
			break;
		}
	}
	fflush(stdout);
	free(line);
}

static void send_big(int fd, size_t n)
{
	static char x[65536];

	memset(x, 'x', sizeof x);
	for (; n > 0; n -= n < sizeof x ? n : sizeof x)
		if (!put(fd, x, n < sizeof x ? n : sizeof x))
			return;
}

static void send_file(int fd, const char *name)
{
	FILE *f = fopen(name, "r");
	char buf[4096];
	size_t n;

	while (f && (n = fread(buf, 1, sizeof buf, f)) > 0 && put(fd, buf, n))
		;
	if (f)
		fclose(f);
}

static void talk(const char *path)
{
	int fd = connected(path);
	FILE *in = fdopen(fd, "r");
	char *line = NULL, event[100];
	size_t cap = 0;

	while (getline(&line, &cap, stdin) >= 0) {
		char *end = strchr(line, '\n');

		if (line[0] != '@') {
			say(fd, line);
			await(in, "\"reply\":");
			continue;
		}
		if (end)
			*end = '\0';
		if (strncmp(line, "@event ", 7) == 0) {
			snprintf(event, sizeof event, "\"event\":\"%s\"", line + 7);
			await(in, event);
		} else if (strcmp(line, "@reply") == 0) {
			await(in, "\"reply\":");
		} else if (strncmp(line, "@send ", 6) == 0) {
			say(fd, line + 6);
		} else if (strncmp(line, "@file ", 6) == 0) {
			send_file(fd, line + 6);
		} else if (strncmp(line, "@big ", 5) == 0) {
			send_big(fd, strtoull(line + 5, NULL, 10));
		} else if (strcmp(line, "@half") == 0) {
			shutdown(fd, SHUT_WR);
		} else if (strcmp(line, "@gone") == 0) {
			await(in, "\n\n"); /* in no line */
		} else {
			fprintf(stderr, "what is '%s'?\n", line);
			exit(99);
		}
	}
	free(line);
	fclose(in);
}

/* ---- bad clients ---- */

static void hang(const char *path, int n)
{
	for (int i = 0; i < n; i++)
		say(connected(path), "{\"request\":\"subscribe\",\"period\":10}\n");
	ready();
	pause();
}

static void idle(const char *path, int n)
{
	for (int i = 0; i < n; i++)
		connected(path);
	ready();
	pause();
}

static void flood(const char *path)
{
	int fd = connected(path);

	say(fd, "{\"request\":\"counters\"}\n");
	ready();
	while (say(fd, "{\"request\":\"counters\"}\n{\"request\":\"nonsense\"}\n[]\n\n\n"))
		;
}

static void churn(const char *path, int n)
{
	for (int i = 0; i < n; i++) {
		int fd = connected(path);

		say(fd, i % 3 == 0 ? "{\"request\":" : i % 3 == 1
		                   ? "{\"request\":\"counters\"}\n{\"request\":\"counters\"}\n" : "");
		close(fd);
	}
}

/* ---- bad servers ---- */

#define HELLO "{\"reply\":\"hello\",\"ok\":true,\"id\":1,\"heddle\":\"0\",\"protocol\":1,\"netlist\":\"n\"}\n"

static void lie(const char *path, const char *how)
{
	struct sockaddr_un a = address(path);
	int s = socket(AF_UNIX, SOCK_STREAM, 0), fd;
	char buf[4096];

	unlink(path);
	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof a) != 0 || listen(s, 1) != 0) {
		perror(path);
		exit(99);
	}
	ready();
	fd = accept(s, NULL, NULL);
	if (recv(fd, buf, sizeof buf, 0) <= 0)
		exit(0);
	if (strcmp(how, "vanish") == 0)
		exit(0);
	if (strcmp(how, "garbage") == 0)
		say(fd, "HTTP/1.0 400 \033[2J\r\n\r\n");
	if (strcmp(how, "array") == 0)
		say(fd, "[1, 2]\n");
	if (strcmp(how, "stranger") == 0)
		say(fd, "{\"hello\": \"I am a printer\"}\n");
	if (strcmp(how, "future") == 0)
		say(fd, "{\"reply\":\"hello\",\"ok\":true,\"id\":1,\"heddle\":\"9.0\",\"protocol\":2}\n");
	if (strcmp(how, "long") == 0)
		send_big(fd, (size_t)64 << 20);
	if (strcmp(how, "wordless") == 0)
		say(fd, HELLO "{\"event\":\"update\",\"cycle\":\"7\"}\n");
	if (strcmp(how, "liar") == 0)
		say(fd, HELLO "{\"event\":\"finished\",\"state\":\"run\",\"cycle\":-1,\"share\":[],\"rate\":-5,"
		    "\"totals\":3,\"delta\":{\"cycles\":{}},\"tables\":{\"t\":{\"last\":[],\"rows\":{}}},"
		    "\"rates\":{\"u\":{\"a\":7,\"b\":{\"count\":-1,\"sum\":9,\"edges\":1}},\"w\":[]}}\n");
	if (strcmp(how, "escape") == 0)
		say(fd, HELLO "{\"event\":\"finished\",\"state\":\"\\u001b[31m\\u009b2J\",\"cycle\":1}\n");
	if (strcmp(how, "liar") == 0 || strcmp(how, "escape") == 0)
		exit(0);
	pause();
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[3]) : 1;

	alarm(1000); /* a time limit, in case the test hangs */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 3)
		return 99;
	if (strcmp(argv[1], "talk") == 0)
		talk(argv[2]);
	else if (strcmp(argv[1], "hang") == 0)
		hang(argv[2], n);
	else if (strcmp(argv[1], "idle") == 0)
		idle(argv[2], n);
	else if (strcmp(argv[1], "flood") == 0)
		flood(argv[2]);
	else if (strcmp(argv[1], "churn") == 0)
		churn(argv[2], n);
	else if (strcmp(argv[1], "lie") == 0 && argc > 3)
		lie(argv[2], argv[3]);
	else
		return 99;
	return 0;
}
