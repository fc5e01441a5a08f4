/* control_words.c - control words of instructions, from the listing beside a trace (kernel-N.sass.json)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hasm.md has the format.  What is not there is none: an instruction without a control field
 * has no control word.
 */
#include "control_words.h"
#include "opcodes.h"

#include "base/xalloc.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define LISTING_VERSION 1
#define LAST_REGISTER 1023u /* that is printed; as in lines of traces, those beyond R254 are left out */
#define RZ 255u
#define MOST_REGISTERS 16u /* of one operand; the largest fragments of matrices have 8 */

/* Where an error is. */
struct place {
	size_t inst; /* from 1 */
	bool has_pc;
	uint32_t pc; /* of it */
	char *why;   /* what is wrong there */
};

static int bad(struct place *p, const char *what, const char *expected)
{
	char pc[24] = "";

	if (p->has_pc)
		snprintf(pc, sizeof pc, ", pc 0x%" PRIx32, p->pc);
	p->why = hd__format("instruction %zu%s: '%s' is not valid; expected %s", p->inst, pc, what, expected);
	return -1;
}

/* A number up to `most`, or `absent` if it is not there. */
static int number(struct place *p, const json_t *o, const char *name, uint32_t most,
                  uint32_t absent, uint32_t *to)
{
	const json_t *v = json_object_get(o, name);
	json_int_t n = json_integer_value(v);
	char expected[48];

	*to = absent;
	if (!v)
		return 0;
	if (json_is_integer(v) && n >= 0 && n <= (json_int_t)most) {
		*to = (uint32_t)n;
		return 0;
	}
	snprintf(expected, sizeof expected, "a number from 0 to %u", most);
	return bad(p, name, expected);
}

static bool named(const json_t *o, const char *name, const char *value)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s && strcmp(s, value) == 0;
}

/* A member of a control field that is misspelt would be taken for none. */
static int members(struct place *p, json_t *o)
{
	static const char *const names[] = { "wait", "read", "write", "yield", "stall", NULL };
	const char *name;
	json_t *v;

	json_object_foreach(o, name, v) {
		const char *near = hd__trace_nearest(name, names);
		char expected[80];
		size_t i = 0;

		while (names[i] && strcmp(names[i], name) != 0)
			i++;
		if (names[i])
			continue;
		snprintf(expected, sizeof expected, "'wait', 'read', 'write', 'yield' or 'stall'%s%s%s",
		         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
		return bad(p, name, expected);
	}
	return 0;
}

static int word(struct place *p, json_t *o, struct hd_control *c)
{
	const json_t *wait = json_object_get(o, "wait"), *yield = json_object_get(o, "yield"), *v;
	uint32_t stall, read, write;
	size_t i;

	if (members(p, o))
		return -1;
	if (!json_is_array(wait) || !json_is_boolean(yield) || !json_object_get(o, "stall"))
		return bad(p, "control", "members 'wait', 'yield' and 'stall'");
	json_array_foreach(wait, i, v) {
		json_int_t n = json_is_integer(v) ? json_integer_value(v) : -1;

		if (n < 0 || n >= HD_COUNTERS)
			return bad(p, "wait", "counters from 0 to 5");
		c->wait |= (uint8_t)(1u << n);
	}
	if (number(p, o, "stall", HD_MAX_STALL, 0, &stall)
	    || number(p, o, "read", HD_COUNTERS - 1, HD_NO_COUNTER, &read)
	    || number(p, o, "write", HD_COUNTERS - 1, HD_NO_COUNTER, &write))
		return -1;
	c->stall = (uint8_t)stall;
	c->read = (uint8_t)read;
	c->write = (uint8_t)write;
	c->flags |= HD_CONTROL_GIVEN | (json_is_true(yield) ? HD_CONTROL_YIELD : 0);
	return 0;
}

/* The counters named in "{3,1}". */
static uint8_t counters_in(const char *text)
{
	uint8_t set = 0;

	for (; text && *text; text++)
		if (*text >= '0' && *text < '0' + (int)HD_COUNTERS)
			set |= (uint8_t)(1u << (*text - '0'));
	return set;
}

static void note_predicate(const json_t *o, const char *kind, bool writes, struct hd_control *c)
{
	const json_t *v = json_object_get(o, "number");
	unsigned n = (unsigned)json_integer_value(v) + (kind[0] == 'u' ? 8 : 0);

	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > 6)
		return;
	if (writes)
		c->writes_p |= (uint16_t)(1u << n);
	else
		c->reads_p |= (uint16_t)(1u << n);
}

