/* rooms.c - the side rooms of a program that has them all
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hooks.h"

const struct hd_hooks hd__hooks = { &hd__parallel_room, &hd__check_room, &hd__stats_room };
