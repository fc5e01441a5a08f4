// kernels.cu - the kernels of the cubins beside it
// SPDX-License-Identifier: BSD-2-Clause
//
// for sm in 75 80 90; do nvcc -arch=sm_$sm -cubin -o sm_$sm.cubin kernels.cu; done    (CUDA 13.0)
#include <cuda_fp16.h>
#include <mma.h>

// Loads, stores, a branch out.
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

// Shared memory, a loop, barriers, doubles, shuffles.
extern "C" __global__ void sum(const double *x, double *y, int n)
{
	__shared__ double part[4];
	double s = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		s += x[i];
	for (int k = 16; k; k /= 2)
		s += __shfl_xor_sync(~0u, s, k);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = s;
	__syncthreads();
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

// Atomics of both kinds, bytes.
extern "C" __global__ void count(const unsigned char *p, int *total, int n)
{
	__shared__ int bin[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	bin[threadIdx.x] = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&bin[p[i]], 1);
	__syncthreads();
	atomicAdd(&total[threadIdx.x], bin[threadIdx.x]);
}

// Matrices, halves.
extern "C" __global__ void tile(const half *a, const half *b, float *c, half *d)
{
	namespace w = nvcuda::wmma;
	w::fragment<w::matrix_a, 16, 16, 16, half, w::row_major> fa;
	w::fragment<w::matrix_b, 16, 16, 16, half, w::col_major> fb;
	w::fragment<w::accumulator, 16, 16, 16, float> fc;

	w::fill_fragment(fc, 0);
	w::load_matrix_sync(fa, a, 16);
	w::load_matrix_sync(fb, b, 16);
	w::mma_sync(fc, fa, fb, fc);
	w::store_matrix_sync(c, fc, 16, w::mem_row_major);
	d[threadIdx.x] = __hfma(d[threadIdx.x], __float2half(2.5f), __float2half(fc.x[0]));
}

// A table of branches, a call, division, special functions, votes, the clock, indexed constants.
__constant__ int table[16];

extern "C" __device__ __noinline__ int step(int v)
{
	return v & 1 ? 3 * v + 1 : v / 2 + table[v & 15];
}

extern "C" __global__ void paths(float *x, int *z, int n)
{
	int i = threadIdx.x, q = z[i] / n + __popc(z[i]) + __ballot_sync(~0u, z[i] > 3);

	switch (z[i + 1]) {
	case 0: q += 3; break;
	case 1: q *= z[i + 2]; break;
	case 2: q ^= n; break;
	case 3: q -= step(q); break;
	case 4: q = __brev(q); break;
	case 5: q = q % 11; break;
	}
	x[i] = __expf(x[i]) / rsqrtf(x[i + 1]) + __sinf(x[i + 2]);
	z[i] = q + (int)clock();
}
