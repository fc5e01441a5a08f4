/* import_gpu.h - private to import_gpu.c and the files that fill in what is around the SMs of a GPU
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_IMPORT_IMPORT_GPU_H
#define TOOLS_IMPORT_IMPORT_GPU_H

#include "import.h"

/* import_parts.c: sets the value that a path as for --set names; takes over `value`. */
void hd__import_put(json_t *netlist, const char *path, json_t *value);
/* The link from this end; with `remove` it is removed, and the result is NULL. */
json_t *hd__import_link_from(json_t *netlist, const char *from, bool remove);
uint32_t hd__import_banks(struct hd_import *im);         /* dram.c: of a channel */
void hd__import_router(struct hd_import *im, json_t *gpu); /* network.c: -network_mode 1 */
void hd__import_map(struct hd_import *im, json_t *gpu);  /* import_address.c: the map of addresses */
void hd__import_dram(struct hd_import *im, json_t *gpu); /* dram.c: memory channels */

#endif
