/* cluster.cu - kernels of cluster.c: blocks of a cluster that reach each other's shared memory; see cubins.mk
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <cuda.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void

static __device__ uint32_t at(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ uint32_t mapa(uint32_t address, uint32_t rank)
{
	uint32_t v;

	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(v) : "r"(address), "r"(rank));
	return v;
}

static __device__ uint32_t my_rank(void)
{
	uint32_t v;

	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v));
	return v;
}

static __device__ uint32_t blocks(void)
{
	uint32_t v;

	asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(v));
	return v;
}

static __device__ void sync_cluster(void)
{
	asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
	asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

static __device__ void init(void *barrier, uint32_t n)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(barrier)), "r"(n) : "memory");
}

static __device__ void expect(void *barrier, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at(barrier)), "r"(bytes) : "memory");
}

static __device__ void wait(void *barrier, uint32_t parity)
{
	asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra over; bra again; over: }"
	             :: "r"(at(barrier)), "r"(parity) : "memory");
}

#define SPECIAL(i, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(v)); out[i] = v

/* Where each block is, as code sees it. */
KERNEL places(uint32_t *all)
{
	uint32_t *out = all + 16 * (blockIdx.x + gridDim.x * blockIdx.y), v;

	SPECIAL(0, "cluster_ctarank");
	SPECIAL(1, "cluster_nctarank");
	SPECIAL(2, "cluster_ctaid.x");
	SPECIAL(3, "cluster_ctaid.y");
	SPECIAL(4, "cluster_nctaid.x");
	SPECIAL(5, "cluster_nctaid.y");
	SPECIAL(6, "clusterid.x");
	SPECIAL(7, "clusterid.y");
	SPECIAL(8, "nclusterid.x");
	SPECIAL(9, "nclusterid.y");
	asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(v));
	out[10] = v;
}

/* Each thread reads of the next block, writes to the one behind it, and counts at the first; through addresses of
 * shared memory and generic ones. */
KERNEL __cluster_dims__(4, 1, 1) neighbours(uint32_t *out)
{
	__shared__ uint32_t mine[64], got[64], count;
	uint32_t rank = my_rank(), n = blocks(), t = threadIdx.x, v, there, is;
	uint64_t generic;

	mine[t] = blockIdx.x * 1000 + t;
	if (t == 0)
		count = 0;
	sync_cluster();
	asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(mapa(at(&mine[t]), (rank + 1) % n)) : "memory");
	asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(mapa(at(&got[t]), (rank + 2) % n)), "r"(v + 1) : "memory");
	asm volatile("mapa.u64 %0, %1, 0;" : "=l"(generic) : "l"((uint64_t)&count));
	atomicAdd((uint32_t *)generic, t);
	asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(there) : "r"(mapa(at(&got[t]), (rank + 3) % n)));
	asm volatile("{ .reg .pred p, q; isspacep.shared::cluster p, %1; isspacep.shared::cta q, %1; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }"
	             : "=r"(is) : "l"(generic));
	sync_cluster();
	out[blockIdx.x * 128 + 2 * t] = got[t];
	out[blockIdx.x * 128 + 2 * t + 1] = (rank == 0 ? count : 0) + 10000 * there + 100000 * is;
	sync_cluster();
}

/* A number goes round; each block adds to it and arrives at the barrier of the next. */
KERNEL __cluster_dims__(8, 1, 1) ring(uint32_t *out, uint32_t rounds)
{
	__shared__ uint64_t turn;
	__shared__ uint32_t number;
	uint32_t rank = my_rank(), next = (rank + 1) % blocks();

	if (threadIdx.x == 0) {
		init(&turn, 1);
		number = 0;
	}
	sync_cluster();
	for (uint32_t i = 0; i < rounds && threadIdx.x == 0; i++) {
		if (rank > 0 || i > 0)
			wait(&turn, (rank == 0 ? i - 1 : i) & 1);
		asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(mapa(at(&number), next)), "r"(number + rank + 1) : "memory");
		asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(mapa(at(&turn), next)) : "memory");
	}
	sync_cluster();
	if (threadIdx.x == 0)
		out[blockIdx.x] = number;
}

