/* harness.h - runs one real module among toys, and compares its log with that of its rules
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * To add a rule to a module: add an entry to the table in the file of its name.  To see what
 * happens before writing the log down: tests/modules/rules -v SUITE [PART OF A NAME].
 */
#ifndef TESTS_MODULES_HARNESS_H
#define TESTS_MODULES_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

/* One rule and how it shows.  Lines of scripts and logs end with ';' or an end of line. */
struct rule {
	const char *name;    /* behaviour of the module, as a sentence */
	const char *shows;   /* "C3 C4": what it shows of docs/sm.md and docs/memory.md; or NULL */
	const char *params;  /* stands for @ in the netlist; NULL: "" */
	const char *script;  /* "EDGE TOY VERB ARGUMENT...": actions of the toys, see toy/ */
	const char *log;     /* "EDGE INSTANCE WHAT...", by edge and name, then as it happened;
	                      * events and marks of the module too.  Then the state at the end:
	                      * "end INSTANCE STATISTIC=N..." (those that are not 0),
	                      * "held ..." (what the instances report that they hold),
	                      * "end N records" (in pools), "error ..."; instead of all that,
	                      * "refused ..." if the netlist was. */
	const char *netlist; /* NULL: that of the suite */
	bool plain;          /* events and marks are left out */
	unsigned skip;       /* the first kernels, which are read, but not simulated */
	bool foresees;       /* "EDGE INSTANCE foresees N": what `apart` returns behind the edge, unless it
	                      * is what it was before, or one less */
};

struct suite {
	const char *name;    /* of the module, as that of the file */
	const char *netlist; /* its members without "heddle", with ' for "; one clock unless it has
	                      * "clocks" */
	bool plain;          /* all rules are */
	const struct rule *rules;
	size_t n;
	const struct suite *next;
};

extern struct suite *suites;

/* Defines the suite of a module: the other members follow. */
#define SUITE(module, ...) static struct suite suite_##module = { .name = #module, __VA_ARGS__ }; \
	__attribute__((constructor)) static void add_##module(void) \
	{ \
		suite_##module.next = suites; \
		suites = &suite_##module; \
	} \
	struct suite

#define RULES(r) .rules = (r), .n = sizeof(r) / sizeof *(r)

#endif
