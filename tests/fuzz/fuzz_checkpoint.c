/* fuzz_checkpoint.c - changes the bytes of a checkpoint, and runs what is accepted
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * With libFuzzer:
 *	./fuzz_checkpoint
 * The input says which bytes of a good state, or of the file of one, change; sums are not compared.
 * Without -DHD_LIBFUZZER a program that runs the files named on its command line once.
 */
#include "kernel/save/save.h"
#include "kernel/stats/stats.h"
#include "tests/kernel/toy/toy.h"

#include <stdlib.h>

#define CYCLES 300 /* after the loaded one */

const struct hd_module *const hd__builtin_wide[] = { NULL };
const struct hd_module *const hd__builtin_modules[] = { &hd_module_source, &hd_module_stage, &hd_module_sink,
	&hd_module_worker, &hd_module_set_source, &hd_module_set_sink, NULL };

/* Toys whose states have no indices: the state of a module is trusted, the kernel's is checked. */
static const char netlist[] =
	"{\"heddle\": 1, \"clocks\": {\"core\": {\"mhz\": 1000}, \"twice\": {\"of\": \"core\", \"times\": 2}, "
	"\"other\": {\"mhz\": 700}}, \"instances\": {"
	"\"a\": {\"module\": \"source\", \"clock\": \"core\", \"params\": {\"count\": 200, \"every\": 3}}, "
	"\"t\": {\"module\": \"stage\", \"clock\": \"core\"}, "
	"\"z\": {\"module\": \"sink\", \"clock\": \"core\", \"params\": {\"every\": 4}}, "
	"\"p\": {\"module\": \"set_source\", \"clock\": \"twice\"}, "
	"\"q\": {\"module\": \"set_sink\", \"clock\": \"twice\"}, "
	"\"w\": {\"module\": \"worker\", \"clock\": \"other\", "
	"\"params\": {\"parts\": [4, 9, 300], \"apart\": true}}}, "
	"\"links\": [{\"from\": \"a.out\", \"to\": \"t.in\", \"capacity\": 3}, "
	"{\"from\": \"t.out\", \"to\": \"z.in\", \"latency\": 7, \"capacity\": 9}, "
	"{\"from\": \"p.out\", \"to\": \"q.in\", \"slots\": 4, \"staged\": true}]}";

static struct hd_sim *build(struct hd_registry *r, struct hd_diags *d)
{
	struct hd_options o = { .per_item = true };
	struct hd_netlist *n = hd__netlist_parse("n.json", netlist, strlen(netlist), d);
	struct hd_sim *s = n ? hd__sim_new(n, r, &o, false, d) : NULL;

	if (!s) {
		hd__diags_print(d, stderr);
		abort();
	}
	return s;
}

/* What was accepted runs, and has statistics. */
static void go_on(struct hd_sim *s)
{
	uint64_t now = hd__sim_cycles(s);
	json_t *j;

	hd__sim_halt(s, now < UINT64_MAX - CYCLES ? now + CYCLES : UINT64_MAX);
	hd__sim_run(s, 4 * CYCLES);
	hd__sim_settle(s);
	j = hd__stats_json(s, "");
	json_decref(j);
}

/* A saved state, and the file of one. */
static struct hd_bytes good[2];

static void save_good(struct hd_sim *s, const json_t *id)
{
	char *text, *why;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	hd__sim_halt(s, 50);
	while (hd__sim_run(s, 100) == HD_RUN_MORE)
		;
	hd__sim_save(s, &good[0]);
	if (!hd__checkpoint_write(s, id, f, &why))
		abort();
	fclose(f);
	hd__bytes_append(&good[1], text, n);
	free(text);
}

/* The bytes with changes: three bytes each, place and value; what is left is cut off the end. */
static uint8_t *changed(const struct hd_bytes *from, const uint8_t *data, size_t size, size_t *n)
{
	uint8_t *v = hd__xcheck(malloc(from->n));

	memcpy(v, from->v, from->n);
	for (; size >= 3; data += 3, size -= 3)
		v[(data[0] | (size_t)data[1] << 8) % from->n] = data[2];
	*n = from->n - (size ? data[0] % from->n : 0);
	return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_registry r = { .n = 0 };
	struct hd_diags d = { 0 };
	json_t *id = json_object();
	bool file = size > 0 && data[0] & 1;
	struct hd_sim *s;
	uint8_t *bytes;
	char *why;
	size_t n;

	hd__registry_init(&r, &d);
	if (!good[0].n) {
		s = build(&r, &d);
		save_good(s, id);
		hd__sim_free(s);
	}
	s = build(&r, &d);
	bytes = changed(&good[file], data + (size > 0), size - (size > 0), &n);
	why = file ? hd__checkpoint_parse(s, id, bytes, n) : hd__sim_load(s, bytes, n);
	if (!why)
		go_on(s);
	free(why);
	free(bytes);
	hd__sim_free(s);
	json_decref(id);
	hd__diags_free(&d);
	hd__registry_free(&r);
	return 0;
}

#include "files.h"
