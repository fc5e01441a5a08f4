/* picture_of_dump.c - writes the picture of the core that a dump was made of
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump/dump_read.h"
#include "tools/graph/picture.h"

int main(int argc, char **argv)
{
	const struct hd_picture_options o = { .bare = argc > 2 };
	struct dump *d = argc > 1 ? dump_open(argv[1]) : NULL;
	json_t *core = d ? dump_core(d) : NULL;
	struct hd_picture *p = core ? hd__picture_of_dump(core) : NULL;

	if (!p)
		return 1;
	hd__picture_svg(p, &o, stdout);
	hd__picture_free(p);
	json_decref(core);
	dump_close(d);
	return 0;
}
