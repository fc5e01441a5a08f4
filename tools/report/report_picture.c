/* report_picture.c - the picture of the core, which the page colours
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"
#include "tools/graph/picture.h"

#include <stdlib.h>

#define MOST_BYTES (1u << 20) /* of a picture; a netlist of one's own may have any number of boxes */

void report_picture(struct report *r)
{
	json_t *core = dump_core(r->d);
	struct hd_picture *p = hd__picture_of_dump(core);
	char *text = NULL;
	size_t n = 0;
	FILE *f = p ? open_memstream(&text, &n) : NULL;

	if (f) {
		hd__picture_svg(p, &(struct hd_picture_options){ .bare = true }, f);
		if (fclose(f) == 0 && n <= MOST_BYTES)
			json_object_set_new(r->out, "picture", report_text(text));
	}
	free(text);
	if (p)
		hd__picture_free(p);
	json_decref(core);
}
