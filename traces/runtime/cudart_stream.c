/* cudart_stream.c - streams, and what is put into them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is put into a stream is done at once, so a stream never has anything to wait for.
 */
#include "cudart_op.h"

enum { LEGACY = 1, PER_THREAD = 2 }; /* handles of streams that are there */

static struct cuda_stream legacy, per_thread = { .id = PER_THREAD };
static uint64_t newest = PER_THREAD; /* id of a stream */

struct cuda_stream *hd__cuda_stream(void *handle)
{
	if ((uintptr_t)handle <= LEGACY)
		return &legacy;
	return (uintptr_t)handle == PER_THREAD ? &per_thread : hd__cuda_check(handle, CUDA_STREAM);
}

/* ---- operations ---- */

int hd__cuda_put(void *handle, struct cuda_op *op)
{
	struct cuda_stream *s = hd__cuda_stream(handle);
	int error;

	if (s && s->capture) {
		hd__cuda_graph_append(s->capture, op);
		return CUDA_SUCCESS;
	}
	error = s ? op->run(op, s) : CUDA_INVALID_HANDLE;
	hd__cuda_op_free(op);
	return error;
}

static int put(void *stream, struct cuda_op op)
{
	int error = hd__cuda_enter();

	if (!error)
		error = hd__cuda_put(stream, &op);
	return hd__cuda_leave(error);
}

static int call_host(const struct cuda_op *op, const struct cuda_stream *s)
{
	(void)s;
	hd__cuda_outside(op->call, op->arg);
	return CUDA_SUCCESS;
}

struct cuda_op hd__cuda_host_op(void (*call)(void *), void *arg)
{
	return (struct cuda_op){ .kind = CUDA_OP_HOST, .run = call_host, .call = call, .arg = arg };
}

CUDA_API int cudaLaunchHostFunc(void *stream, void (*call)(void *), void *arg)
{
	return put(stream, hd__cuda_host_op(call, arg));
}
CUDA_ALSO(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz);

struct callback {
	void (*call)(void *stream, int status, void *data);
	void *stream, *data;
};

static void call_back(void *arg)
{
	struct callback *c = arg;

	c->call(c->stream, CUDA_SUCCESS, c->data);
}

CUDA_API int cudaStreamAddCallback(void *stream, void (*call)(void *stream, int status, void *data), void *data,
                                   unsigned flags)
{
	struct callback c = { call, stream, data };
	int error = hd__cuda_enter();
	struct cuda_stream *s = hd__cuda_stream(stream);

	(void)flags;
	if (!error && (!s || s->capture))
		error = s ? CUDA_CAPTURE_UNSUPPORTED : CUDA_INVALID_HANDLE;
	if (!error)
		hd__cuda_outside(call_back, &c);
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaStreamAddCallback, cudaStreamAddCallback_ptsz);

/* ---- streams ---- */

CUDA_API int cudaStreamCreateWithPriority(void **to, unsigned flags, int priority)
{
	struct cuda_stream *s;
	int error = hd__cuda_enter();

	if (!error && (!to || flags > 1))
		error = CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	s = hd__cuda_handle(CUDA_STREAM, sizeof *s);
	s->id = ++newest;
	s->flags = flags;
	s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
	*to = s;
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaStreamCreate(void **to)
{
	return cudaStreamCreateWithPriority(to, 0, 0);
}

CUDA_API int cudaStreamCreateWithFlags(void **to, unsigned flags)
{
	return cudaStreamCreateWithPriority(to, flags, 0);
}

CUDA_API int cudaStreamDestroy(void *stream)
{
	int error = hd__cuda_enter();

	if (!hd__cuda_check(stream, CUDA_STREAM))
		error = CUDA_INVALID_HANDLE;
	else
		hd__cuda_release(stream);
	return hd__cuda_leave(error);
}

/* Waits for it: that is allowed unless it is captured. */
static int wait_for(void *stream)
{
	int error = hd__cuda_enter();
	const struct cuda_stream *s = hd__cuda_stream(stream);

	if (!error && (!s || s->capture))
		error = s ? CUDA_CAPTURE_UNSUPPORTED : CUDA_INVALID_HANDLE;
	return hd__cuda_leave(error);
}

CUDA_API int cudaStreamSynchronize(void *stream)
{
	return wait_for(stream);
}
CUDA_ALSO(cudaStreamSynchronize, cudaStreamSynchronize_ptsz);

CUDA_API int cudaStreamQuery(void *stream)
{
	return wait_for(stream);
}
CUDA_ALSO(cudaStreamQuery, cudaStreamQuery_ptsz);

enum { ASK_ID, ASK_FLAGS, ASK_PRIORITY };

static int ask(void *stream, int what, unsigned long long *to)
{
	int error = hd__cuda_enter();
	const struct cuda_stream *s = hd__cuda_stream(stream);

	if (!error && !s)
		error = CUDA_INVALID_HANDLE;
	if (!error)
		*to = what == ASK_ID ? s->id : what == ASK_FLAGS ? s->flags
		      : (unsigned long long)(long long)s->priority;
	return hd__cuda_leave(error);
}

CUDA_API int cudaStreamGetId(void *stream, unsigned long long *id)
{
	return ask(stream, ASK_ID, id);
}
CUDA_ALSO(cudaStreamGetId, cudaStreamGetId_ptsz);

CUDA_API int cudaStreamGetFlags(void *stream, unsigned *flags)
{
	unsigned long long v = 0;
	int error = ask(stream, ASK_FLAGS, &v);

	if (!error)
		*flags = (unsigned)v;
	return error;
}
CUDA_ALSO(cudaStreamGetFlags, cudaStreamGetFlags_ptsz);

CUDA_API int cudaStreamGetPriority(void *stream, int *priority)
{
	unsigned long long v = 0;
	int error = ask(stream, ASK_PRIORITY, &v);

	if (!error)
		*priority = (int)v;
	return error;
}
CUDA_ALSO(cudaStreamGetPriority, cudaStreamGetPriority_ptsz);

CUDA_API int cudaStreamGetDevice(void *stream, int *device)
{
	unsigned long long v = 0;
	int error = ask(stream, ASK_ID, &v);

	if (!error)
		*device = 0;
	return error;
}
CUDA_ALSO(cudaStreamGetDevice, cudaStreamGetDevice_ptsz);

CUDA_API int cudaStreamSetAttribute(void *stream, int attribute, const void *value)
{
	unsigned long long v;

	(void)attribute, (void)value; /* policies of caches and of waiting */
	return ask(stream, ASK_ID, &v);
}
CUDA_ALSO(cudaStreamSetAttribute, cudaStreamSetAttribute_ptsz);

CUDA_API int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	int error = hd__cuda_enter();

	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return hd__cuda_leave(error);
}

