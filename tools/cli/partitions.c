/* partitions.c - prints the partitions of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include "base/xalloc.h"
#include "kernel/parallel/partition.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAMED 8 /* names of a partition that are printed */

/* What a partition is called: the instances of the outermost netlist that it has parts of. */
struct label {
	const char *name[NAMED]; /* in the path of the first instance of that name */
	size_t chars[NAMED];     /* with the index, */
	size_t base[NAMED];      /* and without */
	bool several[NAMED];     /* also with other indices */
	uint32_t n;
	bool more;               /* than these */
};

static void add(struct label *l, const char *path)
{
	size_t chars = strcspn(path, "."), base = strcspn(path, ".[");
	uint32_t i = l->n;

	while (i-- > 0)
		if (base == l->base[i] && memcmp(l->name[i], path, base) == 0) {
			l->several[i] |= chars != l->chars[i] || memcmp(l->name[i], path, chars) != 0;
			return;
		}
	l->more = l->n == NAMED;
	if (l->more)
		return;
	l->name[l->n] = path;
	l->chars[l->n] = chars;
	l->base[l->n++] = base;
}

/* Do they differ in indices only? */
static bool alike(const struct label *a, const struct label *b)
{
	bool same = a->n == b->n && a->more == b->more;

	for (uint32_t i = 0; same && i < a->n; i++)
		same = a->base[i] == b->base[i] && a->several[i] == b->several[i]
		       && memcmp(a->name[i], b->name[i], a->base[i]) == 0;
	return same;
}

static void print_label(const struct label *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		printf("%s%.*s%s", i ? ", " : "", (int)(l->several[i] ? l->base[i] : l->chars[i]), l->name[i],
		       l->several[i] ? "[*]" : "");
	if (l->more)
		printf(", and others");
}

static struct label *labels(const struct hd_sim *s, const struct hd_partitions *p)
{
	struct label *v = hd__xcalloc(p->n + 1, sizeof *v);

	for (size_t i = 0; i < s->ninstances; i++)
		if (p->of[i] != HD_NO_PARTITION)
			add(&v[p->of[i]], s->instances[i].path);
	return v;
}

/* Neighbours that are alike have one line. */
static void print_list(const struct hd_partitions *p, const struct label *v)
{
	for (uint32_t i = 0, k; i < p->n; i = k) {
		for (k = i + 1; k < p->n && p->size[k] == p->size[i] && alike(&v[k], &v[i]);)
			k++;
		printf("  ");
		print_label(&v[i]);
		if (k - i > 1) {
			printf(" to ");
			print_label(&v[k - 1]);
			printf(": %" PRIu32 " partitions, each", k - i);
		} else {
			printf(":");
		}
		printf(" of %" PRIu32 " instance%s\n", p->size[i], p->size[i] == 1 ? "" : "s");
	}
}

void hd__print_partitions(const struct hd_sim *s)
{
	struct hd_partitions *p = hd__partitions_find(s);
	struct label *v = labels(s, p);

	printf("%" PRIu32 " partition%s, with %zu channel%s between them\n", p->n, p->n == 1 ? "" : "s",
	       p->napart, p->napart == 1 ? "" : "s");
	print_list(p, v);
	free(v);
	hd__partitions_free(p);
}
