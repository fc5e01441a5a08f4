/* exec.h - executes kernels of cubins on this machine, warp by warp, and hands out what each warp did
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	x = hd__exec_new(&options, &why);
 *	image = hd__exec_load(x, bytes, n, "name for messages", &why);
 *	kernel = hd__exec_kernel(image, "_Z4vaddPfS_S_i");
 *	a = hd__exec_alloc(x, 4096);
 *	memcpy(hd__exec_host(x, a, 4096), data, 4096);
 *	launch = (struct hd_exec_launch){ .kernel = kernel, .grid = { 16, 1, 1 }, .block = { 64, 1, 1 },
 *	                                  .args = args, .nargs = sizeof args };
 *	if (hd__exec_run(x, &launch, NULL, &fault) != HD_EXEC_DONE)
 *		puts(fault.words);
 *
 * Nothing is global, and no call prints anything but what a kernel prints.  All calls about one machine have to
 * come from one thread at a time.  Texts that a call leaves in *why are the caller's to free.  Device memory is at
 * the same address in every run, so that traces repeat: a process has one machine at a time.
 */
#ifndef TRACES_EXEC_EXEC_H
#define TRACES_EXEC_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hd_exec;
struct hd_exec_image;

/* Which side of a branch that divides a warp runs first (docs/cuda.md). */
enum hd_exec_order {
	HD_EXEC_FEWEST,       /* that with fewer lanes; of equal ones the one that falls through: as hardware does */
	HD_EXEC_FALL_THROUGH,
	HD_EXEC_TAKEN,
};

struct hd_exec_options {
	enum hd_exec_order order;
	bool apart;             /* lanes that wait at the pc at which others go on do not join them */
	FILE *print;            /* gets what kernels print; NULL: no stream */
	uint64_t heap;          /* bytes that kernels may allocate with malloc(); 0: 8 MiB */
	bool any_cpu;           /* without AVX2, even if this CPU has it */
	uint64_t most;          /* warp instructions of a launch, after which it is given up; 0: any number */
	bool check;             /* look for faults of kernels: hd__exec_findings() */
};

/* NULL if device memory cannot be had at its place; *why says so. */
struct hd_exec *hd__exec_new(const struct hd_exec_options *options, char **why);
/* With all images. */
void hd__exec_free(struct hd_exec *x);
/* Where kernels print from now on; NULL: nowhere. */
void hd__exec_print(struct hd_exec *x, FILE *to);

/* ---- device memory (exec_arena.c) ---- */

/* Device memory of so many bytes, zeroed, at a multiple of 512; 0: there is not so much. */
uint64_t hd__exec_alloc(struct hd_exec *x, uint64_t bytes);
/* Returns false if nothing was allocated at this address. */
bool hd__exec_release(struct hd_exec *x, uint64_t address);
/* Where these bytes are in this process; NULL unless all of them are in one allocation.  Device addresses of
 * allocations are those of this process, so this is the address itself, checked. */
void *hd__exec_host(const struct hd_exec *x, uint64_t address, uint64_t bytes);
/* The allocation that an address is in; false: in none. */
bool hd__exec_allocation(const struct hd_exec *x, uint64_t address, uint64_t *start, uint64_t *bytes);
/* Bytes that are allocated, and that there are. */
void hd__exec_memory(const struct hd_exec *x, uint64_t *used, uint64_t *total);
/* Memory of the program that kernels may use too, at its own address; it must not overlap other such memory. */
void hd__exec_map(struct hd_exec *x, void *p, uint64_t bytes);
/* Returns false if none begins there. */
bool hd__exec_unmap(struct hd_exec *x, void *p);

/* ---- code (exec_image.c, exec_fatbin.c) ---- */

/* An array of cubins, as programs have them: */
#define HD_EXEC_FATBIN UINT32_C(0xba55ed50) /* its first word */
/* its bytes, as its own head says: for one in memory whose size is not known otherwise.  0: it is none. */
size_t hd__exec_fatbin_bytes(const void *fatbin);

