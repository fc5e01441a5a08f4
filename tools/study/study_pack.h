/* study_pack.h - a tar file, compressed by xz, of files under names of one's own
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The same files give the same bytes: no times, owners or orders of folders are in it.
 */
#ifndef TOOLS_STUDY_STUDY_PACK_H
#define TOOLS_STUDY_STUDY_PACK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct study_pack {
	FILE *out;
	void *xz;         /* lzma_stream */
	unsigned char *buffer; /* for what it writes */
	json_t *sums;     /* name -> hash of what is in it */
	bool failed;
};

bool study_pack_open(struct study_pack *p, FILE *out);
/* Packs bytes, or a file, under a name.  Returns false with errno set; the pack is of no use then. */
bool study_pack_bytes(struct study_pack *p, const char *name, const void *data, size_t n, bool program);
bool study_pack_file(struct study_pack *p, const char *name, const char *path);
/* Ends the stream, which stays open. */
bool study_pack_close(struct study_pack *p);

#endif
