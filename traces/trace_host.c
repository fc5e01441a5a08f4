/* trace_host.c - messages of the readers of traces; the host of a program without a simulation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_host.h"

#include "base/output.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
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

/* ---- the host of a program ---- */

static void say(void *self, enum hd_severity severity, const char *fmt, va_list ap)
{
	struct trace_program_host *h = self;

	hd__diagv(h->diags, severity, NULL, 0, 0, fmt, ap);
}

static int open_file(void *self, const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	(void)self;
	if (fd < 0) {
		*why = strerror(errno);
	} else if (!hd__input_note(fd)) {
		*why = "the output would replace it; expected another name for what is written";
		close(fd);
		fd = -1;
	}
	return fd;
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
