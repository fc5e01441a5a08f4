/* kernels.cu - kernels of the tests of traces/exec; kernels.c has what they compute, in C
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `make -C tests/exec -f cubins.mk` compiles them with nvcc; the cubins are in the tree.
 */
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define KERNEL(name) extern "C" __global__ void name(const u32 *in, u32 *out, int n)
#define ME int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); if (i >= n) return
/* Two numbers of a thread, and where its results go. */
#define TWO u32 a = in[2 * i], b = in[2 * i + 1]; u32 *o = out + 16 * i

/* A real GPU has recorded its like. */
__global__ void vectorAdd(const float *a, const float *b, float *c, int n)
{
	int i = (int)(blockDim.x * blockIdx.x + threadIdx.x);
	if (i < n)
		c[i] = a[i] + b[i] + 0.0f;
}

KERNEL(integers)
{
	ME;
	TWO;
	int s = (int)a, t = (int)b;
	o[0] = a * b + 12345u;
	o[1] = __umulhi(a, b);
	o[2] = (u32)__mulhi(s, t);
	o[3] = b ? a / b : 0;
	o[4] = b ? a % b : 0;
	o[5] = t && t != -1 ? (u32)(s / t) : 0;
	o[6] = t && t != -1 ? (u32)(s % t) : 0;
	o[7] = (u32)min(s, t) ^ (u32)max(a, b);
	o[8] = (a << (b & 31)) ^ (a >> (b & 31)) ^ (u32)(s >> (b & 31));
	o[9] = (u32)__clz(s) | (u32)__popc(b) << 8 | (u32)__ffs(s) << 16;
	o[10] = __brev(a) + (u32)abs(t == (int)0x80000000 ? 0 : t);
	o[11] = __byte_perm(a, b, (a >> 3) & 0x7777);
	o[12] = __funnelshift_l(a, b, a & 31) ^ __funnelshift_r(a, b, b & 31);
	o[13] = __usad(a, b, 7u) + (u32)__sad(s, t, 9u);
	o[14] = (a & b) ^ (~a | (b & 0x0f0f0f0fu)) ^ (a > b ? 3u : 5u);
	o[15] = (u32)(signed char)a + (u32)(short)b + (unsigned char)(a >> 8) + (u32)((int)(a << 20) >> 25);
}

KERNEL(wides)
{
	ME;
	TWO;
	u64 x = (u64)a << 32 | b, y = (u64)b << 29 ^ a, r;
	s64 p = (s64)x, q = (s64)y;
#define PUT(k, v) r = (u64)(v); o[2 * k] = (u32)r; o[2 * k + 1] = (u32)(r >> 32)
	PUT(0, x * y + 17);
	PUT(1, y ? x / y : 0);
	PUT(2, q && q != -1 ? p % q : 0);
	PUT(3, (x << (a & 63)) ^ (x >> (b & 63)) ^ (u64)(p >> (a & 63)));
	PUT(4, x - y + (p < q ? 1 : 0) + (x <= y ? 2 : 0));
	PUT(5, __umul64hi(x, y));
	PUT(6, (s64)(int)a * (int)b - q);
	PUT(7, __popcll(x) + ((u64)__clzll(p) << 8) + (min(p, q) ^ max(x, y)));
}

KERNEL(floats)
{
	ME;
	TWO;
	float x = __uint_as_float(a), y = __uint_as_float(b);
#define F(k, v) o[k] = __float_as_uint(v)
	F(0, x + y);
	F(1, x * y);
	F(2, __fmaf_rn(x, y, 1.5f));
	F(3, x / y);
	F(4, sqrtf(fabsf(x)));
	F(5, __fadd_rd(x, y));
	F(6, __fmul_ru(x, y));
	F(7, __fmaf_rz(x, y, x));
	F(8, fminf(x, y));
	F(9, fmaxf(x, -y));
	o[10] = (x < y) | (x == y) << 1 | (x >= y) << 2 | (x != y) << 3 | (x != x) << 4;
	o[11] = (u32)__float2int_rz(x) ^ __float2uint_rn(y);
	F(12, __int2float_rn((int)a) + __uint2float_rd(b));
	F(13, floorf(x) - truncf(y));
	F(14, rintf(x) + ceilf(y));
	F(15, __saturatef(x) - 2 * y);
}

