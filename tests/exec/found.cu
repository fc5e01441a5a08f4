// found.cu - what programs were found to need: nvcc -fatbin -gencode arch=compute_80,code=sm_80 -o found.fatbin found.cu
// SPDX-License-Identifier: BSD-2-Clause

/* Eight warps have the same work: each adds to what it found at its beginning, which all do before one is far. */
extern "C" __global__ void eightfold(float *x, const float *a, int n)
{
	for (int k = 0; k < n; k++)
		x[threadIdx.x] += a[k * 32 + threadIdx.x];
}
