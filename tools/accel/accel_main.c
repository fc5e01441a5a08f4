/* accel_main.c - the program heddle-accel-sim: Accel-Sim's command line and output around a run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "accel.h"
#include "base/exit.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const how[] = {
	[HD_RUN_FAILED] = "failed", [HD_RUN_BAD_INPUT] = "bad input",
};

/* The simulation of the imported configuration.  NULL after printing errors. */
static struct hd_sim *build(struct hd_import *im, const struct hd_registry *modules,
                            const struct hd_options *o, struct hd_diags *d)
{
	json_t *root = hd__import_netlist(im, NULL);
	char *text = im->errors ? NULL : hd__xcheck(json_dumps(root, JSON_COMPACT));
	struct hd_netlist *n = NULL;
	struct hd_sim *s = NULL;

	if (text)
		n = hd__netlist_parse("the imported configuration", text, strlen(text), d);
	if (n)
		s = hd__sim_new(n, modules, o, false, d);
	if (s && d->errors) {
		hd__sim_free(s);
		s = NULL;
	}
	hd__diags_print(d, stderr);
	hd__diags_free(d);
	free(text);
	json_decref(root);
	return s;
}

/* Prints what is printed of a run after its kernels.  Returns the exit status. */
static int finish(struct hd_sim *s, struct hd_accel_report *r, enum hd_run_status status)
{
	if (status == HD_RUN_DEADLOCK)
		fprintf(stderr, "heddle-accel-sim: deadlock detected at cycle %" PRIu64 ": nothing has happened "
		        "since cycle %" PRIu64 ", and these instances have work pending:\n%s",
		        hd__sim_cycles(s), s->still_since, s->deadlock);
	else if (status != HD_RUN_FINISHED && status != HD_RUN_LIMIT)
		fprintf(stderr, "heddle-accel-sim: the run ended at cycle %" PRIu64 ": %s\n",
		        hd__sim_cycles(s), how[status]);
	if (status == HD_RUN_LIMIT) {
		r->last.cycles = hd__sim_cycles(s); /* with those of the kernels that have not ended */
		r->last.instructions = hd__accel_sum(&r->warps, "completed");
		hd__accel_time(r);
		puts("GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **");
	}
	if (status == HD_RUN_FINISHED || status == HD_RUN_LIMIT) {
		puts("GPGPU-Sim: *** simulation thread exiting ***");
		puts("GPGPU-Sim: *** exit detected ***");
		return HD_EXIT_OK;
	}
	return status == HD_RUN_BAD_INPUT ? HD_EXIT_USAGE : HD_EXIT_FAILED;
}

/* Modules of which there are no instances need no energy: a configuration may lack them. */
static bool begin_power(struct hd_accel_power *p, struct hd_sim *s)
{
	struct hd_diags d = { .n = 0 };
	bool good = hd__energy_begin(&p->energy, s, &d);

	if (!good)
		hd__diags_print(&d, stderr);
	hd__diags_free(&d);
	return good;
}

static int simulate(struct hd_import *im)
{
	struct hd_accel_report report = { .sim = NULL };
	struct hd_options o = { .per_item = true, .item_over = hd__accel_kernels, .item_arg = &report };
	struct hd_registry modules = { .n = 0 };
	struct hd_diags d = { .n = 0 }, in_run = { .n = 0 };
	enum hd_run_status status = HD_RUN_MORE;
	int result = HD_EXIT_USAGE;
	struct hd_sim *s = NULL;

	o.input = hd__import_text(im, "trace");
	o.max_cycles = hd__import_number(im, "gpgpu_max_cycle", 0, UINT32_MAX);
	hd__registry_init(&modules, &d);
	if (!hd__import_flag(im, "power_simulation_enabled")
	    || hd__accel_power_open(&report.power, im, &modules, &o, &d))
		s = build(im, &modules, &o, &d);
	hd__diags_print(&d, stderr);
	if (s && report.power.on && !begin_power(&report.power, s)) {
		hd__sim_free(s);
		s = NULL;
	}
	if (s) {
		s->diags = &in_run;
		hd__accel_begin(&report, s, hd__import_flag(im, "gpgpu_concurrent_kernel_sm"));
		while (status == HD_RUN_MORE)
			status = hd__sim_run(s, UINT64_MAX);
		hd__diags_print(&in_run, stderr);
		result = finish(s, &report, status);
		if (report.power.on && result == HD_EXIT_OK
		    && !hd__accel_power_write(&report.power, report.launch_ids))
			result = HD_EXIT_FAILED;
		hd__sim_free(s);
		hd__diags_free(&in_run);
	}
	hd__accel_free(&report);
	hd__registry_free(&modules);
	return result;
}

int main(int argc, char **argv)
{
	struct hd_import im;
	int status;

	signal(SIGXFSZ, SIG_IGN); /* writing fails with "File too large" */
	hd__import_init(&im);
	status = hd__accel_parse(&im, argc, argv) - 1;
	if (status < 0) {
		hd__accel_refuse(&im);
		hd__import_complete(&im);
		status = HD_EXIT_USAGE;
		if (im.errors == 0) {
			printf("Accel-Sim's command line, run by heddle [build heddle-%s]\n", PACKAGE_VERSION);
			status = simulate(&im);
		}
	}
	hd__import_free(&im);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "heddle-accel-sim: standard output: %s\n", strerror(errno));
		return HD_EXIT_FAILED;
	}
	return status;
}