/* One block loads a box for all of a set, or neighbouring bytes. */
KERNEL multicast(const __grid_constant__ CUtensorMap map, const uint32_t *from, uint32_t *out, uint32_t set, uint32_t linear)
{
	__shared__ __align__(128) uint32_t box[256];
	__shared__ uint64_t full;
	uint32_t rank = my_rank();

	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		box[i] = 0;
	if (threadIdx.x == 0) {
		init(&full, 1);
		if (set >> rank & 1)
			expect(&full, 1024);
	}
	sync_cluster();
	if (rank == 1 && threadIdx.x == 0) {
		if (linear)
			asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 1024, [%2], %3;"
			             :: "r"(at(box)), "l"(from), "r"(at(&full)), "h"((uint16_t)set) : "memory");
		else
			asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;"
			             :: "r"(at(box)), "l"(&map), "r"(at(&full)), "r"(8), "r"(4), "h"((uint16_t)set) : "memory");
	}
	if (set >> rank & 1)
		wait(&full, 0);
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		out[rank * 256 + i] = box[i];
	sync_cluster();
}

/* Each block moves its bytes to the next one, which adds those of the one before to them; then single values. */
KERNEL moves(uint32_t *out)
{
	__shared__ __align__(128) uint32_t mine[64], got[64], sums[32], put[32];
	__shared__ uint64_t full, summed;
	uint32_t rank = my_rank(), n = blocks(), t = threadIdx.x, next = (rank + 1) % n;

	mine[t] = rank * 100 + t;
	got[t] = 0;
	if (t < 32)
		sums[t] = 7;
	if (t == 0) {
		init(&full, 1);
		init(&summed, 1);
		expect(&full, 256);
		expect(&summed, 256 + 32 * 4 + 32 * 4);
	}
	asm volatile("fence.proxy.async;" ::: "memory");
	sync_cluster();
	if (t == 0)
		asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
		             :: "r"(mapa(at(got), next)), "r"(at(mine)), "r"(mapa(at(&full), next)) : "memory");
	wait(&full, 0);
	sync_cluster();
	if (t == 0)
		asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], 256, [%2];"
		             :: "r"(mapa(at(got), next)), "r"(at(mine)), "r"(mapa(at(&summed), next)) : "memory");
	if (t < 32)
		asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%0], %1, [%2];"
		             :: "r"(mapa(at(&sums[t]), next)), "r"((int)t - 10), "r"(mapa(at(&summed), next)) : "memory");
	else if (t < 40)
		asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %1, %2}, [%3];"
		             :: "r"(mapa(at(&put[(t - 32) * 4]), (rank + 2) % n)), "r"(rank), "r"(t), "r"(mapa(at(&summed), (rank + 2) % n))
		             : "memory");
	wait(&summed, 0);
	out[rank * 256 + t] = got[t];
	if (t < 32) {
		out[rank * 256 + 64 + t] = sums[t];
		out[rank * 256 + 128 + t] = put[t];
	}
	sync_cluster();
}

