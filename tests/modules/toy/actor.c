/* actor.c - lines of a script: toy, edge, verb, arguments
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "actor.h"
#include "tests/modules/harness_play.h"

#include "kernel/sim.h"

#include <inttypes.h>
#include <stdlib.h>

struct args {
	const struct hd_ctx *ctx;
	struct line *line;
};

void toy_log(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	fprintf(play.log, "%" PRIu64 " %s ", hd_now(c), hd_path(c));
	va_start(ap, fmt);
	vfprintf(play.log, fmt, ap);
	va_end(ap);
	fputc('\n', play.log);
}

void wrong(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	fprintf(play.faults, "%" PRIu64 " %s: ", hd_now(c), hd_path(c));
	va_start(ap, fmt);
	vfprintf(play.faults, fmt, ap);
	va_end(ap);
	fputc('\n', play.faults);
}

static void act(struct actor *a, struct line *l)
{
	struct args args = { a->ctx, l };
	const struct verb *verbs = ((const struct toy *)a->ctx->instance->module)->verbs, *v = verbs;

	while (v->name && (l->n < 2 || strcmp(v->name, l->word[1]) != 0))
		v++;
	l->done = true;
	if (!v->name) {
		wrong(a->ctx, "unexpected verb '%s'; expected one of:", l->n < 2 ? "" : l->word[1]);
		for (v = verbs; v->name; v++)
			fprintf(play.faults, " %s", v->name);
		fputc('\n', play.faults);
		return;
	}
	if (v->run)
		v->run(a, &args);
	else
		*(bool *)((char *)a + v->flag) = v->value;
	for (unsigned i = 2; i < l->n; i++)
		if (!l->used[i])
			wrong(a->ctx, "unexpected argument '%s' of '%s'", l->word[i], v->name);
}

int actor_init(void *state, struct hd_ctx *ctx)
{
	((struct actor *)state)->ctx = ctx;
	return 0;
}

uint64_t actor_eval(void *state)
{
	struct actor *a = state;
	uint64_t now = hd_now(a->ctx), next = play.last;

	for (; a->at < play.n; a->at++) {
		struct line *l = &play.lines[a->at];

		if (strcmp(l->word[0], hd_path(a->ctx)) != 0)
			continue;
		if (l->edge > now) {
			next = l->edge < next ? l->edge : next;
			break;
		}
		act(a, l);
	}
	if (now < play.last)
		return next - now;
	hd_finish(a->ctx);
	return HD_SLEEP;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static char *take(struct args *a, unsigned i)
{
	a->line->used[i] = true;
	return a->line->word[i];
}

const char *arg_text(struct args *a, const char *key)
{
	size_t n = strlen(key);

	for (unsigned i = 2; i < a->line->n; i++)
		if (!a->line->used[i] && strncmp(a->line->word[i], key, n) == 0
		    && a->line->word[i][n] == '=')
			return take(a, i) + n + 1;
	return NULL;
}

static uint64_t number(const struct args *a, const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	if (*end || end == text)
		wrong(a->ctx, "'%s' is not a number", text);
	return n;
}

uint64_t arg_number(struct args *a, const char *key, uint64_t def)
{
	const char *text = arg_text(a, key);

	return text ? number(a, text) : def;
}

bool arg_flag(struct args *a, const char *word)
{
	for (unsigned i = 2; i < a->line->n; i++)
		if (!a->line->used[i] && strcmp(a->line->word[i], word) == 0)
			return take(a, i) != NULL;
	return false;
}

/* The next one that is not taken, begins with `first` (0: with anything) and has no '='. */
static const char *next_word(struct args *a, char first)
{
	for (unsigned i = 2; i < a->line->n; i++)
		if (!a->line->used[i] && !strchr(a->line->word[i], '=')
		    && (!first || a->line->word[i][0] == first))
			return take(a, i);
	return NULL;
}

bool arg_more(const struct args *a, char first)
{
	for (unsigned i = 2; i < a->line->n; i++)
		if (!a->line->used[i] && a->line->word[i][0] == first)
			return true;
	return false;
}

const char *arg_word(struct args *a, const char *what)
{
	const char *word = next_word(a, 0);

	if (!word)
		wrong(a->ctx, "'%s' lacks %s", a->line->word[1], what);
	return word ? word : "";
}

uint32_t arg_warp(struct args *a)
{
	const char *word = next_word(a, 'w');
	uint64_t n = word ? number(a, word + 1) : HD_MAX_WARPS;

	if (n >= HD_MAX_WARPS)
		wrong(a->ctx, "'%s' lacks a warp wN below %u", a->line->word[1], HD_MAX_WARPS);
	return (uint32_t)n % HD_MAX_WARPS;
}

uint64_t arg_address(struct args *a)
{
	const char *word = next_word(a, '0');

	if (!word)
		wrong(a->ctx, "'%s' lacks an address 0xN", a->line->word[1]);
	return word ? number(a, word) : 0;
}

uint64_t arg_warps(struct args *a)
{
	uint64_t set = 0;

	for (const char *word; (word = next_word(a, 'w')) != NULL;)
		set |= UINT64_C(1) << number(a, word + 1) % HD_MAX_WARPS;
	return set;
}

