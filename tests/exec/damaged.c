/* damaged.c - fatbins and cubins with bytes that are wrong, and pieces of them: errors, and nothing worse
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: damaged [NUMBER]: so many of each kind, 200 at first
 */
#include "base/read_file.h"
#include "base/xalloc.h"
#include "traces/exec/exec.h"

#include <elf.h>
#include <unistd.h>

static uint64_t state = 99;

static uint32_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* Executes what can be loaded.  Returns false if something went wrong without words. */
static bool try(const void *bytes, size_t n, uint32_t sm, uint64_t *done)
{
	struct hd_exec_options o = { .most = 2000 };
	char *why = NULL;
	struct hd_exec *x = hd__exec_new(&o, &why);
	struct hd_exec_image *m = x ? hd__exec_load(x, bytes, n, sm, "damaged", &why) : NULL;
	bool good = m || why;

	for (size_t i = 0; m && i < 30; i++) {
		const struct hd_exec_kernel *k = hd__exec_kernel_at(m, i);
		uint64_t args[512] = { hd__exec_alloc(x, 4096), hd__exec_alloc(x, 65536), 8 };
		struct hd_exec_launch l = { .kernel = k, .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .args = args };
		struct hd_exec_fault f = { .status = HD_EXEC_DONE };

		if (!k || k->args > sizeof args)
			continue;
		l.nargs = k->args;
		good &= hd__exec_run(x, &l, NULL, NULL, &f) == HD_EXEC_DONE || *f.words;
		*done += f.status == HD_EXEC_DONE;
	}
	free(why);
	hd__exec_free(x);
	return good;
}

/* Is it refused with these words? */
static bool refused(const void *cubin, size_t n, uint32_t sm, const char *words)
{
	struct hd_exec_options o = { .most = 1 };
	char *why = NULL;
	struct hd_exec *x = hd__xcheck(hd__exec_new(&o, &why));
	bool good = !hd__exec_load(x, cubin, n, sm, "damaged", &why) && why && strstr(why, words);

	if (!good)
		printf("FAIL: '%s', expected '%s'\n", why ? why : "no error", words);
	free(why);
	hd__exec_free(x);
	return good;
}

/* Damage that has its own message, of the cubin for sm_80: arguments are not copied to where it says, and nothing is
 * left of what libelf decompressed. */
static unsigned refusals(const void *fatbin, size_t n)
{
	static const unsigned char parameter[] = { 0x04, 0x17, 0x0c, 0x00 };
	struct hd_exec_options o = { .most = 1 };
	char *why = NULL, *copy, *whole, *at;
	struct hd_exec *x = hd__xcheck(hd__exec_new(&o, &why));
	size_t size;
	const void *cubin = hd__exec_cubin(hd__xcheck(hd__exec_load(x, fatbin, n, 80, "whole", &why)), &size);
	Elf64_Ehdr h;
	Elf64_Shdr s;
	unsigned bad;

	whole = hd__xcheck(malloc(size));
	copy = hd__xcheck(malloc(size));
	memcpy(whole, cubin, size);
	hd__exec_free(x);
	bad = !refused(whole, size, 90, "a cubin for sm_80; expected one that a GPU of version 90 executes");
	memcpy(copy, whole, size);
	at = hd__xcheck(memmem(copy, size, parameter, sizeof parameter));
	memcpy(at + 10, "\x00\xff", 2);
	bad += !refused(copy, size, 80, "the cubin is damaged: parameter ");
	memcpy(copy, whole, size);
	memcpy(&h, copy, sizeof h);
	at = copy + h.e_shoff + (size_t)h.e_shstrndx * sizeof s;
	memcpy(&s, at, sizeof s);
	s.sh_flags |= SHF_COMPRESSED;
	memcpy(at, &s, sizeof s);
	bad += !refused(copy, size, 0, "of the cubin is compressed; expected none that is");
	free(whole);
	free(copy);
	return bad;
}

int main(int argc, char **argv)
{
	static const uint32_t versions[] = { 75, 80, 86, 89, 90, 120 };
	const char *folder = getenv("srcdir") ? getenv("srcdir") : ".";
	char *name = hd__format("%s/tests/exec/kernels.fatbin", folder), *fatbin, *lz4, *why = NULL;
	unsigned most = argc > 1 ? (unsigned)atoi(argv[1]) : 60, bad = 0;
	uint64_t done = 0;
	size_t n, nlz4;

	alarm(120); /* a launch that does not end is a failure */
	fatbin = hd__xcheck(hd__read_file(name, &n));
	free(name);
	name = hd__format("%s/tests/exec/linked_lz4.fatbin", folder);
	lz4 = hd__xcheck(hd__read_file(name, &nlz4));
	bad += refusals(fatbin, n);
	for (unsigned i = 0; i < most; i++) { /* the fatbin: an entry's head, a compressed part */
		char *copy = hd__xcheck(malloc(n));

		memcpy(copy, fatbin, n);
		copy[random_word() % (i % 2 ? 400 : n)] ^= (char)(1u << random_word() % 8);
		bad += !try(copy, i % 3 ? n : random_word() % n, versions[i % 6], &done);
		free(copy);
	}
	for (unsigned i = 0; i < most; i++) { /* the part that is compressed with LZ4 */
		char *copy = hd__xcheck(malloc(nlz4));

		memcpy(copy, lz4, nlz4);
		for (unsigned k = 0; k < 1 + i % 4; k++)
			copy[80 + random_word() % (nlz4 - 80)] ^= (char)(1u << random_word() % 8);
		bad += !try(copy, nlz4, 80, &done);
		free(copy);
	}
	for (unsigned i = 0; i < most * 6; i++) {
		struct hd_exec_options o = { .most = 1 };
		struct hd_exec *x = hd__xcheck(hd__exec_new(&o, &why));
		struct hd_exec_image *m = hd__xcheck(hd__exec_load(x, fatbin, n, versions[i % 6], "whole", &why));
		size_t size;
		const char *cubin = hd__exec_cubin(m, &size);
		char *copy = hd__xcheck(malloc(size));

		memcpy(copy, cubin, size);
		hd__exec_free(x);
		for (unsigned k = 0; k < 1 + i % 40; k++)
			copy[random_word() % size] ^= (char)(1u << random_word() % 8);
		bad += !try(copy, i % 7 ? size : random_word() % size, 0, &done);
		free(copy);
	}
	printf("%u without words, %llu launches done\n", bad, (unsigned long long)done);
	free(fatbin);
	free(lz4);
	free(name);
	return bad != 0 || done == 0;
}
