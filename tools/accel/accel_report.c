/* accel_report.c - prints the figures of each kernel in the format of the reference
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Figures of a kernel are what the cumulative ones have grown by since the kernel before it.  The
 * reference divides in single precision, and so does this.
 */
#include "accel.h"
#include "kernel/stats/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PACKET 32 /* bytes that the reference takes a reply of the second-level cache for */

static double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void hd__accel_begin(struct hd_accel_report *r, const struct hd_sim *s, bool launch_ids)
{
	r->sim = s;
	r->launch_ids = launch_ids;
	r->began = now_seconds();
	r->issue = hd__accel_find(s, "issue");
	r->load_store = hd__accel_find(s, "load_store");
	r->warps = hd__accel_find(s, "warps");
	r->l1d = hd__accel_find(s, "l1d");
	r->l1i = hd__accel_find(s, "l1i");
	r->l2 = hd__accel_find(s, "l2");
	r->dram = hd__accel_find(s, "dram");
	r->replies = hd__accel_find(s, "reply_port");
}

void hd__accel_free(struct hd_accel_report *r)
{
	hd__accel_power_free(&r->power);
	free(r->issue.v);
	free(r->load_store.v);
	free(r->warps.v);
	free(r->l1d.v);
	free(r->l1i.v);
	free(r->l2.v);
	free(r->dram.v);
	free(r->replies.v);
}

/* ---- kernels ---- */

static float ratio(uint64_t part, uint64_t whole)
{
	return whole ? (float)part / (float)whole : 0;
}

static double core_hz(const struct hd_accel_report *r)
{
	return (double)r->sim->roots[0].clock->decl->millihertz / 1e3;
}

static double gigabytes_per_second(const struct hd_accel_report *r, uint64_t replies, uint64_t cycles)
{
	return cycles ? (float)(replies * PACKET) / ((double)cycles / core_hz(r)) / 1e9 : 0;
}

static struct hd_accel_point point(const struct hd_accel_report *r, uint64_t cycles)
{
	return (struct hd_accel_point){
		.cycles = r->last.cycles + cycles,
		.instructions = hd__accel_sum(&r->warps, "completed"),
		.warp_cycles = hd__accel_sum(&r->warps, "warp_cycles"),
		.slot_cycles = hd__accel_sum(&r->warps, "slot_cycles"),
		.replies = hd__accel_sum(&r->replies, "replies"),
	};
}

static void print_rates(const struct hd_accel_report *r, const struct hd_accel_point *p)
{
	const struct hd_accel_point *l = &r->last;
	uint64_t cycles = p->cycles - l->cycles, instructions = p->instructions - l->instructions;

	printf("gpu_sim_cycle = %" PRIu64 "\n", cycles);
	printf("gpu_sim_insn = %" PRIu64 "\n", instructions);
	printf("gpu_ipc = %12.4f\n", (double)ratio(instructions, cycles));
	printf("gpu_tot_sim_cycle = %" PRIu64 "\n", p->cycles);
	printf("gpu_tot_sim_insn = %" PRIu64 "\n", p->instructions);
	printf("gpu_tot_ipc = %12.4f\n", (double)ratio(p->instructions, p->cycles));
	printf("gpu_tot_issued_cta = %" PRIu64 "\n", r->thread_blocks);
	printf("gpu_occupancy = %.4f%% \n", (double)(100 * ratio(p->warp_cycles - l->warp_cycles,
	                                                         p->slot_cycles - l->slot_cycles)));
	printf("gpu_tot_occupancy = %.4f%% \n", (double)(100 * ratio(p->warp_cycles, p->slot_cycles)));
	if (r->replies.n > 0) {
		printf("L2_BW  = %12.4f GB/Sec\n",
		       gigabytes_per_second(r, p->replies - l->replies, cycles));
		printf("L2_BW_total  = %12.4f GB/Sec\n", gigabytes_per_second(r, p->replies, p->cycles));
	}
}

static void print_kernel(struct hd_accel_report *r, const json_t *row)
{
	/* of kernels that overlap, as in the reference, what passed since the one before */
	const json_t *interval = json_object_get(row, "interval_cycles");
	uint64_t cycles = (uint64_t)json_integer_value(interval ? interval : json_object_get(row, "cycles"));
	struct hd_accel_point p = point(r, cycles);

	r->thread_blocks += (uint64_t)json_integer_value(json_object_get(row, "thread_blocks"));
	printf("kernel_name = %s \n", json_string_value(json_object_get(row, "name")));
	printf("kernel_launch_uid = %" PRIu64 " \n", r->launch_ids
	       ? (uint64_t)json_integer_value(json_object_get(row, "id")) : r->printed + 1);
	print_rates(r, &p);
	hd__accel_print_core(&r->l1d, &r->l1i);
	printf("\ngpgpu_n_tot_w_icount = %" PRIu64 "\n", hd__accel_sum(&r->issue, "issued")
	       + hd__accel_sum(&r->load_store, "completed_twice"));
	if (r->dram.n > 0) {
		printf("\ntotal dram reads = %" PRIu64 "\n", hd__accel_sum(&r->dram, "asked_reads"));
		printf("total dram writes = %" PRIu64 "\n", hd__accel_sum(&r->dram, "asked_writes"));
	}
	hd__accel_print_l2(&r->l2);
	r->last = p;
	r->printed++;
	hd__accel_time(r);
}

void hd__accel_kernels(void *report)
{
	struct hd_accel_report *r = report;

	if (r->power.on)
		hd__energy_item(&r->power.energy);
	while (r->printed < hd__rows(r->sim, "kernels")) {
		json_t *row = hd__row(r->sim, "kernels", r->printed);

		print_kernel(r, row);
		json_decref(row);
	}
	fflush(stdout);
}

/* A run takes a second at least, as in the reference. */
void hd__accel_time(const struct hd_accel_report *r)
{
	double seconds = now_seconds() - r->began;
	uint64_t s = seconds < 1 ? 1 : (uint64_t)seconds, rate;

	printf("\n\ngpgpu_simulation_time = %" PRIu64 " days, %" PRIu64 " hrs, %" PRIu64 " min, %" PRIu64
	       " sec (%" PRIu64 " sec)\n", s / 86400, s / 3600 % 24, s / 60 % 60, s % 60, s);
	rate = (uint64_t)((double)r->last.cycles / seconds);
	printf("gpgpu_simulation_rate = %.0f (inst/sec)\n", (double)r->last.instructions / seconds);
	printf("gpgpu_simulation_rate = %" PRIu64 " (cycle/sec)\n", rate);
	if (rate > 0)
		printf("gpgpu_silicon_slowdown = %.0fx\n", core_hz(r) / (double)rate);
}
