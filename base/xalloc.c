/* xalloc.c - allocation that ends the process with a message when memory runs out
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "xalloc.h"

#include <sys/mman.h>

#define HD_FENCE ((size_t)1 << 16)

_Thread_local jmp_buf *hd__memory_escape;

void hd__out_of_memory(void)
{
	if (hd__memory_escape)
		longjmp(*hd__memory_escape, 1);
	fputs("heddle: out of memory\n", stderr);
	exit(1);
}

void *hd__xlines(size_t n, size_t size)
{
	void *p = hd__xcheck(aligned_alloc(64, n * size));

	return memset(p, 0, n * size);
}

void *hd__xpages(size_t size)
{
#if HD_SANITIZED /* a false leak of what only the pages point to */
	return memset(hd__xcheck(aligned_alloc(256, (size + 255) / 256 * 256)), 0, size);
#else
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return hd__xcheck(p == MAP_FAILED ? NULL : p);
#endif
}

void hd__free_pages(void *p, size_t size)
{
#if HD_SANITIZED
	(void)size;
	free(p);
#else
	if (p != NULL)
		munmap(p, size);
#endif
}

void *hd__xfenced(size_t size)
{
	char *p = mmap(NULL, size + 2 * HD_FENCE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + HD_FENCE, size, PROT_READ | PROT_WRITE) != 0)
		hd__out_of_memory();
	return p + HD_FENCE;
}

void hd__free_fenced(void *p, size_t size)
{
	munmap((char *)p - HD_FENCE, size + 2 * HD_FENCE);
}

void *hd__xgrow_zero(void *v, size_t *n, size_t i, size_t size)
{
	size_t old = *n;

	v = hd__xreserve(v, i + 1, n, size);
	if (*n > old)
		memset((char *)v + old * size, 0, (*n - old) * size);
	return v;
}

/* The short buffer may be too short; then vasprintf() takes over. */
char *hd__xvprintf(const char *fmt, va_list ap)
{
	char buf[200], *s; /* most texts are short names, for which vasprintf() is slow */
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(buf, sizeof buf, fmt, ap);
	if (n >= 0 && (size_t)n < sizeof buf)
		s = memcpy(hd__xcheck(malloc((size_t)n + 1)), buf, (size_t)n + 1);
	else
		s = hd__xcheck(vasprintf(&s, fmt, again) < 0 ? NULL : s);
	va_end(again);
	return s;
}

char *hd__format(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = hd__xvprintf(fmt, ap);
	va_end(ap);
	return s;
}

char *hd__join(const char *a, const char *b, const char *c)
{
	size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
	char *s = hd__xcheck(malloc(na + nb + nc + 1));

	memcpy(s, a, na);
	memcpy(s + na, b, nb);
	memcpy(s + na + nb, c, nc + 1);
	return s;
}

const char *hd__digits(char buf[HD_DIGITS], size_t n)
{
	char *p = buf + HD_DIGITS - 1;

	*p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	return p;
}

char *hd__numbered(const char *head, size_t n, const char *tail)
{
	char buf[HD_DIGITS];

	return hd__join(head, hd__digits(buf, n), tail);
}

enum { BLOCK = 8192 }; /* bytes; what is larger than a quarter of it has a block of its own */

struct hd_store_block {
	struct hd_store_block *up;
	max_align_t bytes[];
};

static void *add_block(struct hd_store *s, size_t n)
{
	struct hd_store_block *b = hd__xcheck(malloc(sizeof *b + n));

	b->up = s->blocks;
	s->blocks = b;
	return b->bytes;
}

void *hd__store_grow(struct hd_store *s, size_t n)
{
	char *p;

	if (n > BLOCK / 4)
		return add_block(s, n);
	p = add_block(s, BLOCK);
	s->next = p + n;
	s->left = BLOCK - n;
	return p;
}

void hd__store_free(struct hd_store *s)
{
	struct hd_store_block *b = s->blocks, *up;

	for (; b != NULL; b = up) {
		up = b->up;
		free(b);
	}
	*s = (struct hd_store){ NULL };
}
