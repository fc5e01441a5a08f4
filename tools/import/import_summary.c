/* import_summary.c - prints what became of options: which values they gave, and why others have no effect
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import.h"

#include <string.h>

#define COLUMNS 98u

/* One option of a list, "-name value", wrapped. */
static void item(FILE *out, size_t *column, const char *name, const char *text)
{
	size_t length = strlen(name) + strlen(text) + 4;

	if (*column == 0 || *column + length > COLUMNS) {
		fprintf(out, "%s    ", *column ? "\n" : "");
		*column = 4;
	}
	fprintf(out, "-%s %s  ", name, text);
	*column += length;
}

/* Why an option that was set, and not read, has no effect. */
static const char *reason(const struct hd_import *im, size_t i)
{
	const struct hd_import_option *o = &hd__import_options[i];

	if (o->scope == HD_IMPORT_NOT)
		return o->text;
	if (o->scope == HD_IMPORT_GPU && im->one_sm)
		return "one SM is imported, with a memory that answers at once";
	return "no effect with the other settings";
}

static bool idle(const struct hd_import *im, size_t i)
{
	return im->setting[i].text && !im->setting[i].read;
}

/* Idle options with the same reason as option `first`, unless an earlier one has it. */
static void group(const struct hd_import *im, size_t first, FILE *out)
{
	const char *why = reason(im, first);
	size_t column = 0;

	for (size_t i = 0; hd__import_options[i].name; i++) {
		if (!idle(im, i) || strcmp(reason(im, i), why) != 0)
			continue;
		if (i < first)
			return;
		if (column == 0)
			fprintf(out, "  %s:\n", why);
		item(out, &column, hd__import_options[i].name, im->setting[i].text);
	}
	fputc('\n', out);
}

#define FIRST_VOLTA 70u
#define UNIFORM 4u

/* Reports a unit that newer traces need, and how to add it. */
static void note(struct hd_import *im, FILE *out)
{
	uint32_t n = hd__import_number(im, "gpgpu_num_sched_per_core", 1, 64);

	if (im->special >> UNIFORM & 1
	    || hd__import_number(im, "gpgpu_coalesce_arch", 0, UINT32_MAX) < FIRST_VOLTA)
		return;
	fprintf(out, "note: there is no unit of class SPECIALIZED_UNIT_%u; traces of Turing and newer "
	        "GPUs may need it,\n  which '-specialized_unit_%u 1,%u,4,%u,%u,UDP' and "
	        "'-trace_opcode_latency_initiation_spec_op_%u 4,1' add\n", UNIFORM, UNIFORM, n, n, n,
	        UNIFORM);
}

void hd__import_summary(struct hd_import *im, FILE *out)
{
	unsigned used = 0, set = 0;

	for (size_t i = 0; hd__import_options[i].name; i++) {
		set += im->setting[i].text != NULL;
		used += im->setting[i].text != NULL && im->setting[i].read;
	}
	fprintf(out, "%u options set, %u used, %u without effect", set, used, set - used);
	fputs(set > used ? ":\n" : "\n", out);
	for (size_t i = 0; hd__import_options[i].name; i++)
		if (idle(im, i))
			group(im, i, out);
	note(im, out);
}

/* ---- one line for each setting ---- */

static void place(FILE *out, const char *file, unsigned line)
{
	if (file)
		fprintf(out, "%s:%u", file, line);
	else
		fputs("command line", out);
}

/* Has the setting several values in one?  What they are shows in the netlist only. */
static bool is_composite(const char *setting)
{
	return strpbrk(setting, ":,;=") != NULL;
}

/* The SM in the whole netlist. */
static const json_t *sm_of(const struct hd_import *im, const json_t *netlist)
{
	static const char *const way[] = { "cluster", "sm" };

	for (size_t i = 0; !im->one_sm && i < sizeof way / sizeof *way; i++)
		netlist = json_object_get(json_object_get(json_object_get(netlist, "instances"), way[i]), "netlist");
	return netlist;
}

/* What a setting gives is a path or some words. */
static void item_of_text(const struct hd_import *im, const struct hd_import_option *o, const char *c, size_t n,
                         const json_t *netlist, FILE *out)
{
	static const char of_class[] = " of class ", links[] = "links of collector";
	bool path = memchr(c, ' ', n) == NULL, inside = o->scope == HD_IMPORT_SM && !im->one_sm;
	const char *name = path ? NULL : memmem(c, n, of_class, sizeof of_class - 1);
	char full[200];
	int length = snprintf(full, sizeof full, "%s%.*s", inside && path ? "cluster.sm." : "", (int)n, c);

	fprintf(out, " %s", full);
	if (!netlist)
		return;
	if (path)
		hd__import_put_value(netlist, full, (size_t)length, out);
	else if (name)
		hd__import_put_class(sm_of(im, netlist), name + sizeof of_class - 1,
		                     n - (size_t)(name + sizeof of_class - 1 - c), out);
	else if (n == sizeof links - 1 && strncmp(c, links, n) == 0)
		hd__import_put_widths(sm_of(im, netlist), out);
}

/* Paths as seen from the whole netlist: those of an SM begin with its place in it. */
static void paths(const struct hd_import *im, const struct hd_import_option *o, const char *setting,
                  const json_t *netlist, FILE *out)
{
	const char *text = im->one_sm && o->one_sm ? o->one_sm : o->text;

	fputs(" ->", out);
	for (const char *c = text; *c; c += *c == ',' ? 2 : 0) {
		size_t n = strcspn(c, ",");

		item_of_text(im, o, c, n, is_composite(setting) ? netlist : NULL, out);
		c += n;
		fputs(*c ? "," : "", out);
	}
	fputc('\n', out);
}

void hd__import_explain(struct hd_import *im, const json_t *netlist, FILE *out)
{
	for (size_t k = 0; k < im->nlines; k++) {
		const struct hd_import_line *l = &im->lines[k];
		const struct hd_import_setting *s = &im->setting[l->option];
		const struct hd_import_option *o = &hd__import_options[l->option];

		place(out, l->file, l->line);
		fprintf(out, ": -%s %s", o->name, l->text);
		if (l->text != s->text) {
			fputs(": replaced by ", out);
			place(out, s->file, s->line);
			fputc('\n', out);
		} else if (s->read) {
			paths(im, o, s->text, netlist, out);
		} else {
			fprintf(out, ": %s\n", reason(im, l->option));
		}
	}
	for (size_t i = 0; hd__import_options[i].name; i++) {
		if (im->setting[i].text || !im->setting[i].read)
			continue;
		fprintf(out, "default: -%s %s", hd__import_options[i].name, hd__import_options[i].def);
		paths(im, &hd__import_options[i], hd__import_options[i].def, netlist, out);
	}
	note(im, out);
}

void hd__import_list(FILE *out)
{
	fputs("Options that netlists are made of, with their defaults:\n", out);
	for (size_t i = 0; hd__import_options[i].name; i++)
		if (hd__import_options[i].scope != HD_IMPORT_NOT)
			fprintf(out, "  -%s %s\n", hd__import_options[i].name,
			        hd__import_options[i].def);
	fputs("\nOptions without effect, and why:\n", out);
	for (size_t i = 0; hd__import_options[i].name; i++)
		if (hd__import_options[i].scope == HD_IMPORT_NOT)
			fprintf(out, "  -%s: %s\n", hd__import_options[i].name,
			        hd__import_options[i].text);
}
