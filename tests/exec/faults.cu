/* faults.cu - kernels that have one fault each, and some that look like it and have none: faults.c says what is found
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The line of a fault is the one that names it in a comment.
 */
#include <cuda_runtime.h>

#define KERNEL(name) extern "C" __global__ void name(int *in, int *out, int n)

__device__ volatile int flag;
__device__ unsigned counter;

/* ---- bounds ---- */

KERNEL(behind)
{
	out[threadIdx.x] = in[(int)threadIdx.x + n]; /* behind */
}

KERNEL(behind_shared)
{
	extern __shared__ int s[];

	s[threadIdx.x + n] = threadIdx.x; /* behind_shared */
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x];
}

KERNEL(across)
{
	*(int2 *)((char *)out + n) = make_int2(1, 2); /* across */
}

KERNEL(misaligned)
{
	out[threadIdx.x] = *(int *)((char *)in + n + 4 * threadIdx.x); /* misaligned */
}

/* ---- what nothing wrote ---- */

KERNEL(unwritten)
{
	int v = in[threadIdx.x];

	out[threadIdx.x] = v + 1; /* unwritten */
}

KERNEL(unwritten_shared)
{
	__shared__ int s[64];

	if (threadIdx.x < n)
		s[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = s[63 - threadIdx.x] + 1; /* unwritten_shared */
}

KERNEL(unwritten_local)
{
	int v[8];

	for (int i = 0; i < n; i++)
		v[(i + threadIdx.x) & 7] = in[i];
	out[threadIdx.x] = v[in[0] & 7]; /* unwritten_local */
}

KERNEL(unwritten_index)
{
	out[in[threadIdx.x] & 63] = 1; /* unwritten_index */
}

KERNEL(unwritten_condition)
{
	if (in[threadIdx.x] > n) /* unwritten_condition */
		for (int i = 0; i < n; i++)
			out[threadIdx.x + 64 * i] = threadIdx.x;
}

/* Registers that nothing wrote: PTX says so, the compiler keeps it. */
KERNEL(unset)
{
	int v;

	asm volatile("{ .reg .s32 t; mov.s32 %0, t; }" : "=r"(v));
	asm volatile("add.s32 %0, %0, %1;" : "+r"(v) : "r"(n));
	out[threadIdx.x] = v; /* unset */
}

/* ---- races ---- */

KERNEL(race_shared)
{
	__shared__ int s[64];

	s[threadIdx.x] = 0;
	__syncthreads();
	s[threadIdx.x] = in[threadIdx.x];
	out[threadIdx.x] = s[63 - threadIdx.x]; /* race_shared */
}

KERNEL(race_write)
{
	__shared__ int s[64];
	int v;

	s[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	v = s[63 - threadIdx.x];
	s[threadIdx.x] = v + 1; /* race_write */
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x ^ 1];
}

KERNEL(race_lanes)
{
	__shared__ int s[64];

	s[threadIdx.x & 15] = in[threadIdx.x] + (int)threadIdx.x; /* race_lanes */
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x & 15];
}

/* Lanes that are apart and have not met again. */
KERNEL(race_apart)
{
	__shared__ volatile int s[64];
	int v = 0;

	if (threadIdx.x & 1) {
		for (int i = 0; i < n; i++)
			s[threadIdx.x] = i + in[i];
	} else {
		for (int i = 0; i < 2 * n; i++)
			v += s[threadIdx.x + 1]; /* race_apart */
	}
	out[threadIdx.x] = v;
}

KERNEL(race_blocks)
{
	if (threadIdx.x == 0)
		out[0] += in[blockIdx.x]; /* race_blocks */
}

KERNEL(race_read)
{
	out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + n;
	if (threadIdx.x == 0)
		out[gridDim.x * blockDim.x + blockIdx.x] = out[(blockIdx.x ^ 1) * blockDim.x]; /* race_read */
}

/* The counter without a fence. */
KERNEL(race_fence)
{
	__shared__ bool last;

	if (threadIdx.x == 0) {
		out[blockIdx.x] = in[blockIdx.x] + n;
		last = atomicInc(&counter, gridDim.x - 1) == gridDim.x - 1;
		int sum = 0;
		for (int i = 0; last && i < gridDim.x; i++)
			sum += out[i]; /* race_fence */
		if (last)
			out[gridDim.x] = sum;
	}
}

