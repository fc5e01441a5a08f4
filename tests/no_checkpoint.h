/* no_checkpoint.h - functions of checkpoints, for tests of modules without the kernel: nothing is saved
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_NO_CHECKPOINT_H
#define TESTS_NO_CHECKPOINT_H

#include <heddle/module.h>

#include <stdlib.h>

void hd_saved(struct hd_checkpoint *k, void *p, size_t bytes)
{
	(void)k;
	(void)p;
	(void)bytes;
	abort();
}

void hd_saved_maybe(struct hd_checkpoint *k, void *p, size_t bytes)
{
	hd_saved(k, p, bytes);
}

uint64_t hd_saved_number(struct hd_checkpoint *k, uint64_t n, uint64_t most)
{
	(void)most;
	hd_saved(k, NULL, 0);
	return n;
}

void hd_saved_text(struct hd_checkpoint *k, const char **text)
{
	hd_saved(k, text, 0);
}

bool hd_loads(const struct hd_checkpoint *k)
{
	(void)k;
	abort();
}

void hd_refuse(struct hd_checkpoint *k, const char *fmt, ...)
{
	(void)fmt;
	hd_saved(k, NULL, 0);
}

void hd_nothing_saved(void *state, struct hd_checkpoint *k)
{
	hd_saved(k, state, 0);
}

bool hd_may_save(const struct hd_ctx *c)
{
	(void)c;
	return false;
}

#endif