/* A register, or the address in front of a memory access. */
static int note_registers(struct place *p, const json_t *o, const char *name, bool writes,
                          uint32_t slot, struct hd_control *c)
{
	uint32_t reg, count;

	if (number(p, o, name, LAST_REGISTER, UINT32_MAX, &reg)
	    || number(p, o, "count", MOST_REGISTERS, 1, &count))
		return -1;
	if (writes) {
		c->ndst = (uint8_t)count;
	} else if (slot < HD_OPERAND_SLOTS && reg < RZ) {
		c->slot[slot] = (uint16_t)(reg + 1);
		c->nslot[slot] = (uint8_t)count;
	}
	return 0;
}

static int operand(struct place *p, const json_t *o, uint32_t *slot, struct hd_control *c)
{
	const char *kind = json_string_value(json_object_get(o, "kind"));
	bool writes = named(o, "access", "write");
	uint32_t at = *slot, n;

	if (!kind)
		return bad(p, "operands", "operands with a 'kind'");
	*slot += !writes;
	if (json_is_true(json_object_get(o, "reuse")) && !writes && at < HD_OPERAND_SLOTS)
		c->reuse |= (uint8_t)(1u << at);
	if (strcmp(kind, "register") == 0)
		return note_registers(p, o, "number", writes, at, c);
	if (strcmp(kind, "predicate") == 0 || strcmp(kind, "uniform_predicate") == 0)
		note_predicate(o, kind, writes, c);
	if (strcmp(kind, "special") == 0 && named(o, "text", "SR_CLOCKLO"))
		c->flags |= HD_CONTROL_CLOCK;
	if (strcmp(kind, "counter") == 0) {
		if (number(p, o, "number", HD_COUNTERS - 1, 0, &n))
			return -1;
		c->depbar = (uint8_t)n;
		c->flags |= HD_CONTROL_DEPBAR;
	}
	if (strcmp(kind, "counters") == 0)
		c->list = counters_in(json_string_value(json_object_get(o, "text")));
	if (strcmp(kind, "constant") == 0 && !json_object_get(o, "base")) {
		if (number(p, o, "bank", UINT16_MAX, 0, &n)
		    || number(p, o, "offset", UINT32_MAX, 0, &c->constant))
			return -1;
		c->bank = (uint16_t)n;
		c->flags |= HD_CONTROL_CONSTANT;
	}
	if (strcmp(kind, "address") == 0) {
		if (json_object_get(o, "uniform") && !json_object_get(o, "base"))
			c->flags |= HD_CONTROL_UNIFORM;
		return note_registers(p, o, "base", false, at, c);
	}
	return 0;
}

static int instruction(struct place *p, const json_t *v, struct trace_control *to)
{
	const json_t *guard = json_object_get(v, "guard");
	json_t *control = json_object_get(v, "control");
	const json_t *operands = json_object_get(v, "operands"), *o;
	uint32_t slot = 0;
	size_t i;

	to->control.read = to->control.write = HD_NO_COUNTER;
	to->opcode = json_string_value(json_object_get(v, "opcode"));
	to->printed = json_string_value(json_object_get(v, "text"));
	to->source = json_string_value(json_object_get(v, "source"));
	p->has_pc = false;
	if (!json_object_get(v, "pc"))
		return bad(p, "pc", "a number");
	if (number(p, v, "pc", UINT32_MAX - 1, 0, &to->pc))
		return -1;
	p->has_pc = true;
	p->pc = to->pc;
	if (!to->opcode || !json_is_array(operands))
		return bad(p, "opcode", "members 'pc', 'opcode' and 'operands'");
	if (control && word(p, control, &to->control))
		return -1;
	if (guard && json_string_value(json_object_get(guard, "kind"))) {
		note_predicate(guard, json_string_value(json_object_get(guard, "kind")), false,
		               &to->control);
		if (to->control.reads_p)
			to->control.guard = (uint8_t)(1 + hd_bits_first(to->control.reads_p));
	}
	json_array_foreach(operands, i, o)
		if (operand(p, o, &slot, &to->control))
			return -1;
	to->control.flags |= HD_CONTROL_OPERANDS;
	return 0;
}

