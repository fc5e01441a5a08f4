/* import_dram.c - memory channels of an imported GPU: "nbk=16:CCD=1:RRD=3:...", widths, queues
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import_gpu.h"

#include "base/xalloc.h"

#define OPTION "gpgpu_dram_timing_opt"

/* In the order of the form without names, "16:1:3:...". */
static const struct timing {
	const char *name, *path;
	uint32_t min;
} timings[] = {
	{ "nbk", "dram.banks", 1 },
	{ "CCD", "dram.ccd", 0 },
	{ "RRD", "dram.rrd", 0 },
	{ "RCD", "dram.rcd", 0 },
	{ "RAS", "dram.ras", 0 },
	{ "RP", "dram.rp", 0 },
	{ "RC", "dram.rc", 0 },
	{ "CL", "dram.cl", 1 },
	{ "WL", "dram.wl", 0 },
	{ "CDLR", "dram.cdlr", 0 },
	{ "WR", "dram.wr", 0 },
	{ "nbkgrp", "dram.groups", 1 },
	{ "CCDL", "dram.ccdl", 0 },
	{ "RTPL", "dram.rtpl", 0 },
};

#define COUNT (sizeof timings / sizeof *timings)
enum { BANKS = 0, CL = 7, WL = 8, GROUPS = 11 };

static size_t timing_of(const char *name, size_t length)
{
	size_t i = 0;

	while (i < COUNT && (strlen(timings[i].name) != length
	                     || strncmp(timings[i].name, name, length) != 0))
		i++;
	return i;
}

/* Reads "NAME=NUMBER:..." or the numbers alone.  Returns false after reporting an error. */
static bool read_timings(struct hd_import *im, uint32_t *v)
{
	char *text = hd__xstrdup(hd__import_text(im, OPTION)), *rest = text, *to = text, *one, *end;
	bool named = strchr(text, '=') != NULL, set[COUNT] = { false }, good = true;
	size_t k = 0;

	for (const char *c = text; *c; c++)
		if (*c != ' ')
			*to++ = *c;
	*to = '\0';
	for (; good && (one = strsep(&rest, ":")) != NULL; k++) {
		size_t n = named ? strcspn(one, "=") : 0, i = named ? timing_of(one, n) : k;
		const char *number = named && one[n] ? one + n + 1 : one;
		unsigned long x = strtoul(number, &end, 10);

		good = i < COUNT && *number >= '0' && *number <= '9' && *end == '\0' && x <= 4096
		       && x >= timings[i].min;
		if (!good)
			hd__import_error(im, OPTION, "has '%.40s'; expected one of nbk, CCD, RRD, RCD, "
			                 "RAS, RP, RC, CL, WL, CDLR, WR, nbkgrp, CCDL, RTPL with a number "
			                 "up to 4096, those of nbk, CL and nbkgrp not 0", one);
		else
			v[i] = (uint32_t)x, set[i] = true;
	}
	for (size_t i = 0; good && i < COUNT; i++) {
		good = set[i];
		if (!good)
			hd__import_error(im, OPTION, "does not set %s", timings[i].name);
	}
	free(text);
	return good;
}

uint32_t hd__import_banks(struct hd_import *im)
{
	uint32_t v[COUNT] = { 0 };

	return read_timings(im, v) ? v[BANKS] : UINT32_MAX;
}

static void check_timings(struct hd_import *im, const uint32_t *v, bool simple)
{
	uint32_t slices = hd__import_number(im, "gpgpu_n_sub_partition_per_mchannel", 1, 64);

	if (v[BANKS] & (v[BANKS] - 1) || v[BANKS] > 1024)
		hd__import_error(im, OPTION, "has nbk=%u; expected a power of two up to 1024", v[BANKS]);
	else if (v[GROUPS] & (v[GROUPS] - 1) || v[GROUPS] > v[BANKS])
		hd__import_error(im, OPTION, "has nbkgrp=%u; expected a power of two, at most the %u "
		                 "banks", v[GROUPS], v[BANKS]);
	else if (v[BANKS] % slices)
		hd__import_error(im, OPTION, "has nbk=%u; expected a multiple of the %u slices of a "
		                 "channel", v[BANKS], slices);
	if (!simple && v[WL] > v[CL])
		hd__import_error(im, OPTION, "has WL=%u and CL=%u; expected WL to be at most CL", v[WL],
		                 v[CL]);
}

