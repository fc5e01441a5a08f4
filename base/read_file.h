/* read_file.h - files that a command reads: opened without waiting, whole up to a limit
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A name may lead to anything: a pipe without a writer, a device that never ends, a folder, a file that is
 * larger than memory.  Files of the user are opened here, so that each of these is an error at once.
 */
#ifndef BASE_READ_FILE_H
#define BASE_READ_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens a file, without waiting for the writer of a pipe, and notes it as an input.  -1 with the reason in *why and
 * errno, which is ETXTBSY if an output of this process would replace it. */
int hd__input_open(const char *path, const char **why);
/* Why the open file is not one to read, for a message: a folder, a device, or, unless `pipes`, a pipe.  NULL: it is. */
const char *hd__input_refused(int fd, bool pipes);
/* As read(), for a file that was opened here: waits for the next bytes of a pipe.  `first`: nothing has been read yet,
 * and a pipe may have no writer: after a few seconds it is an error, ETIMEDOUT. */
ssize_t hd__input_read(int fd, void *to, size_t n, bool first);
/* The rest of an open file, at most `most` bytes of it, and a NUL that does not count; NULL with errno set, EFBIG: it
 * is longer.  The caller frees it, and closes the file. */
char *hd__input_rest(int fd, size_t most, size_t *length);
/* What an error of reading means. */
const char *hd__input_why(int error);

/* The whole of a small file, such as a netlist, as hd__input_rest(). */
char *hd__read_file(const char *file, size_t *length);
/* A whole input of a command, "-": standard input; NULL after printing an error. */
char *hd__read_input(const char *file, size_t *length);

#endif
