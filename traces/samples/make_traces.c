/* make_traces.c - writes the bundled traces into a folder
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sample_kernels.h"

static const struct bundle *const bundles[] = {
	&tiny, &vecadd, &saxpy_xz, &matmul, &reduce, &hist, &gather, &softcopy,
};

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_traces FOLDER\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++) {
		long insts = record(bundles[i], argv[1]);

		if (insts < 0)
			return 1;
		printf("%-10s %6ld warp instructions\n", bundles[i]->name, insts);
	}
	return 0;
}
