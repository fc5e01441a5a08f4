/* exec_fault.c - what ends a launch, in words
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_machine.h"

#include <inttypes.h>

char *hd__exec_text(const struct hd_exec_image *m, uint32_t pc)
{
	const struct exec_code *c = exec_code_at(m, pc);
	const unsigned char *p;
	struct sass_word word;
	char *text;

	if (!c)
		return hd__xstrdup("nothing");
	p = c->words + (size_t)(pc - c->first) * SASS_BYTES;
	memcpy(&word.lo, p, 8); /* little endian, as the machines that have such GPUs are */
	memcpy(&word.hi, p + 8, 8);
	text = hd__sass_decode(word, m->sm, (pc - c->first) * SASS_BYTES);
	return text ? text : hd__format("0x%016" PRIx64 "%016" PRIx64, word.hi, word.lo);
}

void hd__exec_fail(struct exec_warp *w, uint32_t pc, uint32_t lanes, enum hd_exec_status status, uint64_t address,
                   const char *what, ...)
{
	struct hd_exec_run *r = w->run;
	struct hd_exec_fault *f = r->fault;
	const struct exec_code *c = exec_code_at(r->image, pc);
	const uint32_t *block = r->launch->block;
	uint32_t thread = w->number * EXEC_LANES + (lanes ? (uint32_t)__builtin_ctz(lanes) : 0);
	char *text = hd__exec_text(r->image, pc), *why;
	va_list ap;

	if (!r->failed) {
		va_start(ap, what);
		why = hd__xvprintf(what, ap);
		va_end(ap);
		*f = (struct hd_exec_fault){ .status = status,
					     .kernel = c ? c->name : r->kernel->name,
					     .address = address,
					     .pc = c ? (pc - c->first) * SASS_BYTES : 0,
					     .thread = { thread % block[0], thread / block[0] % block[1],
							 thread / block[0] / block[1] } };
		memcpy(f->block, w->block->at, sizeof f->block);
		snprintf(f->words, sizeof f->words,
			 "kernel '%s', pc 0x%x, '%s', block (%u,%u,%u), thread (%u,%u,%u): %s", f->kernel, f->pc,
			 text, f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2], why);
		free(why);
	}
	free(text);
	r->failed = true;
}
