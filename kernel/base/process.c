/* process.c - a child process that does not outlive its parent
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

pid_t hd__fork(int signal)
{
	pid_t parent = getpid(), child = fork();

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, signal);
	if (getppid() != parent) /* it ended before */
		raise(signal);
	return 0;
}
