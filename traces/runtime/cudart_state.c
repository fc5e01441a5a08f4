/* cudart_state.c - the machine behind the runtime library, its lock, errors and handles
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cudart.h"
#include "cudart_record.h"
#include "base/int_map.h"
#include "base/xalloc.h"

#include <pthread.h>

static struct {
	pthread_mutex_t lock;
	bool watched; /* fork() takes the lock */
	bool forked;  /* the device belongs to the parent */
	struct hd_exec *machine;
	size_t heap;
	int broken;   /* a kernel failed: every call says so */
	struct hd_int_map handles; /* kinds, by address */
} state = { .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, /* exit() in a call comes back here */
            .heap = 8 << 20 };

static _Thread_local int last;

/* ---- the lock ---- */

static void before_fork(void)
{
	pthread_mutex_lock(&state.lock);
	hd__cuda_record_fork();
}

static void after_fork(void)
{
	pthread_mutex_unlock(&state.lock);
}

/* The thread that holds the lock has another number here, so it cannot give it back. */
static void in_child(void)
{
	state.forked = state.machine != NULL;
	hd__cuda_record_forked();
	state.lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

/* Other threads may be at work when the process ends. */
static void end_of_record(void)
{
	pthread_mutex_lock(&state.lock);
	hd__cuda_record_end();
	pthread_mutex_unlock(&state.lock);
}

int hd__cuda_enter(void)
{
	pthread_mutex_lock(&state.lock);
	if (!state.watched) {
		pthread_atfork(before_fork, after_fork, in_child);
		hd__cuda_record_at_end(end_of_record);
	}
	state.watched = true;
	return state.forked ? CUDA_INITIALIZATION : state.broken;
}

int hd__cuda_leave(int error)
{
	if (error)
		last = error;
	pthread_mutex_unlock(&state.lock);
	return error;
}

int hd__cuda_last(bool forget)
{
	int error = last;

	if (forget)
		last = CUDA_SUCCESS;
	return error;
}

void hd__cuda_outside(void (*function)(void *arg), void *arg)
{
	pthread_mutex_unlock(&state.lock);
	function(arg);
	pthread_mutex_lock(&state.lock);
}

/* ---- the machine ---- */

static void at_end(void)
{
	if (!state.forked)
		hd__cuda_check_end(state.machine);
}

struct hd_exec *hd__cuda_machine(void)
{
	const char *limit = getenv(CUDA_LIMIT);
	const struct hd_exec_options options = { .print = stdout, .heap = state.heap, .check = hd__cuda_checks(),
		                                 .most = limit ? strtoull(limit, NULL, 10) : 0 };
	static bool registered;
	char *why = NULL;

	if (state.machine)
		return state.machine;
	state.machine = hd__exec_new(&options, &why);
	if (options.check && !registered)
		atexit(at_end);
	registered = true;
	if (!state.machine)
		fprintf(stderr, "heddle: there is no device: %s\n", why);
	free(why);
	return state.machine;
}

void hd__cuda_reset(void)
{
	hd__cuda_check_end(state.machine);
	hd__exec_free(state.machine);
	state.machine = NULL;
	state.broken = CUDA_SUCCESS;
}

void hd__cuda_set_heap(size_t bytes)
{
	state.heap = bytes;
}

size_t hd__cuda_heap(void)
{
	return state.heap;
}

/* ---- launches ---- */

/* The error of a program for the end of a launch. */
static int error_of(enum hd_exec_status status)
{
	switch (status) {
	case HD_EXEC_DONE: return CUDA_SUCCESS;
	case HD_EXEC_LAUNCH: return CUDA_INVALID_CONFIGURATION;
	case HD_EXEC_RESOURCES: return CUDA_LAUNCH_OUT_OF_RESOURCES;
	case HD_EXEC_ADDRESS: return CUDA_ILLEGAL_ADDRESS;
	case HD_EXEC_ASSERT: return CUDA_ASSERT;
	case HD_EXEC_UNKNOWN: return CUDA_NOT_SUPPORTED;
	case HD_EXEC_CODE: return CUDA_INVALID_PC;
	case HD_EXEC_DEADLOCK:
	case HD_EXEC_MOST: return CUDA_LAUNCH_TIMEOUT;
	default: return CUDA_LAUNCH_FAILURE;
	}
}

int hd__cuda_execute(const struct hd_exec_launch *launch, uint64_t stream)
{
	struct hd_exec_fault fault;
	enum hd_exec_status status = hd__cuda_record_launch(state.machine, launch, stream, &fault);
	int error = error_of(status);

	if (status == HD_EXEC_DONE)
		return CUDA_SUCCESS;
	fflush(stdout); /* what the kernel has printed comes first */
	fprintf(stderr, "heddle: %s\n", fault.words);
	if (status == HD_EXEC_LAUNCH || status == HD_EXEC_RESOURCES)
		return error;
	state.broken = error; /* the launch itself has succeeded: kernels run later than that */
	return CUDA_SUCCESS;
}

void hd__cuda_copied(uint64_t to, uint64_t bytes)
{
	if (bytes)
		hd__cuda_record_copy(to, bytes);
}

/* ---- handles ---- */

void *hd__cuda_handle(enum cuda_kind kind, size_t size)
{
	void *handle = hd__xcalloc(1, size);

	*hd__int_map_at(&state.handles, (uintptr_t)handle) = kind;
	return handle;
}

void *hd__cuda_check(const void *handle, enum cuda_kind kind)
{
	return handle && hd__int_map_get(&state.handles, (uintptr_t)handle) == kind ? (void *)handle : NULL;
}

void hd__cuda_release(void *handle)
{
	if (!handle)
		return;
	*hd__int_map_at(&state.handles, (uintptr_t)handle) = CUDA_NO_KIND;
	free(handle);
}

void hd__cuda_each(enum cuda_kind kind, void (*visit)(void *handle, void *arg), void *arg)
{
	uint64_t key, value;
	size_t at = 0;

	while (hd__int_map_next(&state.handles, &at, &key, &value))
		if (value == kind)
			visit((void *)(uintptr_t)key, arg);
}