/* ---- capture ---- */

static void look_for_capture(void *stream, void *found)
{
	if (((const struct cuda_stream *)stream)->capture)
		*(bool *)found = true;
}

bool hd__cuda_capturing(void)
{
	bool found = per_thread.capture != NULL;

	hd__cuda_each(CUDA_STREAM, look_for_capture, &found);
	return found;
}

static void leave_capture(void *stream, void *graph)
{
	struct cuda_stream *s = stream;

	if (s->capture == graph)
		s->capture = NULL, s->origin = false;
}

CUDA_API int cudaStreamBeginCapture(void *stream, int mode)
{
	int error = hd__cuda_enter();
	struct cuda_stream *s = hd__cuda_stream(stream);

	(void)mode;
	if (!error && (!s || s == &legacy))
		error = s ? CUDA_CAPTURE_UNSUPPORTED : CUDA_INVALID_HANDLE;
	else if (!error && s->capture)
		error = CUDA_ILLEGAL_STATE;
	if (!error) {
		s->capture = hd__cuda_graph_new();
		s->origin = true;
	}
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaStreamBeginCapture, cudaStreamBeginCapture_ptsz);

CUDA_API int cudaStreamEndCapture(void *stream, void **graph)
{
	int error = hd__cuda_enter();
	struct cuda_stream *s = hd__cuda_stream(stream);

	if (!error && (!s || !s->capture || !s->origin))
		error = !s ? CUDA_INVALID_HANDLE : s->capture ? CUDA_CAPTURE_UNMATCHED : CUDA_ILLEGAL_STATE;
	if (!error) {
		*graph = s->capture;
		leave_capture(&per_thread, *graph);
		hd__cuda_each(CUDA_STREAM, leave_capture, *graph);
	}
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaStreamEndCapture, cudaStreamEndCapture_ptsz);

CUDA_API int cudaStreamIsCapturing(void *stream, int *status)
{
	int error = hd__cuda_enter();
	const struct cuda_stream *s = hd__cuda_stream(stream);

	if (!error && !s)
		error = CUDA_INVALID_HANDLE;
	if (!error)
		*status = s->capture != NULL;
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaStreamIsCapturing, cudaStreamIsCapturing_ptsz);

CUDA_API int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph,
                                      const void **dependencies, const void **edges, size_t *n)
{
	int error = cudaStreamIsCapturing(stream, status);
	const struct cuda_stream *s;

	if (error || !*status)
		return error;
	hd__cuda_enter();
	s = hd__cuda_stream(stream);
	if (id)
		*id = s->id;
	if (graph)
		*graph = s->capture;
	if (dependencies)
		*dependencies = NULL;
	if (edges)
		*edges = NULL;
	if (n)
		*n = 0;
	return hd__cuda_leave(CUDA_SUCCESS);
}
CUDA_ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz);

CUDA_API int cudaThreadExchangeStreamCaptureMode(int *mode)
{
	static _Thread_local int present;
	int was = present;

	present = *mode;
	*mode = was;
	return CUDA_SUCCESS;
}
