/* transpose.cu - a matrix is transposed in two ways: the first one writes each value to another line
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * transpose.cubin is made by: nvcc -arch=sm_80 -cubin -o transpose.cubin transpose.cu
 */
#define TILE 32

/* Blocks of TILE * 8 threads, each for a tile of n * n values; n is a multiple of TILE. */
extern "C" __global__ void by_column(float *to, const float *from, int n)
{
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

	for (int k = 0; k < TILE; k += 8)
		to[x * n + y + k] = from[(y + k) * n + x];
}

/* The tile is turned in shared memory, whose rows are a word longer so that columns are in different banks. */
extern "C" __global__ void by_tile(float *to, const float *from, int n)
{
	__shared__ float tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

	for (int k = 0; k < TILE; k += 8)
		tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * n + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (int k = 0; k < TILE; k += 8)
		to[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
