/* kernel.h - runs small netlists of toys, and logs their events as text
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_KERNEL_H
#define TESTS_KERNEL_H

#include "base/bytes.h"
#include "kernel/sim.h"

struct run {
	enum hd_run_status status;
	bool built;
	char *log;      /* "EDGE PATH EVENT FIELD...\n" in the order of evaluation; EDGE of its clock */
	char *stats;    /* JSON */
	char *messages; /* of building and running */
	char *deadlock; /* or NULL */
	uint64_t cycles, evals;
};

/* Builds and runs a netlist.  `body` are the members of the netlist without "heddle", with ' for
 * "; without "clocks" there is one of 1000 MHz.  The caller ends it with done(). */
struct run run(const char *body, const struct hd_options *o);
/* A simulation that is run step by step.  NULL after counting a failure: it was not built. */
struct hd_sim *open_sim(const char *body, const struct hd_options *o, struct run *r);
/* Its status is HD_RUN_AGAIN: the same, built again.  Frees s. */
struct hd_sim *begin_again(struct hd_sim *s, struct run *r);
/* Runs to the end, fills *r and frees s. */
void close_sim(struct hd_sim *s, struct run *r);
/* Frees s, which is not at its end, and fills what there is of *r. */
void abandon(struct hd_sim *s, struct run *r);
void done(struct run *r);
/* The state after so many cycles, to be freed; empty if it has ended before. */
struct hd_bytes saved_at(const char *body, const struct hd_options *o, uint64_t cycle, struct run *r);

/* The statistic `name` of an instance. */
uint64_t stat_of(const struct run *r, const char *instance, const char *name);

void check(bool ok, const char *what, const char *file, int line);
bool check_text(const char *got, const char *expected, const char *file, int line);
void check_number(uint64_t got, uint64_t expected, const char *what, const char *file, int line);
#define CHECK(x) check((x), #x, __FILE__, __LINE__)
#define TEXT(got, expected) check_text((got), (expected), __FILE__, __LINE__)
#define NUMBER(got, expected) check_number((got), (expected), #got, __FILE__, __LINE__)

/* The netlist runs, in 20 orders of evaluation, and its log is that; with any_order except for the
 * order within an edge. */
void check_log(const char *body, uint64_t max_cycles, const char *log, bool any_order,
               const char *file, int line);
#define LOG(body, max, log) check_log((body), (max), (log), false, __FILE__, __LINE__)
#define LOG_ANY(body, max, log) check_log((body), (max), (log), true, __FILE__, __LINE__)
/* The netlist is refused, and the message is `text`, after its place. */
void check_refused(const char *body, const char *text, const char *file, int line);
#define REFUSED(body, text) check_refused((body), (text), __FILE__, __LINE__)
/* Statistics are the same asleep or not, in 20 orders of evaluation, halted repeatedly, and saved and
 * loaded. */
void check_alike(const char *body, uint64_t max_cycles, const char *file, int line);
#define ALIKE(body, max) check_alike((body), (max), __FILE__, __LINE__)

void test_links(void); /* links.c */
void test_order(void); /* order.c */
void test_time(void);  /* time.c */
void test_end(void);   /* end.c */
void test_several(void);
void test_checkpoint(void);
void test_ahead(void); /* ahead.c */
void test_crash(void); /* crash.c */
void test_dumped(void); /* dumped.c */
void test_written(void); /* written.c */

#endif
