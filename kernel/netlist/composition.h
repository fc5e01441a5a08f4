/* composition.h - what a netlist is made of: files, changes to them, netlists inside of netlists
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	source   a file, or one change from the command line
 *	doc      a source, what it extends, and the changes that apply to it: one JSON value
 *	part     a doc in use, with parameters: the whole, or an instance in another
 *	frame    one element of a part: the prefix of its names
 *
 * Messages name a place as "POINTER" (in part 0), "PART:POINTER" or "@SOURCE:POINTER".
 */
#ifndef KERNEL_NETLIST_COMPOSITION_H
#define KERNEL_NETLIST_COMPOSITION_H

#include "netlist_read.h"

struct hd_source {
	char *file;       /* its name in messages; "--set a=1" if it is not a file */
	char *real;       /* realpath(3), to recognise the same file under two names */
	char *text;       /* NULL: not a file */
	char *inside;     /* pointer to `root` in the text, which is another source's; NULL: it is all */
	json_t *root;
	uint32_t up;      /* extending files while they are read: index + 1 of the one before */
	struct hd_doc *doc; /* the latest that begins with it */
	struct hd_found found; /* by messages */
};

/* A change to the inside of an instance that is a netlist. */
struct hd_inner_change {
	char *instance;
	uint32_t element;
	bool all;         /* elements */
	char *path;       /* inside of it */
	json_t *value;
	char *at;
	size_t next;      /* of the same instance: index + 1; 0: none */
};

struct hd_doc {
	struct hd_netlist *n;
	json_t *root;
	uint32_t source;  /* holds the values that `origin` does not name */
	uint32_t top;     /* the requested source: it may extend `source` */
	json_t *origin;   /* pointer -> "@SOURCE:POINTER" */
	json_t *around;   /* pointer of a value -> list of the pointers right inside of it that have or had an
	                   * origin, or one inside */
	json_t *before;   /* list of earlier roots: parameters that they read count as read */
	struct hd_inner_change *inner;
	size_t ninner, cap;
	json_t *inner_of; /* instance -> [index + 1 of the first, of the last]; or NULL */
	json_t *ranges;   /* instance -> members of its "elements" up to the last range; or NULL */
	bool changed;     /* by the command line or by an enclosing netlist */
};

/* ---- netlist_source.c ---- */

/* Takes over `root`; returns its number. */
uint32_t hd__source_add(struct hd_netlist *n, const char *file, char *text, json_t *root);
/* Parses JSON text that ends with NUL, and takes it over.  Returns false after reporting an error. */
bool hd__source_parse(struct hd_netlist *n, const char *file, char *text, size_t length,
                      struct hd_diags *d, uint32_t *source);
/* Reads a file, once for each name.  `at`: the place that names it, for messages, or NULL.  Returns
 * false after reporting an error. */
bool hd__source_read(struct hd_netlist *n, const char *file, const char *at, struct hd_diags *d,
                     uint32_t *source);
/* A netlist that stands in another one, at `at`, a place "@SOURCE:POINTER"; returns its number. */
uint32_t hd__source_inside(struct hd_netlist *n, json_t *root, const char *at);
/* ---- doc.c ---- */

/* Are they the same file, by whatever name? */
bool hd__same_source(const struct hd_source *a, const struct hd_source *b);
/* The doc of a source and of what it extends; NULL after reporting an error. */
struct hd_doc *hd__doc_open(struct hd_netlist *n, uint32_t source, struct hd_diags *d);
void hd__doc_free(struct hd_doc *doc);
/* Replaces the value at `pointer` by a value from `at`. */
void hd__doc_put(struct hd_doc *doc, const char *pointer, json_t *value, const char *at);
/* Removes the value at `pointer`. */
void hd__doc_drop(struct hd_doc *doc, const char *pointer);
/* What is at `pointer` comes from `at`. */
void hd__doc_origin(struct hd_doc *doc, const char *pointer, json_t *at);
/* The "@SOURCE:POINTER" of a pointer of the doc.  The caller frees it. */
char *hd__doc_at(const struct hd_doc *doc, const char *pointer);

/* ---- set_path.c ---- */