/* Bytes of a column command, and ticks of the bus for them. */
static void burst(struct hd_import *im, json_t *gpu)
{
	uint32_t width = hd__import_number(im, "gpgpu_dram_buswidth", 1, 1024);
	uint32_t length = hd__import_number(im, "gpgpu_dram_burst_length", 1, 1024);
	uint32_t chips = hd__import_number(im, "gpgpu_n_mem_per_ctrlr", 1, 1024);
	uint32_t ratio = hd__import_number(im, "dram_data_command_freq_ratio", 1, 1024);
	uint64_t atom = (uint64_t)width * length * chips;

	if (atom > 4096)
		hd__import_error(im, "gpgpu_dram_burst_length", "times '-gpgpu_dram_buswidth' times "
		                 "'-gpgpu_n_mem_per_ctrlr' is %llu bytes; expected at most 4096",
		                 (unsigned long long)atom);
	if (length < ratio)
		hd__import_error(im, "gpgpu_dram_burst_length", "is %u; expected at least "
		                 "'-dram_data_command_freq_ratio', which is %u", length, ratio);
	hd__import_put(gpu, "dram.atom", json_integer((json_int_t)atom));
	hd__import_put(gpu, "dram.burst", json_integer(length / ratio));
}

/* What slices may have in flight in a channel: what its queues hold, less one for each of the other
 * slices. */
static void check_queues(struct hd_import *im, bool separate, const uint32_t *writes)
{
	uint32_t requests = hd__import_number(im, "gpgpu_frfcfs_dram_sched_queue_size", 0, 65536);
	uint32_t replies = hd__import_number(im, "gpgpu_dram_return_queue_size", 0, 65536);
	uint32_t slices = hd__import_number(im, "gpgpu_n_sub_partition_per_mchannel", 1, 64);
	uint32_t all = requests + replies + (separate ? writes[0] : 0);

	if (requests && replies && all < slices - 1)
		hd__import_error(im, "gpgpu_dram_return_queue_size", "and "
		                 "'-gpgpu_frfcfs_dram_sched_queue_size' are %u together; expected at "
		                 "least %u, one for each slice of a channel but one", all, slices - 1);
	if (separate && writes[2] > writes[1])
		hd__import_error(im, "dram_write_queue_size", "begins to serve stores at %u and stops at "
		                 "%u; expected to stop at no more than that", writes[1], writes[2]);
}

void hd__import_dram(struct hd_import *im, json_t *gpu)
{
	bool simple = hd__import_flag(im, "gpgpu_simple_dram_model");
	bool fifo = hd__import_number(im, "gpgpu_dram_scheduler", 0, 1) == 0;
	bool separate = hd__import_flag(im, "dram_seperate_write_queue_enable");
	uint32_t v[COUNT] = { 0 }, writes[3];

	if (!read_timings(im, v))
		return;
	for (size_t i = 0; i < COUNT; i++)
		hd__import_put(gpu, timings[i].path, json_integer(v[i]));
	check_timings(im, v, simple);
	burst(im, gpu);
	hd__import_numbers(im, "dram_write_queue_size", ":", writes, 3, 3);
	check_queues(im, separate, writes);
	if (separate && fifo && !simple)
		hd__import_error(im, "dram_seperate_write_queue_enable", "is 1; with "
		                 "'-gpgpu_dram_scheduler 0' expected 0");
	if (simple) {
		hd__import_put(gpu, "dram.scheduler", json_string("none"));
		hd__import_put(gpu, "dram.separate_writes", json_false());
	}
}
