/* exec_machine.h - the state of warps, blocks and launches
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_EXEC_EXEC_MACHINE_H
#define TRACES_EXEC_EXEC_MACHINE_H

#include "exec.h"
#include "exec_op.h"

#include "base/xalloc.h"
#include "traces/warp_pack.h"

#define EXEC_BANKS 32u
#define EXEC_BANK0 (64u << 10)    /* bytes of a bank */
#define EXEC_WARPS 32u            /* of a block */
#define EXEC_BARRIERS 16u         /* of a block; convergence barriers of a warp */
#define EXEC_ARENA UINT64_C(0x7e0000000000)
#define EXEC_ARENA_BYTES (UINT64_C(64) << 30)
#define EXEC_PIECE (UINT64_C(2) << 20) /* of the arena: nothing is in the first one */
#define EXEC_CODE UINT64_C(0x7d0000000000)  /* address of instruction 0 */
#define EXEC_CALLS UINT64_C(0x7dff00000000) /* of what the machine itself does: printf and others, 16 bytes each */
#define EXEC_WINDOW UINT32_C(0x1000000)     /* bytes of a window; that of shared memory has one for each rank */
#define EXEC_RANK(address) ((uint32_t)((address) / EXEC_WINDOW))
#define EXEC_PARAMETERS (HD_EXEC_LOCAL + EXEC_WINDOW) /* generic addresses of bank 0 of constants */
#define EXEC_STACK UINT32_C(0xfffdc0)       /* of a thread, where it begins */

/* ---- device memory ---- */

struct exec_block_of_memory {
	uint64_t start, bytes;
	uint64_t asked; /* bytes before they were rounded up */
};

struct hd_exec {
	struct hd_exec_options options;
	unsigned char *arena;
	struct exec_block_of_memory *used;   /* in order */
	size_t nused, cap_used;
	uint64_t top;                        /* end of what kernels may access: that of the highest 2 MiB ever used */
	uint64_t in_use;
	struct exec_block_of_memory *mapped; /* of the program, in order */
	size_t nmapped, cap_mapped;
	uint64_t heap_left;
	struct hd_exec_image *images;
	uint64_t workspace;                  /* of grid.sync(); 0: none yet */
	bool wide;                           /* AVX2 and FMA are there */
	struct hd_exec_texture **texture;    /* by handle - 1; NULL: no longer there */
	size_t textures, cap_textures;
	struct exec_check *check;            /* NULL: faults are not looked for */
};

/* Memory of an image, apart from that of hd__exec_alloc(). */
uint64_t hd__exec_alloc_variables(struct hd_exec *x, uint64_t bytes);
/* Is it memory that kernels may access, outside of the arena? */
bool hd__exec_mapped(const struct hd_exec *x, uint64_t address, uint64_t bytes);

/* ---- code ---- */

struct exec_symbol {
	const char *name;
	uint64_t value, bytes;
	uint32_t section; /* 0: undefined */
	uint8_t type;
	bool entry;
};

struct exec_section {
	const char *name;
	unsigned char *data; /* NULL: not in the file */
	uint64_t bytes;
	uint32_t type, link, info;
	uint64_t place;      /* address, of variables */
	int32_t code;        /* -1: no code */
};

struct hd_exec_image {
	struct hd_exec *x;
	struct hd_exec_image *next;
	char *name;
	unsigned char *bytes; /* relocated in place */
	unsigned char *original; /* as loaded */
	size_t n;
	uint32_t sm;
	struct exec_section *section;
	size_t sections;
	struct exec_symbol *symbol;
	size_t symbols;
	struct exec_code *code;
	size_t codes;
	struct exec_op *op;   /* of all functions; the first one is of none */
	uint32_t ops;
	struct hd_exec_kernel *kernel;
	struct hd_exec_param **param;
	size_t kernels;
	uint32_t *entry;      /* by kernel: its first instruction */
	uint32_t *stack;      /* bytes that a thread may need */
	uint16_t *base;       /* of the arguments in bank 0 */
	uint64_t variables;   /* address; 0: none */
	uint64_t constant[EXEC_BANKS]; /* address of a bank, 0: none */
	uint32_t constant_bytes[EXEC_BANKS];
	struct exec_lines *lines; /* of the source; NULL: not yet read */
};

