/* trace_host.c - messages of the readers of traces; the host of a program without a simulation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_host.h"

#include "base/read_file.h"
#include "base/xalloc.h"

#include <errno.h>
#include <unistd.h>

int hd__trace_error(const struct trace_host *host, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	host->say(host->self, HD_DIAG_ERROR, fmt, ap);
	va_end(ap);
	return -1;
}

void hd__trace_warn(const struct trace_host *host, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	host->say(host->self, HD_DIAG_WARNING, fmt, ap);
	va_end(ap);
}

/* ---- files ---- */

int hd__trace_file(const struct trace_host *host, const char *path, int kind)
{
	const char *why = NULL;
	int fd = host->open(host->self, path, &why);

	if (fd < 0 && errno == ENOENT && (kind & TRACE_FILE_ABSENT))
		return TRACE_NO_FILE;
	if (fd < 0)
		return hd__trace_error(host, "%s: cannot open: %s", path, why);
	why = hd__input_refused(fd, kind & TRACE_FILE_PIPE);
	if (!why)
		return fd;
	close(fd);
	return hd__trace_error(host, "%s: %s", path, why);
}

char *hd__trace_file_text(const struct trace_host *host, const char *path, int fd, size_t most, size_t *n)
{
	char *text = hd__input_rest(fd, most, n);
	int why = errno;

	close(fd);
	if (!text && why == EFBIG)
		hd__trace_error(host, "%s: is larger than %zu MiB; expected a smaller file", path, most >> 20);
	else if (!text)
		hd__trace_error(host, "%s: cannot read: %s", path, hd__input_why(why));
	return text;
}

/* ---- the host of a program ---- */

static void say(void *self, enum hd_severity severity, const char *fmt, va_list ap)
{
	struct trace_program_host *h = self;

	hd__diagv(h->diags, severity, NULL, 0, 0, fmt, ap);
}

static int open_file(void *self, const char *path, const char **why)
{
	(void)self;
	return hd__input_open(path, why);
}

static uint32_t class_number(void *self, const char *name)
{
	struct trace_program_host *h = self;

	for (uint32_t i = 0; i < h->classes; i++)
		if (strcmp(h->class[i], name) == 0)
			return i;
	if (h->classes == sizeof h->class / sizeof *h->class)
		return UINT32_MAX;
	h->class[h->classes] = hd__xstrdup(name);
	return h->classes++;
}

static const char *class_name(void *self, uint32_t number)
{
	const struct trace_program_host *h = self;

	return number < h->classes ? h->class[number] : "?";
}

void hd__trace_host_init(struct trace_program_host *h, struct hd_diags *diags)
{
	*h = (struct trace_program_host){
		.host = { .self = h, .say = say, .open = open_file, .class_number = class_number,
		          .class_name = class_name },
		.diags = diags,
	};
}

void hd__trace_host_free(struct trace_program_host *h)
{
	for (uint32_t i = 0; i < h->classes; i++)
		free(h->class[i]);
}
