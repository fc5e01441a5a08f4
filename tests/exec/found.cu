// found.cu - what programs were found to need: cubins.mk compiles it
// SPDX-License-Identifier: BSD-2-Clause

/* Eight warps have the same work: each adds to what it found at its beginning, which all do before one is far. */
extern "C" __global__ void eightfold(float *x, const float *a, int n)
{
	for (int k = 0; k < n; k++)
		x[threadIdx.x] += a[k * 32 + threadIdx.x];
}

/* Lanes of a warp wait with different masks: each set of them reduces apart.  bucket: of a lane. */
extern "C" __global__ void buckets(const int *bucket, const int *v, int *most)
{
	unsigned mask = __match_any_sync(~0u, bucket[threadIdx.x]);

	most[threadIdx.x] = __reduce_max_sync(mask, v[threadIdx.x]);
}

/* More arguments than 4 KiB. */
struct many { int v[8000]; };
extern "C" __global__ void arguments(const __grid_constant__ many m, int n, int *to)
{
	*to = m.v[n];
}

/* Three numbers at once, on Hopper. */
extern "C" __global__ void threes(const int *v, int *to)
{
	int i = threadIdx.x, a = v[i], b = v[i + 32], c = v[i + 64];

	to[i] = min(min(a, b), c);
	to[i + 32] = max(max(a, b), c);
	to[i + 64] = (int)min(min((unsigned)a, (unsigned)b), (unsigned)c);
	to[i + 96] = (int)max(max((unsigned)a, (unsigned)b), (unsigned)c);
	to[i + 128] = min(min(a, b), 5);
}

/* Counts in shared memory: Hopper has an instruction for it. */
extern "C" __global__ void counts(const int *v, int *to)
{
	__shared__ int n[8];

	if (threadIdx.x < 8)
		n[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&n[v[threadIdx.x] & 7], 1);
	__syncthreads();
	if (threadIdx.x < 8)
		to[threadIdx.x] = n[threadIdx.x];
}

/* Waits for the kernel before, and lets the next one begin: Hopper's. */
extern "C" __global__ void dependent(int *to)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
	to[threadIdx.x] = threadIdx.x + 1;
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Sums and their bounds, on Hopper in one instruction. */
extern "C" __global__ void bounds(const int *v, int *to)
{
	int i = threadIdx.x, a = v[i], b = v[i + 32], c = v[i + 64];

	to[i] = min(a + b, c);
	to[i + 32] = max(a - b, c);
	to[i + 64] = min(a + 5, b);
	to[i + 96] = max(a - 7, 0);
	to[i + 128] = min(a, b - c);
	to[i + 160] = min(a + b, 32);
	to[i + 192] = max(a + b, -c);
	to[i + 224] = (int)min((unsigned)(a + b), (unsigned)c);
}

/* Numbers that all threads have: Blackwell computes them once. */
extern "C" __global__ void uniform(float a, float b, float c, float *to)
{
	to[0] = a * b + c;
	to[1] = c - a * b;
	to[2] = a / 3.7f;
	to[3] = a / b;
	to[4] = a + b * 5.25f;
	to[5] = a + b;
}

/* Bounds of loops and their counters, which all threads have: Blackwell computes them once, too. */
extern "C" __global__ void scalars(const float *v, float *sums, unsigned long long *counts, long long a,
                                   unsigned long long b, int n, int most)
{
	float sum = 0;
	unsigned long long end = min((unsigned long long)a, b);

	for (int k = min(n, most); k < max(n, 3 * most); k++)
		sum += v[threadIdx.x] * (float)k;
	sums[threadIdx.x] = sum;
	for (unsigned long long k = 0; k < end; k++) {
		counts[threadIdx.x] += k;
		__syncthreads();
	}
	counts[threadIdx.x + 32] = v[threadIdx.x] > 0 ? 0x7fffffffffffffffull : 0;
	counts[threadIdx.x + 64] = v[threadIdx.x] > 2 ? 0x7fffffffffffffffull : 0;
}

/* Differences that are added to a constant; the smallest of three pairs of halves. */
extern "C" __global__ void differences(const int *v, int *to, int a, int n)
{
	int s = v[threadIdx.x], x = s;

	for (int i = 0; i < n; i++)
		s = __sad(s, v[i], a);
	to[threadIdx.x] = s;
	to[threadIdx.x + 32] = (int)__vmins2(__vmins2(x, a), v[threadIdx.x + 1]);
	to[threadIdx.x + 64] = (int)__vmaxu2(__vmaxu2(x, a), v[threadIdx.x + 1]);
	to[threadIdx.x + 96] = min(min(s, a), n);
}

/* Floats that all threads have, and places that are computed of them. */
extern "C" __global__ void steps(const float *v, float *to, float b, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++) {
		float f = (float)i + 0.25f;

		sum += v[threadIdx.x] * (f * b - 1.5f);
		to[(int)(f * 1.5f) * 32 + threadIdx.x] = sum;
	}
}

/* Eight warps increment the same words of shared memory by compare-and-swap, and count how often they try. */
extern "C" __global__ void meetings(int *sum, int *tries)
{
	__shared__ int s[32];
	int old, was, n = 0;

	if (threadIdx.y == 0)
		s[threadIdx.x] = 0;
	__syncthreads();
	old = s[threadIdx.x];
	do {
		was = old;
		old = atomicCAS(&s[threadIdx.x], was, was + 1);
		n++;
	} while (old != was);
	tries[threadIdx.y * 32 + threadIdx.x] = n;
	__syncthreads();
	sum[threadIdx.x] = s[threadIdx.x];
}

