/* run_args.h - the command line of heddle run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_RUN_ARGS_H
#define TOOLS_CLI_RUN_ARGS_H

#include "cmd.h"
#include "confine.h"
#include "recording.h"
#include "kernel/stats/reasons.h"
#include "run_plan.h"
#include "run_units.h"
#include "states.h"
#include "kernel/record/recorder.h"
#include "tools/energy/energy.h"

struct hd_run_args {
	const char *netlist, *input, *stats, *summary, *events, *monitor;
	struct hd_states states;
	struct hd_run_plan plan;
	struct hd_units units;
	struct hd_json_rows joined;    /* of parts, instead of those of the simulation; .arg NULL: there are none */
	json_t *about_parts;     /* what the statistics say of them, or NULL */
	struct hd_sim *whole;    /* of the list, where each part is a simulation of its own; or NULL */
	bool warm_given;
	struct hd_observe_options dump;
	struct hd_options opt;
	bool quiet, per_kernel, wait, sample_given, lockstep, explain;
	const char *in_step_for; /* why it is in lock step from the beginning; or NULL */
	char *rollback;          /* why it is from cycle .opt.ahead on; or NULL */
	struct hd_plugin_files plugins;
	struct hd_confine confine;
	const char *energy, *power_trace;
	struct hd_energy_table table;
	struct hd_energy watts;
	struct hd_output power;
	bool count_reasons;
	struct hd_reasons reasons;
	struct hd_recording program; /* .program: instead of an input */
	struct hd_program running;   /* it runs beside the simulation */
	int program_status;          /* not HD_EXIT_OK: it failed */
};

/* Fills *a, which has the defaults then; ends the program if the command line is not one. */
void hd__run_args(int argc, char **argv, struct hd_run_args *a);

#endif
