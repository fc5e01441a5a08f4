/* step.h - a step of a record: where it is from a cycle on
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_STEP_H
#define BASE_STEP_H

#include <stdint.h>

/* From this cycle on a record is at this place. */
struct hd_step {
	uint64_t at;
	uint32_t place, arg; /* as in dumps (dump/dump_file.h) */
};

#endif
