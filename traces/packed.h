/* packed.h - the file of a packed trace (docs/traces.md)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file is mapped.  What is in it is compared with its hash and then checked, when it is used: a file
 * that was made to break the reader is refused as a damaged one is.  All structs are those of the file,
 * in the byte order of the machine that wrote it, at multiples of 8 bytes.
 */
#ifndef TRACES_PACKED_H
#define TRACES_PACKED_H

#include "blocks.h"

#include <stdio.h>

#define PACKED_MAGIC "\x89hpack\r\n"
#define PACKED_ORDER UINT32_C(0x01020304)
#define PACKED_VERSION 2u
#define PACKED_ODDITIES TRACE_BARE

/* ---- the file ------------------------------------------------------------------------------- */

/* In front of all else. */
struct packed_head {
	char magic[8];
	uint32_t order, version;
	uint64_t bytes; /* of the file */
	uint64_t index, index_bytes, index_hash;
	uint64_t hash;  /* of the members before it */
};

/* The list of kernels; behind it the items, copies and references, then the names. */
struct packed_index {
	uint64_t items, copies, refs, names; /* numbers of them; of the names, bytes */
	uint64_t list_copies, list_copied, list_others; /* as in struct trace_list */
};

struct packed_item {
	uint64_t name; /* offset in the names */
	uint64_t line, copies; /* as in struct trace_item */
	uint64_t ref;
};

struct packed_copy {
	uint64_t addr, bytes;
};

/* One kernel, which several items may have. */
struct packed_ref {
	uint64_t kernel, bytes, hash; /* struct packed_kernel and what is behind it */
	uint64_t source, source_hash; /* bytes of the file it was made from */
};

/* Behind it the static instructions, their texts, the name of the kernel and its listing. */
struct packed_kernel {
	uint64_t id, stream, shared_base, local_base;
	uint32_t grid[3], block[3], cluster[3], shmem, nregs, binary, zero;
	uint32_t version, lineinfo, more; /* more: the file goes on behind the grid */
	uint64_t unknown;                 /* as in struct trace_header */
	uint64_t begin_line, begin_text;  /* where the header ends: lines, bytes that were decoded */
	uint64_t end_line, end_text;      /* where it is known that a block was the last one */
	uint64_t blocks, blocks_bytes;    /* where they are */
	uint64_t statics, texts, name, listing; /* numbers; of the latter three, bytes */
	uint64_t instructions;
	uint64_t first_line[PACKED_ODDITIES]; /* where what is warned about is met first, by enum trace_oddity */
	char tail[TRACE_SHOWN];
};

enum { PACKED_EXITS = 1, PACKED_TAIL = 2 };

/* In the order in which the instructions are met. */
struct packed_static {
	uint64_t text;        /* offset in the texts; a line end follows it */
	uint64_t line;        /* where it is met first, */
	uint64_t lanes_line;  /* where it is met first with lanes; 0: nowhere */
	uint32_t len;
	int32_t imm;
	uint32_t flags;
	uint32_t extra;       /* trace_static.extra, unless it is a bulk copy */
};

/* A thread block; behind it its warps, then the instructions as trace_pack() makes them. */
struct packed_block {
	uint64_t hash;        /* of all that follows, up to the next block */
	uint64_t bytes;       /* to the next block */
	uint64_t ordinal;     /* position in the file, from 0 */
	uint64_t number;      /* in its grid */
	uint64_t line, text;  /* where it ends */
	uint64_t instructions;
	uint64_t statics;     /* known behind it */
	uint64_t counted[PACKED_ODDITIES]; /* in it, by enum trace_oddity */
	uint64_t data;        /* bytes of the instructions */
};

struct packed_warp {
	uint64_t from, to; /* in the instructions of the block */
	uint64_t kept;     /* end without the last lines that no lane executes */
	uint64_t line;     /* of the first instruction */
	uint64_t order;    /* the warp that is in this place of the text */
};

/* ---- packed_write.c: the parts of the file, in their order ------------------------------------- */

/* The caller looks for errors of the stream, and frees with _free. */
struct packed_writer {
	FILE *to;
	uint64_t at;                  /* bytes written */
	struct hd_bytes items, copies, refs, names; /* of the list */
	struct hd_bytes part;         /* that is being put together */
};

void hd__packed_begin(struct packed_writer *w, FILE *to);
/* A thread block of the present kernel: h->data bytes of instructions.  Sets .bytes, .hash and the order of the
 * warps. */
