// found.cu - what programs were found to need: nvcc -fatbin -gencode arch=compute_80,code=sm_80 -o found.fatbin found.cu
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
