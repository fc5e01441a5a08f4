/* trace_folder.h - writes a folder of files that is complete or absent
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_TRACE_FOLDER_H
#define TRACES_HASM_TRACE_FOLDER_H

#include "hasm.h"
#include "base/output.h"

/* An empty folder that hd__output_close() puts in the place of `path`.  Returns an exit status after
 * printing an error. */
int hd__folder_open(struct hd_output *folder, const char *path);
/* A new file in it; NULL after printing an error.  The name has no '/'. */
FILE *hd__folder_file(const struct hd_output *folder, const char *name);
/* Closes it.  Returns false after printing an error. */
bool hd__folder_close(const struct hd_output *folder, FILE *f);
/* A file in it with what another file holds: the same file under a second name if the file system can do
 * that, else a copy.  Returns false after printing an error. */
bool hd__folder_link(const struct hd_output *folder, const char *name, const char *file);
/* The listing of a kernel, kernel-N.sass.json.  Returns false after printing an error. */
bool hd__folder_listing(const struct hd_output *folder, const struct hasm_kernel *k, size_t number);

#endif