uint32_t arg_regs(struct args *a, uint16_t *v, uint32_t most)
{
	uint32_t n = 0;

	for (const char *word; n < most && (word = next_word(a, 'R')) != NULL; n++)
		v[n] = (uint16_t)(number(a, word + 1) + 1);
	return n;
}

uint32_t arg_reg(struct args *a)
{
	uint16_t reg = 0;

	if (arg_regs(a, &reg, 1) == 0)
		wrong(a->ctx, "'%s' lacks a register RN", a->line->word[1]);
	return reg;
}

uint32_t arg_choice(const struct args *a, const char *word, const char *const *choices)
{
	for (uint32_t i = 0; choices[i]; i++)
		if (strcmp(choices[i], word) == 0)
			return i;
	wrong(a->ctx, "unexpected '%s'; the first of those expected is '%s'", word, choices[0]);
	return 0;
}

/* ---- instructions ---------------------------------------------------------------------------- */

const char *const toy_spaces[] = { "none", "global", "local", "shared", "const", "texture", NULL };
const char *const toy_blocks[] = { "barrier", "fence", "atomic", "copy", "other", "mbarrier", "mma", NULL };
static const char *const flag_names[] = { "load", "store", "atomic", "barrier", "fence", "exit",
	"copy", "commit", "wait", "bypass", "last", "wrong_path", NULL };

/* Splits at commas; returns how many. */
static uint32_t split(char *text, char **v, uint32_t most)
{
	uint32_t n = 0;
	char *save;

	for (char *p = strtok_r(text, ",", &save); p && n < most; p = strtok_r(NULL, ",", &save))
		v[n++] = p;
	return n;
}

static uint16_t reg_number(const struct args *a, const char *text)
{
	if (text[0] != 'R')
		wrong(a->ctx, "'%s' is not a register", text);
	return (uint16_t)(number(a, text + 1) + 1);
}

void arg_inst(struct args *a, struct hd_inst *inst)
{
	const char *code = next_word(a, '#'), *dst = arg_text(a, "dst"), *src = arg_text(a, "src");
	const char *flags = arg_text(a, "flags"), *addr = arg_text(a, "addr");
	const char *cls = arg_text(a, "class"), *space = arg_text(a, "space");
	char *list[HD_LANES], text[1000];
	const char *stride = arg_text(a, "stride");
	uint64_t addrs[HD_LANES] = { 0 };
	uint32_t n;

	*inst = (struct hd_inst){
		.code = code ? (uint32_t)number(a, code + 1) : 0,
		.warp = (uint8_t)arg_warp(a),
		.uid = arg_number(a, "uid", 0),
		.pc = (uint32_t)arg_number(a, "pc", 0),
		.kernel = (uint32_t)arg_number(a, "kernel", 0),
		.mask = (uint32_t)arg_number(a, "mask", UINT32_MAX),
		.exits = (uint32_t)arg_number(a, "exits", 0),
		.imm = (int32_t)arg_number(a, "imm", 0),
		.width = (uint8_t)arg_number(a, "width", 4),
		.rate = (uint8_t)arg_number(a, "rate", 1),
		.sched = (uint8_t)arg_number(a, "sched", 0),
	};
	inst->nlanes = (uint8_t)__builtin_popcount(inst->mask);
	inst->cls = (uint8_t)hd_symbol(a->ctx, "class", cls ? cls : "SP");
	inst->space = space ? (uint8_t)arg_choice(a, space, toy_spaces) : HD_SPACE_NONE;
	inst->dst = dst ? reg_number(a, dst) : 0;
	snprintf(text, sizeof text, "%s", src ? src : "");
	inst->nsrc = (uint8_t)split(text, list, HD_MAX_SRC);
	for (uint32_t i = 0; i < inst->nsrc; i++)
		inst->src[i] = reg_number(a, list[i]);
	inst->regs = hd_inst_regs(inst);
	snprintf(text, sizeof text, "%s", flags ? flags : "");
	n = split(text, list, HD_LANES);
	for (uint32_t i = 0; i < n; i++)
		inst->flags |= (uint16_t)(1u << arg_choice(a, list[i], flag_names));
	snprintf(text, sizeof text, "%s", addr ? addr : "");
	n = split(text, list, HD_LANES);
	for (uint32_t i = 0; i < n; i++)
		addrs[i] = number(a, list[i]);
	for (uint32_t i = n; stride && n && i < HD_LANES; i++)
		addrs[i] = addrs[i - 1] + number(a, stride);
	hd_inst_set_addrs(inst, addrs);
}

const char *set_text(uint64_t set, const char *prefix, char *buf)
{
	size_t n = 0;

	if (!set)
		return "none";
	for (; set; set &= set - 1)
		n += (size_t)snprintf(buf + n, SET_TEXT - n, "%s%s%d", n ? " " : "", prefix,
		                      __builtin_ctzll(set));
	return buf;
}

const char *warps_text(uint64_t set, char *buf)
{
	return set_text(set, "w", buf);
}
