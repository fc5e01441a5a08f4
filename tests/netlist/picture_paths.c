/* picture_paths.c - pictures of instances whose paths are not paths, as a damaged dump may have them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "tools/graph/box_names.h"
#include "tools/graph/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Each pair is folded into one box, for the names are equal without what is in brackets. */
static const char *const pairs[][2] = {
	{ "a[0]", "a[0x]" },
	{ "a[0x]", "a[0]" },
	{ "a[0x[1]].b", "a[0].b" },
	{ "a[0xxxxxxxxxx[1]", "a[0]" },
	{ "a[", "a[0..." },
	{ "a[]", "a[99999999999999999999]" },
	{ "[x]]]", "[1]]]" },
	{ "a[0].", "a[-1]." },
};

static int wrong;

/* The text again, such that the byte after its end cannot be read. */
static char *at_the_end(const char *text)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = strlen(text) + 1;
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + page, page, PROT_NONE) != 0)
		exit(99);
	return memcpy(p + page - n, text, n);
}

static json_t *instance(const char *path)
{
	return json_pack("{s:s, s:s, s:s}", "path", path, "module", "copy", "clock", "core");
}

static void draw(const char *a, const char *b)
{
	const struct hd_picture_options folded = { .bare = false }, expanded = { .expand = true };
	json_t *meta = json_pack("{s:s, s:[o,o], s:[{s:s, s:s, s:s, s:s, s:[i,i]}]}", "core", "x",
		"instances", instance(a), instance(b), "links", "kind", "channel", "type", "work",
		"from", "out", "to", "in", "ends", 0, 1);
	struct hd_picture *p = meta ? hd__picture_of_dump(meta) : NULL;
	FILE *out = fopen("/dev/null", "w");

	if (!p || !out) {
		printf("no picture of '%s' and '%s'\n", a, b);
		exit(1);
	}
	hd__picture_svg(p, &folded, out);
	hd__picture_svg(p, &expanded, out);
	hd__picture_free(p);
	fclose(out);
	json_decref(meta);
}

int main(void)
{
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const char *a = pairs[i][0], *b = pairs[i][1];

		free(hd__name_join(strdup(a), at_the_end(b)));
		free(hd__name_join(strdup(b), at_the_end(a)));
		draw(a, b);
	}
	/* those that are paths are joined as ever */
	char *name = hd__name_join(hd__name_join(strdup("sp[0]"), "sp[2]"), "sp[1]");

	if (strcmp(name, "sp[0..2]") != 0) {
		printf("'%s' instead of 'sp[0..2]'\n", name);
		wrong++;
	}
	free(name);
	return wrong != 0;
}
