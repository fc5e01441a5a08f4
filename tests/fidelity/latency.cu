/* latency.cu - kernels of latency.sh: a chain of pointers through lines of memory, and a walk along it
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* Line i points to line i + step, modulo lines. */
extern "C" __global__ void chain(char *p, int lines, int spacing, int step)
{
	for (int i = threadIdx.x; i < lines; i += blockDim.x)
		*(char **)(p + (long long)i * spacing) = p + (long long)((i + step) % lines) * spacing;
}

/* The clock is read around the last n of the loads, each of which needs the one before it; n and warm are multiples of 32. */
extern "C" __global__ void walk(char **p, int warm, int n, char **out)
{
#pragma unroll 1
	for (int i = 0; i < warm; i += 32)
#pragma unroll
		for (int k = 0; k < 32; k++)
			p = (char **)*p;
	int begin = clock();
#pragma unroll 1
	for (int i = 0; i < n; i += 32)
#pragma unroll
		for (int k = 0; k < 32; k++)
			p = (char **)*p;
	out[0] = (char *)p + (clock() - begin);
}

/* Each block reads what another one has read in the round before, so that no L1 has it. */
extern "C" __global__ void rounds(double *a, int n)
{
	double sum = 0;

#pragma unroll 1
	for (int i = 0; i < n; i++)
		sum += a[(blockIdx.x + 7 * i) % gridDim.x * blockDim.x + threadIdx.x];
	if (sum == 0.123)
		a[0] = sum;
}
