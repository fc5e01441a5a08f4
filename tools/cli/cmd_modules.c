/* cmd_modules.c - heddle modules: lists the modules, or documents one from its descriptor
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include <stdlib.h>

struct args {
	const char *name;
	struct hd_plugin_files plugins;
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	if (key == ARGP_KEY_INIT) {
		st->child_inputs[0] = &a->plugins;
		return 0;
	}
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (st->arg_num > 0)
		argp_error(st, "unexpected argument '%s'; expected at most one NAME", arg);
	a->name = arg;
	return 0;
}

static const struct argp argp = {
	NULL, parse, "[NAME]",
	"Lists the modules that netlists can name, or documents the module NAME: parameters, ports, statistics, "
	"events.\vPlug-ins in the folders of the environment variable HEDDLE_MODULE_PATH are among them.",
	hd__plugin_args, NULL, NULL
};

static int compare_modules(const void *va, const void *vb)
{
	const struct hd_module *a = *(const struct hd_module *const *)va;
	const struct hd_module *b = *(const struct hd_module *const *)vb;

	return strcmp(a->name, b->name);
}

static void list(const struct hd_registry *r)
{
	const struct hd_module **v = hd__xcalloc(r->n + 1, sizeof *v);
	size_t widest = 0;

	for (size_t i = 0; i < r->n; i++) {
		v[i] = r->v[i].module;
		widest = strlen(v[i]->name) > widest ? strlen(v[i]->name) : widest;
	}
	qsort(v, r->n, sizeof *v, compare_modules);
	for (size_t i = 0; i < r->n; i++)
		printf("%-*s %s\n", (int)widest, v[i]->name, v[i]->doc);
	free(v);
}

static void print_params(const struct hd_param *p, int indent)
{
	char form[256];

	for (; p && p->name; p++) {
		printf("%*s%-*s %s", indent, "", 22 - indent, p->name,
		       hd__param_form(p, form, sizeof form));
		if (p->unit && *p->unit)
			printf(", %s", p->unit);
		if (p->def)
			printf(", default %s", p->def);
		else
			fputs(", required", stdout);
		printf("\n%*s%s\n", 23, "", p->doc);
		if (p->type == HD_TABLE)
			print_params(p->columns, indent + 2);
	}
}

static const char *kind_word(const struct hd_port *p)
{
	static const char *const words[] = { [HD_IN] = "in", [HD_OUT] = "out", [HD_USES] = "uses",
		[HD_PROVIDES] = "provides" };

	return words[p->kind];
}

static void print_aliases(const struct hd_port *p)
{
	for (const char *const *a = p->aliases; a && *a; a++)
		printf("%s%s", a == p->aliases ? "                       links may also name it " : ", ", *a);
	if (p->aliases && *p->aliases)
		printf("\n");
	if (p->like)
		printf("                       left open: linked as at the instance that uses port %s\n", p->like);
	if (p->users > 0)
		printf("                       for %u instance%s only\n", p->users, p->users == 1 ? "" : "s");
}

static void print_port(const struct hd_port *p)
{
	printf("  %-20s %s %s", p->name, kind_word(p), p->type->name);
	if (p->kind == HD_IN || p->kind == HD_OUT)
		fputs(p->flags & HD_SLOTS ? ", register set" : p->flags & HD_REG ? ", register" : ", FIFO", stdout);
	if (p->flags & HD_ARRAY)
		fputs(", any number of links", stdout);
	else if (p->flags & HD_OPTIONAL)
		fputs(", may be left open", stdout);
	if (p->flags & HD_ORDERED)
		fputs(", users in the order of the links", stdout);
	if (p->kind == HD_PROVIDES && p->phase)
		printf(", users of phase %d", p->phase);
	printf("\n%*s%s\n", 23, "", p->doc);
	print_aliases(p);
	if (p->attrs) {
		printf("%*sa link here may carry:\n", 23, "");
		print_params(p->attrs, 4);
	}
}

static void document(const struct hd_registry *r, const struct hd_module *m)
{
	const char *plugin = hd__registry_plugin(r, m);

	printf("%s - %s\n", m->name, m->doc);
	puts(m->eval ? "An instance is evaluated at the edges of its \"clock\"."
	             : "An instance has no process of its own, and needs no \"clock\".");
	if (plugin)
		printf("Loaded from '%s'.\n", plugin);
	if (m->params && m->params->name) {
		puts("\nParameters");
		print_params(hd__registry_params(r, m), 2);
	}
	if (m->ports && m->ports->name) {
		puts("\nPorts");
		for (const struct hd_port *p = m->ports; p->name; p++)
			print_port(p);
	}
	if (m->stats && m->stats->name) {
		puts("\nStatistics");
		for (const struct hd_stat *s = m->stats; s->name; s++)
			printf("  %-20s %s\n%*s%s\n", s->name, s->unit, 23, "", s->doc);
	}
	if (m->activity && m->activity->name) {
		puts("\nActivity, counted with --energy");
		for (const struct hd_activity *a = m->activity; a->name; a++)
			printf("  %-20s %s\n%*s%s\n", a->name, a->unit, 23, "", a->doc);
	}
	if (m->queues && m->queues->name) {
		puts("\nQueues whose fill is measured");
		for (const struct hd_queue *q = m->queues; q->name; q++)
			printf("  %-20s %s\n%*s%s\n", q->name, q->unit, 23, "", q->doc);
	}
	if (m->events && m->events->name) {
		puts("\nEvents");
		for (const struct hd_event *e = m->events; e->name; e++) {
			printf("  %-20s", e->name);
			for (int i = 0; i < HD_EVENT_FIELDS && e->fields[i].name; i++)
				printf(" %s", e->fields[i].name);
			printf("\n%*s%s%s\n", 23, "", e->doc,
			       e->flags & HD_EVENT_DETAIL ? " (frequent: only on request)" : "");
		}
	}
	if (m->marks && m->marks->name) {
		puts("\nMarks on records, for dumps");
		for (const struct hd_mark *k = m->marks; k->name; k++)
			printf("  %-20s %s\n%*s%s\n", k->name, k->arg ? k->arg : "", 23, "", k->doc);
	}
	if (m->reasons && m->reasons->name) {
		size_t widest = 20;

		puts("\nStall reasons, for dumps");
		for (const struct hd_reason *w = m->reasons; w->name; w++)
			widest = strlen(w->name) > widest ? strlen(w->name) : widest;
		const struct hd_reason *w = m->reasons;

		for (; w->name; w++)
			printf("  %-*s %s\n", (int)widest, w->name, w->doc);
		if (w->symbols) { /* "idle.hold": group and kind */
			int group = (int)(strchr(w->symbols, '.') + 1 - w->symbols);

			printf("  %.*s%-*s %s\n", group, w->symbols, (int)widest - group, "NAME", w->doc);
		}
	}
}

int hd__cmd_modules(int argc, char **argv)
{
	struct args a = { .name = NULL };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	const struct hd_module *m;
	int status = HD_EXIT_OK;

	hd__parse_args(&argp, argc, argv, &a);
	hd__open_registry(&registry, &a.plugins, &diags);
	hd__diags_print(&diags, stderr);
	if (diags.errors > 0)
		status = HD_EXIT_USAGE; /* of plug-ins */
	if (!a.name) {
		list(&registry);
	} else if ((m = hd__registry_find(&registry, a.name)) != NULL) {
		document(&registry, m);
	} else {
		const char **names = hd__xcalloc(registry.n + 1, sizeof *names), *near;

		for (size_t i = 0; i < registry.n; i++)
			names[i] = registry.v[i].module->name;
		near = hd__nearest(a.name, names, registry.n);
		fprintf(stderr,
		        near ? "heddle: unknown module '%s'; did you mean '%s', or one of a plug-in (--plugin)?\n"
		             : "heddle: unknown module '%s'; 'heddle modules' lists them\n", a.name, near);
		free(names);
		status = HD_EXIT_USAGE;
	}
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}