KERNEL(doubles)
{
	ME;
	TWO;
	double x = __hiloint2double((int)a, (int)b), y = __hiloint2double((int)(b ^ 0x1234), (int)a);
	u64 r;
	PUT(0, __double_as_longlong(x + y));
	PUT(1, __double_as_longlong(x * y));
	PUT(2, __double_as_longlong(x / y));
	PUT(3, __double_as_longlong(sqrt(fabs(x))));
	PUT(4, __double_as_longlong(__fma_rz(x, y, 0.75)));
	PUT(5, __double_as_longlong((double)(int)a + (double)(s64)(x * 0 + b)));
	o[12] = (x < y) | (x >= y) << 1 | (fmin(x, y) == x) << 2 | (x != y) << 3;
	o[13] = (u32)__double2int_rz(x);
	o[14] = __float_as_uint((float)x);
	o[15] = __float_as_uint(__double2float_rd(y));
}

KERNEL(halves)
{
	ME;
	TWO;
	u32 v;
	unsigned short h;
	asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(a ^ 0x12341234u));
	o[0] = v;
	asm("add.rn.f16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
	o[1] = v;
	asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
	o[2] = v;
	asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(v) : "r"(a), "r"(b));
	o[3] = v;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(__uint_as_float(a)));
	o[4] = h;
	asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(__uint_as_float(b)));
	o[5] = h;
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"((unsigned short)a));
	o[6] = __float_as_uint(f);
	asm("{.reg .pred p; setp.lt.f16 p, %1, %2; selp.u32 %0, 1, 0, p;}" : "=r"(v) : "h"((unsigned short)a),
	    "h"((unsigned short)b));
	o[7] = v;
}

KERNEL(lanes)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	TWO;
	(void)n;
	o[0] = __shfl_sync(~0u, a, (int)(b & 31));
	o[1] = __shfl_up_sync(~0u, a, 3);
	o[2] = __shfl_down_sync(~0u, a, 5, 16);
	o[3] = __shfl_xor_sync(~0u, a, 9);
	o[4] = __ballot_sync(~0u, a & 1);
	o[5] = (u32)__any_sync(~0u, (a & 63) == 5) | (u32)__all_sync(~0u, b != 77) << 1;
	o[6] = __match_any_sync(~0u, a & 3);
	int all;
	o[7] = __match_all_sync(~0u, b >> 31 << 31, &all);
	o[8] = (u32)all;
	o[9] = a & 4 ? __ballot_sync(__activemask(), b & 1) : __activemask();
	u32 lt, id;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
	asm("mov.u32 %0, %%laneid;" : "=r"(id));
	o[10] = lt + id;
#if __CUDA_ARCH__ >= 800
	o[11] = __reduce_add_sync(~0u, a) + __reduce_max_sync(~0u, b) + (u32)__reduce_min_sync(~0u, (int)a)
	        + __reduce_xor_sync(~0u, b);
#endif
}

/* Loops in loops, as long as the numbers say. */
KERNEL(diverge)
{
	ME;
	TWO;
	u32 sum = 0;
	for (u32 k = 0; k < (a & 15); k++) {
		if (k * b & 1)
			for (u32 j = k; j < (b & 7); j++) {
				if ((j ^ a) % 3 == 0)
					continue;
				sum += j * k + 1;
				if (sum % 11 == 10)
					break;
			}
		else
			sum ^= k << (b & 3);
		switch ((a >> k) & 7) {
		case 0: sum += 3; break;
		case 1: sum *= 5; break;
		case 2: sum ^= 0x55; break;
		case 3: sum -= a; break;
		case 4: sum = sum << 1 | sum >> 31; break;
		case 5: sum += b >> 3; break;
		default: break;
		}
	}
	o[0] = sum;
}

static __device__ __noinline__ u32 tree(u32 v, u32 depth)
{
	if (depth == 0 || v < 2)
		return v + 1;
	return (v & 1 ? tree(v >> 1, depth - 1) * 3 : 7) + tree(v - 2, depth - 1);
}

KERNEL(recursion)
{
	ME;
	TWO;
	o[0] = tree(a & 31, b % 6);
}

/* Sums of blocks in shared memory. */
KERNEL(reduction)
{
	extern __shared__ u32 part[];
	__shared__ u32 largest;
	int t = (int)threadIdx.x, i = (int)(blockIdx.x * blockDim.x) + t;
	(void)n;
	part[t] = in[2 * i];
	if (t == 0)
		largest = 0;
	__syncthreads();
	atomicMax(&largest, in[2 * i + 1]);
	for (int s = (int)blockDim.x / 2; s > 0; s >>= 1) {
		__syncthreads();
		if (t < s)
			part[t] += part[t + s];
	}
	__syncthreads();
	out[16 * i] = part[0] + (u32)__syncthreads_count((int)(part[t] & 1));
	out[16 * i + 1] = largest;
}