void hd__packed_block(struct packed_writer *w, struct packed_block *h, struct packed_warp *warp, uint32_t warps,
                      const void *data);
/* Back to w->at as it was: what was written since is dropped.  Returns false with errno set. */
bool hd__packed_back(struct packed_writer *w, uint64_t at);
/* The kernel of the blocks so far: h->statics elements and their texts.  Sets the numbers of both, and *ref. */
void hd__packed_kernel(struct packed_writer *w, struct packed_kernel *h, const struct packed_static *statics,
                       const struct hd_bytes *texts, const char *name, const struct hd_bytes *listing,
                       struct packed_ref *ref);
/* The next item of the list, with the kernel that was written as number it->ref. */
void hd__packed_item(struct packed_writer *w, struct packed_item *it, const char *name);
/* The list and the head; of *x the numbers of copies in the list. */
void hd__packed_end(struct packed_writer *w, struct packed_index *x);
void hd__packed_free(struct packed_writer *w);

/* ---- the file, mapped --------------------------------------------------------------------- */

struct trace_packed {
	const struct trace_host *host;
	char *name;
	unsigned char *map;
	uint64_t size;
	const struct packed_index *index;
	const struct packed_item *item;
	const struct packed_copy *copy;
	const struct packed_ref *ref;
	const char *names;
	uint64_t first; /* item of the list's first one, from 1 */
};

/* Returns 1; 0: it is not a packed trace, or cannot be read at all; -1 after a message. */
int hd__trace_packed_open(struct trace_packed *p, const struct trace_host *host, const char *path);
/* Takes an open file, which is closed; returns what hd__trace_packed_open() does. */
int hd__trace_packed_take(struct trace_packed *p, const struct trace_host *host, const char *name, int fd);
void hd__trace_packed_close(struct trace_packed *p);
/* The list of the file, see hd__trace_list_read(). */
int hd__trace_packed_list(struct trace_packed *p, struct trace_list *l, uint64_t first, uint64_t last);
/* A part of the file; NULL after a message. */
const void *hd__trace_packed_part(const struct trace_packed *p, uint64_t at, uint64_t bytes,
                                  const char *what);
/* Reports damage.  Returns -1. */
int hd__trace_packed_bad(const struct trace_packed *p, const void *at, const char *what);

/* ---- its kernels ----------------------------------------------------------- */

/* A kernel that is being read. */
struct trace_packed_kernel {
	const struct trace_packed *file; /* NULL: the kernel is a text */
	const struct packed_kernel *head;
	const struct packed_static *statics;
	const char *texts, *name, *listing;
	uint8_t *kind; /* by static instruction: what the reader of blocks has to look at */
	size_t cap;
	uint64_t sound; /* so many blocks, the first ones, were read before, and all that a check finds in them is 0 */
	/* Of a kernel that comes in parts (trace_parts.h): finds part n, see find_part(); else NULL. */
	const struct trace_packed *(*more)(struct trace_packed_kernel *k, uint32_t n, int *bad);
	struct trace_parts *parts;
	struct trace_list *list;
	size_t item;                     /* of the list */
	struct trace_controls *controls; /* made of the listing, which later parts may extend; NULL: it is not read */
	uint32_t part;                   /* the present one, from 0 */
	bool keeps;                      /* parts are read again */
	bool ended;                      /* the launch failed: there are fewer blocks than in the grid */
};

struct trace_packed_block {
	const struct packed_block *head;
	const struct packed_warp *warp;
	unsigned char *data;
	uint32_t tail[TRACE_WARPS]; /* lanes that end with the warp's last instruction */
	uint64_t bare;
};

/* Opens item i of the list, fills the header, and puts *t behind it.  path: of the item. */
int hd__trace_packed_kernel(struct trace_packed_kernel *k, const struct trace_packed *p, size_t i,
                            const char *path, struct trace_header *h, struct trace_text *t);
struct trace_packed_at hd__trace_packed_begin(const struct trace_packed_kernel *k);
/* Checks the next block, unless .sound covers it, and adds the instructions that it is the first to have to `c`.
 * Returns 1; 0: there is none; -1 after a message. */
int hd__trace_packed_next(struct trace_packed_kernel *k, struct trace_packed_at *at,
                          struct trace_code *c, struct trace_packed_block *b);
/* Line of the first of the instructions so far that lacks addresses. */
uint64_t hd__trace_packed_bare_line(const struct trace_packed_kernel *k, const struct trace_code *c);

#endif
