/* stream.cu - kernels of latency.sh: a double for each thread is read, or written
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * They execute what those of gpu-stream do besides: a test whether the element is one, and two of a flag that is never set.
 * Of its 32 instructions one is the load; the others are what a warp costs its sub-core.  The static array makes the
 * compiler keep what the flag would do.
 */
#include <cstddef>

extern "C" __global__ void stream_read(double *a, const double *__restrict__ b, size_t n, int never)
{
	__shared__ double kept[768];
	int i = threadIdx.x + blockIdx.x * blockDim.x;

	if (i >= n)
		return;
	if (never)
		kept[threadIdx.x] = b[threadIdx.x];
	double v = b[i];
	if (never || v == 0.123)
		a[i] = v + kept[i];
}

extern "C" __global__ void stream_write(double *a, const double *__restrict__ b, size_t n, int never)
{
	__shared__ double kept[768];
	int i = threadIdx.x + blockIdx.x * blockDim.x;

	if (i >= n)
		return;
	if (never)
		kept[threadIdx.x] = b[threadIdx.x];
	a[i] = 0.23;
	if (never)
		a[i] = kept[i];
}