KERNEL(atomics)
{
	ME;
	u32 a = in[2 * i], *o = out;
	__shared__ u32 counts[8];
	__shared__ u64 wide;
	if (threadIdx.x < 8)
		counts[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		wide = 0;
	__syncthreads();
	atomicAdd(&counts[a & 7], a >> 8);
	atomicAdd(&wide, (u64)a);
	atomicAdd(&o[0], a);
	atomicMin(&o[1], a);
	atomicMax((int *)&o[2], (int)a);
	atomicAnd(&o[3], a | 0xff);
	atomicOr(&o[4], a & 0xff00);
	atomicXor(&o[5], a);
	atomicInc(&o[6], 99u);
	atomicAdd((float *)&o[7], (float)(a & 15));
	atomicAdd((u64 *)&o[8], (u64)a << 16);
	u32 old = o[10], was;
	do {
		was = old;
		old = atomicCAS(&o[10], was, was + (a & 255));
	} while (old != was);
	o[64 + i] = atomicExch(&o[12 + (i & 3)], a) != 0;
	__syncthreads();
	if (threadIdx.x < 8)
		atomicAdd(&o[16 + threadIdx.x], counts[threadIdx.x]);
	if (threadIdx.x == 0)
		atomicAdd((u64 *)&o[24], wide);
}

/* An array of a thread that is indexed. */
KERNEL(locals)
{
	ME;
	TWO;
	u32 v[24];
	unsigned char c[16];
	for (int k = 0; k < 24; k++)
		v[k] = a + (u32)k * b;
	for (int k = 0; k < 16; k++)
		c[(k * 7 + a) & 15] = (unsigned char)(k + b);
	for (u32 k = 0; k < 40; k++) {
		u32 x = (v[k % 24] ^ k) % 24, y = (b + k * 5) % 24, t = v[x];
		v[x] = v[y] + c[k & 15];
		v[y] = t;
	}
	u32 sum = 0;
	for (int k = 0; k < 24; k++)
		sum = sum * 31 + v[k];
	o[0] = sum;
}

/* Loads and stores of all sizes, through generic addresses too. */
KERNEL(memory)
{
	ME;
	__shared__ u32 box[256];
	u32 *o = out + 16 * i;
	uint4 q = ((const uint4 *)in)[i / 2];
	uint2 d = ((const uint2 *)in)[i];
	const unsigned char *bytes = (const unsigned char *)in;
	const short *shorts = (const short *)in;
	((uint4 *)o)[0] = make_uint4(q.w, q.z, q.y, q.x);
	o[4] = d.x ^ d.y;
	o[5] = (u32)bytes[5 * i] + (u32)(int)(signed char)bytes[3 * i + 1];
	o[6] = (u32)(int)shorts[3 * i];
	((unsigned char *)o)[28] = bytes[i];
	((unsigned char *)o)[29] = 0;
	((unsigned short *)o)[15] = (unsigned short)shorts[i];
	box[threadIdx.x] = d.x;
	__syncthreads();
	u32 *p = i & 1 ? box + (threadIdx.x ^ 1) : (u32 *)in + 2 * i;
	o[8] = *p;
	((uint2 *)(box + 128))[threadIdx.x & 63] = d;
	__syncthreads();
	o[9] = box[128 + (threadIdx.x & 127)];
	o[10] = __ldg(in + (i * 7) % (2 * n));
}

__constant__ u32 table[16] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53 };
__device__ u32 counter = 100;
__device__ u32 *pointer = &counter;

typedef u32 function(u32, u32);
static __device__ __noinline__ u32 first(u32 a, u32 b) { return a * 3 + b; }
static __device__ __noinline__ u32 second(u32 a, u32 b) { return a ^ b >> 1; }
static __device__ __noinline__ u32 third(u32 a, u32 b) { return a - b * 7; }
__device__ function *const functions[] = { first, second, third };

KERNEL(symbols)
{
	ME;
	TWO;
	o[0] = table[a & 15] + table[3];
	o[1] = functions[b % 3](a, b);
	atomicAdd(pointer, 1);
}

/* Barriers with names, of some warps. */
KERNEL(barriers)
{
	__shared__ u32 box[128];
	int t = (int)threadIdx.x, i = (int)(blockIdx.x * blockDim.x) + t;
	u32 count;
	(void)n;
	box[t] = in[2 * i];
	if (t < 64)
		asm volatile("bar.sync 1, 64;" ::: "memory");
	else
		asm volatile("bar.sync 2, 64;" ::: "memory");
	out[16 * i] = box[t ^ 33];
	asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 0, p;}" : "=r"(count) : "r"(in[2 * i] & 1)
	             : "memory");
	out[16 * i + 1] = count;
	out[16 * i + 2] = (u32)__syncthreads_or(in[2 * i] == 5) | (u32)__syncthreads_and(in[2 * i + 1] != 5) << 1;
}

