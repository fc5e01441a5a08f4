/* fuzz_set.c - changes a netlist by lines as --set takes them, with expressions, paths and elements
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  Each line of the
 * input is a change "path=value" of a small core.  What is refused must have a message.
 */
#include "base/xalloc.h"
#include "kernel/netlist/netlist.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SETS 32u

const struct hd_module *const hd__builtin_modules[] = { NULL };
const struct hd_module *const hd__builtin_wide[] = { NULL };

static const char core[] =
	"{\"heddle\": 1, \"params\": {\"n\": 4, \"half\": \"$n / 2\", \"list\": [1, 2, \"$n\"], \"name\": \"x\"},"
	"\"clocks\": {\"core\": {\"mhz\": 1000}, \"twice\": {\"of\": \"core\", \"times\": \"$half\"}},"
	"\"instances\": {\"a\": {\"module\": \"m\", \"clock\": \"core\", \"count\": \"$n\", \"for\": \"i\","
	" \"params\": {\"depth\": \"$(n + i) * 2\","
	"  \"table\": [{\"op\": \"x\", \"latency\": \"$half\"}, {\"op\": \"y\"}]}},"
	" \"b\": {\"module\": \"m\", \"clock\": \"twice\", \"params\": {\"depth\": 3, \"list\": \"$list\"}},"
	" \"inner\": {\"netlist\": {\"params\": {\"n\": 2},"
	"  \"instances\": {\"c\": {\"module\": \"m\", \"count\": \"$n\"}},"
	"  \"exports\": {\"in\": \"c[0].in\"}}, \"params\": {\"n\": \"$n\"}}},"
	"\"links\": [{\"from\": \"a[*].out\", \"to\": \"b.in\", \"capacity\": \"$n\"},"
	" {\"for\": {\"k\": \"0..$n-2\"}, \"from\": \"a[$k].next\", \"to\": \"a[$k + 1].last\", \"latency\": 2},"
	" {\"from\": \"b.out\", \"to\": \"inner.in\"}]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = hd__xcalloc(size + 1, 1), *next = text;
	const char *sets[MOST_SETS];
	struct hd_diags d = { 0 };
	struct hd_netlist *n;
	size_t count = 0;
	static FILE *null;

	if (!null)
		null = fopen("/dev/null", "w");
	if (size)
		memcpy(text, data, size);
	while (next && count < MOST_SETS)
		sets[count++] = strsep(&next, "\n");
	n = hd__netlist_parse_set("dir/n.json", core, sizeof core - 1, sets, count, &d);
	if (!n && d.errors == 0)
		abort(); /* refused without a message */
	hd__diags_print(&d, null);
	hd__diags_free(&d);
	hd__netlist_free(n);
	free(text);
	return 0;
}

#include "files.h"
