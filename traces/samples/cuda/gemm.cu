/* gemm.cu - a product of matrices as kernels for Hopper are written: one warpgroup loads, two multiply
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * C = A * B^T, halves and floats.  A block has a tile of 128 by 256, of which each of two warpgroups has 64 rows.  64 columns of A and
 * B at a time, 48 KiB, go through a ring of stages in shared memory: barrier `full` of a stage counts the bytes that come,
 * `empty` the warpgroups that have multiplied.  nvcc -arch=sm_90a -cubin
 */
#include <cuda.h>
#include <stdint.h>

#define M 128
#define N 256
#define K 64
#define STAGE ((M + N) * K * 2)

extern __shared__ __align__(1024) unsigned char shared[];

static __device__ uint32_t at(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ void wait(uint32_t barrier, uint32_t parity)
{
	asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra over; bra again; over: }"
	             :: "r"(barrier), "r"(parity) : "memory");
}

static __device__ void load(uint32_t to, const CUtensorMap *map, uint32_t barrier, int column, int row)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
	             :: "r"(to), "l"(map), "r"(barrier), "r"(column), "r"(row) : "memory");
}

/* Rows of 128 bytes, whose 16 bytes are exchanged within eight of them. */
static __device__ uint64_t matrix(uint32_t p)
{
	return (uint64_t)(p >> 4 & 0x3fff) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

extern "C" __global__ void __launch_bounds__(384, 1)
gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int n, int k, int stages)
{
	uint32_t ring = at(shared), full = ring + stages * STAGE, empty = full + 8 * stages;
	int group = threadIdx.x / 128, stage = 0, parity = 0;

	if (threadIdx.x == 0) {
		for (int i = 0; i < stages; i++) {
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(full + 8 * i) : "memory");
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" :: "r"(empty + 8 * i) : "memory");
		}
		asm volatile("fence.proxy.async;" ::: "memory");
	}
	__syncthreads();
	if (group == 0) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		if (threadIdx.x == 0)
			for (int i = 0; i < k; i += K) {
				uint32_t to = ring + stage * STAGE;

				wait(empty + 8 * stage, parity ^ 1);
				asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
				             :: "r"(full + 8 * stage), "r"(STAGE) : "memory");
				load(to, &a, full + 8 * stage, i, blockIdx.y * M);
				load(to + M * K * 2, &b, full + 8 * stage, i, blockIdx.x * N);
				if (++stage == stages) {
					stage = 0;
					parity ^= 1;
				}
			}
		return;
	}
	asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
	float d[128];
	for (int i = 0; i < 128; i++)
		d[i] = 0;
	for (int i = 0, before = -1; i < k; i += K) {
		uint32_t from = ring + stage * STAGE;

		wait(full + 8 * stage, parity);
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		for (int j = 0; j < K * 2; j += 32)
			asm volatile("{ wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
			             "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
			             "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
			             "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
			             "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
			             "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
			             "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
			             "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
			             "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 0; }"
			             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
			               "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
			               "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
			               "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
			               "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
			               "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
			               "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
			               "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]),
			               "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
			               "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]),
			               "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]),
			               "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
			               "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
			               "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
			               "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]),
			               "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
			             : "l"(matrix(from + (group - 1) * 64 * K * 2 + j)), "l"(matrix(from + M * K * 2 + j)));
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
		if (before >= 0 && threadIdx.x % 128 == 0)
			asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(empty + 8 * before) : "memory");
		before = stage;
		if (++stage == stages) {
			stage = 0;
			parity ^= 1;
		}
	}
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	c += (size_t)(blockIdx.y * M + group * 64 - 64 + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4) * n
	     + blockIdx.x * N + threadIdx.x % 4 * 2;
#pragma unroll
	for (int i = 0; i < 128; i++)
		c[(size_t)(i / 2 % 2 * 8) * n + i / 4 * 8 + i % 2] = d[i];
}
