/* linked_kernel.cu - a kernel whose function is in another file: cubins.mk links both
 * SPDX-License-Identifier: BSD-2-Clause
 */
extern __device__ int twice(int v);
__device__ int table[4] = { 1, 2, 3, 4 };

extern "C" __global__ void linked(const int *in, int *out, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i < n)
		out[i] = twice(in[i]) + table[i & 3];
}
