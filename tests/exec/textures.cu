/* textures.cu - kernels that read textures, and read and write surfaces; textures.c has what they compute, in C
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * `make -C tests/exec -f cubins.mk` compiles them with nvcc; the cubins are in the tree.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define ME int i = (int)THREAD; const float *p = in + 8 * i; u32 *o = out + 32 * i
#define LAYER ((const int *)p)[4]
#define PUT(k, v) ((uint4 *)o)[k] = v

struct objects {
	u64 line, plane, volume, lines, planes, cube, cubes, linear;
};

extern "C" __global__ void samples(struct objects t, const float *in, u32 *out)
{
	ME;
	PUT(0, tex1D<uint4>(t.line, p[0]));
	PUT(1, tex2D<uint4>(t.plane, p[0], p[1]));
	PUT(2, tex3D<uint4>(t.volume, p[0], p[1], p[2]));
	PUT(3, tex1DLayered<uint4>(t.lines, p[0], LAYER));
	PUT(4, tex2DLayered<uint4>(t.planes, p[0], p[1], LAYER));
	PUT(5, texCubemap<uint4>(t.cube, p[5], p[6], p[7]));
	PUT(6, texCubemapLayered<uint4>(t.cubes, p[5], p[6], p[7], LAYER));
	PUT(7, tex1Dfetch<uint4>(t.linear, LAYER));
}

/* The same with levels and differences, of which there is one level. */
extern "C" __global__ void levels(struct objects t, const float *in, u32 *out)
{
	ME;
	PUT(0, tex1DLod<uint4>(t.line, p[0], p[3]));
	PUT(1, tex2DGrad<uint4>(t.plane, p[0], p[1], make_float2(p[2], p[3]), make_float2(p[3], p[2])));
	PUT(2, tex3DLod<uint4>(t.volume, p[0], p[1], p[2], p[3]));
	PUT(3, tex1DLayeredGrad<uint4>(t.lines, p[0], LAYER, p[2], p[3]));
	PUT(4, tex2DLayeredLod<uint4>(t.planes, p[0], p[1], LAYER, p[3]));
	PUT(5, texCubemapLod<uint4>(t.cube, p[5], p[6], p[7], p[3]));
	PUT(6, texCubemapLayeredLod<uint4>(t.cubes, p[5], p[6], p[7], LAYER, p[3]));
	PUT(7, tex1Dfetch<uint4>(t.linear, LAYER));
}

/* Objects that differ from thread to thread. */
extern "C" __global__ void choices(const struct objects *all, const float *in, u32 *out)
{
	ME;
	const struct objects *t = &all[i % 3 == 1];
	PUT(0, tex1D<uint4>(t->line, p[0]));
	PUT(1, tex2D<uint4>(t->plane, p[0], p[1]));
	PUT(2, tex3D<uint4>(t->volume, p[0], p[1], p[2]));
	PUT(3, tex1DLayered<uint4>(t->lines, p[0], LAYER));
	PUT(4, tex2DLayeredGrad<uint4>(t->planes, p[0], p[1], LAYER, make_float2(p[2], p[3]), make_float2(p[3], p[2])));
	PUT(5, texCubemap<uint4>(t->cube, p[5], p[6], p[7]));
	PUT(6, texCubemapLayered<uint4>(t->cubes, p[5], p[6], p[7], LAYER));
	PUT(7, tex1Dfetch<uint4>(t->linear, LAYER));
}

/* Four channels of four elements; single channels; offsets; sizes. */
extern "C" __global__ void gathers(struct objects t, const float *in, u32 *out)
{
	ME;
	bool there;
	u32 v;
	PUT(0, tex2Dgather<uint4>(t.plane, p[0], p[1], 0));
	PUT(1, tex2Dgather<uint4>(t.plane, p[0], p[1], 3));
	uint4 q = tex2D<uint4>(t.plane, p[0], p[1], &there);
	o[8] = q.y;
	o[9] = q.w;
	o[10] = there;
	o[11] = tex2D<uint4>(t.plane, p[0], p[1]).z;
	asm volatile("tex.2d.v4.u32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8};" : "=r"(q.x), "=r"(q.y), "=r"(q.z),
	             "=r"(q.w) : "l"(t.plane), "f"(p[0]), "f"(p[1]), "r"(LAYER), "r"(-1));
	PUT(3, q);
	asm volatile("txq.width.b32 %0, [%1];" : "=r"(v) : "l"(t.volume));
	o[16] = v;
	asm volatile("txq.height.b32 %0, [%1];" : "=r"(v) : "l"(t.volume));
	o[17] = v;
	asm volatile("suq.depth.b32 %0, [%1];" : "=r"(v) : "l"(t.volume));
	o[18] = v;
}

#define ELEMENT int i = (int)THREAD, x = in[8 * i], y = in[8 * i + 1], z = in[8 * i + 2]

extern "C" __global__ void loads(struct objects s, const int *in, u32 *out)
{
	ELEMENT;
	u32 *o = out + 32 * i;
	o[0] = surf1Dread<unsigned char>(s.line, x, cudaBoundaryModeZero);
	o[1] = (u32)surf1Dread<short>(s.line, 2 * x, cudaBoundaryModeClamp);
	o[2] = surf2Dread<u32>(s.plane, 4 * x, y, cudaBoundaryModeZero);
	o[3] = surf1DLayeredread<u32>(s.lines, 4 * x, z, cudaBoundaryModeClamp);
	uint2 d = surf2DLayeredread<uint2>(s.planes, 8 * x, y, z, cudaBoundaryModeZero);
	o[4] = d.x;
	o[5] = d.y;
	PUT(2, surf3Dread<uint4>(s.volume, 16 * x, y, z, cudaBoundaryModeClamp));
}

extern "C" __global__ void stores(struct objects s, const int *in)
{
	ELEMENT;
	u32 v = (u32)i * 0x01010101u;
	surf2Dwrite(v, s.plane, 4 * x, y, cudaBoundaryModeZero);
	surf3Dwrite(make_uint4(v, v + 1, v + 2, v + 3), s.volume, 16 * x, y, z, cudaBoundaryModeZero);
	surf2DLayeredwrite((unsigned short)v, s.planes, 2 * x, y, z, cudaBoundaryModeZero);
	asm volatile("sured.b.add.1d.u32.zero [%0, {%1}], %2;" :: "l"(s.linear), "r"(4 * x), "r"(v));
	asm volatile("sured.b.min.1d.s32.zero [%0, {%1}], %2;" :: "l"(s.linear), "r"(4 * x + 64), "r"(v));
	asm volatile("sured.b.or.1d.b32.zero [%0, {%1}], %2;" :: "l"(s.linear), "r"(4 * x + 128), "r"(v));
}

extern "C" __global__ void outside(struct objects s, const int *in, u32 *out)
{
	out[THREAD] = surf2Dread<u32>(s.plane, 4 * in[8 * THREAD], 0);
}