static int by_pc(const void *a, const void *b)
{
	const struct trace_control *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

void hd__trace_controls_sort(struct trace_controls *c)
{
	if (c->n)
		qsort(c->v, c->n, sizeof *c->v, by_pc);
}

/* The instructions of c->json.  Returns NULL, or what is wrong with it, for the caller to free. */
static char *take_all(struct trace_controls *c)
{
	const json_t *list = json_object_get(c->json, "instructions"), *v;
	struct place p = { 0 };
	size_t i;

	if (json_integer_value(json_object_get(c->json, "heddle_sass")) != LISTING_VERSION
	    || !json_is_array(list))
		return hd__format("expected a listing, \"heddle_sass\": %d with a list of 'instructions'",
		                  LISTING_VERSION);
	c->v = hd__xcalloc(json_array_size(list) + 1, sizeof *c->v);
	json_array_foreach(list, i, v) {
		p.inst = i + 1;
		if (instruction(&p, v, &c->v[c->n++]))
			return p.why;
	}
	hd__trace_controls_sort(c);
	return NULL;
}

char *hd__listing_name(const char *kernel_file)
{
	static const char *const tails[] = { ".xz", ".traceg", ".tracez" };
	size_t n = strlen(kernel_file);

	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
		size_t tail = strlen(tails[i]);

		if (n > tail && strncmp(kernel_file + n - tail, tails[i], tail) == 0)
			n -= tail;
	}
	return hd__format("%.*s.sass.json", (int)n, kernel_file);
}

/* ---- listings of runs, in which a pc has one instruction ---- */

int hd__trace_listing_text(const struct trace_host *host, const char *kernel_file, char **name, char **text, size_t *n)
{
	int fd;

	*name = hd__listing_name(kernel_file);
	fd = hd__trace_file(host, *name, TRACE_FILE_ABSENT);
	*text = fd >= 0 ? hd__trace_file_text(host, *name, fd, TRACE_MOST_LISTING, n) : NULL;
	return *text ? 1 : fd == TRACE_NO_FILE ? 0 : -1;
}

int hd__trace_listing_parse(struct trace_controls *c, const struct trace_host *host, const char *text, size_t n)
{
	char *why;

	c->json = hd__trace_json(host, c->file, text, n);
	if (!c->json)
		return -1;
	why = take_all(c);
	if (why)
		hd__trace_error(host, "%s: %s", c->file, why);
	free(why);
	return why ? -1 : 0;
}

/* Of a run: returns 1, or -1 after a message. */
static int take(struct trace_controls *c, const struct trace_host *host, const char *text, size_t n)
{
	if (hd__trace_listing_parse(c, host, text, n))
		return -1;
	for (size_t i = 1; i < c->n; i++)
		if (c->v[i].pc == c->v[i - 1].pc)
			return hd__trace_error(host, "%s: pc 0x%" PRIx32 " stands twice; expected each instruction "
			                       "once", c->file, c->v[i].pc);
	return 1;
}

int hd__trace_listing(struct trace_controls *c, const struct trace_host *host, const char *kernel_file)
{
	char *text;
	size_t n;
	int got;

	hd__trace_controls_free(c);
	got = hd__trace_listing_text(host, kernel_file, &c->file, &text, &n);
	if (got > 0)
		got = take(c, host, text, n);
	free(text);
	return got;
}

int hd__trace_listing_memory(struct trace_controls *c, const struct trace_host *host, const char *kernel_file,
                             const char *text, size_t n)
{
	hd__trace_controls_free(c);
	c->file = hd__listing_name(kernel_file);
	return n ? take(c, host, text, n) : 0;
}

/* ---- finding them ---- */

static bool fits(const struct trace_control *v, const struct trace_control *like, size_t opcode_len)
{
	if (v->opcode && (strncmp(v->opcode, like->opcode, opcode_len) != 0 || v->opcode[opcode_len]))
		return false;
	return !v->text || (v->len == like->len && memcmp(v->text, like->text, v->len) == 0);
}

size_t hd__trace_control_at(const struct trace_controls *c, uint32_t pc)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (c->v[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct hd_control *hd__trace_control(const struct trace_controls *c,
                                           const struct trace_control *like, size_t opcode_len,
                                           const char **near)
{
	*near = NULL;
	for (size_t i = hd__trace_control_at(c, like->pc); i < c->n && c->v[i].pc == like->pc; i++) {
		if (fits(&c->v[i], like, opcode_len))
			return &c->v[i].control;
		*near = c->v[i].opcode;
	}
	return NULL;
}

const char *hd__trace_source(const struct trace_controls *c, uint32_t pc, const char *opcode)
{
	for (size_t i = hd__trace_control_at(c, pc); i < c->n && c->v[i].pc == pc; i++)
		if (strcmp(c->v[i].opcode, opcode) == 0)
			return c->v[i].source;
	return NULL;
}

void hd__trace_controls_free(struct trace_controls *c)
{
	json_decref(c->json);
	free(c->v);
	free(c->file);
	*c = (struct trace_controls){ 0 };
}
