/* fuzz_listing.c - listings beside a trace (kernel-N.sass.json), which a core that follows control words runs
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  An input that begins
 * with '{' is a listing.  The bytes of others choose changes to the listing of a small kernel, most of which it
 * survives.  What the reader of the trace tool accepts is in order of pcs; what a100_sm.json accepts
 * runs for CYCLES cycles, asleep, and awake in another order, with the same results.
 * Needs the folder of the source in the environment: srcdir=.. tests/fuzz/fuzz_listing.
 */
#include "ways.h"
#include "traces/hasm/trace_commands.h"
#include "traces/hasm/listing.h"

#define CYCLES 2000
#define MOST_CHANGES 32u

static const char kernel[] =
	"kernel fuzz block=64 shared=256\n"
	"[B------:R-:W-:-:S02] MOV R1, c[0x0][0x28]\n"
	"[B------:R-:W0:-:S04] S2R R3, SR_TID.X\n"
	"[B------:R-:W-:-:S02] CS2R R20, SR_CLOCKLO\n"
	"[B0-----:R-:W-:-:S06] IMAD R2, R3, c[0x0][0x0], R3\n"
	"[B------:R-:W-:Y:S13] ISETP.GE.AND P0, PT, R2, c[0x0][0x178], PT\n"
	"[B------:R0:W2:-:S02] LDG.E R4, [R2.64] addr=0x7f0000000000+4*lane+128*warp\n"
	"[B------:R-:W-:-:S04] FFMA R5, R6.reuse, R7, R8\n"
	"[B------:R-:W-:-:S02] FADD R9, R6, R7\n"
	"[B------:R-:W-:-:S02] DEPBAR.LE SB2, 0x0, {1}\n"
	"[B------:R-:W3:-:S02] MUFU.RCP R10, R9\n"
	"[B------:R-:W-:-:S04] HMMA.16816.F32 R12, R16, R20, R12\n"
	"[B--2---:R1:W-:-:S02] STS [R3], R4 addr=0x7f5000000000+4*lane\n"
	"[B-1----:R-:W-:Y:S05] BAR.SYNC 0x0\n"
	"[B------:R-:W4:-:S02] LDS R11, [R3] addr=0x7f5000000000+4*lane\n"
	"[B---3--:R-:W-:-:S04] @P0 IADD3 R11, R10, 0x1, RZ\n"
	"[B------:R-:W-:-:S02] ULDC.64 UR4, c[0x0][0x118]\n"
	"[B----4-:R5:W-:-:S02] STG.E [R2.64], R11 addr=0x7f0000010000+4*lane+128*warp\n"
	"[B-----5:R-:W-:-:S05] EXIT\n";

/* ---- the trace ---- */

static char folder[4096], *list_file, *trace_file, *listing_file;
static json_t *good;

static void remove_all(void)
{
	unlink(list_file);
	unlink(trace_file);
	unlink(listing_file);
	rmdir(folder);
	free(list_file);
	free(trace_file);
	free(listing_file);
	json_decref(good);
}

