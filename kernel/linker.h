/* linker.h - shared by the files that link ports
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_LINKER_H
#define KERNEL_LINKER_H

#include "sim.h"

/* One element of a side of a link. */
struct hd_side_end {
	struct hd_instance *instance;
	const struct hd_array *array;
	const struct hd_port *port;
	uint32_t port_index;
	const void *attr;
};

struct hd_side {
	const struct hd_end_decl *decl;
	const char *member;        /* "from" or "to" */
	struct hd_side_end *v;
	uint32_t n;
	size_t cap;
};

/* What is linked to the port of an instance so far. */
struct hd_socket {
	struct hd_channel *channel; /* not for array ports */
	uint32_t links;
	bool exported;              /* by the outermost netlist */
};

/* An instance that a change has made an array, and that links and exports name as if it were one. */
struct hd_unindexed {
	const char *name;
	uint32_t count;            /* its elements */
	bool from, to;             /* named there */
	size_t ends;               /* so often */
	const struct hd_link_decl *decl; /* the first time, */
	const char *export_at;     /* or NULL */
	const char *member;
};

struct hd_linker {
	struct hd_sim *s;
	const struct hd_link_decl *decl;
	size_t link;
	json_t *array_by_name;     /* name -> index into arrays */
	struct hd_socket **sockets; /* by array: [element * ports + port] */
	uint32_t *nports;          /* by array */
	const char *export_at;     /* place of the export being checked; "": checked before */
	uint64_t ends;             /* resolved so far */
	struct hd_unindexed *unindexed;
	size_t nunindexed, cap;
	bool full;                 /* there are too many, which was reported */
	bool ok;
};

void hd__link_complain(struct hd_linker *l, const char *member, const char *fmt, ...)
	HD_PRINTF(3, 4);
/* Reports l->unindexed, each once, and frees it. */
void hd__report_unindexed(struct hd_linker *l);
/* Fills l->array_by_name. */
void hd__link_names(struct hd_linker *l);
/* Finds the elements of a side; the caller frees d->v.  Returns false after reporting an error. */
bool hd__side_resolve(struct hd_linker *l, struct hd_side *d);
/* What such a port does, for messages: "takes payloads". */
const char *hd__port_kind_word(enum hd_port_kind k);
/* Checks the ends that netlists export, linked or not. */
bool hd__check_exports(struct hd_linker *l);

#endif
