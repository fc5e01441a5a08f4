/* dump_main.c - the program heddle-dump: commands of heddle that read dumps
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include <malloc.h>

#define RETURNED (128 << 10) /* bytes: larger blocks of memory go back to the system when they are freed */

static const struct hd_command commands[] = {
	{ "dump", "convert a dump, or list what is in it", hd__cmd_dump },
	{ "report", "write a page with figures about runs that were dumped", hd__cmd_report },
	{ "compare", "print how runs differ: designs, kernels, every statistic", hd__cmd_compare },
	{ "sweep", "write the results of a study into a database", hd__cmd_collect },
	{ NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	/* Blocks of a dump come and go in all sizes.  By itself glibc's malloc() would raise this limit with the
	 * largest of them, and holes between those that stay would cost up to half of the memory. */
#ifdef M_MMAP_THRESHOLD /* musl has neither */
	mallopt(M_MMAP_THRESHOLD, RETURNED);
#endif
	return hd__program(commands, argc, argv);
}
