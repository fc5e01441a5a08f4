/* child.c - a child process that does not outlive its parent
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

pid_t hd__fork(int number)
{
	pid_t parent = getpid(), child = fork();

	if (child != 0)
		return child;
	signal(number, SIG_DFL); /* it may be ignored, as it was when the program began */
	prctl(PR_SET_PDEATHSIG, number);
	if (getppid() != parent) /* it ended before */
		raise(number);
	return 0;
}
