/* store.h - strings and small structures that are freed all at once, with what they belong to
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A netlist has many short strings, and malloc() and free() take longer than all else that is done with one.
 */
#ifndef BASE_STORE_H
#define BASE_STORE_H

#include "xalloc.h"

#include <stddef.h>
#include <string.h>

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