/* The function that an instruction is in; NULL: it is behind the end of one. */
static inline struct exec_code *exec_code_at(const struct hd_exec_image *m, uint32_t pc)
{
	size_t low = 0, n = m->codes;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (m->code[middle].first <= pc)
			low = middle + 1;
		else
			n = middle;
	}
	return low > 0 && pc - m->code[low - 1].first < m->code[low - 1].n ? &m->code[low - 1] : NULL;
}
/* The opcode of an instruction and its operands, for a message; the caller frees it. */
char *hd__exec_text(const struct hd_exec_image *image, uint32_t pc);
/* The bank of constants that a section has, of all kernels, or of one if a name follows; EXEC_BANKS: none. */
uint32_t hd__exec_bank(const char *section, const char **kernel);
/* Decodes a function, once. */
void hd__exec_decode_code(struct hd_exec_image *image, struct exec_code *code);
/* Does a GPU of this version execute code of that one?  0: any does. */
bool hd__exec_fits(uint32_t gpu, uint32_t code);
/* Of a fatbin: the cubin for the version.  It is decompressed into *made, the caller's, or in the fatbin. NULL:
 * *why. */
const void *hd__exec_fatbin_pick(const void *bytes, size_t n, uint32_t sm, size_t *size, void **made, char **why);

/* Functions that the machine provides, in the order of their addresses from EXEC_CALLS on. */
enum exec_call { EXEC_VPRINTF, EXEC_MALLOC, EXEC_FREE, EXEC_ASSERT, EXEC_NO_CALL };

/* ---- warps ---- */

/* Lanes of a warp that are at the same place. */
enum exec_state {
	EXEC_READY,
	EXEC_AT_BSYNC,
	EXEC_AT_WARPSYNC,
	EXEC_AT_BARRIER,
	EXEC_AT_PHASE,
	EXEC_AT_CLUSTER, /* at the barrier of the cluster */
};

struct exec_group {
	uint32_t pc, mask;     /* pc: an instruction of the image */
	uint8_t state;         /* enum exec_state */
	uint8_t barrier;
	bool gives_up;         /* its test of a phase fails, as it does on hardware after a time */
	uint32_t need;         /* AT_WARPSYNC: lanes that have to come; AT_BSYNC: participants; AT_PHASE: the address */
	uint32_t yields;
	int64_t since;         /* the latest ready group goes on */
};

struct exec_stream {
	struct trace_cta cta;
	struct trace_cursor at;
	uint64_t instructions;
};

struct exec_warp {
	uint32_t *base[2];     /* rows of the warp, of constants of its present function */
	uint32_t p[EXEC_PREDICATES];
	uint32_t live;
	uint32_t valid;        /* lanes that are threads */
	struct exec_group group[EXEC_LANES + 1];
	unsigned groups, current;
	bool resumes;          /* .current goes on */
	int64_t newest, oldest; /* of .since */
	uint32_t b[EXEC_BARRIERS][EXEC_LANES]; /* convergence barriers: participants, by lane */
	_Alignas(64) uint32_t on[EXEC_LANES];  /* all bits of a lane set, or none: those of on_of */
	_Alignas(64) uint32_t scratch[8 * EXEC_LANES];
	_Alignas(64) uint64_t address[EXEC_LANES]; /* of the latest access */
	uint64_t value[EXEC_LANES]; /* what it is recorded with */
	struct exec_bulk bulk;
	uint32_t on_of;
	uint32_t reduced;      /* result of the latest barrier that reduces */
	uint32_t joined;       /* lanes that have come to the barrier of the cluster, which is not over */
	uint32_t owes;         /* lanes that have come to one, and have not yet waited for it */
	uint32_t polled_pc;    /* the latest strong load: */
	bool polled;           /* it has read what it had read before */
	uint32_t polled_value[EXEC_LANES];
	unsigned char *local;  /* words of the lanes side by side */
	uint32_t number;
	struct exec_block *block;
	struct hd_exec_run *run;
	struct exec_stream *stream; /* NULL: not recorded */
	struct exec_warp_check *check;
	uint64_t instructions, threads;
};

