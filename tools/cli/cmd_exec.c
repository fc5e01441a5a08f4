/* cmd_exec.c - runs the commands of the separate program heddle-dump
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading dumps needs libraries that a run does not, and loading them would slow each run down.
 */
#include "cmd.h"
#include "kernel/base/xalloc.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#define OTHER "heddle-dump"

/* The folder of this program, "" if it cannot be found. */
static void own_folder(char out[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
	char *slash;

	out[n > 0 ? n : 0] = '\0';
	slash = strrchr(out, '/');
	if (slash)
		*slash = '\0';
}

/* argv[0] is "heddle NAME".  Returns only if the other program cannot be run. */
int hd__cmd_exec(int argc, char **argv)
{
	char own[PATH_MAX], **args = hd__xcalloc((size_t)argc + 2, sizeof *args);
	char *tries[3];

	own_folder(own);
	tries[0] = hd__format("%s/%s", own, OTHER); /* in the build tree */
	tries[1] = hd__format("%s/../libexec/heddle/%s", own, OTHER);
	tries[2] = hd__format("%s/%s", PKGLIBEXECDIR, OTHER);
	args[0] = argv[0];
	args[1] = strchr(argv[0], ' ') + 1;
	for (int i = 1; i < argc; i++)
		args[i + 1] = argv[i];
	for (int i = 0; i < 3; i++) {
		execv(tries[i], args);
		if (errno != ENOENT && errno != ENOTDIR)
			break;
	}
	fprintf(stderr, "%s: %s: %s; expected it there or in '%s'\n", argv[0], OTHER, strerror(errno),
	        PKGLIBEXECDIR);
	for (int i = 0; i < 3; i++)
		free(tries[i]);
	free(args);
	return HD_EXIT_FAILED;
}
