/* fuzz_web.c - feeds bytes to the checks of a browser's requests: the host, and what the page asks for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  The first line is the
 * Host, the rest is a body.  Besides the checks of the sanitizers, these must hold: a host that is let in is an
 * address, "localhost" or the given name; and what is passed on has one member at most, and is of the list.
 */
#include "tools/web/web.h"

#include <strings.h>

static void must(bool holds, const char *what, const char *text)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s: %s\n", what, text);
	abort();
}

static void check_host(const char *host)
{
	size_t digits = strspn(host, "0123456789abcdefABCDEF.:[]");

	if (hd__web_host_fits("name", host))
		must(host[digits] == '\0' || strncasecmp(host, "localhost", 9) == 0
		     || strncasecmp(host, "name", 4) == 0, "a host is let in", host);
	must(!hd__web_host_fits(NULL, host) || hd__web_host_fits("name", host), "a host without a name", host);
}

static void check_body(const char *body, size_t n)
{
	static const char *const names[] = { "pause", "resume", "step", "until", "dump", "counters", "pending" };
	json_t *members = NULL;
	char *why = NULL;
	const struct hd_web_action *a = hd__web_action(body, n, &members, &why);
	bool known = false;

	must((a != NULL) == (why == NULL), "a request with a message, or none without", body);
	for (size_t i = 0; a && i < sizeof names / sizeof *names; i++)
		known = known || strcmp(names[i], a->name) == 0;
	must(!a || (known && json_is_object(members) && json_object_size(members) <= 1), "what is passed on", body);
	json_decref(members);
	free(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text = hd__xcalloc(n + 1, 1), *end;

	if (n)
		memcpy(text, bytes, n);
	end = memchr(text, '\n', n);
	check_body(end ? end + 1 : text, end ? n - (size_t)(end + 1 - text) : n);
	if (end)
		*end = '\0';
	check_host(text);
	free(text);
	return 0;
}

#include "files.h"
