/* cmd_exec.c - runs the commands of the separate programs heddle-dump and heddle-web
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading dumps and serving pages need libraries that a run does not, and loading them would slow each run
 * down.
 */
#include "cmd.h"
#include "base/folders.h"
#include "base/xalloc.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

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

/* The program that is run from one of heddle's folders, to be freed.  Returns NULL after printing an error. */
static char *find(const char *asked, const char *other)
{
	char own[PATH_MAX], *tries[3], *found = NULL;
	int why = 0;

	own_folder(own);
	tries[0] = hd__format("%s/%s", own, other); /* in the build tree */
	tries[1] = hd__format("%s/../libexec/heddle/%s", own, other);
	tries[2] = hd__format("%s/%s", PKGLIBEXECDIR, other);
	for (int i = 0; i < 3 && found == NULL; i++) {
		if (access(tries[i], X_OK) == 0)
			found = hd__xstrdup(tries[i]);
		else if (why == 0 || why == ENOENT || why == ENOTDIR)
			why = errno; /* that of a program which is there counts */
	}
	for (int i = 0; i < 3; i++)
		free(tries[i]);
	if (found == NULL)
		fprintf(stderr, "%s: %s: %s; expected it in '%s' or '%s'\n", asked, other, strerror(why), own,
		        PKGLIBEXECDIR);
	return found;
}

bool hd__exec_can(const char *asked, const char *other)
{
	char *path = find(asked, other);

	free(path);
	return path != NULL;
}

int hd__exec(const char *other, char **args)
{
	char *path = find(args[0], other);

	if (path != NULL) {
		execv(path, args);
		fprintf(stderr, "%s: %s: %s\n", args[0], path, strerror(errno));
	}
	free(path);
	return HD_EXIT_FAILED;
}

/* argv[0] is "heddle NAME". */
int hd__cmd_exec(int argc, char **argv)
{
	char **args = hd__xcalloc((size_t)argc + 2, sizeof *args);
	int status;

	args[0] = argv[0];
	args[1] = strchr(argv[0], ' ') + 1;
	for (int i = 1; i < argc; i++)
		args[i + 1] = argv[i];
	status = hd__exec("heddle-dump", args);
	free(args);
	return status;
}