/* All blocks meet, at a counter of their own. */
extern "C" __global__ void own_barrier(unsigned *count, int *seen)
{
	if (threadIdx.x == 0) {
		atomicAdd(count, 1);
		while (*(volatile unsigned *)count < gridDim.x)
			;
	}
	__syncthreads();
	seen[blockIdx.x * 32 + threadIdx.x] = 1;
}

/* The first block looks, a while after its beginning, at what a later one has stored. */
extern "C" __global__ void later(volatile int *v, int *to, int n)
{
	int sum = 0;

	v[blockIdx.x * 32 + threadIdx.x] = (int)blockIdx.x + 1;
	if (blockIdx.x == 0) {
#pragma unroll 1
		for (int k = 0; k < n; k++)
			sum = sum * 3 + v[threadIdx.x];
		to[threadIdx.x] = v[40 * 32 + threadIdx.x];
		to[32 + threadIdx.x] = sum;
	}
}

/* Sums of floats where half of the addresses are in shared memory: the instruction does the others only. */
extern "C" __global__ void anywhere(float *sum, float *old, double *wide, unsigned long long *number)
{
	__shared__ float s[32];
	__shared__ double d[32];
	__shared__ unsigned long long n[32];
	int i = threadIdx.x;
	bool shared = i & 1;

	s[i] = 100;
	d[i] = 100;
	n[i] = 100;
	__syncthreads();
	asm volatile("{ .reg .f32 r; atom.add.f32 r, [%0], 0f40000000; st.global.f32 [%1], r; }"
	             :: "l"(shared ? &s[i] : &sum[i]), "l"(&old[i]) : "memory");
	asm volatile("red.add.f64 [%0], 0d4000000000000000;" :: "l"(shared ? &d[i] : &wide[i]) : "memory");
	asm volatile("red.add.u64 [%0], 2;" :: "l"(shared ? &n[i] : &number[i]) : "memory");
	__syncthreads();
	if (shared) {
		sum[i] = s[i];
		wide[i] = d[i];
		number[i] = n[i];
	}
}

/* Sums and others of several floats at once, on Hopper.  m: four words for each form and thread. */
#define ONE(f, what, t)                                                                                               \
	asm volatile("atom.global." what " %0, [%1], %2;" : "=" t(o[0]) : "l"(m + (32 * f + i) * 4), t(v[0]) : "memory"); \
	KEEP(f)
#define TWO(f, what, t)                                                                                               \
	asm volatile("atom.global." what " {%0, %1}, [%2], {%3, %4};"                                                 \
	             : "=" t(o[0]), "=" t(o[1]) : "l"(m + (32 * f + i) * 4), t(v[0]), t(v[1]) : "memory");            \
	KEEP(f)
#define FOUR(f, what, t)                                                                                              \
	asm volatile("atom.global." what " {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                                 \
	             : "=" t(o[0]), "=" t(o[1]), "=" t(o[2]), "=" t(o[3])                                             \
	             : "l"(m + (32 * f + i) * 4), t(v[0]), t(v[1]), t(v[2]), t(v[3]) : "memory");                     \
	KEEP(f)
#define KEEP(f)                                                                                                       \
	for (int k = 0; k < 4; k++)                                                                                   \
		old[(32 * f + i) * 4 + k] = o[k];
extern "C" __global__ void several(unsigned *m, const unsigned *v, unsigned *old)
{
#if __CUDA_ARCH__ >= 900
	int i = threadIdx.x;
	unsigned o[4] = { 0, 0, 0, 0 };

	ONE(0, "add.noftz.f16x2", "r")
	TWO(1, "v2.add.noftz.f16x2", "r")
	FOUR(2, "v4.add.noftz.f16x2", "r")
	FOUR(3, "v4.min.noftz.f16x2", "r")
	FOUR(4, "v4.max.noftz.f16x2", "r")
	ONE(5, "add.noftz.bf16x2", "r")
	TWO(6, "v2.add.noftz.bf16x2", "r")
	FOUR(7, "v4.add.noftz.bf16x2", "r")
	FOUR(8, "v4.min.noftz.bf16x2", "r")
	TWO(9, "v2.max.noftz.bf16x2", "r")
	asm volatile("red.global.v4.add.noftz.bf16x2 [%0], {%1, %2, %3, %4};"
	             :: "l"(m + (320 + i) * 4), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory");
	asm volatile("red.global.v2.max.noftz.f16x2 [%0], {%1, %2};" :: "l"(m + (352 + i) * 4), "r"(v[0]), "r"(v[1]) : "memory");
	float4 w = *(const float4 *)v, was = atomicAdd((float4 *)m + 384 + i, w);
	*(float4 *)(old + (384 + i) * 4) = was;
	float2 two = atomicAdd((float2 *)(m + (416 + i) * 4), make_float2(w.x, w.y));
	*(float2 *)(old + (416 + i) * 4) = two;
	atomicAdd((float4 *)m + 448 + i, w);
	atomicAdd((float2 *)(m + (480 + i) * 4), make_float2(w.x, w.y));
	old[(512 + i) * 4] = __float_as_uint(atomicAdd((float *)(m + (512 + i) * 4), w.x));
#endif
}