/* Reductions of bulk copies to global memory, of some types, and of a box. */
KERNEL reductions(const __grid_constant__ CUtensorMap floats, const __grid_constant__ CUtensorMap numbers, const uint32_t *from,
                  uint32_t *out)
{
	__shared__ __align__(128) uint32_t v[64];

	v[threadIdx.x] = from[threadIdx.x];
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncthreads();
	if (threadIdx.x != 0)
		return;
#define REDUCE(i, how) \
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." how " [%0], [%1], 256;" :: "l"(out + (i) * 64), "r"(at(v)) : "memory")
	REDUCE(0, "add.u32");
	REDUCE(1, "min.s32");
	REDUCE(2, "max.u32");
	REDUCE(3, "add.u64");
	REDUCE(4, "and.b32");
	REDUCE(5, "add.f32");
	REDUCE(6, "add.noftz.f16");
	REDUCE(7, "max.bf16");
	REDUCE(8, "inc.u32");
	REDUCE(9, "min.s64");
	asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%2, %3}], [%1];"
	             :: "l"(&floats), "r"(at(v)), "r"(4), "r"(-2) : "memory");
	asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.bulk_group [%0, {%2, %3}], [%1];"
	             :: "l"(&numbers), "r"(at(v)), "r"(12), "r"(3) : "memory");
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
	asm volatile("prefetch.tensormap [%0];" :: "l"(&floats) : "memory");
	asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %1}];" :: "l"(&floats), "r"(0) : "memory");
	asm volatile("cp.async.bulk.prefetch.L2.global [%0], 256;" :: "l"(from) : "memory");
	asm volatile("discard.global.L2 [%0], 128;" :: "l"(from) : "memory");
	asm volatile("applypriority.global.L2::evict_normal [%0], 128;" :: "l"(from) : "memory");
	asm volatile("prefetch.global.L2 [%0];" :: "l"(from) : "memory");
	asm volatile("prefetch.global.L1 [%0];" :: "l"(from) : "memory");
}

/* Warps, and whole blocks, that have ended count as arrived. */
KERNEL __cluster_dims__(4, 1, 1) leavers(uint32_t *out)
{
	uint32_t rank = my_rank(), warp = threadIdx.x / 32;

	if (rank == 3 || warp == rank + 1 || (warp == 0 && threadIdx.x > 5 && rank == 2))
		return;
	for (int i = 0; i < 3; i++) {
		if (warp == 3 && i == 1)
			return;
		asm volatile("barrier.cluster.arrive;" ::: "memory");
		atomicAdd(out + 1 + i, 1);
		asm volatile("barrier.cluster.wait;" ::: "memory");
		if (threadIdx.x == 0)
			out[4 + rank * 3 + i] = *(volatile uint32_t *)(out + 1 + i);
	}
}

/* ---- faults ---- */

KERNEL __cluster_dims__(2, 1, 1) beyond(uint32_t *out, uint32_t rank)
{
	__shared__ uint32_t v;

	v = 1;
	asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(out[0]) : "r"(mapa(at(&v), rank)) : "memory");
	sync_cluster();
}

KERNEL __cluster_dims__(2, 1, 1) late(uint32_t *out)
{
	__shared__ uint32_t v;
	uint32_t x;

	v = 1;
	sync_cluster();
	if (my_rank() == 0)
		return;
	for (int i = 0; i < 20000; i++)
		atomicAdd(out, 1);
	asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(mapa(at(&v), 0)) : "memory");
	out[0] = x;
}

KERNEL __cluster_dims__(2, 1, 1) twice(void)
{
	asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
	asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}

KERNEL __cluster_dims__(2, 1, 1) unarrived(void)
{
	asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

KERNEL __cluster_dims__(2, 1, 1) alone(void)
{
	if (my_rank() == 0)
		sync_cluster();
	else
		asm volatile("{ .reg .pred p; .shared .b64 b; mbarrier.init.shared::cta.b64 [b], 64; mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 96;"
		             "again: mbarrier.try_wait.parity.shared::cta.b64 p, [b], 0; @p bra over; bra again; over: }" ::: "memory");
}

KERNEL __cluster_dims__(2, 1, 1) own_only(uint32_t *out)
{
	__shared__ uint32_t v;
	uint32_t x;

	asm volatile("ld.shared::cta.u32 %0, [%1];" : "=r"(x) : "r"(mapa(at(&v), 1 - my_rank())) : "memory");
	out[0] = x;
}

/* A map that is none; shared memory that is not aligned; a barrier that was not initialised. */
KERNEL broken(const __grid_constant__ CUtensorMap map, uint32_t which)
{
	__shared__ __align__(128) char box[1024];
	__shared__ uint64_t full;

	if (threadIdx.x != 0)
		return;
	if (which != 2)
		init(&full, 1);
	else
		full = 0;
	expect(&full, 256);
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], [%2];"
	             :: "r"(at(box) + (which == 1 ? 64 : 0)), "l"(&map), "r"(at(&full)), "r"(0) : "memory");
}

