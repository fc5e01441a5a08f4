/* import_address.c - the address map of an imported GPU: "dramid@8;0000.RRRR.RBBB.CCCB.CCCS..."
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import_gpu.h"

#include <string.h>

#define OPTION "gpgpu_mem_addr_mapping"

static bool power_of_two(uint32_t x)
{
	return (x & (x - 1)) == 0;
}

/* Counts the letters of the layout; returns false after reporting that it is none. */
static bool count(struct hd_import *im, const char *layout, unsigned *banks)
{
	unsigned n = 0;

	*banks = 0;
	for (const char *c = layout; *c; c++) {
		if (*c == '.')
			continue;
		if (*c == 'D') {
			hd__import_error(im, OPTION, "has a letter D; expected the channel to be given by "
			                 "'dramid@BIT;' alone");
			return false;
		}
		if (!strchr("RBCS0", *c)) {
			hd__import_error(im, OPTION, "has a letter %c; expected R, B, C, S, 0 and dots",
			                 *c);
			return false;
		}
		*banks += *c == 'B';
		n++;
	}
	if (n != 64)
		hd__import_error(im, OPTION, "has %u letters; expected 64, one for each bit of an "
		                 "address", n);
	return n == 64;
}

/* How slices are found: conditions of the shuffles. */
static void check_indexing(struct hd_import *im, unsigned at, unsigned bank_bits)
{
	uint32_t channels = hd__import_number(im, "gpgpu_n_mem", 1, 1024), all = 1;
	uint32_t slices = hd__import_number(im, "gpgpu_n_sub_partition_per_mchannel", 1, 64);
	uint32_t indexing = hd__import_number(im, "gpgpu_memory_partition_indexing", 0, 6);

	while (all < channels)
		all *= 2;
	all *= slices;
	if (!power_of_two(slices)) {
		hd__import_error(im, "gpgpu_n_sub_partition_per_mchannel", "is %u; expected a power of "
		                 "two", slices);
		return;
	}
	if (slices > 1u << bank_bits) {
		hd__import_error(im, OPTION, "has %u letters B, which distinguish %u banks; expected at "
		                 "least as many as the %u slices of a channel", bank_bits,
		                 1u << bank_bits, slices);
		return;
	}
	if (indexing == 5)
		hd__import_error(im, "gpgpu_memory_partition_indexing", "is 5, a function that is to be written "
		                 "first; expected 0 to 4, or 6");
	if (indexing == 6)
		hd__import_warn(im, "gpgpu_memory_partition_indexing", "is 6 (IPOLY in groups) and taken as "
		                "'indexing' \"hashed\", which scatters over any number of slices, too");
	if (indexing == 4 && slices > UINT64_C(1) << at)
		hd__import_error(im, OPTION, "has channels from bit %u on; with "
		                 "'-gpgpu_memory_partition_indexing 4' expected a bit that "
		                 "distinguishes the %u slices of a channel", at, slices);
	if (indexing == 1 && !power_of_two(channels))
		hd__import_error(im, "gpgpu_memory_partition_indexing", "is 1 (xor) and there are %u "
		                 "channels; expected a power of two", channels);
	if (indexing == 2 && (channels == 1 || (all != 16 && all != 32 && all != 64)))
		hd__import_error(im, "gpgpu_memory_partition_indexing", "is 2 (IPOLY) and there are %u "
		                 "channels of %u slices; expected 16, 32 or 64 slices in all, channels "
		                 "rounded up to a power of two, and more than one channel", channels,
		                 slices);
}

static void check_banks(struct hd_import *im, unsigned bits)
{
	uint32_t index = hd__import_number(im, "dram_bnk_indexing_policy", 0, 2);

	if (index == 2 && (bits < 4 || bits > 6))
		hd__import_error(im, "dram_bnk_indexing_policy", "is 2 (IPOLY) and '-" OPTION
		                 "' distinguishes %u banks; expected 16, 32 or 64", 1u << bits);
	if (hd__import_banks(im) < 1u << bits)
		hd__import_error(im, OPTION, "has %u letters B, which distinguish %u banks; expected no "
		                 "more than the %u of '-gpgpu_dram_timing_opt'", bits, 1u << bits,
		                 hd__import_banks(im));
}

void hd__import_map(struct hd_import *im, json_t *gpu)
{
	const char *text = hd__import_text(im, OPTION);
	unsigned at = 0, banks;
	int n = 0;

	if (sscanf(text, "dramid@%u;%n", &at, &n) != 1 || n == 0 || at > 40) {
		hd__import_error(im, OPTION, "is '%.120s'; expected 'dramid@BIT;' with a bit up to 40 and "
		                 "64 letters: presets of '-gpgpu_mem_address_mask' are not modelled",
		                 text);
		return;
	}
	if (!count(im, text + n, &banks))
		return;
	if (banks > 16) {
		hd__import_error(im, OPTION, "has %u letters B; expected at most 16", banks);
		return;
	}
	check_indexing(im, at, banks);
	if (!im->errors)
		check_banks(im, banks);
	hd__import_put(gpu, "map.layout", json_string(text + n));
	hd__import_put(gpu, "map.channel_at", json_integer(at));
}