struct exec_barrier {
	uint32_t lanes[EXEC_WARPS]; /* that have arrived */
	uint32_t expected;     /* threads; 0: all */
	uint32_t result, how;  /* of a reduction */
	bool any;
};

/* Blocks that run together; most are alone. */
struct exec_cluster {
	struct exec_block **block; /* by rank */
	uint32_t n;
	uint32_t left;         /* that have not ended */
	uint32_t idle;
	uint32_t given_up;     /* times that all tests of a phase failed since something has happened */
	bool joined;           /* a lane has come to the barrier */
};

struct exec_block {
	struct hd_exec_run *run;
	struct exec_cluster *cluster;
	uint32_t rank;
	uint32_t window;       /* where its own shared memory begins, as addresses in a cluster have the rank */
	bool ended;
	uint64_t number;
	uint32_t at[3];
	uint32_t warps;
	struct exec_warp *warp;
	struct exec_stream *streams;
	struct exec_block_check *check; /* NULL: faults are not looked for */
	unsigned char *shared;
	struct exec_barrier barrier[EXEC_BARRIERS];
	bool changed;          /* lanes have arrived or exited */
	uint32_t idle;
	void *rows;
	unsigned char *locals;
};

/* A form of a bulk copy, of those of one instruction. */
struct exec_form {
	struct exec_bulk bulk;
	uint32_t number;       /* of the static instruction */
	uint32_t next;         /* form + 1 */
};

/* A launch that is being executed. */
struct hd_exec_run {
	struct hd_exec *x;
	struct hd_exec_image *image;
	const struct hd_exec_launch *launch;
	const struct hd_exec_kernel *kernel;
	size_t kernel_number;
	uint32_t threads;      /* of a block */
	uint32_t cluster[3];   /* blocks; 1: alone */
	bool clusters;         /* it was launched with clusters, be they of one block */
	uint32_t shared, local; /* bytes */
	const unsigned char *bank[EXEC_BANKS];
	uint32_t bank_bytes[EXEC_BANKS];
	unsigned char *bank0;
	uint32_t **rows;       /* of constants, by function; NULL: not yet entered */
	const struct hd_exec_sink *sink;
	uint32_t *number;      /* of a static instruction + 1, by instruction; of a bulk copy that of a form + 1 */
	uint32_t met;          /* so many of them */
	struct exec_form *form; /* of bulk copies */
	size_t forms, cap_forms;
	struct hd_exec_counts counts;
	uint64_t left;         /* warp instructions until the launch is given up */
	struct hd_exec_fault *fault;
	bool failed;
};

/* Ends the launch: the fault of these lanes at instruction pc. */
void hd__exec_fail(struct exec_warp *w, uint32_t pc, uint32_t lanes, enum hd_exec_status status, uint64_t address,
                   const char *what, ...) __attribute__((format(printf, 6, 7)));
/* For functions of operations, which know the operation. */
static inline uint32_t exec_pc(const struct exec_warp *w, const struct exec_op *o)
{
	return (uint32_t)(o - w->run->image->op);
}

/* Why a warp stops. */
enum exec_stop {
	EXEC_TURN,     /* its turn is over */
	EXEC_YIELDED,  /* it may wait for another warp */
	EXEC_BLOCKED,  /* all of its lanes wait */
	EXEC_ENDED,    /* no lane is left; or the launch has failed */
};

/* Executes a warp for a turn of at most so many instructions. */
enum exec_stop hd__exec_warp(struct exec_warp *w, uint32_t turn);
/* Lanes that wait at convergence barriers. */
uint32_t hd__exec_at_bsync(const struct exec_warp *w);
/* For a warp that nothing else can help: lanes at a WARPSYNC go on without those at convergence barriers.  Returns
 * whether some do. */
bool hd__exec_go_without(struct exec_warp *w);
/* The rows of a function's constants in this launch. */
uint32_t *hd__exec_rows(struct hd_exec_run *run, uint32_t code);
/* What lanes call: they return to *back.  Returns false after a fault. */
bool hd__exec_call(struct exec_warp *w, uint32_t pc, enum exec_call call, uint32_t lanes);

