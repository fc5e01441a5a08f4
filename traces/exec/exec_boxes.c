/* exec_boxes.c - boxes of tensors, which bulk copies move between global and shared memory
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_ops.h"

/* The part of a box that is in the tensor: by dimension its first element, and how many. */
struct inside {
	uint32_t first[5], n[5];
};

static void clip(const struct hd_exec_tensor *t, const int32_t *at, struct inside *in)
{
	for (unsigned i = 0; i < t->rank; i++) {
		uint32_t first = 0, end = t->box[i];

		while (first < end && (int64_t)at[i] + (int64_t)first * t->step[i] < 0)
			first++;
		while (end > first && (int64_t)at[i] + (int64_t)(end - 1) * t->step[i] >= (int64_t)t->size[i])
			end--;
		in->first[i] = first;
		in->n[i] = end - first;
	}
}

/* Where an element is in global memory; index: in the box. */
static uint64_t address_of(const struct hd_exec_tensor *t, const int32_t *at, const uint32_t *index)
{
	uint64_t a = t->base;

	for (unsigned i = 0; i < t->rank; i++)
		a += (uint64_t)((int64_t)at[i] + (int64_t)index[i] * t->step[i]) * (i ? t->stride[i - 1] : t->bytes);
	return a;
}

/* What a line of a trace says: pieces of whole 16 bytes. */
static void note(struct exec_warp *w, const struct hd_exec_tensor *t, const int32_t *at, const struct inside *in)
{
	struct exec_bulk *k = &w->bulk;
	uint64_t address = address_of(t, at, in->first) / 16 * 16;

	*k = (struct exec_bulk){ .all = t->bytes, .bytes = (in->n[0] * t->bytes + 15) / 16 * 16 };
	for (unsigned i = 0; i < t->rank; i++) {
		k->all *= t->box[i];
		if (in->n[i] == 0)
			k->bytes = 0;
		if (i == 0)
			continue;
		k->count[i - 1] = in->n[i];
		k->stride[i - 1] = (int64_t)t->stride[i - 1] * t->step[i];
	}
	k->dimensions = k->bytes ? t->rank - 1 : 0;
	for (unsigned i = 0; i < EXEC_LANES; i++)
		w->address[i] = k->bytes ? address : 0;
}

/* A row of the box, between global memory and `line`; returns false after a fault. */
static bool move_row(struct exec_warp *w, const struct exec_op *o, const struct exec_box *x, uint64_t address,
		     uint32_t n, unsigned char *line, unsigned lane)
{
	uint32_t bytes = n * x->t.bytes;
	unsigned char *p = hd__exec_generic(w, exec_pc(w, o), address, bytes, lane);

	if (!p)
		return false;
	if (x->how == EXEC_TENSOR_STORE)
		memcpy(p, line, bytes);
	else if (x->how == EXEC_TENSOR_REDUCE)
		EXEC_NAME(reduce)(x->reduction, x->t.type, p, line, bytes);
	else
		memcpy(line, p, bytes);
	return true;
}

/* What a row has outside of the tensor. */
static void fill_row_outside(const struct hd_exec_tensor *t, unsigned char *line)
{
	static const unsigned char all[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };

	memset(line, 0, (size_t)t->box[0] * t->bytes);
	for (uint32_t i = 0; t->nan && i < t->box[0]; i++)
		memcpy(line + (size_t)i * t->bytes, all + 8 - t->bytes, t->bytes);
}

/* Between `line` and shared memory, 16 bytes at a time, whose places the swizzle exchanges. */
static bool move_line(struct exec_warp *w, const struct exec_op *o, const struct hd_exec_tensor *t, uint32_t shared,
		      uint32_t bytes, unsigned char *line, bool loads, unsigned lane)
{
	for (uint32_t i = 0; i < bytes; i += 16) {
		uint32_t to = shared + i;
		unsigned char *p;

		to ^= t->swizzle ? to >> 3 & (t->swizzle - 16) : 0;
		p = hd__exec_remote(w, exec_pc(w, o), to, 16, lane, NULL);
		if (!p)
			return false;
		if (loads)
			memcpy(p, line + i, 16);
		else
			memcpy(line + i, p, 16);
	}
	return true;
}

/* Elements that a copy moves, in place of those that it passes. */
static void take_steps(struct hd_exec_tensor *t)
{
	t->step[0] = 1;
	for (unsigned i = 1; i < t->rank; i++)
		t->box[i] = (t->box[i] + t->step[i] - 1) / t->step[i];
}

/* Is what is asked for sensible?  Else after a fault. */
static bool check(struct exec_warp *w, const struct exec_op *o, const struct exec_box *x, unsigned lane)
{
	if (x->how != EXEC_TENSOR_PREFETCH && x->shared % 128) {
		hd__exec_fail(w, exec_pc(w, o), UINT32_C(1) << lane, HD_EXEC_ADDRESS, x->shared,
			      "a bulk copy at 0x%x of shared memory; expected a multiple of 128", x->shared);
		return false;
	}
	if (x->how == EXEC_TENSOR_REDUCE && !EXEC_NAME(reduces)(x->reduction, x->t.type)) {
		hd__exec_fail(w, exec_pc(w, o), UINT32_C(1) << lane, HD_EXEC_ADDRESS, x->t.base,
			      "a reduction of elements of %u bytes, of whose type there is none", x->t.bytes);
		return false;
	}
	return true;
}

bool hd__exec_tensor_copy(struct exec_warp *w, const struct exec_op *o, const struct exec_box *box, unsigned lane)
{
	struct exec_box x = *box;
	struct hd_exec_tensor *t = &x.t;
	uint32_t inner, rows = 1;
	bool loads = x.how == EXEC_TENSOR_LOAD;
	unsigned char line[256 * 8];
	struct inside in = { .n = { 0 } };

	take_steps(t);
	if (!check(w, o, &x, lane))
		return false;
	inner = t->box[0] * t->bytes;
	clip(t, x.at, &in);
	for (unsigned i = 1; i < t->rank; i++)
		rows *= t->box[i];
	for (uint32_t r = 0; x.how != EXEC_TENSOR_PREFETCH && r < rows; r++) {
		uint32_t left = r, here[5] = { in.first[0] };
		bool is = in.n[0] > 0;

		for (unsigned i = 1; i < t->rank; i++) {
			here[i] = left % t->box[i];
			left /= t->box[i];
			is &= here[i] - in.first[i] < in.n[i];
		}
		if (loads)
			fill_row_outside(t, line);
		else if (!move_line(w, o, t, x.shared + r * inner, inner, line, false, lane))
			return false;
		if (is
		    && !move_row(w, o, &x, address_of(t, x.at, here), in.n[0], line + in.first[0] * t->bytes, lane))
			return false;
		if (loads && !move_line(w, o, t, x.shared + r * inner, inner, line, true, lane))
			return false;
	}
	note(w, t, x.at, &in);
	return true;
}
