/* handle_text.c - libheddle: results and messages as text
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "handle.h"
#include "kernel/stats/stats.h"

#include <stdio.h>

typedef void writer(struct heddle *h, FILE *out);

struct request {
	enum hd_text which;
	writer *write;
};

static int make(struct heddle *h, const void *arg)
{
	const struct request *r = arg;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		hd__out_of_memory();
	r->write(h, out);
	fclose(out);
	free(h->text[r->which]);
	h->text[r->which] = hd__xcheck(text);
	return HEDDLE_OK;
}

static const char *text_of(struct heddle *h, enum hd_text which, writer *write)
{
	const struct request r = { which, write };

	return hd__guarded(h, make, &r) == HEDDLE_OK ? h->text[which] : "";
}

static void write_json(struct heddle *h, FILE *out)
{
	struct hd_json_rows rows;
	json_t *j;

	if (!hd__has_results(h))
		return;
	rows = h->reasons.sim ? hd__reasons_rows(&h->reasons) : hd__stats_rows(h->sim);
	j = hd__stats_plain(h->sim, h->result == HEDDLE_OK ? "running" : heddle_result_name(h->result));
	if (h->reasons.sim)
		hd__reasons_write(&h->reasons, j);
	hd__streams_write(j, &rows);
	hd__json_write(j, &rows, out);
	json_decref(j);
}

const char *heddle_json(struct heddle *h)
{
	return text_of(h, HD_TEXT_JSON, write_json);
}

static void write_table(struct heddle *h, FILE *out)
{
	if (hd__has_results(h))
		hd__stats_table(h->sim, out);
}

const char *heddle_table(struct heddle *h)
{
	return text_of(h, HD_TEXT_TABLE, write_table);
}

static void write_messages(struct heddle *h, FILE *out)
{
	hd__diags_print(&h->diags, out);
}

const char *heddle_messages(struct heddle *h)
{
	if (!h || h->lost)
		return "heddle: error: out of memory\n";
	return text_of(h, HD_TEXT_MESSAGES, write_messages);
}

static int forget(struct heddle *h, const void *arg)
{
	(void)arg;
	hd__diags_free(&h->diags);
	return HEDDLE_OK;
}

void heddle_forget_messages(struct heddle *h)
{
	hd__guarded(h, forget, NULL);
}
