/* cache.h - a cache that a toy accesses
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tests/modules/cache_compare.c tests random accesses.  Lines have 128 bytes; a set of two ways
 * is filled from the second one.
 */
#ifndef TESTS_MODULES_CACHE_H
#define TESTS_MODULES_CACHE_H

#include "harness.h"

#define NETLIST "'instances': {'it': {'module': 'cache', 'params': {@}}, " \
	"'u': {'module': 'call_cache'}}, 'links': [{'from': 'u.cache', 'to': 'it.cache'}]"

#endif
