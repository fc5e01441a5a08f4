/* study_command.h - the command that runs one point
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_COMMAND_H
#define TOOLS_STUDY_STUDY_COMMAND_H

struct study_jobs;
struct study_point;

/* NULL-terminated; the caller frees it with the function below. */
char **study_command(const struct study_jobs *j, const struct study_point *p);
void study_command_free(char **argv);

#endif