struct hd_exec_param {
	uint32_t offset, bytes; /* in the arguments */
};

struct hd_exec_kernel {
	const char *name;              /* mangled */
	struct hd_exec_image *image;
	uint32_t sm;
	uint32_t registers;            /* of a thread */
	uint32_t shared;               /* bytes of a block that are not chosen by the launch */
	uint32_t local;                /* bytes of a thread's frame; functions that it calls indirectly need more */
	uint32_t constant;             /* bytes of __constant__ variables of the image */
	uint32_t most_threads;         /* of a block */
	uint32_t args;                 /* bytes of the arguments */
	uint32_t cluster[3];           /* blocks of a cluster that it was compiled for; 0: none, or any */
	bool async;                    /* its image has code for the asynchronous units of Hopper */
	const struct hd_exec_param *param; /* in order */
	uint32_t params;
};

/* Loads a cubin, or of a fatbin the cubin with the highest version that a GPU of version `sm` executes; sm 0: the
 * highest that there is.  A cubin that such a GPU does not execute is refused.  `name` is for messages.  The bytes are
 * copied.  NULL: *why says why not. */
struct hd_exec_image *hd__exec_load(struct hd_exec *x, const void *bytes, size_t n, uint32_t sm, const char *name,
                                    char **why);
/* Before hd__exec_free(), if an image is no longer needed. */
void hd__exec_unload(struct hd_exec_image *image);
/* NULL: there is none of that name. */
const struct hd_exec_kernel *hd__exec_kernel(const struct hd_exec_image *image, const char *name);
/* Number i; NULL: there are not so many. */
const struct hd_exec_kernel *hd__exec_kernel_at(const struct hd_exec_image *image, size_t i);
/* A variable, __device__ or __constant__, which is in device memory.  Returns false if there is none of that name. */
bool hd__exec_symbol(const struct hd_exec_image *image, const char *name, uint64_t *address, uint64_t *bytes);
/* The cubin that was chosen, as it was loaded. */
const void *hd__exec_cubin(const struct hd_exec_image *image, size_t *bytes);

/* ---- textures and surfaces (exec_texture.c) ---- */

enum hd_exec_elements { HD_EXEC_SIGNED, HD_EXEC_UNSIGNED, HD_EXEC_FLOAT };
enum hd_exec_edge { HD_EXEC_WRAP, HD_EXEC_CLAMP, HD_EXEC_MIRROR, HD_EXEC_BORDER };

/* What an object is of, in device memory.  Kernels get its handle as cudaTextureObject_t or cudaSurfaceObject_t. */
struct hd_exec_texture {
	uint64_t base;
	uint32_t size[3];       /* width, height, depth in elements; 0: it has no such dimension */
	uint32_t layers;        /* 0: it has none; a cube has six of them */
	uint64_t row, slice;    /* bytes from one row to the next; from one slice of the depth, or layer, to the next */
	uint8_t channels, bits; /* of an element: 1, 2 or 4; 8, 16 or 32 each */
	enum hd_exec_elements kind;
	/* of textures only: */
	enum hd_exec_edge edge[3]; /* by dimension; what repeats is normalised, else it is clamped */
	bool cube;
	bool linear;            /* filtered; numbers that are not floats have to be fractions */
	bool normalised;        /* coordinates go from 0 to 1 */
	bool fractions;         /* integers are read as floats from 0 or -1 to 1 */
	float border[4];
};

/* A handle; it may be used again after hd__exec_texture_remove(). */
uint64_t hd__exec_texture_add(struct hd_exec *x, const struct hd_exec_texture *t);
/* Returns false if there is no such object. */
bool hd__exec_texture_remove(struct hd_exec *x, uint64_t handle);

/* ---- tensor maps (exec_tensor.c) ---- */