/* Barriers that some lanes of a warp do not reach: these wait for the others behind the branch. */
KERNEL(parted)
{
	__shared__ u32 box[32];
	int t = (int)threadIdx.x;
	(void)n;
	box[t] = in[2 * t];
	__syncthreads();
	for (int k = 0; k < 31; k++)
		if (t > k) {
			u32 v = box[k + 32 - t];
			__syncthreads();
			box[t] = v * 3 + box[k];
			__syncthreads();
		}
	out[16 * t] = box[t];
}

/* Lanes end under two conditions of one EXIT. */
KERNEL(leaving)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	double x = (double)in[2 * i] * n - 20.0 * n;
	out[16 * i] = in[2 * i + 1];
	if (x < 0 || x >= 15360.0)
		out[16 * i + 1] = 1;
}

/* Each block waits for the one behind it; lanes of a warp for each other's lock. */
KERNEL(waits)
{
	volatile u32 *flag = out + 4096;
	u32 *lock = out + 4095, *sum = out + 4094;
	int last = (int)gridDim.x - 1;
	(void)in;
	(void)n;
	if (threadIdx.x == 0) {
		if ((int)blockIdx.x < last)
			while (flag[blockIdx.x + 1] == 0)
				;
		flag[blockIdx.x] = blockIdx.x + 1;
	}
	__syncthreads();
	for (bool done = false; !done;) {
		if (atomicCAS(lock, 0u, 1u) == 0) {
			*(volatile u32 *)sum = *(volatile u32 *)sum + threadIdx.x;
			__threadfence();
			atomicExch(lock, 0u);
			done = true;
		}
	}
}

extern "C" int printf(const char *, ...);

KERNEL(prints)
{
	ME;
	if (i < 3)
		printf("thread %d: %u %s %5.2f %llx %c%%\n", i, in[i], i & 1 ? "odd" : "even", i * 1.5, (u64)in[i] << 32, 'x');
	(void)out;
}

KERNEL(heap)
{
	ME;
	TWO;
	u32 *p = (u32 *)malloc(64);
	for (u32 k = 0; k < 16; k++)
		p[k] = a + k * b;
	o[0] = p[a & 15];
	free(p);
}

KERNEL(traps)
{
	ME;
	if (i == 37 && in[0] == 1)
		asm("trap;");
	if (i == 38 && in[0] == 2)
		out[1u << 30] = 5;
	if (in[0] == 3)
		for (;;)
			asm volatile("bar.sync 3, 1024;");
}

/* ---- matrices: lane's words of A, B and C come from `in` ---- */

#define WORDS(x, first, count) u32 x[count]; for (int k = 0; k < count; k++) x[k] = in[(first + k) * 32 + lane]

KERNEL(matrices)
{
	int lane = (int)threadIdx.x;
	(void)n;
	WORDS(a, 0, 4);
	WORDS(b, 4, 2);
	WORDS(c, 8, 4);
	u32 d[4];
#define SAVE(at, count) for (int k = 0; k < count; k++) out[(at + k) * 32 + lane] = d[k]
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
	             : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]),
	             "r"(c[2]), "r"(c[3]));
	SAVE(0, 4);
	asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};"
	             : "=r"(d[0]), "=r"(d[1]) : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
	SAVE(4, 2);
#if __CUDA_ARCH__ >= 800
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
	             : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
	             "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
	SAVE(6, 4);
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
	             : "=r"(d[0]), "=r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(a[1]),
	             "r"(b[1]));
	SAVE(10, 2);
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
	             : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
	             "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
	SAVE(12, 4);
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
	             : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
	             "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
	SAVE(16, 4);
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
	             : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[1]),
	             "r"(c[2]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
	SAVE(20, 4);
#endif
}

/* Copies to shared memory that do not wait, and matrices from there. */
KERNEL(copies)
{
	__shared__ __align__(16) u32 box[128];
	int lane = (int)threadIdx.x;
	u32 d[4];
	(void)n;
	u32 at = (u32)__cvta_generic_to_shared(box);
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at + 16 * lane), "l"(in + 4 * lane));
	asm volatile("cp.async.wait_all;" ::: "memory");
#else
	for (int k = 0; k < 4; k++)
		box[4 * lane + k] = in[4 * lane + k];
#endif
	__syncthreads();
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
	             : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at + 16 * lane));
	SAVE(0, 4);
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
	             : "=r"(d[0]), "=r"(d[1]) : "r"(at + 16 * lane));
	SAVE(4, 2);
}
