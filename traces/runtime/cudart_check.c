/* cudart_check.c - faults of a program's kernels, which are printed when it ends or resets the device
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cudart_record.h"
#include "traces/exec/exec_findings.h"
#include "base/exit.h"
#include "base/xalloc.h"

#include <fcntl.h>
#include <unistd.h>

bool hd__cuda_checks(void)
{
	return getenv(CUDA_CHECK) != NULL;
}

/* Leaves a file for the command, which ends with another exit status then. */
static void tell_command(void)
{
	const char *folder = getenv(CUDA_RECORD_FOLDER);
	char *path = folder ? hd__format("%s/%s", folder, CUDA_RECORD_FOUND) : NULL;
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		close(fd);
	free(path);
}

void hd__cuda_check_end(const struct hd_exec *x)
{
	fflush(stdout);
	if (x && hd__cuda_checks() && hd__findings_put(x, getenv(CUDA_FINDINGS)) != HD_EXIT_OK)
		tell_command();
}
