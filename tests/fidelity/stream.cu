/* stream.cu - kernels of latency.sh: a double for each thread is read, or written, and sums of doubles that blocks share
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The first two execute what those of gpu-stream do besides: a test whether the element is one, and two of a flag that is never set.
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

/* Each block sums 32 pieces of 16 KiB; there are `runs` different blocks.  Those that follow one another read pieces that
 * follow one another, and the next piece of each is behind the first ones of all. */
extern "C" __global__ void sums(double *__restrict__ out, const double *__restrict__ in, int runs)
{
	double sum = 0;

	for (int i = 0; i < 32; i++) {
		int at = (runs * i + blockIdx.x % runs) * 2048 + threadIdx.x;

		sum += in[at] * in[at + 1024];
	}
	if (sum == 0.123)
		out[threadIdx.x] = sum;
}