/* The kernel as a trace with its listing, in a folder that is removed at the end. */
static void make_trace(void)
{
	const char *top = getenv("TMPDIR");
	int fd;
	char *text = fuzz_file(kernel, sizeof kernel - 1, &fd), *tables = hd__data_path(NULL, "opcodes");
	struct trace_command c = { .tables = tables, .trace = text, .output = folder, .strict = true };

	snprintf(folder, sizeof folder, "%s/heddle-fuzz-XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(folder) || hd__hasm_assemble(&c, HASM_LIMIT) != 0)
		abort();
	list_file = hd__format("%s/kernelslist.g", folder);
	trace_file = hd__format("%s/kernel-1.traceg", folder);
	listing_file = hd__format("%s/kernel-1.sass.json", folder);
	good = json_load_file(listing_file, 0, NULL);
	fuzz_must(good != NULL, "the listing is not there", listing_file);
	atexit(remove_all);
	free(tables);
	free(text);
	close(fd);
}

/* ---- changes ---- */

#define LENGTH(v) (unsigned)(sizeof(v) / sizeof *(v))

static bool rarely(struct fuzz_input *in)
{
	return fuzz_take(in, 64) == 63;
}

/* What a listing rarely has. */
static json_t *odd_value(struct fuzz_input *in)
{
	static const json_int_t numbers[] = { -1, 6, 7, 8, 16, 17, 63, 64, 254, 255, 256, 288, 65535, 65536, 2147483647,
		4294967294, 4294967295, 4294967296, 9223372036854775807 };
	static const char *const words[] = { "", "FFMA", "EXIT", "FFMA R5, R6, R7, R8", "@!P3 EXIT", "{5,6,7}",
		"read" };

	switch (fuzz_take(in, 8)) {
	case 0: return json_string(words[fuzz_take(in, LENGTH(words))]);
	case 1: return json_boolean(fuzz_take(in, 2));
	case 2: return fuzz_take(in, 2) ? json_array() : json_real(0.5);
	case 3: return fuzz_take(in, 2) ? json_object() : json_null();
	default: return json_integer(numbers[fuzz_take(in, LENGTH(numbers))]);
	}
}

static void change_control(struct fuzz_input *in, json_t *inst)
{
	static const char *const names[] = { "stall", "read", "write" };
	json_t *c = json_object_get(inst, "control"), *wait;
	unsigned which = fuzz_take(in, 8), set;

	if (!c)
		json_object_set_new(inst, "control", c = json_pack("{s:[], s:b, s:i}", "wait", "yield", 0, "stall", 1));
	if (rarely(in)) {
		json_object_set_new(c, names[which % 3], odd_value(in));
	} else if (which < 4) {
		which = which % 3;
		json_object_set_new(c, names[which], json_integer(fuzz_take(in, which ? 6 : 16)));
	} else if (which < 6) {
		wait = json_array();
		set = fuzz_take(in, 64);
		for (unsigned i = 0; i < 6; i++)
			if (set >> i & 1)
				json_array_append_new(wait, json_integer(i));
		json_object_set_new(c, "wait", wait);
	} else if (which == 6) {
		json_object_set_new(c, "yield", json_boolean(fuzz_take(in, 2)));
	} else {
		json_object_del(c, names[1 + fuzz_take(in, 2)]);
	}
}

static void change_operand(struct fuzz_input *in, json_t *inst, json_t *other)
{
	static const char *const numbers[] = { "number", "count", "base", "offset", "bank", "uniform", "value" };
	static const char *const kinds[] = { "register", "uniform", "predicate", "uniform_predicate", "barrier",
		"counter", "counters", "special", "constant", "address", "integer", "float", "target", "unheard-of" };
	json_t *list = json_object_get(inst, "operands"), *o;
	unsigned n = (unsigned)json_array_size(list), which = fuzz_take(in, 8);

	if (n == 0 || which < 2) {
		json_object_set(inst, "operands", json_object_get(other, "operands"));
		return;
	}
	o = json_array_get(list, fuzz_take(in, n));
	if (rarely(in))
		json_object_set_new(o, numbers[fuzz_take(in, LENGTH(numbers))], odd_value(in));
	else if (which == 2)
		json_object_set_new(o, "kind", json_string(kinds[fuzz_take(in, LENGTH(kinds))]));
	else if (which == 3)
		json_object_set_new(o, "access", json_string(fuzz_take(in, 2) ? "read" : "write"));
	else if (which == 4)
		json_object_set_new(o, "reuse", json_boolean(fuzz_take(in, 2)));
	else
		json_object_set_new(o, numbers[fuzz_take(in, LENGTH(numbers))], json_integer(fuzz_take(in, 17)));
}

static void change_list(struct fuzz_input *in, json_t *list, json_t *inst, json_t *other)
{
	static const char *const names[] = { "pc", "opcode", "text", "guard", "operands", "control" };
	unsigned which = fuzz_take(in, 4);

	if (which == 0)
		json_array_remove(list, fuzz_take(in, (unsigned)json_array_size(list)));
	else if (which == 1)
		json_array_append_new(list, json_deep_copy(other));
	else if (which == 2)
		json_object_del(inst, names[fuzz_take(in, LENGTH(names))]);
	else
		json_object_set_new(inst, names[fuzz_take(in, LENGTH(names))], odd_value(in));
}

static void change(struct fuzz_input *in, json_t *list)
{
	unsigned n = (unsigned)json_array_size(list), which = fuzz_take(in, 16);
	json_t *inst, *other;

	if (n == 0)
		return;
	inst = json_array_get(list, fuzz_take(in, n));
	other = json_array_get(list, fuzz_take(in, n));
	if (which < 9)
		change_control(in, inst);
	else if (which < 14)
		change_operand(in, inst, other);
	else if (which == 14)
		json_object_set(inst, "guard", json_array_get(json_object_get(other, "operands"), 0));
	else if (rarely(in))
		change_list(in, list, inst, other);
}

/* The caller frees it. */
static char *changed(struct fuzz_input *in)
{
	json_t *j = json_deep_copy(good);
	char *text;

	for (unsigned i = 0; i < MOST_CHANGES && in->left > 1; i++)
		change(in, json_object_get(j, "instructions"));
	text = json_dumps(j, JSON_INDENT(1));
	json_decref(j);
	return text;
}

/* ---- readers ---- */

static void read_and_find(const char *text, size_t size)
{
	struct hd_diags d = { 0 };
	struct trace_program_host host;
	struct listing *l;
	struct hd_inst like = { .nsrc = 2, .src = { 6, 7 }, .dst = 9 };

	hd__trace_host_init(&host, &d);
	l = hd__listing_packed(&host.host, trace_file, text, size, &d);
	fuzz_must(l || d.errors || size == 0, "refused without a message", text);
	for (size_t i = 0; l && d.errors == 0 && i < l->controls.n; i++) {
		fuzz_must(i == 0 || l->controls.v[i - 1].pc <= l->controls.v[i].pc, "order of pcs", text);
		like.pc = l->controls.v[i].pc;
		hd__listing_find(l, &like, l->inst[i].opcode);
	}
	hd__listing_free(l);
	hd__trace_host_free(&host);
	hd__diags_free(&d);
}

static void run(uint64_t seed, const char *text)
{
	static struct hd_registry r;
	struct hd_diags d = { 0 };
	char *netlist = fuzz_source("netlists", "a100_sm.json"), *first;
	struct fuzz_run plain = { .registry = &r, .netlist = netlist,
	                          .o = { .input = list_file, .last = UINT64_MAX, .max_cycles = CYCLES } }, other;

	if (r.n == 0)
		hd__registry_init(&r, &d);
	other = plain;
	other.o.no_sleep = true;
	other.o.shuffle = seed | 1;
	first = fuzz_outcome(&plain);
	if (getenv("FUZZ_VERBOSE"))
		printf("%s\n%.400s\n", text, first);
	fuzz_same(first, fuzz_outcome(&other), "awake in another order", text);
	free(first);
	free(netlist);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, size };
	char *text;
	size_t n = size;
	FILE *f;

	if (!good)
		make_trace();
	if (size && *data == '{') {
		text = hd__xcalloc(size + 1, 1);
		memcpy(text, data, size);
	} else {
		text = changed(&in);
		n = strlen(text);
	}
	f = fopen(listing_file, "w");
	if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
		abort();
	read_and_find(text, n);
	run(fuzz_seed(data, size), text);
	free(text);
	return 0;
}

#include "files.h"
