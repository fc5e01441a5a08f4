/* xalloc.h - allocation that ends the process with a message when memory runs out
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Without memory the program prints a message and exits with status 1; its unfinished output files are
 * removed on the way out.  Half of a netlist, of a row of the statistics or of a dump is worth nothing;
 * in the library the call returns an error, and that simulation is given up (hd__memory_escape).
 * Memory runs out nearly always while a netlist is loaded: in a run the kernel allocates for rows of the statistics
 * and for a dump only.  Modules do not use them: they report what they cannot have with hd_error()
 * or hd_fail(), and a pool of records that is full fails the run.
 *
 * The caller owns the result.
 */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An address sanitizer is to see each allocation for itself. */
#ifdef __has_feature
#define HD_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HD_SANITIZED 1
#else
#define HD_SANITIZED 0
#endif

/* Where this thread continues when memory runs out: set by the library around each call, so that it
 * can return an error.  NULL: the process ends. */
extern _Thread_local jmp_buf *hd__memory_escape;

_Noreturn void hd__out_of_memory(void);

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
void *hd__xlines(size_t n, size_t size);

/* Zeroed pages straight from the system, to be freed with the same size: for a large table of
 * which much may never be touched. */
void *hd__xpages(size_t size);

void hd__free_pages(void *p, size_t size);

/* Zeroed records without pointers to other memory, of which few may ever be used: whole pages, of any size that pages
 * have, between some that nothing may touch.  An address sanitizer need not mark or search all of it. */
void *hd__xfenced(size_t size);

void hd__free_fenced(void *p, size_t size);

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

/* Room for one more element after n of an array that grows by this function alone: its room follows from n. */
static inline void *hd__xappend(void *v, size_t n, size_t size)
{
	return n & (n - 1) ? v : hd__xcheck(reallocarray(v, n ? 2 * n : 1, size));
}

/* Room for element i; the elements from *n on, where the room ended, become zero. */
void *hd__xgrow_zero(void *v, size_t *n, size_t i, size_t size);

static inline char *hd__xstrdup(const char *s)
{
	return hd__xcheck(strdup(s));
}

static inline char *hd__xstrndup(const char *s, size_t n)
{
	return hd__xcheck(strndup(s, n));
}

char *hd__xvprintf(const char *fmt, va_list ap);

char *hd__format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Concatenates the texts.  Used for JSON pointers by the hundred, for which hd__format() would be
 * slow. */
char *hd__join(const char *a, const char *b, const char *c);

enum { HD_DIGITS = 24 }; /* bytes that hold a number */

/* The number as text, somewhere in the buffer. */
const char *hd__digits(char buf[HD_DIGITS], size_t n);

/* "head", the number, "tail". */
char *hd__numbered(const char *head, size_t n, const char *tail);

/* ---- strings and small structures that are freed all at once, with what they belong to ----
 *
 * A netlist has many short strings, and malloc() and free() take longer than all else that is done with one.
 */

/* Zero-initialise. */
struct hd_store {
	struct hd_store_block *blocks;
	char *next;
	size_t left; /* bytes from `next` on */
};

/* n bytes in a block of their own or in a new one; for hd__store_room(). */
void *hd__store_grow(struct hd_store *s, size_t n);
/* Frees everything in it. */
void hd__store_free(struct hd_store *s);

/* n bytes, aligned for pointers and 64-bit integers; n is below half of the address space. */
static inline void *hd__store_room(struct hd_store *s, size_t n)
{
	char *p = s->next;

	n = (n + 7) / 8 * 8;
	if (n > s->left)
		return hd__store_grow(s, n);
	s->next += n;
	s->left -= n;
	return p;
}

/* A copy of the first n bytes, which have no NUL, and of a string. */
static inline char *hd__store_bytes(struct hd_store *s, const char *text, size_t n)
{
	char *p = hd__store_room(s, n + 1);

	memcpy(p, text, n);
	p[n] = '\0';
	return p;
}

static inline char *hd__store_text(struct hd_store *s, const char *text)
{
	return hd__store_bytes(s, text, strlen(text));
}

/* The text a and behind it b. */
static inline char *hd__store_join(struct hd_store *s, const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	char *p = hd__store_room(s, na + nb + 1);

	memcpy(p, a, na);
	memcpy(p + na, b, nb + 1);
	return p;
}

/* "head" and the number. */
static inline char *hd__store_numbered(struct hd_store *s, const char *head, size_t n)
{
	char buf[HD_DIGITS];

	return hd__store_join(s, head, hd__digits(buf, n));
}

#endif
