/* cudart.h - what the chapters of CUDA's runtime library have in common
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program calls functions of the runtime; each is one exported function here, which begins with hd__cuda_enter() and
 * ends with hd__cuda_leave().  Between them one lock is held.  What a program puts into a stream is done when it puts
 * it there, or put into a graph while the stream is captured: both are an operation (hd__cuda_put()).
 */
#ifndef TRACES_RUNTIME_CUDART_H
#define TRACES_RUNTIME_CUDART_H

#include "cudart_abi.h"
#include "gpus.h"
#include "traces/exec/exec.h"

#define CUDA_API __attribute__((visibility("default")))
/* The same function for programs whose default stream is one for each thread: it makes no difference here. */
#define CUDA_ALSO(name, other) CUDA_API __attribute__((alias(#name))) __typeof__(name) other

/* ---- cudart_state.c: the machine, the lock, errors ---- */

/* Takes the lock.  Returns 0, or the error that every call returns since a kernel failed, or in a child of the process
 * that used the device. */
int hd__cuda_enter(void);
/* Releases the lock, and keeps the error for cudaGetLastError().  Returns it. */
int hd__cuda_leave(int error);
/* The error that was kept; `forget`: it is none then. */
int hd__cuda_last(bool forget);

/* The machine; NULL after a message. */
struct hd_exec *hd__cuda_machine(void);
/* Gives back the machine; what was loaded or allocated has been forgotten. */
void hd__cuda_reset(void);
/* Bytes for malloc() in kernels, from the next reset on if the machine is there. */
void hd__cuda_set_heap(size_t bytes);
size_t hd__cuda_heap(void);
/* Calls a function of the program, without the lock. */
void hd__cuda_outside(void (*function)(void *arg), void *arg);
/* Executes a launch, recorded if it is requested.  Returns an error that the launch itself has; one of the kernel is
 * kept for all further calls. */
int hd__cuda_execute(const struct hd_exec_launch *launch, uint64_t stream);
/* A copy from the host to the device, for the record. */
void hd__cuda_copied(uint64_t to, uint64_t bytes);

/* ---- handles: streams, events, graphs ---- */

enum cuda_kind { CUDA_NO_KIND, CUDA_STREAM, CUDA_EVENT, CUDA_GRAPH, CUDA_NODE, CUDA_EXEC, CUDA_KERNEL, CUDA_LIBRARY,
	CUDA_POOL, CUDA_ARRAY };

/* Zeroed memory that is known as a handle. */
void *hd__cuda_handle(enum cuda_kind kind, size_t size);
/* The handle, or NULL if it is not one of that kind. */
void *hd__cuda_check(const void *handle, enum cuda_kind kind);
void hd__cuda_release(void *handle);
/* Calls `visit` for each handle of the kind. */
void hd__cuda_each(enum cuda_kind kind, void (*visit)(void *handle, void *arg), void *arg);

/* ---- cudart_register.c: what nvcc's code registers, and the GPU for which it is ---- */

const struct cuda_gpu *hd__cuda_gpu(void);

struct cuda_function {
	const void *host;       /* the function of the host by which programs name it; NULL: it is of a library */
	const char *name;
	struct cuda_module *module;
	const struct hd_exec_kernel *kernel; /* once it is loaded */
	uint32_t dynamic_shared; /* most that a launch may choose, once it was set */
	int carveout;
	bool cluster_not_portable;
	int cluster_policy;     /* kept, and not looked at */
};

struct cuda_module;

/* The function, whose kernel is loaded.  NULL: *error says why. */
struct cuda_function *hd__cuda_function(const void *host, int *error);
/* A variable by its host's shadow. */
int hd__cuda_variable(const void *host, uint64_t *address, uint64_t *bytes);
/* Code that the program has itself: a cubin or fatbin.  NULL: *error says why. */
struct hd_exec_image *hd__cuda_image(const void *code, int *error);
/* Images are gone. */
void hd__cuda_forget_images(void);

/* ---- cudart_memory.c ---- */

/* Allocations are gone. */
void hd__cuda_forget_memory(void);
/* Device memory; NULL: there is not so much. */
void *hd__cuda_allocate(size_t bytes, int *error);
int hd__cuda_free(void *p);

/* Memory of graphs: it has its address from the first node on that names it.  It is kept while nodes do, or while it is
 * live: a launch has allocated it, and it is not free again. */
struct cuda_graph_memory {
	void *at;
	size_t bytes, nodes;
	bool live;
};

