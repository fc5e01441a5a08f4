/* children.h - runs commands of this program, several at a time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_CHILDREN_H
#define TOOLS_STUDY_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>

/* A command: "heddle", its words. */
struct child_task {
	char **argv;        /* NULL-terminated; each word, and the list, are freed by children_free() */
	size_t n;
	const char *folder; /* in which it runs; NULL: the present one */
	unsigned seconds;   /* its limit; 0: none */
	char *label;        /* printed when it starts, then freed with the words; NULL: nothing is */
	/* results */
	int how;            /* as waitpid() gives it; -1: it did not start */
	char *err;          /* what it printed on standard error, at most 2000 bytes, without ends of lines behind it */
};

void children_word(struct child_task *t, const char *word);
/* "NAME=VALUE" */
void children_option(struct child_task *t, const char *name, const char *value);
/* Runs the tasks in this order, `most` at a time, with standard output nowhere.  Returns false if a signal interrupted
 * it; those that ran are ended then. */
bool children_run(struct child_task *v, size_t n, unsigned most);
void children_free(struct child_task *v, size_t n);

#endif
