/* xalloc.h - allocation that ends the process with a message when memory runs out
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Without memory the program prints a message and exits with status 1; its unfinished output files are
 * removed on the way out.  Half of a netlist, of a row of the statistics or of a dump is worth nothing;
 * in the library the call returns an error, and that simulation is given up (memory.h).  It is
 * nearly always while a netlist is loaded: in a run the kernel allocates for rows of the statistics
 * and for a dump only.  Modules do not use them: they report what they cannot have with hd_error()
 * or hd_fail(), and a pool of records that is full fails the run.
 *
 * The caller owns the result.
 */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include "out_of_memory.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* An address sanitizer is to see each allocation for itself. */
#ifdef __has_feature
#define HD_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HD_SANITIZED 1
#else
#define HD_SANITIZED 0
#endif

static inline void *hd__xcheck(void *p)
{
	if (p == NULL)
		hd__out_of_memory();
	return p;
}

/* n zeroed elements; a valid pointer even for n = 0. */
static inline void *hd__xcalloc(size_t n, size_t size)
{
	return hd__xcheck(calloc(n ? n : 1, size ? size : 1));
}

/* Zeroed, from the start of a cache line: for elements that threads write, whose size is a multiple of one. */
static inline void *hd__xlines(size_t n, size_t size)
{
	void *p = hd__xcheck(aligned_alloc(64, n * size));

	return memset(p, 0, n * size);
}

/* Zeroed pages straight from the system, to be freed with the same size: for a large table of
 * which much may never be touched. */
static inline void *hd__xpages(size_t size)
{
#if HD_SANITIZED /* a false leak of what only the pages point to */
	return memset(hd__xcheck(aligned_alloc(256, (size + 255) / 256 * 256)), 0, size);
#else
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return hd__xcheck(p == MAP_FAILED ? NULL : p);
#endif
}

static inline void hd__free_pages(void *p, size_t size)
{
#if HD_SANITIZED
	(void)size;
	free(p);
#else
	if (p != NULL)
		munmap(p, size);
#endif
}

/* Zeroed records without pointers to other memory, of which few may ever be used: whole pages, of any size that pages
 * have, between some that nothing may touch.  An address sanitizer need not mark or search all of it. */
#define HD_FENCE ((size_t)1 << 16)

static inline void *hd__xfenced(size_t size)
{
	char *p = mmap(NULL, size + 2 * HD_FENCE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return hd__xcheck(p == MAP_FAILED || mprotect(p + HD_FENCE, size, PROT_READ | PROT_WRITE) != 0 ? NULL : p + HD_FENCE);
}

static inline void hd__free_fenced(void *p, size_t size)
{
	munmap((char *)p - HD_FENCE, size + 2 * HD_FENCE);
}

static inline void *hd__xrealloc(void *p, size_t size)
{
	return hd__xcheck(realloc(p, size ? size : 1));
}

/* Growing arrays: v has elements of `size` bytes.  The functions return it, moved or not; it at
 * least doubles when it grows. */

/* Room for n elements; *cap is how many there is room for. */
static inline void *hd__xreserve(void *v, size_t n, size_t *cap, size_t size)
{
	if (n <= *cap)
		return v;
	*cap = 2 * *cap > n ? 2 * *cap : n;
	if (*cap < 16)
		*cap = 16;
	return hd__xcheck(reallocarray(v, *cap, size));
}

/* Room for one more element after n. */
static inline void *hd__xgrow(void *v, size_t n, size_t *cap, size_t size)
{
	return hd__xreserve(v, n + 1, cap, size);
}

/* The same for an array that grows by this function alone: its room follows from n. */
static inline void *hd__xappend(void *v, size_t n, size_t size)
{
	return n & (n - 1) ? v : hd__xcheck(reallocarray(v, n ? 2 * n : 1, size));
}

/* Room for element i; the elements from *n on, where the room ended, become zero. */
static inline void *hd__xgrow_zero(void *v, size_t *n, size_t i, size_t size)
{
	size_t old = *n;

	v = hd__xreserve(v, i + 1, n, size);
	if (*n > old)
		memset((char *)v + old * size, 0, (*n - old) * size);
	return v;
}

static inline char *hd__xstrdup(const char *s)
{
	return hd__xcheck(strdup(s));
}

static inline char *hd__xstrndup(const char *s, size_t n)
{
	return hd__xcheck(strndup(s, n));
}

/* The short buffer may be too short; then vasprintf() takes over. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-truncation"
#endif
static inline char *hd__xvprintf(const char *fmt, va_list ap)
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
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

__attribute__((format(printf, 1, 2))) static inline char *hd__format(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = hd__xvprintf(fmt, ap);
	va_end(ap);
	return s;
}

/* Concatenates the texts.  Used for JSON pointers by the hundred, for which hd__format() would be
 * slow. */
static inline char *hd__join(const char *a, const char *b, const char *c)
{
	size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
	char *s = hd__xcheck(malloc(na + nb + nc + 1));

	memcpy(s, a, na);
	memcpy(s + na, b, nb);
	memcpy(s + na + nb, c, nc + 1);
	return s;
}

enum { HD_DIGITS = 24 }; /* bytes that hold a number */

/* The number as text, somewhere in the buffer. */
static inline const char *hd__digits(char buf[HD_DIGITS], size_t n)
{
	char *p = buf + HD_DIGITS - 1;

	*p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	return p;
}

/* "head", the number, "tail". */
static inline char *hd__numbered(const char *head, size_t n, const char *tail)
{
	char buf[HD_DIGITS];

	return hd__join(head, hd__digits(buf, n), tail);
}

#endif
