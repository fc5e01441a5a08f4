/* id_table.c - definitions of numbers in a dump, from the module to the writing thread
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A kernel has hundreds of instructions to define, so the simulation only copies the values; the
 * other thread converts them to JSON.
 */
#include "base/json_write.h"
#include "recorder.h"

#include <stdlib.h>

/* One block of memory with all texts. */
struct hd_def {
	struct hd_def *next;
	const char *names;
	uint64_t id;
	unsigned n;
	struct hd_cell cells[];
};

static const char *keep(char **at, const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = *at;

	memcpy(copy, text, n);
	*at += n;
	return copy;
}

struct hd_def *hd__def_new(const char *names, uint64_t id, const struct hd_cell *cells, unsigned n)
{
	size_t bytes = sizeof(struct hd_def) + n * sizeof *cells, texts = strlen(names) + 1;
	struct hd_def *def;
	char *at;

	for (unsigned i = 0; i < n; i++)
		texts += strlen(cells[i].name) + 1 + (cells[i].text ? strlen(cells[i].text) + 1 : 0);
	def = hd__xcheck(malloc(bytes + texts));
	at = (char *)def + bytes;
	*def = (struct hd_def){ .names = keep(&at, names), .id = id, .n = n };
	for (unsigned i = 0; i < n; i++)
		def->cells[i] = (struct hd_cell){ keep(&at, cells[i].name),
			cells[i].text ? keep(&at, cells[i].text) : NULL, cells[i].number };
	return def;
}

void hd__defs_add(struct hd_sim *s, struct hd_def *def)
{
	struct hd_def **at = &s->defs;

	while (*at) /* a short list, before the first cycle */
		at = &(*at)->next;
	*at = def;
}

struct hd_def *hd__defs_take(struct hd_sim *s)
{
	struct hd_def *def = s->defs;

	if (def)
		s->defs = def->next;
	return def;
}

void hd__record_release(struct hd_sim *s)
{
	struct hd_def *def;

	while ((def = hd__defs_take(s)) != NULL)
		free(def);
}

json_t *hd__def_json(struct hd_def *def)
{
	json_t *row = hd__cells_json(def->cells, def->n);

	json_object_set_new(row, "of", json_string(def->names));
	json_object_set_new(row, "id", json_integer((json_int_t)def->id));
	free(def);
	return row;
}
