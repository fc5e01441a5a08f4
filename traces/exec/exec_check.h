/* exec_check.h - what is kept beside registers and memory to find faults of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A value is "unset" if nothing wrote it, or if it follows from such a value.  Each register has a mask of the lanes
 * in which it is unset, each byte of memory a bit.  What is unset matters where it decides something: as an address,
 * as the condition of a branch or an instruction, or when it is stored to global memory.
 *
 * For races each word of shared and global memory keeps its latest accesses.  Two are ordered if barriers, the warp
 * itself, or an atomic operation that one block did and another one saw put one before the other.
 */
#ifndef TRACES_EXEC_EXEC_CHECK_H
#define TRACES_EXEC_EXEC_CHECK_H

#include "exec_machine.h"

enum exec_space { EXEC_GLOBAL, EXEC_SHARED, EXEC_LOCAL };
enum exec_how { EXEC_READS, EXEC_WRITES, EXEC_CHANGES };
/* STRONGLY: or atomically; ARRIVES: at a barrier in memory; CAS: by a comparison with what was read before. */
enum exec_order_of { EXEC_WEAK, EXEC_STRONGLY, EXEC_ARRIVES, EXEC_CAS };

/* An access to a word.  Times count the instructions of all warps, from 1 on; 0: there was none. */
struct exec_access {
	uint64_t time : 48, warp : 5, lane : 5, bytes : 4, order : 2;
	uint64_t block : 42, pc : 22;
};

struct exec_cell {
	struct exec_access writer, reader[2]; /* readers: of two warps */
	/* What was done up to then is before what those do who see the value strongly. */
	uint64_t released;
};

/* A part of device memory. */
#define EXEC_PAGE (UINT64_C(1) << 16)
struct exec_page {
	unsigned char written[EXEC_PAGE / 8]; /* bits of bytes */
	struct exec_cell *cell; /* of its words; NULL: no kernel has accessed it */
};

struct exec_warp_check {
	uint32_t unset[EXEC_ROWS];  /* lanes */
	/* Where that began: in .origin of struct exec_check, +1; 0: it is the register itself. */
	uint32_t origin[EXEC_ROWS];
	uint32_t unset_p[EXEC_PREDICATES], origin_p[EXEC_PREDICATES];
	/* Of each warp of the block: what it did up to then is before what this warp does now. */
	uint64_t known[EXEC_WARPS];
	uint64_t acquired;          /* what all warps did up to then is, too */
	uint64_t fenced;            /* its latest fence */
	/* When two lanes were last active in one instruction. */
	uint64_t together[EXEC_LANES][EXEC_LANES];
	uint32_t mask;              /* that are active now, the latest at .now */
	uint64_t now;
	unsigned char *written;     /* of local memory: a word of a lane has 4 bits */
};

struct exec_block_check {
	unsigned char *written;     /* of shared memory: bits of bytes */
	struct exec_cell *cell;     /* of its words */
	uint64_t begun;
	uint64_t joined[EXEC_BARRIERS][EXEC_WARPS], acquired[EXEC_BARRIERS];
};

/* A load of memory that nothing wrote. */
struct exec_origin {
	const struct hd_exec_image *image;
	uint32_t pc, block[3], thread[3];
	enum exec_space space;
	uint64_t address;
};

struct exec_freed {
	uint64_t start, bytes;
};
#define EXEC_FREED 1024u        /* allocations that are remembered after they were freed */

struct exec_check {
	struct exec_page **page;  /* of the arena */
	struct exec_freed freed[EXEC_FREED];
	uint64_t nfreed;
	struct exec_origin *origin;
	size_t norigin, cap_origin;
	struct hd_exec_finding *finding;
	size_t nfinding, cap_finding, latest;
	uint64_t time, begun;       /* of the launch */
};

/* ---- what the machine tells: exec_find.c ---- */

struct exec_check *hd__check_new(void);
void hd__check_free(struct exec_check *c);
/* Memory was freed. */
void hd__check_freed(struct exec_check *c, uint64_t start, uint64_t bytes);
/* An image goes: findings that name it have their texts. */
void hd__check_unload(struct exec_check *c, const struct hd_exec_image *m);

/* ---- exec_check.c ---- */

void hd__check_block_new(struct exec_block *k);
void hd__check_block_begin(struct exec_block *k);
void hd__check_block_free(struct exec_block *k);
/* Before an instruction: `active` lanes are there, `lanes` execute it. */
void hd__check_instruction(struct exec_warp *w, uint32_t pc, uint32_t active, uint32_t lanes);
void hd__check_arrive(struct exec_warp *w, uint32_t number);
void hd__check_open(struct exec_block *k, uint32_t number);
void hd__check_deadlock(struct exec_block *k);

/* ---- between files: exec_find.c ---- */

/* Another access, or another place. */
struct exec_other {
	uint32_t pc, block[3], thread[3];
	bool is;
};

void hd__check_find(struct exec_warp *w, uint32_t pc, unsigned lane, enum hd_exec_kind kind, uint64_t address,
                    const struct exec_other *other, const char *what, ...) __attribute__((format(printf, 7, 8)));
struct exec_other hd__check_other(const struct exec_warp *w, uint32_t pc, uint64_t block, uint32_t warp, unsigned lane);
const char *hd__check_space(enum exec_space space);
struct exec_page *hd__check_page(struct exec_check *c, uint64_t address);

/* exec_unset.c: what instructions do to the masks of registers.  Loads: hd__check_loaded(). */
void hd__check_registers(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t active, uint32_t lanes);
/* A value that decides something, n rows from `row` on. */
void hd__check_use(struct exec_warp *w, uint32_t pc, uint32_t row, unsigned n, uint32_t lanes, const char *as);
void hd__check_set(struct exec_warp *w, uint32_t row, uint32_t unset, uint32_t lanes, uint32_t origin);

/* exec_memory.c */
void hd__check_memory(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t lanes);

/* exec_races.c: `value`: what is written, for a comparison with what is there. */
void hd__check_race(struct exec_warp *w, uint32_t pc, unsigned lane, enum exec_space space, uint64_t address,
                    uint32_t bytes, enum exec_how how, enum exec_order_of order, const uint32_t *value);
/* Lanes are active together in an instruction. */
void hd__check_together(struct exec_warp *w, uint32_t active);

/* exec_lines.c: the file and line of an instruction; false: not known. */
bool hd__exec_line(const struct hd_exec_image *m, uint32_t pc, const char **file, uint32_t *line);
void hd__exec_lines_free(struct hd_exec_image *m);

#endif
