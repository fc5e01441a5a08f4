/* cudart_event.c - events
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The time of an event is that of the host's clock: the time between two says how long execution here took, nothing
 * about a GPU.  With heddle run --simulated-time it is the time that has been simulated.
 */
#include "cudart.h"
#include "cudart_record.h"

#include <time.h>

#define WITHOUT_TIME 2u /* flag of an event */

struct cuda_event {
	uint32_t flags;
	bool happened;
	struct timespec at;
	struct cuda_graph *capture; /* that it was recorded into last, or NULL */
};

static int happen(const struct cuda_op *op, const struct cuda_stream *s)
{
	struct cuda_event *e = op->event;
	uint64_t ns;

	(void)s;
	if (!hd__cuda_check(e, CUDA_EVENT))
		return CUDA_SUCCESS; /* a graph has outlived it */
	if (hd__cuda_record_time(&ns))
		e->at = (struct timespec){ .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
	else
		clock_gettime(CLOCK_MONOTONIC, &e->at);
	e->happened = true;
	return CUDA_SUCCESS;
}

struct cuda_op hd__cuda_event_op(struct cuda_event *e)
{
	return (struct cuda_op){ .kind = CUDA_OP_RECORD, .run = happen, .event = e };
}

CUDA_API int cudaEventCreateWithFlags(void **to, unsigned flags)
{
	struct cuda_event *e;
	int error = hd__cuda_enter();

	if (!error && (!to || flags > 7))
		error = CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	e = hd__cuda_handle(CUDA_EVENT, sizeof *e);
	e->flags = flags;
	*to = e;
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaEventCreate(void **to)
{
	return cudaEventCreateWithFlags(to, 0);
}

CUDA_API int cudaEventDestroy(void *event)
{
	int error = hd__cuda_enter();

	if (!hd__cuda_check(event, CUDA_EVENT))
		error = CUDA_INVALID_HANDLE;
	else
		hd__cuda_release(event);
	return hd__cuda_leave(error);
}

CUDA_API int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
	int error = hd__cuda_enter();
	struct cuda_event *e = hd__cuda_check(event, CUDA_EVENT);
	const struct cuda_stream *s = hd__cuda_stream(stream);
	struct cuda_op op = hd__cuda_event_op(e);

	if (!error && (!e || !s))
		error = CUDA_INVALID_HANDLE;
	if (!error) {
		e->capture = s->capture;
		if (flags == 1 || !s->capture) /* else it only orders the captured streams */
			error = hd__cuda_put(stream, &op);
	}
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz);

CUDA_API int cudaEventRecord(void *event, void *stream)
{
	return cudaEventRecordWithFlags(event, stream, 0);
}
CUDA_ALSO(cudaEventRecord, cudaEventRecord_ptsz);

/* All that came before it is done.  A stream that waits for an event of a captured one is captured with it. */
CUDA_API int cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	int error = hd__cuda_enter();
	const struct cuda_event *e = hd__cuda_check(event, CUDA_EVENT);
	struct cuda_stream *s = hd__cuda_stream(stream);

	(void)flags;
	if (!error && (!e || !s))
		error = CUDA_INVALID_HANDLE;
	if (!error && hd__cuda_check(e->capture, CUDA_GRAPH) && hd__cuda_capturing() && !s->capture)
		s->capture = e->capture;
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz);

static int is_event(void *event)
{
	int error = hd__cuda_enter();

	if (!error && !hd__cuda_check(event, CUDA_EVENT))
		error = CUDA_INVALID_HANDLE;
	return hd__cuda_leave(error);
}

CUDA_API int cudaEventSynchronize(void *event)
{
	return is_event(event);
}

CUDA_API int cudaEventQuery(void *event)
{
	return is_event(event);
}

CUDA_API int cudaEventElapsedTime(float *ms, void *from, void *to)
{
	int error = hd__cuda_enter();
	const struct cuda_event *a = hd__cuda_check(from, CUDA_EVENT), *b = hd__cuda_check(to, CUDA_EVENT);

	if (!error && (!a || !b || !a->happened || !b->happened || (a->flags | b->flags) & WITHOUT_TIME))
		error = CUDA_INVALID_HANDLE;
	if (!error)
		*ms = (float)((double)(b->at.tv_sec - a->at.tv_sec) * 1e3
		              + (double)(b->at.tv_nsec - a->at.tv_nsec) * 1e-6);
	return hd__cuda_leave(error);
}
