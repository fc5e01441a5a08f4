/* saved.c - saves and loads members of states, for instances and the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "saved.h"

#include <inttypes.h>
#include <stdlib.h>

/* Keeps the first reason, and reads nothing more. */
void hd_refuse(struct hd_checkpoint *k, const char *fmt, ...)
{
	va_list ap;
	char *text;

	if (k->why)
		return;
	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	k->why = k->instance ? hd__format("instance '%s': %s", k->instance->path, text)
	                     : hd__xstrdup(text);
	free(text);
	k->at = k->end;
}

bool hd_loads(const struct hd_checkpoint *k)
{
	return k->loading;
}

void hd_saved(struct hd_checkpoint *k, void *p, size_t bytes)
{
	size_t left = (size_t)(k->end - k->at);

	if (bytes == 0)
		return;
	if (!k->loading) {
		hd__bytes_append(&k->out, p, bytes);
	} else if (bytes <= left) {
		memcpy(p, k->at, bytes);
		k->at += bytes;
	} else {
		memset(p, 0, bytes);
		hd_refuse(k, "its state ends early");
	}
}

void hd_saved_maybe(struct hd_checkpoint *k, void *p, size_t bytes)
{
	uint64_t n = hd_saved_number(k, p ? bytes : 0, UINT64_MAX);

	if (!k->loading) {
		hd_saved(k, p, n);
	} else if (n > (size_t)(k->end - k->at)) {
		hd_refuse(k, "its state ends early");
	} else if (p && n == bytes) {
		hd_saved(k, p, bytes);
	} else if (p && n != 0) {
		hd_refuse(k, "%" PRIu64 " bytes of a table of %zu", n, bytes);
	} else {
		k->at += n;
	}
}

uint64_t hd_saved_number(struct hd_checkpoint *k, uint64_t n, uint64_t most)
{
	hd_saved(k, &n, sizeof n);
	if (n <= most)
		return n;
	hd_refuse(k, "a number of %" PRIu64 ", expected at most %" PRIu64, n, most);
	return k->loading ? 0 : n; /* a run that saves goes on */
}

char *hd__saved_string(struct hd_checkpoint *k, const char *text)
{
	uint64_t n = hd_saved_number(k, text ? strlen(text) + 1 : 0,
	                             k->loading ? (uint64_t)(k->end - k->at) : UINT64_MAX);
	char *loaded;

	if (!k->loading && text)
		hd__bytes_append(&k->out, text, n);
	if (!k->loading || n == 0)
		return NULL;
	if (n > (size_t)(k->end - k->at)) {
		hd_refuse(k, "a text ends early");
		return NULL;
	}
	loaded = hd__xstrndup((const char *)k->at, n - 1);
	k->at += n;
	return loaded;
}

void hd_saved_text(struct hd_checkpoint *k, const char **text)
{
	char *loaded = hd__saved_string(k, *text);

	if (k->loading)
		*text = loaded ? hd__own(k->sim, loaded) : NULL;
}

static int append(const char *text, size_t n, void *to)
{
	hd__bytes_append(to, text, n);
	return 0;
}

/* The result of json_dumps() may lie in an arena. */
char *hd__json_text(const json_t *j, size_t flags)
{
	struct hd_bytes text = { .n = 0 };

	json_dump_callback(j, append, &text, flags | JSON_ENCODE_ANY);
	hd__bytes_append(&text, "", 1);
	return (char *)text.v;
}

void hd_nothing_saved(void *state, struct hd_checkpoint *k)
{
	(void)state;
	(void)k;
}

bool hd_may_save(const struct hd_ctx *c)
{
	return c->sim->opt.saves;
}
