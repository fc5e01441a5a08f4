/* linked_function.cu - the function of linked_kernel.cu
 * SPDX-License-Identifier: BSD-2-Clause
 */
extern __device__ int table[4];

__device__ __noinline__ int twice(int v)
{
	return v > 100 ? twice(v / 2) + 1 : v * 2 + table[v & 3];
}
