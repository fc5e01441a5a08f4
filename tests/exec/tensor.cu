// tensor.cu - a product of matrices and an attention on tensor cores: cubins.mk compiles it
// SPDX-License-Identifier: BSD-2-Clause
#include <cuda_fp16.h>

#define DEVICE static __device__ __forceinline__

DEVICE unsigned shared_address(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

DEVICE void copy16(half *to, const half *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

DEVICE void copies_wait(void)
{
	asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
}

/* Four matrices of 8 x 8, a row of which each lane points to. */
DEVICE void load4(unsigned *v, const half *row)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(shared_address(row)) : "memory");
}

DEVICE void load4_transposed(unsigned *v, const half *row)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(shared_address(row)) : "memory");
}

/* d += a * b: 16 x 8, of 16 halves. */
DEVICE void multiply(float *d, const unsigned *a, unsigned b0, unsigned b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* ---- c = a * b, row by row, tiles of 64 x 64 by 4 warps, 32 columns of a at a time ---- */

#define TILE 64
#define STEP 32
#define A_ROW (STEP + 8) /* halves of a row in shared memory: without conflicts of banks */
#define B_ROW (TILE + 8)

DEVICE void tiles(half *a_to, half *b_to, const half *a, const half *b, int n, int k, int from)
{
	for (int i = threadIdx.x; i < TILE * STEP / 8; i += 128) {
		int row = i / (STEP / 8), column = i % (STEP / 8) * 8;

		copy16(a_to + row * A_ROW + column, a + (blockIdx.y * TILE + row) * k + from + column);
		row = i / (TILE / 8), column = i % (TILE / 8) * 8;
		copy16(b_to + row * B_ROW + column, b + (from + row) * n + blockIdx.x * TILE + column);
	}
}

extern "C" __global__ void gemm(const half *a, const half *b, float *c, int n, int k)
{
	__shared__ __align__(16) half a_tile[2][TILE * A_ROW], b_tile[2][STEP * B_ROW];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp / 2 * 32, column = warp % 2 * 32;
	float sum[2][4][4] = {};

	tiles(a_tile[0], b_tile[0], a, b, n, k, 0);
	for (int at = 0, now = 0; at < k; at += STEP, now ^= 1) {
		copies_wait();
		__syncthreads();
		if (at + STEP < k)
			tiles(a_tile[now ^ 1], b_tile[now ^ 1], a, b, n, k, at + STEP);
		for (int q = 0; q < STEP; q += 16) {
			unsigned x[2][4], y[2][4];

			for (int h = 0; h < 2; h++) {
				load4(x[h], &a_tile[now][(row + 16 * h + lane % 16) * A_ROW + q + lane / 16 * 8]);
				load4_transposed(y[h],
						 &b_tile[now][(q + lane % 16) * B_ROW + column + 16 * h + lane / 16 * 8]);
			}
			for (int i = 0; i < 2; i++)
				for (int j = 0; j < 4; j++)
					multiply(sum[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
		}
	}
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 4; j++)
			for (int h = 0; h < 2; h++) {
				float *to = c + (blockIdx.y * TILE + row + 16 * i + 8 * h + lane / 4) * n
					    + blockIdx.x * TILE + column + 8 * j + lane % 4 * 2;

				*(float2 *)to = make_float2(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
			}
}

/* ---- out = softmax(q * k^T / 8) * v, of heads with 64 numbers; a warp has 16 rows of q, all share 32 keys ---- */

#define HEAD 64
#define KEYS 32
#define ROW (HEAD + 8)

/* Largest or sum of the four lanes that have a row. */
DEVICE float largest4(float v)
{
	v = fmaxf(v, __shfl_xor_sync(~0u, v, 1));
	return fmaxf(v, __shfl_xor_sync(~0u, v, 2));
}

DEVICE float sum4(float v)
{
	v += __shfl_xor_sync(~0u, v, 1);
	return v + __shfl_xor_sync(~0u, v, 2);
}

DEVICE unsigned halves(float low, float high)
{
	half2 v = __floats2half2_rn(low, high);

	return *(unsigned *)&v;
}

extern "C" __global__ void attention(const half *q, const half *k, const half *v, float *out, int length)
{
	__shared__ __align__(16) half k_tile[KEYS * ROW], v_tile[KEYS * ROW];
	const float scale = 0.125f * 1.44269504f; /* to powers of 2 */
	int lane = threadIdx.x % 32, head = blockIdx.y * length * HEAD;
	int row = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16 + lane / 4;
	unsigned a[HEAD / 16][4];
	float o[HEAD / 8][4] = {}, most[2] = { -INFINITY, -INFINITY }, total[2] = { 0, 0 };

	for (int i = 0; i < HEAD / 16; i++)
		for (int j = 0; j < 4; j++)
			a[i][j] = *(const unsigned *)&q[head + (row + j % 2 * 8) * HEAD + i * 16 + j / 2 * 8 + lane % 4 * 2];
	for (int from = 0; from < length; from += KEYS) {
		float s[KEYS / 8][4] = {};

		__syncthreads();
		for (int i = threadIdx.x; i < KEYS * HEAD / 8; i += blockDim.x) {
			int at = i / (HEAD / 8) * ROW + i % (HEAD / 8) * 8;

			copy16(k_tile + at, k + head + from * HEAD + i * 8);
			copy16(v_tile + at, v + head + from * HEAD + i * 8);
		}
		copies_wait();
		__syncthreads();
		for (int i = 0; i < HEAD / 16; i++)
			for (int j = 0; j < KEYS / 16; j++) {
				unsigned b[4];

				load4(b, &k_tile[(j * 16 + lane % 8 + lane / 16 * 8) * ROW + i * 16 + lane / 8 % 2 * 8]);
				multiply(s[2 * j], a[i], b[0], b[1]);
				multiply(s[2 * j + 1], a[i], b[2], b[3]);
			}
		for (int h = 0; h < 2; h++) {
			float before = most[h], sum = 0, by;

			for (int j = 0; j < KEYS / 8; j++)
				most[h] = fmaxf(most[h], fmaxf(s[j][2 * h], s[j][2 * h + 1]));
			most[h] = largest4(most[h]);
			by = exp2f((before - most[h]) * scale);
			for (int j = 0; j < KEYS / 8; j++)
				for (int e = 2 * h; e < 2 * h + 2; e++)
					sum += s[j][e] = exp2f((s[j][e] - most[h]) * scale);
			total[h] = total[h] * by + sum4(sum);
			for (int j = 0; j < HEAD / 8; j++)
				for (int e = 2 * h; e < 2 * h + 2; e++)
					o[j][e] *= by;
		}
		for (int j = 0; j < KEYS / 16; j++) {
			unsigned p[4] = { halves(s[2 * j][0], s[2 * j][1]), halves(s[2 * j][2], s[2 * j][3]),
					  halves(s[2 * j + 1][0], s[2 * j + 1][1]),
					  halves(s[2 * j + 1][2], s[2 * j + 1][3]) };

			for (int i = 0; i < HEAD / 16; i++) {
				unsigned b[4];

				load4_transposed(b, &v_tile[(j * 16 + lane % 16) * ROW + i * 16 + lane / 16 * 8]);
				multiply(o[2 * i], p, b[0], b[1]);
				multiply(o[2 * i + 1], p, b[2], b[3]);
			}
		}
	}
	for (int j = 0; j < HEAD / 8; j++)
		for (int h = 0; h < 2; h++)
			*(float2 *)&out[head + (row + 8 * h) * HEAD + j * 8 + lane % 4 * 2] =
				make_float2(o[j][2 * h] / total[h], o[j][2 * h + 1] / total[h]);
}