/* Elements, numbered as atomic operations number them; of 16 bits they have two in a word. */
enum hd_exec_type {
	HD_EXEC_U32, HD_EXEC_S32, HD_EXEC_U64, HD_EXEC_F32, HD_EXEC_F16, HD_EXEC_S64, HD_EXEC_F64, HD_EXEC_BF16,
	HD_EXEC_NO_TYPE, /* one that is not reduced */
};

/* What a CUtensorMap describes: the innermost dimension first. */
struct hd_exec_tensor {
	uint64_t base;
	uint32_t rank;         /* 1 to 5 */
	uint32_t bytes;        /* of an element */
	uint64_t size[5];      /* elements */
	uint64_t stride[4];    /* bytes from one element to the next, of dimensions 1 and up */
	uint32_t box[5];       /* elements from the first to behind the last one that a copy may move */
	uint32_t step[5];      /* of which it moves every so many; the first step is not looked at */
	uint32_t swizzle;      /* bytes of the pattern in shared memory; 0: none */
	enum hd_exec_type type; /* of an element, for reductions */
	bool nan;              /* elements outside are NaNs, else 0 */
};
#define HD_EXEC_TENSOR 128u /* bytes of a map */

/* NULL, or what is expected of it instead. */
const char *hd__exec_tensor_wrong(const struct hd_exec_tensor *t);
void hd__exec_tensor_encode(const struct hd_exec_tensor *t, unsigned char to[HD_EXEC_TENSOR]);
/* Returns false if it is none, or a wrong one. */
bool hd__exec_tensor_decode(struct hd_exec_tensor *t, const unsigned char from[HD_EXEC_TENSOR]);

/* ---- launches (exec_grid.c) ---- */

struct hd_exec_launch {
	const struct hd_exec_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t shared;       /* bytes of a block in addition to the kernel's own */
	const void *args;      /* laid out as kernel->param says */
	size_t nargs;
	bool cooperative;      /* blocks may wait for all others */
	uint32_t cluster[3];   /* blocks that run together and see each other's shared memory; 0: as it was compiled */
};

enum hd_exec_status {
	HD_EXEC_DONE,
	HD_EXEC_LAUNCH,        /* no such launch: the grid, the block, the arguments */
	HD_EXEC_RESOURCES,     /* a block does not fit on an SM */
	HD_EXEC_ADDRESS,       /* an access to memory that is not there */
	HD_EXEC_ASSERT,
	HD_EXEC_TRAP,
	HD_EXEC_UNKNOWN,       /* an instruction that is not executed here */
	HD_EXEC_CODE,          /* control flow that leaves the code */
	HD_EXEC_DEADLOCK,
	HD_EXEC_MOST,          /* more instructions than options.most */
	HD_EXEC_STOPPED,       /* by the sink */
};

/* What ended a launch. */
struct hd_exec_fault {
	enum hd_exec_status status;
	const char *kernel; /* its name, or that of the function, which the image has */
	uint32_t pc;
	uint32_t block[3], thread[3];
	uint64_t address;
	char words[512];       /* all of this as a sentence */
};

/* ---- faults of kernels that do not end a launch, if the options say so (exec_check.c) ---- */

enum hd_exec_kind {
	HD_EXEC_BOUNDS,        /* an access outside of all allocations, or from one into another */
	HD_EXEC_MISALIGNED,
	HD_EXEC_FREED,         /* an access to memory that was freed */
	HD_EXEC_UNWRITTEN,     /* a value from memory that nothing wrote */
	HD_EXEC_UNSET,         /* one from a register that nothing wrote */
	HD_EXEC_RACE,
	HD_EXEC_BARRIER_ERROR,
	HD_EXEC_KINDS,
};

/* An instruction, of a thread. */
struct hd_exec_place {
	char *function, *text;
	uint32_t pc;
	uint32_t block[3], thread[3];
	char *file;            /* of the source; NULL: the cubin does not say */
	uint32_t line;
};

