/* inputs.h - hashes of what a point depends on: netlist, values, trace, program
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_INPUTS_H
#define TOOLS_STUDY_INPUTS_H

#include "study.h"
#include "study_folder.h"
#include "kernel/sim.h"

/* What was hashed, by path; kept in a file from one sweep to the next.  A file that was written in the
 * last seconds is not kept: it might change again without another time. */
struct study_cache {
	const struct study_folder *folder;
	json_t *files; /* real path -> [size, seconds, nanoseconds, inode, hash]; "netlists" -> object, below */
	json_t *used;  /* what a netlist is made from -> the netlist as it is simulated: hashes of both */
	bool changed;
	json_t *seen;  /* if it is not NULL: real paths of all files that points depend on, as members */
};

/* Notes a file in .seen. */
void study_cache_see(struct study_cache *c, const char *real);

void study_cache_open(struct study_cache *c, const struct study_folder *f);
/* Writes the file, unless nothing has changed; whole or not at all.  Frees the cache. */
void study_cache_close(struct study_cache *c);

/* Sets hash and size of every trace.  Files that cannot be read count as empty: a run reports them. */
void study_hash_traces(struct study *s, struct study_cache *c);

/* The hash of one file's content, from the cache if that is possible; "" if it cannot be read. */
void study_hash_file(struct study_cache *c, const char *path, char out[STUDY_KEY]);
/* The hash of texts. */
void study_hash_texts(const char *const *texts, size_t n, char out[STUDY_KEY]);

/* The hash of the netlist that is made from what has the hash `origin`, or NULL; keeps one. */
const char *study_cache_netlist(struct study_cache *c, const char *origin);
void study_cache_keep(struct study_cache *c, const char *origin, const char *netlist);

/* The hash of the program and its plug-ins. */
void study_hash_program(const struct hd_registry *r, struct study_cache *c, char out[STUDY_KEY]);

/* The key of a point: of everything above, and of its options; `netlist`: the hash of the netlist with the values
 * of the point; piece: of the list, from 1, or 0: all of it. */
void study_point_key(const struct study *s, const char *program, const char *netlist,
                     size_t trace, uint64_t piece, char out[STUDY_KEY]);

#endif
