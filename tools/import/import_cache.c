/* import_cache.c - cache settings: "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32"
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Cache.  Fields: kind, sets, line, ways; replacement, write policy, allocation,
 * write allocation, set index; miss entries, their number and requests per entry; miss queue.
 * Further fields (a FIFO of the texture cache, the width of the data port) have no effect on an L1.
 */
#include "import.h"

#include <string.h>

struct word {
	char letter;
	const char *value;
};

static const struct word replacements[] = { { 'L', "lru" }, { 'F', "fifo" }, { 0, NULL } };
static const struct word policies[] = { { 'R', "read_only" }, { 'B', "write_back" },
	{ 'T', "write_through" }, { 'E', "write_evict" },
	{ 'L', "local_write_back_global_write_evict" }, { 0, NULL } };
static const struct word allocations[] = { { 'm', "on_miss" }, { 'f', "on_fill" },
	{ 's', "on_fill" }, { 0, NULL } };
static const struct word write_misses[] = { { 'N', "none" }, { 'W', "write_allocate" },
	{ 'F', "fetch_on_write" }, { 'L', "lazy_fetch_on_read" }, { 0, NULL } };
static const struct word indices[] = { { 'L', "linear" }, { 'X', "xor" }, { 'P', "ipoly" },
	{ 0, NULL } };

static const char *look_up(struct hd_import *im, const char *name, const char *what,
                           const struct word *words, char letter)
{
	char list[40] = "";
	size_t n = 0;

	for (const struct word *w = words; w->value; w++) {
		if (w->letter == letter)
			return w->value;
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%c", n ? ", " : "", w->letter);
	}
	hd__import_error(im, name, "has %s '%c'; expected one of %s", what, letter, list);
	return words->value;
}

static bool power_of_two(uint32_t x, uint32_t min, uint32_t max)
{
	return (x & (x - 1)) == 0 && x >= min && x <= max;
}

/* Checks the limits of module `cache`. */
static void check_sizes(struct hd_import *im, const char *name, const struct hd_import_cache *c,
                        bool sectored, char index, uint64_t entries, uint64_t merge)
{
	if (!power_of_two(c->sets, 1, 65536) || !power_of_two(c->line, 32, 128))
		hd__import_error(im, name, "has %u sets of lines of %u bytes; expected powers of two, 1 "
		                 "to 65536 and 32 to 128", c->sets, c->line);
	if (sectored && c->line != 128)
		hd__import_error(im, name, "has lines of %u bytes with sectors; expected 128, four "
		                 "sectors", c->line);
	if (c->ways < 1 || c->ways > 65536 || (uint64_t)c->sets * c->ways > 1u << 18)
		hd__import_error(im, name, "has %u ways in each of %u sets; expected 1 to 262144 lines "
		                 "in all", c->ways, c->sets);
	if (index == 'P' && c->sets != 16 && c->sets != 32 && c->sets != 64)
		hd__import_error(im, name, "has %u sets and set index P; expected 16, 32 or 64 sets",
		                 c->sets);
	if (!entries || !merge || entries > 65536 || merge > 65536 || entries * merge > 1u << 24)
		hd__import_error(im, name, "has miss entries for %llu times %llu requests; expected at "
		                 "least one and at most 16777216 in all", (unsigned long long)entries,
		                 (unsigned long long)merge);
}

/* Room that a miss needs before it is taken: docs/memory.md, CA10 and CA13. */
static void check_queue(struct hd_import *im, const char *name, uint32_t queue, char write,
                        char miss)
{
	uint32_t least = write == 'R' ? 1 : miss == 'W' ? 3 : 2;

	if (queue < least || queue > 65536)
		hd__import_error(im, name, "has a miss queue of %u; expected %u to 65536, or no miss is "
		                 "ever accepted", queue, least);
}

/* The last field, behind a number of FIFO entries; 0: there is none. */
uint32_t hd__import_port_width(struct hd_import *im, const char *name)
{
	unsigned width = 0;

	(void)sscanf(hd__import_text(im, name), "%*[^,],%*[^,],%*[^,],%*[^,],%9u", &width);
	return width;
}

/* May this follow the length of the miss queue?  ":FIFO", ",WIDTH". */
static bool may_end(const char *rest)
{
	for (const char *mark = ":,"; *mark; mark++)
		if (*rest == *mark && rest[1] >= '0' && rest[1] <= '9')
			rest += 1 + strspn(rest + 1, "0123456789");
	return *rest == '\0';
}

struct hd_import_cache hd__import_cache(struct hd_import *im, const char *name)
{
	const char *text = hd__import_text(im, name);
	struct hd_import_cache c = { .none = strcmp(text, "none") == 0 };
	char kind, replace, write, allocate, miss, index, entry;
	unsigned entries, merge, queue;
	int end = 0;

	if (c.none)
		return c;
	/* longer numbers do not fit */
	if (sscanf(text, "%c:%9u:%9u:%9u,%c:%c:%c:%c:%c,%c:%9u:%9u,%9u%n", &kind, &c.sets, &c.line,
	           &c.ways, &replace, &write, &allocate, &miss, &index, &entry, &entries, &merge, &queue,
	           &end) != 13 || !strchr("NS", kind) || strlen(text) > 200 || !may_end(text + end)) {
		hd__import_error(im, name, "is '%.60s'; expected a cache such as "
		                 "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32", text);
		c.none = true;
		return c;
	}
	c.streams = allocate == 's';
	if (entry != 'A' && entry != 'S')
		hd__import_error(im, name, "has miss entries of kind '%c'; expected A or S: texture "
		                 "FIFOs are not modelled", entry);
	if (allocate != 'm' && write == 'B')
		hd__import_error(im, name, "writes back and allocates on fill; expected allocation on "
		                 "miss");
	else if (allocate != 'm' && write != 'R' && (miss == 'F' || miss == 'L'))
		hd__import_error(im, name, "fetches on a store miss and allocates on fill; expected "
		                 "allocation on miss");
	check_sizes(im, name, &c, kind == 'S', index, entries, merge);
	check_queue(im, name, queue, write, miss);
	c.params = json_pack("{s:b, s:I, s:I, s:I, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}",
		"sectored", kind == 'S', "sets", (json_int_t)c.sets, "line", (json_int_t)c.line,
		"ways", (json_int_t)c.ways,
		"replacement", look_up(im, name, "replacement", replacements, replace),
		"write_policy", look_up(im, name, "write policy", policies, write),
		"allocate", look_up(im, name, "allocation", allocations, allocate),
		"write_allocate", look_up(im, name, "write allocation", write_misses, miss),
		"set_index", look_up(im, name, "set index", indices, index),
		"mshr_entries", (json_int_t)entries, "mshr_merge", (json_int_t)merge,
		"miss_queue", (json_int_t)queue);
	return c;
}