/* The same at the same instructions is one finding. */
struct hd_exec_finding {
	enum hd_exec_kind kind;
	char *kernel;
	struct hd_exec_place at;
	/* Of a race the earlier access, of a value the load, of a barrier another thread; .text NULL: none. */
	struct hd_exec_place other;
	uint64_t address;      /* 0: none */
	uint64_t times;
	char *words;
	uint32_t key[2];       /* instructions in the image */
	const struct hd_exec_image *image;
};

/* What was found so far, in order. */
const struct hd_exec_finding *hd__exec_findings(const struct hd_exec *x, size_t *n);
/* "out of bounds" and the like. */
const char *hd__exec_kind(enum hd_exec_kind kind);
/* The program wrote device memory, by a copy or otherwise. */
void hd__exec_written(struct hd_exec *x, uint64_t address, uint64_t bytes);

/* ---- what warps did, for those who record it ---- */

/* One warp of a block that has ended: its instructions, as trace_pack() (traces/warp_pack.h) packs them, with the
 * numbers of static instructions that struct hd_exec_met has. */
struct hd_exec_stream {
	const unsigned char *packed;
	size_t bytes;
	uint64_t instructions;
};

struct hd_exec_block {
	uint64_t number;       /* of the block in its grid */
	uint32_t warps;
	const struct hd_exec_stream *warp;
	uint32_t met;          /* static instructions so far */
};

/* A static instruction, numbered in the order in which the warps of a launch meet them. */
struct hd_exec_met {
	uint32_t number;
	uint32_t pc;           /* in the kernel; functions outside of it have pcs behind it */
	uint64_t lo, hi;       /* its word */
	const char *function;  /* that it is in */
	const char *file;      /* of the source; NULL: the cubin does not say */
	uint32_t line;
	const struct exec_bulk
		*bulk; /* what a bulk copy moves, each form of which is one instruction; NULL: it is none */
};

/* Rows of `bytes` neighbouring bytes, so many in each further dimension, and the bytes that the copy reports. */
struct exec_bulk {
	uint32_t all, bytes, dimensions;
	uint32_t count[4];
	int64_t stride[4];
};

/* What a recorder gets of a launch.  Blocks end in their order, unless some wait for others; those of a cluster come
 * one after the other, by rank. */
struct hd_exec_sink {
	void *arg;
	/* Each static instruction, when it is first met.  Returns false if it cannot be recorded. */
	bool (*meet)(void *arg, const struct hd_exec_met *met);
	/* A block that has ended.  Returns false to stop the launch. */
	bool (*block)(void *arg, const struct hd_exec_block *b);
};

/* What was executed. */
struct hd_exec_counts {
	uint64_t warp_instructions, thread_instructions, blocks;
};

/* Executes a launch to its end.  sink NULL: nothing is recorded.  *fault is set unless HD_EXEC_DONE is returned;
 * then memory is as the launch has left it.  counts may be NULL. */
enum hd_exec_status hd__exec_run(struct hd_exec *x, const struct hd_exec_launch *launch,
				 const struct hd_exec_sink *sink, struct hd_exec_counts *counts,
				 struct hd_exec_fault *fault);
/* "illegal address" and the like. */
const char *hd__exec_status(enum hd_exec_status status);

/* Windows of generic addresses, for the header of a trace.  That of shared memory has 16 MiB for each rank in a
 * cluster. */
#define HD_EXEC_SHARED UINT64_C(0x7c0000000000)
#define HD_EXEC_LOCAL  UINT64_C(0x7c0100000000)

#define HD_EXEC_CLUSTER 16u /* blocks of a cluster, at most */
/* The clusters of a launch: its own, or those of the kernel.  Returns false if there are none. */
bool hd__exec_clusters(const struct hd_exec_launch *launch, uint32_t size[3]);

#endif
