/* checkpoint.c - states that are refused: modules that do not save, cut and changed bytes, other netlists
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"
#include "kernel/save/save.h"
#include "tests/kernel/toy/toy.h"

#include <stdlib.h>

#define BODY "'instances': {'a': {'module': 'source', 'params': {'count': 100, 'every': 3}}, " \
	"'t': {'module': 'stage'}, 'z': {'module': 'sink', 'params': {'every': 4}}, " \
	"'n': {'module': 'sleeper', 'params': {'naps': [5, 100, 70], 'repeat': 1}}, " \
	"'w': {'module': 'worker', 'params': {'parts': [4, 9, 300], 'apart': true}}}, " \
	"'links': [{'from': 'a.out', 'to': 't.in', 'capacity': 3}, " \
	"{'from': 't.out', 'to': 'z.in', 'latency': 7, 'capacity': 9}]"

static const struct hd_options parts = { .max_cycles = 400 };

static void test_not_saved(void)
{
	struct run r;
	struct hd_sim *s = open_sim("'instances': {'p': {'module': 'pooler'}, 'q': {'module': 'pooler'}, "
	                            "'n': {'module': 'sleeper'}}", NULL, &r);
	char *names = hd__not_saved(s);

	TEXT(names, "'pooler'");
	free(names);
	close_sim(s, &r);
	done(&r);
	s = open_sim(BODY, &parts, &r);
	CHECK(hd__not_saved(s) == NULL);
	close_sim(s, &r);
	done(&r);
}

/* Loads bytes, and frees the simulation; NULL: they fit. */
static char *load(const char *body, const void *bytes, size_t n)
{
	struct run r;
	struct hd_sim *s = open_sim(body, &parts, &r);
	char *why = hd__sim_load(s, bytes, n);

	if (why)
		abandon(s, &r);
	else
		close_sim(s, &r);
	done(&r);
	return why;
}

/* A state that is cut ends in a message wherever it is. */
static void test_cut(const struct hd_bytes *bytes)
{
	for (size_t n = 0; n < bytes->n; n += 1 + n / 64) {
		char *cut = malloc(n + 1), *why; /* so that a sanitizer sees its end */

		memcpy(cut, bytes->v, n);
		why = load(BODY, cut, n);
		CHECK(why != NULL);
		free(why);
		free(cut);
	}
}

static void test_left_over(const struct hd_bytes *bytes)
{
	struct hd_bytes more = { .n = 0 };
	char *why;

	hd__bytes_append(&more, bytes->v, bytes->n);
	hd__bytes_append(&more, "x", 1);
	why = load(BODY, more.v, more.n);
	TEXT(why, "1 bytes are left over");
	free(why);
	free(more.v);
}

static void test_other(const struct hd_bytes *bytes)
{
	char *why = load("'instances': {'n': {'module': 'sleeper'}}", bytes->v, bytes->n);

	CHECK(why != NULL);
	free(why);
}

/* An instance that reads less than it has saved. */
static void test_read_less(void)
{
	static const char *const body = "'instances': {'m': {'module': 'misfit'}, "
		"'n': {'module': 'sleeper', 'params': {'naps': [5, 100, 70]}}}";
	struct run r;
	struct hd_bytes bytes = saved_at(body, &parts, 60, &r);
	char *why = load(body, bytes.v, bytes.n);

	TEXT(why, "instance 'm': 4 bytes of its state are left over");
	free(why);
	free(bytes.v);
	done(&r);
}

static char *load_maybe(const struct hd_bytes *bytes, void *p, size_t n)
{
	struct hd_checkpoint k = { .loading = true, .at = bytes->v, .end = bytes->v + bytes->n };

	hd_saved_maybe(&k, p, n);
	CHECK(k.at == k.end);
	return k.why;
}

/* What could not be loaded is not saved either, and the run that saves keeps it. */
static void test_too_much(void)
{
	struct hd_checkpoint k = { .loading = false };

	NUMBER(hd_saved_number(&k, 5, 5), 5);
	CHECK(k.why == NULL);
	NUMBER(hd_saved_number(&k, 7, 5), 7);
	TEXT(k.why, "a number of 7, expected at most 5");
	free(k.why);
	free(k.out.v);
}

/* A table that there may be or not, when it is saved and when it is loaded. */
static void test_maybe(void)
{
	struct hd_checkpoint none = { .loading = false }, some = { .loading = false };
	char table[] = "abc", other[] = "xyz", *why;

	hd_saved_maybe(&none, NULL, 3);
	NUMBER(none.out.n, sizeof(uint64_t));
	hd_saved_maybe(&some, table, 3);
	NUMBER(some.out.n, sizeof(uint64_t) + 3);
	CHECK(!load_maybe(&none.out, NULL, 3));
	CHECK(!load_maybe(&none.out, other, 3));
	TEXT(other, "xyz");
	CHECK(!load_maybe(&some.out, NULL, 3));
	CHECK(!load_maybe(&some.out, other, 3));
	TEXT(other, "abc");
	why = load_maybe(&some.out, other, 2);
	TEXT(why, "3 bytes of a table of 2");
	free(why);
	some.out.n--;
	why = load_maybe(&some.out, other, 3);
	TEXT(why, "its state ends early");
	free(why);
	free(none.out.v);
	free(some.out.v);
}

/* The file around it: every byte that is changed or missing is noticed. */
static void test_file(void)
{
	struct run r;
	struct hd_sim *s = open_sim(BODY, &parts, &r);
	json_t *netlist = json_pack("{s:s}", "a", "netlist"), *other = json_pack("{s:s}", "a", "nother");
	char *text, *why;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	hd__sim_halt(s, 50);
	while (hd__sim_run(s, 7) == HD_RUN_MORE)
		;
	CHECK(hd__checkpoint_write(s, netlist, f, &why) && !why);
	fclose(f);
	hd__sim_halt(s, UINT64_MAX);
	close_sim(s, &r);
	done(&r);
	s = open_sim(BODY, &parts, &r);
	for (size_t i = 0; i < n; i++) {
		text[i] ^= 0x10;
		why = hd__checkpoint_parse(s, netlist, text, n);
		CHECK(why != NULL);
		free(why);
		text[i] ^= 0x10;
		why = hd__checkpoint_parse(s, netlist, text, i);
		CHECK(why != NULL);
		free(why);
	}
	why = hd__checkpoint_parse(s, other, text, n);
	CHECK(why != NULL && strstr(why, "from another netlist, or with other values in it"));
	free(why);
	CHECK(hd__sim_cycles(s) == 0); /* nothing was loaded */
	why = hd__checkpoint_parse(s, netlist, text, n);
	CHECK(why == NULL);
	NUMBER(hd__sim_cycles(s), 50);
	free(why);
	close_sim(s, &r);
	done(&r);
	json_decref(netlist);
	json_decref(other);
	free(text);
}

void test_checkpoint(void)
{
	struct run r;
	struct hd_bytes bytes = saved_at(BODY, &parts, 60, &r);
	char *why = load(BODY, bytes.v, bytes.n);

	CHECK(why == NULL);
	free(why);
	done(&r);
	ALIKE(BODY, 400);
	test_not_saved();
	test_cut(&bytes);
	test_left_over(&bytes);
	test_other(&bytes);
	test_read_less();
	test_maybe();
	test_too_much();
	test_file();
	free(bytes.v);
}