struct cuda_graph_memory *hd__cuda_graph_memory(size_t bytes, int *error);
/* That which begins there; NULL: none does. */
struct cuda_graph_memory *hd__cuda_graph_memory_at(const void *p);
/* A node more, or less; NULL: nothing to do. */
void hd__cuda_graph_memory_hold(struct cuda_graph_memory *m);
void hd__cuda_graph_memory_drop(struct cuda_graph_memory *m);
void hd__cuda_graph_memory_set(struct cuda_graph_memory *m, bool live);
/* Bytes of memory of graphs: all, or those that are live. */
size_t hd__cuda_graph_memory_bytes(bool live);

/* ---- cudart_array.c, cudart_texture.c ---- */

/* Arrays are gone; so are objects. */
void hd__cuda_forget_arrays(void);
void hd__cuda_forget_textures(void);

/* ---- cudart_library.c ---- */

/* Libraries are gone with their images. */
void hd__cuda_forget_libraries(void);

/* ---- cudart_stream.c: operations ---- */

struct cuda_stream {
	uint64_t id;
	uint32_t flags;
	int priority;
	struct cuda_graph *capture; /* that it is captured into, or NULL */
	bool origin;                /* the capture began here */
};

struct cuda_event;

enum cuda_op_kind {
	CUDA_OP_KERNEL, CUDA_OP_COPY, CUDA_OP_SET, CUDA_OP_HOST, CUDA_OP_GRAPH, CUDA_OP_NOTHING, CUDA_OP_WAIT,
	CUDA_OP_RECORD, CUDA_OP_ALLOCATE, CUDA_OP_FREE,
};

/* Rows of bytes: `depth` slices of `height` rows. */
struct cuda_rows {
	char *at;
	size_t pitch, slice;
};

struct cuda_op {
	enum cuda_op_kind kind;
	int (*run)(const struct cuda_op *op, const struct cuda_stream *stream);
	struct cuda_function *function;
	struct cuda_dim3 grid, block, cluster; /* cluster: .x 0: as the kernel says */
	uint32_t shared;
	bool cooperative;
	unsigned char *args;       /* as the kernel takes them; the operation's own */
	struct cuda_rows to, from;
	size_t width, height, depth; /* bytes, rows, slices; when a value is set: elements, rows, slices */
	int direction;
	uint32_t value, element;   /* bytes of an element: 1, 2, 4 */
	void (*call)(void *arg);
	void *arg;
	struct cuda_event *event;
	struct cuda_graph *graph;  /* the operation's own */
	struct cuda_graph_memory *memory;
};

/* The stream of a handle: NULL and two small numbers are streams that are there.  NULL: it is none. */
struct cuda_stream *hd__cuda_stream(void *handle);
/* Does it now, or appends it to the graph that the stream is captured into.  Takes over what the operation owns. */
int hd__cuda_put(void *stream, struct cuda_op *op);
struct cuda_op hd__cuda_host_op(void (*call)(void *), void *arg);
/* Any stream that is captured, which some calls would spoil. */
bool hd__cuda_capturing(void);

/* ---- cudart_event.c ---- */

struct cuda_op hd__cuda_event_op(struct cuda_event *e);

/* ---- cudart_launch.c ---- */

/* An operation that launches.  Copies the arguments. */
int hd__cuda_launch_op(struct cuda_op *op, const void *function, struct cuda_dim3 grid, struct cuda_dim3 block,
                       size_t shared, void **args);

/* ---- cudart_copy.c ---- */

struct cuda_op hd__cuda_copy_op(void *to, const void *from, size_t bytes, int direction);
struct cuda_op hd__cuda_copy_3d_op(const struct cuda_copy_3d *c);
struct cuda_op hd__cuda_set_op(struct cuda_rows to, uint32_t value, uint32_t element, struct cuda_extent e);

/* ---- cudart_occupancy.c ---- */

/* Its variables in shared memory have so many bytes. */
uint32_t hd__cuda_static_shared(const struct cuda_function *f);
/* Most bytes of shared memory that a launch of it may choose. */
uint32_t hd__cuda_dynamic_shared(const struct cuda_function *f);
/* Most threads of a block, by its registers, too. */
uint32_t hd__cuda_most_threads(const struct cuda_function *f);
/* Blocks of so many threads that one SM holds at a time. */
int hd__cuda_occupancy(const struct cuda_function *f, uint32_t threads, size_t dynamic);
/* Is it a cluster that a kernel can have on the GPU? */
bool hd__cuda_cluster_fits(const struct cuda_function *f, struct cuda_dim3 cluster);

/* ---- cudart_absent.c ---- */

/* Says once that `what` is not there.  Returns the error for it. */
int hd__cuda_absent(const char *what);

#endif
