/* web_address.c - the address at which pages are served, and which names of it requests may use
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "web.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <strings.h>
#include <unistd.h>

#define LOOPBACK "127.0.0.1"
#define QUEUE 1024 /* connections that are not accepted yet */

static bool bad(const char *text, const char *what)
{
	fprintf(stderr, "heddle: --web: '%s': %s\n", text, what);
	return false;
}

static bool is_port(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n > 0 && n < 6 && text[n] == '\0' && strtoul(text, NULL, 10) < 65536;
}

static bool is_loopback(const struct sockaddr_storage *s)
{
	const struct sockaddr_in *v4 = (const void *)s;
	const struct sockaddr_in6 *v6 = (const void *)s;

	if (s->ss_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
	return s->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

bool hd__web_address(struct hd_web_address *a, const char *text)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found = NULL;
	size_t n = colon ? (size_t)(colon - text) : 0;
	int error;

	if (!is_port(port) || (colon && n == 0))
		return bad(text, "expected [ADDRESS:]PORT, like 127.0.0.1:8080; port 0 is any that is free");
	if (n > 2 && text[0] == '[' && text[n - 1] == ']')
		a->host = hd__xstrndup(text + 1, n - 2);
	else if (colon && memchr(text, ':', n))
		return bad(text, "expected brackets around an address of IPv6, like [::1]:8080");
	else
		a->host = colon ? hd__xstrndup(text, n) : hd__xstrdup(LOOPBACK);
	error = getaddrinfo(strcmp(a->host, "localhost") == 0 ? LOOPBACK : a->host, port, &hints, &found);
	if (error)
		return bad(text, gai_strerror(error));
	memcpy(&a->socket, found->ai_addr, found->ai_addrlen);
	a->size = found->ai_addrlen;
	freeaddrinfo(found);
	a->loopback = is_loopback(&a->socket);
	return true;
}

int hd__web_listen(struct hd_web_address *a)
{
	int fd = socket(a->socket.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
	bool v6 = a->socket.ss_family == AF_INET6;
	char service[16];

	/* the port of a server that has just ended is free */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0
	    || bind(fd, (const struct sockaddr *)&a->socket, a->size) != 0 || listen(fd, QUEUE) != 0
	    || getsockname(fd, (struct sockaddr *)&a->socket, &a->size) != 0
	    || getnameinfo((const struct sockaddr *)&a->socket, a->size, NULL, 0, service, sizeof service,
	                   NI_NUMERICSERV) != 0) {
		bool used = errno == EADDRINUSE;

		fprintf(stderr, "heddle: --web: %s: %s%s\n", a->host, strerror(errno), used
		        ? "; another program listens at this port; port 0 is any that is free" : "");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	a->shown = hd__format("%s%s%s:%s", v6 ? "[" : "", a->host, v6 ? "]" : "", service);
	return fd;
}

bool hd__web_host_fits(const char *given, const char *host)
{
	char name[256];
	const char *from = host, *end;
	unsigned char address[16];
	size_t n;

	if (host[0] == '[') {
		from = host + 1;
		end = strchr(from, ']');
	} else {
		end = host + strcspn(host, ":");
	}
	if (!end || end == from || end - from >= (ptrdiff_t)sizeof name)
		return false;
	n = (size_t)(end - from);
	memcpy(name, from, n);
	name[n] = '\0';
	end += *end == ']';
	if (*end != '\0' && (*end != ':' || !is_port(end + 1)))
		return false;
	if (host[0] == '[')
		return inet_pton(AF_INET6, name, address) == 1;
	return inet_pton(AF_INET, name, address) == 1 || strcasecmp(name, "localhost") == 0
	       || (given && strcasecmp(name, given) == 0);
}
