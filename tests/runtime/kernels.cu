// kernels.cu - kernels of program.c: nvcc -fatbin -gencode arch=compute_80,code=sm_80 -o kernels.fatbin kernels.cu
// SPDX-License-Identifier: BSD-2-Clause
#include <cassert>
#include <cooperative_groups.h>

__device__ int counter = 5;
__constant__ int table[16];
__managed__ int total;

extern "C" __global__ void add(int *p, int n, int v)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		p[i] += v;
}

extern "C" __global__ void count(const int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		atomicAdd(&total, p[i]);
		atomicAdd(&counter, table[i % 16]);
	}
}

extern "C" __global__ void turn(int *p)
{
	extern __shared__ int s[];

	s[threadIdx.x] = p[threadIdx.x];
	__syncthreads();
	p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void sum(const int *p, int *parts, char flag, long long base)
{
	auto grid = cooperative_groups::this_grid();

	if (threadIdx.x == 0)
		parts[blockIdx.x] = p[blockIdx.x];
	grid.sync();
	if (grid.thread_rank() == 0) {
		for (int i = 1; i < gridDim.x; i++)
			parts[0] += parts[i];
		parts[0] += flag + (int)base;
	}
}

extern "C" __global__ void check(int n)
{
	assert(threadIdx.x < n);
}

extern "C" __global__ void hello(int n)
{
	printf("hello %d\n", n);
}

// Has so many registers that a block of 1024 threads does not fit.
extern "C" __global__ void wide(volatile double *p)
{
	double v[100];

#pragma unroll
	for (int i = 0; i < 100; i++)
		v[i] = p[i * 32 + threadIdx.x];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 100; i++)
		p[i * 32 + threadIdx.x] = v[99 - i] + v[i];
}
