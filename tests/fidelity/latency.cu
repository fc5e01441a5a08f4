/* latency.cu - kernels of latency.sh: chains of pointers through lines of memory, and a walk along them
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

/* Element i of n, in an order that looks random: a permutation. */
static __device__ unsigned place(unsigned i, unsigned n)
{
	int half = (33 - __clz(n - 1)) / 2;
	unsigned mask = (1u << half) - 1;

	do { /* four rounds of a Feistel network, again while the result is not below n */
		unsigned a = i >> half, b = i & mask;

		for (unsigned k = 1; k <= 4; k++) {
			unsigned t = b;

			b = a ^ (((b + k) * 0x9E3779B1u ^ (b + k) >> 3) * 0x85EBCA6Bu >> 15 & mask);
			a = t;
		}
		i = a << half | b;
	} while (i >= n);
	return i;
}

/* The same chain in such an order. */
extern "C" __global__ void shuffled_chain(char *p, int lines, int spacing)
{
	for (int i = threadIdx.x; i < lines; i += blockDim.x)
		*(char **)(p + (long long)place(i, lines) * spacing) = p + (long long)place(i + 1 == lines ? 0 : i + 1, lines) * spacing;
}
