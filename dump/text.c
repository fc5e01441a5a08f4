/* text.c - a dump as lines of text, in the order of time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "formats.h"

bool dump_write_text(struct dump *d, const struct dump_query *q, FILE *out)
{
	(void)q;
	fprintf(out, "# %s\n", d->path);
	return true;
}
