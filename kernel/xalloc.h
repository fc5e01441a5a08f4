/* xalloc.h - memory that is there, or the process ends and says so
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For loading only: nothing is allocated while a simulation runs.  The caller owns what it gets.
 */
#ifndef KERNEL_XALLOC_H
#define KERNEL_XALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *hd__xcheck(void *p)
{
	if (p == NULL) {
		fputs("heddle: out of memory\n", stderr);
		exit(1);
	}
	return p;
}

/* n zeroed elements; a valid pointer even for none. */
static inline void *hd__xcalloc(size_t n, size_t size)
{
	return hd__xcheck(calloc(n ? n : 1, size ? size : 1));
}

static inline void *hd__xrealloc(void *p, size_t size)
{
	return hd__xcheck(realloc(p, size ? size : 1));
}

/* Room for one more element behind n; doubles *cap when it is used up. */
static inline void *hd__xgrow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 16;
	return hd__xcheck(reallocarray(v, *cap, size));
}

static inline char *hd__xstrdup(const char *s)
{
	return hd__xcheck(strdup(s));
}

static inline char *hd__xstrndup(const char *s, size_t n)
{
	return hd__xcheck(strndup(s, n));
}

static inline char *hd__xvprintf(const char *fmt, va_list ap)
{
	char *s;

	return hd__xcheck(vasprintf(&s, fmt, ap) < 0 ? NULL : s);
}

__attribute__((format(printf, 1, 2))) static inline char *hd__format(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = hd__xvprintf(fmt, ap);
	va_end(ap);
	return s;
}

#endif
