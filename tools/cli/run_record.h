/* run_record.h - what a run has counted, in a file, to be added up with that of other runs of the same netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_RUN_RECORD_H
#define TOOLS_CLI_RUN_RECORD_H

#include "base/json_write.h"
#include "kernel/sim.h"

/* What has been counted up to now, when an item of the input has ended. */
struct hd_record_at;
struct hd_record_at *hd__record_at(const struct hd_sim *s);
void hd__record_at_free(struct hd_record_at *at);

/* Writes the record of a settled run, which has these rows, from `begin` to `end`; NULL: from its beginning, to its
 * end.  Returns false after a write error. */
bool hd__record_write(const struct hd_sim *s, const struct hd_json_rows *rows, const struct hd_record_at *begin,
                      const struct hd_record_at *end, FILE *out);

/* A sum of records. */
struct hd_record_sum;

struct hd_record_sum *hd__records_begin(struct hd_sim *s);
/* Adds a record, `times` over.  Returns the number of its rows for the functions below, from 0; -1: it is not a record
 * of this netlist; -2 after printing an error. */
long hd__records_add(struct hd_record_sum *r, const json_t *record, uint64_t times);
/* These rows come next in the tables of the sum, with the ids of the n launches that they are of. */
void hd__records_follow(struct hd_record_sum *r, long rows, const uint64_t *ids, size_t n);
/* Row i of a table among them, which the caller owns; NULL: there is none.  Table "after" has those of items behind the
 * end. */
json_t *hd__records_row(struct hd_record_sum *r, long rows, const char *table, size_t i);
/* Gives the simulation, which has not run and will not, what was added.  Returns the rows, which are valid as long as
 * the program runs. */
struct hd_json_rows hd__records_end(struct hd_record_sum *r);

#endif
