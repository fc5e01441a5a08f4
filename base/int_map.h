/* int_map.h - maps of numbers to numbers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_INT_MAP_H
#define BASE_INT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty.  No key is UINT64_MAX. */
struct hd_int_map {
	uint64_t *key, *value;
	size_t n, cap; /* cap: 0 or a power of two */
};

/* The value, initially 0.  Valid until the next call. */
uint64_t *hd__int_map_at(struct hd_int_map *m, uint64_t key);
/* The value for reading only; 0 if the key is not there. */
uint64_t hd__int_map_get(const struct hd_int_map *m, uint64_t key);
/* Visits all keys, in an order without meaning; *at is 0 at first.  Returns false after the last. */
bool hd__int_map_next(const struct hd_int_map *m, size_t *at, uint64_t *key, uint64_t *value);
void hd__int_map_free(struct hd_int_map *m);

#endif