/* Sets the value that `path` names, such as "sp[*].timing[0].latency".  `at`: place of the value;
 * its key is the path.  Returns false after reporting that the path names nothing. */
bool hd__doc_set(struct hd_netlist *n, struct hd_doc *doc, const char *path, json_t *value,
                 const char *at, struct hd_diags *d);
/* Has the value the same JSON type as the default of the parameter?  Returns false after reporting
 * an error. */
bool hd__param_same_type(const struct hd_netlist *n, const json_t *raw, const json_t *value,
                     const char *name, const char *at, struct hd_diags *d);

/* The first of the changes inside of an instance, from which .next goes on; NULL: there are none. */
const struct hd_inner_change *hd__doc_inner(const struct hd_doc *doc, const char *instance);
const struct hd_inner_change *hd__doc_inner_next(const struct hd_doc *doc, const struct hd_inner_change *c);

/* ---- extend.c ---- */

/* ---- composition.c ---- */

struct hd_part *hd__part_new(struct hd_netlist *n, struct hd_doc *doc, const struct hd_part *up,
                             const char *name, const char *at);
/* Takes over `prefix`. */
struct hd_frame *hd__frame_new(struct hd_netlist *n, const struct hd_part *part, char *prefix);
/* Checks the outer form, reads parameters (with the given values) and exports. */
struct hd_scope *hd__part_open(struct hd_netlist *n, struct hd_part *p, const json_t *given,
                               struct hd_diags *d);

/* An entry of "instances" without a netlist that stands in it: what its own netlist's parameters
 * concern.  Returns a new reference; *inside is the netlist, or NULL.  scope.c */
json_t *hd__sub_outside(json_t *entry, json_t **inside);
/* Takes over the name.  Returns the one that was added, until the next is. */
struct hd_sub *hd__frame_add_sub(struct hd_frame *f, struct hd_sub sub);
/* The full name of a name of the frame, in the store of n. */
const char *hd__frame_name(struct hd_netlist *n, const struct hd_frame *f, const char *name);

/* The full name of a clock of the frame, in the store of n; that which it would have if there is none of that name. */
const char *hd__frame_clock(struct hd_netlist *n, const struct hd_frame *f, const char *name);

/* ---- repeat.c: elements that are like one which was read ---- */

/* The most that a netlist may have. */
enum {
	HD_MOST_INSTANCES = 1 << 20, /* elements of arrays counted */
	HD_MOST_LINKS = 1 << 18,
	HD_MOST_FRAMES = 65536,
};

/* How much has been read. */
struct hd_extent {
	size_t clocks, instances, links, frames, parts;
	uint32_t groups;
	uint64_t total, steps;
};
struct hd_extent hd__extent(const struct hd_netlist *n);
/* Gives the frame `to` copies of what was read from *was to *end, which was for `from`.  No clock of an enclosing
 * netlist may have a name that begins with the prefix of `from`.  Returns false if the netlist would grow too
 * large: then it has to be read. */
bool hd__repeat(struct hd_netlist *n, const struct hd_extent *was, const struct hd_extent *end,
                const struct hd_frame *from, struct hd_frame *to);

/* ---- sections of a part (netlist_clock.c, netlist_instance.c, netlist_link.c) ---- */

void hd__read_clocks(struct hd_netlist *n, struct hd_frame *f, struct hd_scope *s,
                     struct hd_diags *d);
void hd__read_instances(struct hd_netlist *n, struct hd_frame *f, struct hd_scope *s,
                        struct hd_diags *d);
void hd__read_links(struct hd_netlist *n, struct hd_frame *f, struct hd_scope *s,
                    struct hd_diags *d);
/* Reads an instance of a module, whose parameters may differ from element to element: with a variable they are resolved
 * for each of them.  netlist_instance.c */
void hd__read_array(struct hd_netlist *n, const struct hd_frame *f, struct hd_scope *s, struct hd_entry *e, json_t *v,
                    const char *name);
/* Reads an end of a link or of an export.  Returns false after reporting an error. */
bool hd__read_end(struct hd_scope *s, const struct hd_place *place, const json_t *v, struct hd_end_decl *end);

#endif
