/* state.c - libheddle: the state of a run in a file
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "handle.h"
#include "base/json_read.h"
#include "kernel/save/save.h"
#include "kernel/flatten.h"

#include <errno.h>
#include <unistd.h>

static int HD_PRINTF(3, 4) wrong(struct heddle *h, int result, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hd__diagv(&h->diags, HD_DIAG_ERROR, NULL, 0, 0, fmt, ap);
	va_end(ap);
	return result;
}

/* Whole or not at all: under another name first.  Returns false with an error in errno, or with the reason
 * why what it saves could not be loaded. */
static bool write_file(struct heddle *h, const char *file, char **refused)
{
	json_t *netlist = hd__flatten(h->sim, NULL);
	char *part = hd__format("%s.%ld.part", file, (long)getpid());
	FILE *f;
	bool ok;
	int why;

	unlink(part); /* whatever it is: a link is not followed */
	f = fopen(part, "wbx");
	ok = f && hd__checkpoint_write(h->sim, netlist, f, refused);
	why = errno;

	if (f && fclose(f) != 0 && ok) {
		why = errno;
		ok = false;
	}
	if (ok && rename(part, file) != 0) {
		why = errno;
		ok = false;
	}
	if (!ok && f)
		unlink(part);
	free(part);
	json_decref(netlist);
	errno = why;
	return ok;
}

static int save(struct heddle *h, const void *file)
{
	char *names, *refused = NULL;
	int result;

	if (!h->sim)
		return wrong(h, HEDDLE_BAD_CALL, "heddle_save() without a netlist; expected heddle_load() before");
	if (!file)
		return wrong(h, HEDDLE_BAD_CALL, "heddle_save() without a file");
	if (!h->opt.saves)
		return wrong(h, HEDDLE_BAD_CALL, "heddle_save() of a handle without the flag HEDDLE_SAVES; expected "
		                                 "it before heddle_load()");
	if (h->result != HEDDLE_OK || hd__sim_cycles(h->sim) == 0)
		return wrong(h, HEDDLE_BAD_CALL, "heddle_save() of a run that has %s; expected one between its cycles",
		             h->result != HEDDLE_OK ? "ended" : "not begun");
	names = hd__not_saved(h->sim);
	if (names) {
		result = wrong(h, HEDDLE_FAILED, "heddle_save(): modules that cannot be saved: %s; expected modules "
		                                 "with 'checkpoint' in their descriptor", names);
		free(names);
		return result;
	}
	if (write_file(h, file, &refused))
		return HEDDLE_OK;
	if (refused) {
		result = wrong(h, HEDDLE_FAILED, "heddle_save(): the state could not be loaded: %s", refused);
		free(refused);
		return result;
	}
	return wrong(h, HEDDLE_FAILED, "heddle_save(): %s: %s", (const char *)file, strerror(errno));
}

int heddle_save(struct heddle *h, const char *file)
{
	return hd__guarded(h, save, file);
}

static int restore(struct heddle *h, const void *file)
{
	json_t *netlist;
	char *bytes, *why;
	size_t n;
	int result = HEDDLE_OK;

	if (!h->sim)
		return wrong(h, HEDDLE_BAD_CALL, "heddle_restore() without a netlist; expected heddle_load() before");
	if (!file)
		return wrong(h, HEDDLE_BAD_CALL, "heddle_restore() without a file");
	if (h->result != HEDDLE_OK || hd__sim_cycles(h->sim) > 0)
		return wrong(h, HEDDLE_BAD_CALL, "heddle_restore() after the run has begun; expected it before "
		                                 "heddle_run()");
	bytes = hd__read_file(file, &n);
	if (!bytes)
		return wrong(h, HEDDLE_BAD_INPUT, "heddle_restore(): %s: %s", (const char *)file, hd__input_why(errno));
	netlist = hd__flatten(h->sim, NULL);
	why = hd__checkpoint_parse(h->sim, netlist, bytes, n);
	if (why) {
		result = wrong(h, HEDDLE_BAD_INPUT, "heddle_restore(): %s: %s", (const char *)file, why);
		hd__sim_free(h->sim); /* half of it may be loaded */
		h->sim = NULL;
	}
	free(why);
	free(bytes);
	json_decref(netlist);
	return result;
}

int heddle_restore(struct heddle *h, const char *file)
{
	return hd__guarded(h, restore, file);
}