/* Executes the blocks of a cluster until all have ended, or for about `most` instructions.  Returns true if they
 * have. */
bool hd__exec_cluster(struct exec_cluster *c, uint64_t most);

/* ---- memory of a warp (exec_access.c) ---- */

/* Where `bytes` bytes are at an address in the shared memory of a block of the cluster, whose rank it has; NULL after a
 * fault.  of: the block; may be NULL. */
unsigned char *hd__exec_remote(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane,
                               struct exec_block **of);
/* A fault: the block has no such shared memory. */
void hd__exec_outside(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane);
/* A fault, unless faults are looked for, which has found it: returns whether the launch goes on. */
bool hd__exec_misaligned(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane);
/* Where `bytes` bytes at a generic address of a lane are; NULL after a fault.  Local memory has 4 bytes in one
 * place. */
unsigned char *hd__exec_generic(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane);
/* As _generic, a byte of a text and the like; *ok is set to false after a fault. */
uint64_t hd__exec_read(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane, bool *ok);

/* ---- asynchronous units (exec_async.c, exec_boxes.c) ---- */

/* Are the phases over that lanes ask for? */
enum exec_phase { EXEC_PHASE_KNOWN, EXEC_PHASE_WAITS, EXEC_PHASE_FAULT };
enum exec_phase hd__exec_phase(struct exec_warp *w, const struct exec_op *o, uint32_t lanes);

#define EXEC_PIECE_OF_COPY 32768u /* bytes, at most, of neighbouring ones that are recorded as one piece */

enum exec_tensor { EXEC_TENSOR_LOAD, EXEC_TENSOR_STORE, EXEC_TENSOR_PREFETCH, EXEC_TENSOR_REDUCE };
/* The box of a tensor at these coordinates, and where it is in shared memory. */
struct exec_box {
	struct hd_exec_tensor t;
	int32_t at[5];
	uint32_t shared;
	enum exec_tensor how;
	uint8_t reduction;
};
/* Moves it; sets w->bulk and w->address.  Returns false after a fault. */
bool hd__exec_tensor_copy(struct exec_warp *w, const struct exec_op *o, const struct exec_box *x, unsigned lane);

/* Why lanes wait for ever at a barrier in the block's shared memory, as the end of a sentence. */
#define EXEC_WHY 160u
const char *hd__exec_why_it_waits(const struct exec_warp *w, uint32_t address, char words[EXEC_WHY]);

/* ---- textures and surfaces (exec_texture.c) ---- */

/* Where a lane reads a texture. */
struct exec_point {
	uint32_t at[3];        /* floats, or integers */
	uint32_t layer;
	int32_t offset[3];
};

/* The object of a handle, all of whose memory is there; NULL after a fault. */
const struct hd_exec_texture *hd__exec_texture(struct exec_warp *w, uint32_t pc, uint32_t handle, unsigned lane);
/* A direction becomes a face of a cube, which is a layer, and coordinates in it. */
void hd__exec_cube(struct exec_point *p);
/* What a kernel gets: the channels, floats as their bits. */
void hd__exec_sample(const struct hd_exec_texture *t, const struct exec_point *p, uint32_t v[4]);
/* What a kernel gets of an element that it names by integer coordinates. */
void hd__exec_element(const struct hd_exec_texture *t, const struct exec_point *p, uint32_t v[4]);
/* One channel of the four elements that a filter would take. */
void hd__exec_gather(const struct hd_exec_texture *t, const struct exec_point *p, unsigned channel, uint32_t v[4]);

/* What happens outside of a surface. */
enum exec_bound { EXEC_IGNORE, EXEC_CLAMP_BOUND, EXEC_FAULT };
/* Where the element of a surface is that an operation accesses; at: the lane's word in the row of the first coordinate,
 * which is in bytes.  NULL: outside, or after a fault. */
unsigned char *hd__exec_surface(struct exec_warp *w, const struct exec_op *o, const uint32_t *at, uint32_t handle,
                                unsigned lane);

#endif
