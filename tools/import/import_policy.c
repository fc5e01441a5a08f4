/* import_policy.c - the scheduling policy of an imported core
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Scheduling policies.  The reference searches the setting for these words, in
 * this order.
 */
#include "import.h"

#include "base/words.h"

#include <string.h>

#define OPTION "gpgpu_scheduler"

struct policy {
	const char *word, *module;
	unsigned numbers;         /* that follow the word, each after a colon */
	const char *form;
	bool warps, looks, fence; /* ports that it uses; looks: at instructions and registers */
};

static const struct policy policies[] = {
	{ "lrr", "scheduler_lrr", 0, "lrr", false, false, false },
	{ "two_level_active", "scheduler_two_level", 3, "two_level_active:WARPS:0:1", true, true,
	  true },
	{ "gto", "scheduler_gto", 0, "gto", true, false, false },
	{ "rrr", "scheduler_rrr", 0, "rrr", true, false, true },
	{ "old", "scheduler_oldest", 0, "old", true, false, false },
	{ "warp_limiting", "scheduler_limited", 2, "warp_limiting:2:WARPS", true, false, false },
	{ NULL, NULL, 0, NULL, false, false, false },
};

#define COUNT (sizeof policies / sizeof *policies)

static const struct policy *find(const char *text)
{
	const struct policy *p = policies;

	while (p->word && !strstr(text, p->word))
		p++;
	return p->word ? p : NULL;
}

/* The policy with the nearest name, or NULL. */
static const char *near(const char *text)
{
	const char *words[COUNT];
	char word[32];
	size_t n = 0;

	snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ":"), text);
	for (const struct policy *p = policies; p->word; p++)
		words[n++] = p->word;
	return hd__nearest(word, words, n);
}

/* The module's parameters, NULL if it has none. */
static json_t *parameters(struct hd_import *im, const struct policy *p, const char *text)
{
	unsigned v[3] = { 0, 0, 0 };
	int got = 0;
	bool right;

	text = strstr(text, p->word) + strlen(p->word);
	if (p->numbers)
		got = sscanf(text, ":%u:%u:%u", &v[0], &v[1], &v[2]);
	right = got == (int)p->numbers;
	if (p->numbers == 3)
		right = right && v[0] >= 1 && v[0] <= 128 && v[1] == 0 && v[2] == 1;
	else if (p->numbers == 2)
		right = right && v[0] == 2 && v[1] >= 1 && v[1] <= 128;
	if (!right)
		hd__import_error(im, OPTION, "is '%.60s'; expected '%s'", hd__import_text(im, OPTION),
		                 p->form);
	if (p->numbers == 3)
		return json_pack("{s:I}", "active", (json_int_t)v[0]);
	if (p->numbers == 2)
		return json_pack("{s:I}", "limit", (json_int_t)v[1]);
	return NULL;
}

void hd__import_policy(struct hd_import *im)
{
	struct hd_import_shape s = hd__import_shape(im);
	const char *text = hd__import_text(im, OPTION);
	const struct policy *p = find(text);
	json_t *entry, *params;

	if (!p) {
		hd__import_error(im, OPTION, "is '%.60s'; expected one of lrr, gto, old, rrr, "
		                 "two_level_active:WARPS:0:1, warp_limiting:2:WARPS%s%s%s", text,
		                 near(text) ? "; did you mean '" : "", near(text) ? near(text) : "",
		                 near(text) ? "'?" : "");
		return;
	}
	params = parameters(im, p, text);
	entry = json_pack("{s:s, s:s}", "module", p->module, "count", s.count);
	if (params)
		json_object_set_new(entry, "params", params);
	hd__import_instance(im, "scheduler", entry);
	if (p->warps)
		hd__import_wire(im, json_string("scheduler[*].warps"), "warps.state");
	if (p->looks) {
		hd__import_wire(im, json_string("scheduler[*].ibuffer"), "ibuffer.issue");
		hd__import_wire(im, json_string("scheduler[*].scoreboard"), "scoreboard.check");
	}
	if (p->fence)
		hd__import_wire(im, json_string("scheduler[*].fence"), "fence.fence");
}
