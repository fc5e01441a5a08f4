/* permute.c - writes a netlist with its instances and clocks in another order
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: permute NETLIST.json SEED >OTHER.json.  Nothing in a netlist depends on that order.
 */
#include <jansson.h>

#include <stdint.h>
#include <stdlib.h>

static uint64_t state;

static uint64_t random_below(uint64_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % n;
}

/* The object with its members in another order; a new reference. */
static json_t *permuted(const json_t *o)
{
	size_t n = json_object_size(o), i = 0;
	const char **key = calloc(n + 1, sizeof *key);
	json_t *out = json_object();

	for (void *m = json_object_iter((json_t *)o); m; m = json_object_iter_next((json_t *)o, m))
		key[i++] = json_object_iter_key(m);
	for (; n > 0; n--) {
		size_t k = (size_t)random_below(n);

		json_object_set(out, key[k], json_object_get(o, key[k]));
		key[k] = key[n - 1];
	}
	free(key);
	return out;
}

int main(int argc, char **argv)
{
	static const char *const parts[] = { "instances", "clocks", "params" };
	json_error_t e;
	json_t *root = argc == 3 ? json_load_file(argv[1], 0, &e) : NULL;
	int bad;

	if (!root) {
		fprintf(stderr, "permute: %s\n", argc == 3 ? e.text : "expected NETLIST.json SEED");
		return 2;
	}
	state = strtoull(argv[2], NULL, 10);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (json_object_get(root, parts[i]))
			json_object_set_new(root, parts[i], permuted(json_object_get(root, parts[i])));
	bad = json_dumpf(root, stdout, JSON_INDENT(1));
	json_decref(root);
	return bad != 0;
}
