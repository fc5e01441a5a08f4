/* hopper.cu - kernels of hopper.c: products of warpgroups, bulk copies, barriers in shared memory; see cubins.mk
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <cuda.h>
#include <stdint.h>

static __device__ uint32_t at(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ void wait(uint32_t barrier, uint32_t parity)
{
	asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra over; bra again; over: }"
	             :: "r"(barrier), "r"(parity) : "memory");
}

/* Matrices come as they are to be in shared memory, of which a and b describe them: D of 64 by 16. */
#define PRODUCT(name, type, ins, how)                                                                                     \
	extern "C" __global__ void name(const uint4 *from, type *d, uint64_t a, uint64_t b)                               \
	{                                                                                                                 \
		__shared__ __align__(1024) uint4 m[512];                                                                  \
		type v[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };                                                                   \
		for (int i = threadIdx.x; i < 512; i += 128)                                                              \
			m[i] = from[i];                                                                                   \
		asm volatile("fence.proxy.async;" ::: "memory");                                                          \
		__syncthreads();                                                                                          \
		a += at(m) >> 4;                                                                                          \
		b += at(m) >> 4;                                                                                          \
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                   \
		asm volatile("{ wgmma.mma_async.sync.aligned." ins " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, " how "; }" \
		             : PUT(0), PUT(1), PUT(2), PUT(3), PUT(4), PUT(5), PUT(6), PUT(7) : "l"(a), "l"(b));          \
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                            \
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                            \
		int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;                     \
		for (int i = 0; i < 8; i++)                                                                               \
			d[(row + i / 2 % 2 * 8) * 16 + column + i / 4 * 8 + i % 2] = v[i];                                \
	}
#define PUT(i) "+f"(v[i])
PRODUCT(halves, float, "m64n16k16.f32.f16.f16", "1, 1, 1, 0, 0")
PRODUCT(negated, float, "m64n16k16.f32.f16.f16", "1, -1, 1, 0, 0")
PRODUCT(transposed, float, "m64n16k16.f32.f16.f16", "1, 1, 1, 1, 1")
PRODUCT(bfloats, float, "m64n16k16.f32.bf16.bf16", "1, 1, 1, 0, 0")
PRODUCT(tf32, float, "m64n16k8.f32.tf32.tf32", "1, 1, 1")
PRODUCT(e4m3, float, "m64n16k32.f32.e4m3.e4m3", "1, 1, 1")
PRODUCT(e5m2, float, "m64n16k32.f32.e5m2.e4m3", "1, 1, 1")
#undef PUT
#define PUT(i) "+r"(v[i])
PRODUCT(s8, int, "m64n16k32.s32.s8.s8", "1")
PRODUCT(u8s8, int, "m64n16k32.s32.u8.s8", "1")

/* The first matrix in registers, sums of halves, and a predicate that says whether something is added to. */
extern "C" __global__ void registers(const uint4 *from, uint32_t *d, uint64_t b, int adds)
{
	__shared__ __align__(1024) uint4 m[512];
	const uint32_t *words = (const uint32_t *)from + threadIdx.x / 32 * 128 + threadIdx.x % 32 / 4 * 4 + threadIdx.x % 4;
	uint32_t v[4] = { 0x3c003c00, 0x3c003c00, 0x3c003c00, 0x3c003c00 };

	for (int i = threadIdx.x; i < 512; i += 128)
		m[i] = from[i];
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncthreads();
	b += at(m) >> 4;
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	asm volatile("{ .reg .pred p; setp.ne.b32 p, %9, 0; wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%0, %1, %2, %3}, "
	             "{%4, %5, %6, %7}, %8, p, 1, 1, 0; }"
	             : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3])
	             : "r"(words[0]), "r"(words[32]), "r"(words[64]), "r"(words[96]), "l"(b), "r"(adds));
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	for (int i = 0; i < 4; i++)
		d[(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i % 2 * 8) * 8 + threadIdx.x % 4 + i / 2 * 4] = v[i];
}

/* A box comes and goes, then neighbouring bytes. */
extern "C" __global__ void boxes(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, const char *from,
                                 char *to, int x, int y, int z)
{
	__shared__ __align__(1024) char box[4096];
	__shared__ uint64_t full;

	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&full)) : "memory");
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" :: "r"(at(&full)) : "memory");
		asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];"
		             :: "r"(at(box)), "l"(&in), "r"(at(&full)), "r"(x), "r"(y), "r"(z) : "memory");
	}
	__syncthreads();
	wait(at(&full), 0);
	if (threadIdx.x == 0) {
		asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];"
		             :: "l"(&out), "r"(at(box)), "r"(x), "r"(y), "r"(z) : "memory");
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" :: "r"(at(&full)) : "memory");
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];"
		             :: "r"(at(box)), "l"(from), "r"(at(&full)) : "memory");
	}
	wait(at(&full), 1);
	if (threadIdx.x == 0) {
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" :: "l"(to), "r"(at(box)) : "memory");
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
	}
}

/* Two warps hand a number on and back; then all lanes arrive, and what the barrier was is kept. */
extern "C" __global__ void barriers(int *out, int rounds)
{
	__shared__ uint64_t there, back, all;
	__shared__ int v;
	uint64_t token;

	if (threadIdx.x == 0) {
		v = 0;
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" :: "r"(at(&there)) : "memory");
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" :: "r"(at(&back)) : "memory");
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" :: "r"(at(&all)) : "memory");
	}
	__syncthreads();
	for (int i = 0; i < rounds; i++)
		if (threadIdx.x < 32) {
			atomicAdd(&v, 1);
			asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at(&there)) : "memory");
			wait(at(&back), i & 1);
		} else {
			wait(at(&there), i & 1);
			atomicMax(&v, v * 2);
			asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at(&back)) : "memory");
		}
	asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(at(&all)) : "memory");
	asm volatile("{ .reg .pred p; again: mbarrier.try_wait.shared::cta.b64 p, [%0], %1; @p bra over; bra again; over: }"
	             :: "r"(at(&all)), "l"(token) : "memory");
	out[threadIdx.x] = v;
}

/* Nobody arrives. */
extern "C" __global__ void never(void)
{
	__shared__ uint64_t b;

	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&b)) : "memory");
	__syncthreads();
	wait(at(&b), 0);
}

/* Tests that fail after their time, of which the program makes no loop. */
extern "C" __global__ void gives_up(uint32_t *out)
{
	__shared__ uint64_t b;
	uint32_t passed[3];

	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&b)) : "memory");
	for (int i = 0; i < 3; i++) {
		if (i == 2)
			asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at(&b)) : "memory");
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
		             : "=r"(passed[i]) : "r"(at(&b)) : "memory");
	}
	*out = passed[0] | passed[1] << 1 | passed[2] << 2;
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster(void)
{
}
