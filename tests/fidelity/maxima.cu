/* maxima.cu - kernels of hopper.sh: sums and maxima
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiled by CUDA 13 for sm_80, of whose instructions each pair is two: so are those of __viaddmax_s32() on an A100.
 */

/* 1,024 times four pairs of a sum and a maximum; the clock is read around them, between barriers. */
extern "C" __global__ void maxima(const int *p, const int *q, int *out)
{
	int a = p[threadIdx.x], b = q[threadIdx.x] + 1, c = a + 2, d = b, e = a, f = b;

	__syncthreads();
	int begin = clock();
#pragma unroll 32
	for (int k = 0; k < 1024; k++) {
		a = max(a + b, c);
		b = max(b + c, d);
		c = max(c + d, e);
		d = max(d + e, f);
	}
	__syncthreads();
	out[threadIdx.x] = clock() - begin + a + b + c + d;
}

/* A chain of as many of one such pair. */
extern "C" __global__ void maxima_chain(const int *p, const int *q, int *out)
{
	int a = p[threadIdx.x], b = q[threadIdx.x] + 1, c = a + 2;

	__syncthreads();
	int begin = clock();
#pragma unroll 32
	for (int k = 0; k < 1024; k++)
		a = max(a + b, c);
	out[threadIdx.x] = clock() - begin + a;
}
