/* exit.h - exit statuses of the programs
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_EXIT_H
#define BASE_EXIT_H

#define HD_EXIT_OK 0
#define HD_EXIT_FAILED 1 /* the run, or writing what came of it */
#define HD_EXIT_USAGE 2  /* bad usage or input */

#endif