/* A copy of 32 bytes that is wrong in one way, or a wait at a barrier that is none. */
KERNEL astray(const char *from, uint32_t which)
{
	__shared__ __align__(128) char box[1024];
	__shared__ uint64_t full;
	uint32_t over;

	if (threadIdx.x != 0)
		return;
	full = 0;
	if (which == 3) {
		asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 1; selp.u32 %0, 1, 0, p; }"
		             : "=r"(over) : "r"(at(&full)) : "memory");
		box[over] = 1;
		return;
	}
	init(&full, 1);
	expect(&full, 32);
	if (which == 2)
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 32;"
		             :: "l"(from), "r"(at(box) + 8) : "memory");
	else
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 32, [%2];"
		             :: "r"(at(box) + (which == 0 ? 8 : 0)), "l"(from + (which == 1 ? 4 : 0)), "r"(at(&full)) : "memory");
}

/* ---- minima and maxima of two and three, of halves of words, and with none below 0 ---- */

KERNEL least(const uint32_t *in, uint32_t *out)
{
	uint32_t a = in[3 * threadIdx.x], b = in[3 * threadIdx.x + 1], c = in[3 * threadIdx.x + 2], *o = out + 16 * threadIdx.x;
	bool high, low;

	o[0] = __vibmax_s16x2(a, b, &high, &low);
	o[1] = high + 2 * low;
	o[2] = __vibmin_u16x2(a, b, &high, &low);
	o[3] = high + 2 * low;
	o[4] = __vimax_s16x2_relu(a, b);
	o[5] = (uint32_t)__vimin_s32_relu((int)a, (int)b);
	o[6] = __viaddmin_s16x2_relu(a, b, c);
	o[7] = __viaddmax_u16x2(a, b, c);
	o[8] = (uint32_t)__viaddmax_s32_relu((int)a, (int)b, (int)c);
	o[9] = __vimin3_s16x2_relu(a, b, c);
	o[10] = (uint32_t)__vimax3_s32_relu((int)a, (int)b, (int)c);
	o[11] = __vimax3_u16x2(a, b, c);
}

/* ---- more faults ---- */

/* A store whose bytes arrive elsewhere, accesses that are not aligned, and barriers of no arrivals, or too many. */
KERNEL __cluster_dims__(2, 1, 1) crooked(uint32_t *out, uint32_t which)
{
	__shared__ __align__(128) uint32_t v[64];
	__shared__ uint64_t full;
	uint32_t other = 1 - my_rank(), x = 0, y = 0;
	uint64_t generic;

	if (threadIdx.x == 0) {
		if (which >= 4)
			init(&full, which == 4 ? 0 : which == 5 ? 0xffffffff : 0x100000);
		else
			init(&full, 1);
	}
	sync_cluster();
	asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"((uint64_t)v), "r"(other));
	if (which == 0)
		asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
		             :: "r"(mapa(at(&v[threadIdx.x]), other)), "r"(which), "r"(at(&full) | my_rank() << 24) : "memory");
	else if (which == 1)
		asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(mapa(at(v) + 4, other)) : "memory");
	else if (which == 2)
		asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(mapa(at(v) + 2, other)), "r"(which) : "memory");
	else
		atomicAdd((uint32_t *)(generic + 1), 1);
	out[0] = x + y;
	sync_cluster();
}

/* A barrier of the cluster in a branch: lanes of a warp come one part after the other, and some leave. */
KERNEL __cluster_dims__(2, 1, 1) parted(uint32_t *out)
{
	uint32_t t = threadIdx.x;

	for (uint32_t i = 0; i < 3; i++) {
		if (t % 4 == i) {
			atomicAdd(out + 1, 1);
			asm volatile("barrier.cluster.arrive;" ::: "memory");
			asm volatile("barrier.cluster.wait;" ::: "memory");
		} else {
			asm volatile("barrier.cluster.arrive;" ::: "memory");
			asm volatile("barrier.cluster.wait;" ::: "memory");
			atomicAdd(out + 2, 1);
		}
		if (t % 8 == 7 - i)
			return;
	}
	out[3] = 1;
}
