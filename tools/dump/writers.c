/* writers.c - the list of formats
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "writers.h"

const struct dump_writer dump_writers[] = {
	{ "text", "a line for each row, in the order of time, for diff", dump_write_text, NULL, false },
	{ "kanata", "pipeline diagram for Konata", dump_write_kanata, NULL, false },
	{ "perfetto", "timeline for the Perfetto UI", dump_write_perfetto, NULL, true },
	{ "sqlite", "a database with a table for each kind of row, and views", NULL, dump_write_sqlite,
	  true },
	{ "csv", "a folder with a file for each table; with --table that one", dump_write_csv,
	  dump_write_csv_folder, false },
	{ "vcd", "waveforms for GTKWave; with -o NAME.fst through vcd2fst", dump_write_vcd, NULL, false },
	{ NULL, NULL, NULL, NULL, false },
};
