/* registry.h - registered modules: built in, and loaded from plug-ins
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_REGISTRY_H
#define KERNEL_REGISTRY_H

#include "base/diag.h"

#include <heddle/module.h>

#define HD_RECORD_MAX (1u << 16) /* bytes of a record, a payload or a row */
#define HD_MOST_FIELDS 28u /* of a record */

struct hd_rules;

struct hd_registered {
	const struct hd_module *module;
	const struct hd_module *wide; /* the same for larger values, or NULL */
	const char *origin;           /* "built in" or the file of the plug-in */
	void *handle;                 /* dlopen, or NULL */
};

struct hd_registry {
	struct hd_registered *v; /* in the order of their names */
	size_t n;
	bool trusting;           /* see hd__registry_init_trusting() */
	char **refused;          /* names of modules whose plug-ins have been refused */
	size_t nrefused;
};

/* Generated, NULL-terminated.  A module may be built a second time, under the same name: `wide` takes
 * larger values of parameters, and costs more.  Its types of ports differ too, so that all the wide
 * modules of a netlist are taken if one is needed. */
extern const struct hd_module *const hd__builtin_modules[], *const hd__builtin_wide[];

/* Tables of the rules of interfaces, for --check-modules; ends with NULL. */
extern const struct hd_rules *const *const hd__builtin_rules[];

/* Fills the registry with the built-in modules, and with those in the folders of the environment
 * variable HEDDLE_MODULE_PATH (colon-separated, each *.so).  Problems go to *d. */
void hd__registry_init(struct hd_registry *r, struct hd_diags *d);
/* The same, but this process trusts its plug-ins: no copy of it tries them first, and none is watched in
 * a run, for which signal handlers would be needed. */
void hd__registry_init_trusting(struct hd_registry *r, struct hd_diags *d);
/* Loads one plug-in: file NAME.so exports hd_module_NAME.  Checks ABI and size before any of its
 * code runs in this process, and the rest of the descriptor after.  Returns false if
 * refused. */
bool hd__registry_load(struct hd_registry *r, const char *file, struct hd_diags *d);
/* Adds a module that has been checked.  `handle`: that of a plug-in, which the registry owns from then
 * on, or NULL; `origin` is copied for a plug-in, else kept.  Returns false if there is one of that name. */
bool hd__registry_add(struct hd_registry *r, const struct hd_module *m, const char *origin, void *handle,
                      struct hd_diags *d);
const struct hd_module *hd__registry_find(const struct hd_registry *r, const char *name);
/* The parameters that the module may be given: those of the wide one, if there is one. */
const struct hd_param *hd__registry_params(const struct hd_registry *r, const struct hd_module *m);
/* The entry of that name; NULL: there is none. */
const struct hd_registered *hd__registry_entry(const struct hd_registry *r, const char *name);
/* The file of the plug-in that the module comes from; NULL if it is built in. */
const char *hd__registry_plugin(const struct hd_registry *r, const struct hd_module *m);
void hd__registry_free(struct hd_registry *r);
/* Do the statistics of a run have a member of that name (n bytes) that no module adds to?  Is the figure in the
 * group? */
bool hd__figure_reserved(const char *name, size_t n);
bool hd__figure_within(const char *name, const char *group);

#endif