/* ---- barriers ---- */

KERNEL(divergent)
{
	__shared__ int s[64];

	s[threadIdx.x] = in[threadIdx.x];
	if (in[threadIdx.x & 1] > n)
		__syncthreads(); /* divergent */
	else
		s[threadIdx.x]++;
	out[threadIdx.x] = s[threadIdx.x];
}

KERNEL(missing)
{
	if (threadIdx.x < 32)
		asm volatile("bar.sync 1, 64;"); /* missing */
	out[threadIdx.x] = n;
}

/* ---- no faults ---- */

KERNEL(clean_last)
{
	__shared__ bool last;

	if (threadIdx.x == 0) {
		out[blockIdx.x] = in[blockIdx.x] + n;
		__threadfence();
		last = atomicInc(&counter, gridDim.x - 1) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	if (last && threadIdx.x == 32) {
		int sum = 0;

		for (int i = 0; i < gridDim.x; i++)
			sum += ((volatile int *)out)[i];
		out[gridDim.x] = sum;
	}
}

KERNEL(clean_flag)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		out[0] = in[0] + n;
		__threadfence();
		flag = 1;
	} else {
		while (!flag)
			;
		__threadfence();
		out[blockIdx.x] = out[0];
	}
}

KERNEL(clean_same)
{
	out[0] = 1;
	if (in[threadIdx.x] >= 0)
		out[1] = n;
}

KERNEL(clean_warp)
{
	__shared__ volatile int s[128];
	unsigned t = threadIdx.x;

	s[t] = in[t];
	__syncthreads();
	if (t < 32) {
		s[t] += s[t + 32];
		__syncwarp();
		for (int i = 16; i > 0; i >>= 1) {
			int v = t < i ? s[t + i] : 0;

			__syncwarp();
			s[t] += v;
			__syncwarp();
		}
	}
	__syncthreads();
	out[t] = s[0];
}

KERNEL(clean_predicated)
{
	int v, w = 0;
	double d[2];

	if (threadIdx.x < n)
		v = in[threadIdx.x];
	d[0] = in[0];
	d[threadIdx.x & 1] = 2;
	if (threadIdx.x < n)
		w = v + (int)d[0];
	out[threadIdx.x] = w;
}

/* A truth value in a byte of a register, of which nothing writes the others. */
KERNEL(clean_byte)
{
	__shared__ int prev[64], result[64];
	int t = threadIdx.x;
	bool computed;

	prev[t] = in[t];
	result[t] = in[t];
	__syncthreads();
	for (int i = 0; i < n; i++) {
		computed = false;
		if (t >= i + 1 && t <= 62 - i) {
			computed = true;
			result[t] = prev[t - 1] + prev[t + 1] + in[i];
		}
		__syncthreads();
		if (i == n - 1)
			break;
		if (computed)
			prev[t] = result[t];
		__syncthreads();
	}
	if (computed)
		out[t] = result[t];
}

struct part {
	char a;
	int b;
	short c;
};

KERNEL(clean_parts)
{
	__shared__ part s[64];
	part p;

	p.a = (char)in[threadIdx.x];
	p.b = n;
	p.c = 3;
	s[threadIdx.x] = p;
	__syncthreads();
	((part *)out)[threadIdx.x] = s[63 - threadIdx.x];
}

KERNEL(clean_histogram)
{
	__shared__ unsigned s[16];

	if (threadIdx.x < 16)
		s[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&s[in[threadIdx.x] & 15], (unsigned)n);
	__syncthreads();
	if (threadIdx.x < 16)
		atomicAdd(&out[threadIdx.x], (int)s[threadIdx.x]);
}

KERNEL(race_histogram)
{
	__shared__ unsigned s[16];

	if (threadIdx.x < 16)
		s[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&s[in[threadIdx.x] & 15], (unsigned)n);
	if (threadIdx.x < 16)
		atomicAdd(&out[threadIdx.x], (int)s[threadIdx.x]); /* race_histogram */
}
