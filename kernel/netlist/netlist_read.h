/* netlist_read.h - shared by the files that read a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_NETLIST_NETLIST_READ_H
#define KERNEL_NETLIST_NETLIST_READ_H

#include "netlist.h"
#include "base/pointer.h"

/* ---- expressions (netlist_expr.c) ---- */

/* Gives the value of a name.  Returns false after reporting that it has none. */
typedef bool hd_expr_name(void *arg, const char *name, int64_t *value);

/* Evaluates the n characters at `text`, "a * 2", "(a + b) / 2", "max(a, b)": integers, exact division.  Messages
 * quote `whole`.  Returns false if that fails; *problem is then the message (the caller frees it), or NULL if `name`
 * has reported. */
bool hd__expr(const char *text, size_t n, const char *whole, hd_expr_name *name, void *arg,
              int64_t *value, char **problem);
/* Calls `found` for each name in an expression, well formed or not. */
void hd__expr_names(const char *text, void (*found)(void *arg, const char *name), void *arg);

/* ---- parameters of the netlist (scope.c) ---- */

struct hd_scope;
struct hd_part;
struct hd_frame;

/* A small file may be built to take hours: values that double from parameter to parameter, changes of each of
 * many links.  So all reading counts its steps: one for each value, each time that it is read, and more for what
 * takes longer.  docs/netlist.md, Limits, has the table. */
#define HD_MOST_STEPS (UINT64_C(1) << 24)

enum {
	HD_MEMBER_TAKES = 8, /* a parameter or export */
	HD_END_TAKES = 4,    /* each end of a link or export */
	HD_CLOCK_TAKES = 32,
	HD_CHANGE_TAKES = 16, /* inside of a netlist, or of a link and of each of its members */
	HD_DOC_TAKES = 48,   /* a netlist that stands in another, or differs by changes inside */
	HD_OWN_TAKES = 16,   /* an element with parameters of its own */
	HD_COPIES = 2,       /* so many values are copied in a step; a member of an object counts as several */
};

/* Counts steps.  Returns false if there are too many in all; n->full is set then. */
bool hd__netlist_grows(struct hd_netlist *n, uint64_t steps);
/* Reports n->full, if it is set, the first time.  What is being read when it is set reports it as soon as it has a
 * place for that; all reading then ends. */
void hd__netlist_full(struct hd_netlist *n, struct hd_diags *d, const char *at, const char *member);
/* Counts steps for what is at the place.  Returns false if there are too many in all, after reporting that once. */
bool hd__netlist_takes(struct hd_netlist *n, struct hd_diags *d, uint64_t steps, const char *at,
                       const char *member);

/* Reads the "params" of a part.  `given`: values for some of them, or NULL.  The caller
 * reports names in `given` that the part does not have. */
struct hd_scope *hd__scope_new(struct hd_netlist *n, const struct hd_part *part,
                               const json_t *given, struct hd_diags *d);
/* The value with every "$" string in it replaced; a new reference.  A string that cannot be
 * replaced is reported and becomes null; a null in the file is reported too.  Members named "doc"
 * are left alone.  Parts may be shared with other values: do not change the result. */
json_t *hd__resolve(struct hd_scope *s, json_t *value, const char *at);
/* Reports parameters that nothing reads. */
void hd__scope_unread(struct hd_scope *s);
void hd__scope_free(struct hd_scope *s);

/* ---- one object of the file (entry.c) ---- */

struct hd_entry {
	const struct hd_netlist *n;
	struct hd_diags *d;
	json_t *o;        /* resolved; the entry holds a reference */
	const char *at;   /* its JSON pointer */
	const char *what; /* "clock 'core'" */
};

enum hd_got { HD_GOT_NONE, HD_GOT_BAD, HD_GOT };

/* Each gets a member of one type: HD_GOT_NONE and *v untouched if the entry has none, HD_GOT_BAD
 * after reporting that its type or value is wrong. */
enum hd_got hd__entry_string(const struct hd_entry *e, const char *member, const char **v);
enum hd_got hd__entry_name(const struct hd_entry *e, const char *member, const char **v);
/* The name of a clock; a full name may have dots. */
enum hd_got hd__entry_clock(const struct hd_entry *e, const char *member, const char **v);
enum hd_got hd__entry_u64(const struct hd_entry *e, const char *member, uint64_t min, uint64_t max,
                          uint64_t *v);
enum hd_got hd__entry_u32(const struct hd_entry *e, const char *member, uint32_t min, uint32_t max,
                          uint32_t *v);
enum hd_got hd__entry_bool(const struct hd_entry *e, const char *member, bool *v);
/* "MEMBER of WHAT: expected EXPECTED, found ..." */
void hd__entry_wrong(const struct hd_entry *e, const char *member, const char *expected,
                     const json_t *found);
/* Reports members that are not in `known` (NULL-terminated, at most 32), and a "doc" that is not a string.  Returns
 * which of `known` are there: bit i is that of known[i]. */
uint32_t hd__entry_known(const struct hd_entry *e, const char *const *known);

enum { HD_HINT = 1000 };
/* "; did you mean 'NAME'?" or "; LEAD NAMES", of the members of `all` but "doc".  Returns the buffer. */
const char *hd__hint(struct hd_diags *d, const char *word, json_t *all, const char *lead, char hint[HD_HINT]);

/* ---- freeing what was read ---- */

void hd__free_clocks(struct hd_netlist *n);
void hd__free_instances(struct hd_netlist *n);
void hd__free_links(struct hd_netlist *n);

/* ---- names (netlist_diag.c) ---- */

/* Returns false after reporting a key that is not a name.  With `path`, names with dots are
 * accepted. */
bool hd__check_name(const struct hd_netlist *n, struct hd_diags *d, const char *at,
                    const char *name, const char *what, bool path);

#endif
