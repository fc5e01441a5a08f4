/* streams.c - sums of the rows of each stream, where rows of "kernels" overlap and so name theirs
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "stats.h"

/* Adds up all numbers but shares. */
static void add_numbers(json_t *to, json_t *from)
{
	const char *key;
	json_t *v;

	json_object_foreach(from, key, v) {
		json_t *old = json_object_get(to, key);

		if (json_is_integer(v)) {
			json_object_set_new_nocheck(to, key,
			                            json_integer(json_integer_value(old) + json_integer_value(v)));
		} else if (json_is_object(v)) {
			if (!old)
				json_object_set_new_nocheck(to, key, json_object());
			add_numbers(json_object_get(to, key), v);
		}
	}
}

/* What a kernel adds to the sum of its stream. */
static json_t *addend(json_t *row)
{
	static const char *const members[] = { "warp_instructions", "thread_blocks", "statistics", "figures",
		                               "reasons", "causes" };
	json_t *o = json_pack("{s:i}", "kernels", 1);

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (json_object_get(row, members[i]))
			json_object_set(o, members[i], json_object_get(row, members[i]));
	return o;
}

static json_t *stream_of(json_t *all, json_t *stream)
{
	json_t *o;
	size_t i;

	json_array_foreach(all, i, o)
		if (json_equal(json_object_get(o, "stream"), stream))
			return o;
	o = json_object();
	json_object_set(o, "stream", stream);
	json_array_append_new(all, o);
	return o;
}

void hd__streams_write(json_t *statistics, const struct hd_json_rows *rows)
{
	size_t n = rows->count(rows->arg, "kernels");
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *row = rows->row(rows->arg, "kernels", i), *stream = json_object_get(row, "stream");
		json_t *more = stream ? addend(row) : NULL;

		if (stream)
			add_numbers(stream_of(all, stream), more);
		else
			n = 0; /* none of them names one */
		json_decref(more);
		json_decref(row);
	}
	if (json_array_size(all) > 0)
		json_object_set(statistics, "streams", all);
	json_decref(all);
}
