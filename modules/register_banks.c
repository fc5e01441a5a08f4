/* register_banks.c - register file of few banks, whose read ports are reserved ahead
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Register file.  An instruction reserves, for every bank, the last cycles of its
 * read window.  Port k of a bank is taken before port k + 1, so that a word for each port has the edges
 * in which so many and one more are taken.
 */
#include <heddle/gpu/control.h>
#include <heddle/gpu/regfile.h>

#define MAX_BANKS 8u
#define MAX_PORTS 16u
#define AHEAD 32u /* edges ahead that can be reserved */

struct bank {
	struct hd_uses writes; /* by edge + 1 */
	uint64_t edge;       /* bit 0 of the next: edges in which port k is taken */
	uint64_t taken[MAX_PORTS];
};

struct sub_core {
	struct bank bank[MAX_BANKS];
};

struct state {
	struct hd_read_ports_if ports;
	struct hd_regfile_if regfile;
	struct hd_ctx *ctx;
	uint32_t banks, sub_cores, read_ports, write_ports, window;
	struct sub_core core[16];
	uint64_t last[AHEAD]; /* by number of reads that fit one window: the edges that they take of one port */
	uint64_t reads, conflicts, writes, write_conflicts;
};

static inline void move_to(const struct state *st, struct bank *b, uint64_t now)
{
	uint64_t by = now - b->edge;

	b->edge = now;
	b->taken[0] = by < 64 ? b->taken[0] >> by : 0;
	for (uint32_t k = 1; HD_UNLIKELY(k < st->read_ports); k++)
		b->taken[k] = by < 64 ? b->taken[k] >> by : 0;
}

/* The last so many edges of reads that end `length` edges from now. */
static inline uint64_t last(uint32_t edges, uint32_t length)
{
	return hd_bits_below(edges) << (length + 1 - edges);
}

/* n reads that end `length` edges from now take all ports in the last few edges, and the rest of them in
 * the edge before these. */
static __attribute__((noinline)) bool
room_of_several(const struct state *st, const struct bank *b, uint32_t n, uint32_t length)
{
	uint32_t edges = n / st->read_ports, rest = n % st->read_ports;

	return !(b->taken[0] & last(edges, length))
	       && (!rest || !(b->taken[st->read_ports - rest] & hd_bit(length - edges)));
}

static __attribute__((noinline)) void
take_several(const struct state *st, struct bank *b, uint32_t n, uint32_t length)
{
	uint32_t edges = n / st->read_ports, rest = n % st->read_ports;
	uint64_t one = hd_bit(length - edges);

	for (uint32_t k = st->read_ports; k-- > 0;)
		b->taken[k] |= last(edges, length) | (k < rest ? one : b->taken[k - rest] & one);
}

/* Reserves in banks with one port reads that fit one window. */
static inline uint32_t reserve_one(struct state *st, struct bank *b, const uint8_t *reads, uint64_t now)
{
	uint32_t n = st->banks;

	for (uint32_t i = 0; i < n; i++) {
		if (b[i].edge != now)
			move_to(st, &b[i], now);
		if (b[i].taken[0] & st->last[reads[i]]) {
			st->conflicts++;
			return 0;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		b[i].taken[0] |= st->last[reads[i]];
		st->reads += reads[i];
	}
	return st->window;
}

/* Reserves any reads. */
static __attribute__((noinline)) uint32_t
reserve_any(struct state *st, struct bank *b, const uint8_t *reads, uint64_t now)
{
	uint32_t length = st->window, ports = st->read_ports, most = 0;

	for (uint32_t i = 0; i < st->banks; i++)
		most = reads[i] > most ? reads[i] : most;
	while (most > length * ports)
		length += st->window;
	for (uint32_t i = 0; i < st->banks; i++) {
		if (!reads[i])
			continue;
		if (b[i].edge != now)
			move_to(st, &b[i], now);
		if (!room_of_several(st, &b[i], reads[i], length)) {
			st->conflicts++;
			return 0;
		}
	}
	for (uint32_t i = 0; i < st->banks; i++) {
		if (!reads[i])
			continue;
		st->reads += reads[i];
		take_several(st, &b[i], reads[i], length);
	}
	return length;
}

static uint32_t reserve(void *self, uint32_t warp, const uint8_t *reads)
{
	struct state *st = self;
	struct bank *b = st->core[warp % st->sub_cores].bank;
	uint32_t some = 0; /* not less than the most reads of one bank */

	for (uint32_t i = 0; i < st->banks; i++)
		some |= reads[i];
	if (!some)
		return st->window;
	if (HD_LIKELY(st->read_ports == 1 && some <= st->window))
		return reserve_one(st, b, reads, hd_now(st->ctx));
	return reserve_any(st, b, reads, hd_now(st->ctx));
}

static bool write_port(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;
	struct bank *b = &st->core[warp % st->sub_cores].bank[(reg - 1) % st->banks];

	if (!hd_use(&b->writes, hd_now(st->ctx) + 1, st->write_ports)) {
		st->write_conflicts++;
		return false;
	}
	st->writes++;
	return true;
}

static void no_read(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	(void)unit;
	(void)warp;
	(void)reg;
	(void)n;
	hd_error(((struct state *)self)->ctx, "an operand collector reads here; expected a register file "
	         "with read queues, module 'regfile'");
}

static uint64_t no_step(void *self, bool first)
{
	(void)self;
	(void)first;
	return 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	if (st->window * 8 > AHEAD - 1)
		return hd_error(ctx, "'window' is %u; expected at most %u", st->window, (AHEAD - 1) / 8);
	for (uint32_t n = 0; n <= st->window; n++)
		st->last[n] = last(n, st->window);
	st->ports = (struct hd_read_ports_if){ .self = st, .banks = st->banks, .window = st->window,
		                               .reserve = reserve };
	st->regfile = (struct hd_regfile_if){ .self = st, .write = write_port, .read = no_read,
		                              .step = no_step };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->core);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "banks", .unit = "banks", .doc = "register banks of each sub-core; register r is in bank "
	  "r modulo this", .type = HD_U32, .offset = P(banks), .def = "2", .min = 1, .max = MAX_BANKS },
	{ .name = "sub_cores", .unit = "", .doc = "sub-cores, warp w in sub-core w modulo this",
	  .type = HD_U32, .offset = P(sub_cores), .def = "4", .min = 1, .max = 16 },
	{ .name = "read_ports", .unit = "registers", .doc = "registers of a warp that a bank reads per "
	  "cycle", .type = HD_U32, .offset = P(read_ports), .def = "1", .min = 1, .max = MAX_PORTS },
	{ .name = "write_ports", .unit = "registers", .doc = "and writes", .type = HD_U32,
	  .offset = P(write_ports), .def = "1", .min = 1, .max = 16 },
	{ .name = "window", .unit = "cycles", .doc = "length of an instruction's reads; one that needs "
	  "more takes a multiple of it", .type = HD_U32, .offset = P(window), .def = "3", .min = 1,
	  .max = 3 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "read", .doc = "for the stages that reserve read ports; first come, first served",
	  .kind = HD_PROVIDES, .flags = HD_ORDERED, .type = &hd_type_read_ports_if, .offset = P(ports) },
	{ .name = "write", .doc = "write ports; first come, first served", .kind = HD_PROVIDES,
	  .flags = HD_ORDERED, .type = &hd_type_regfile_if, .offset = P(regfile) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "reads", .unit = "operands", .doc = "registers read", .offset = P(reads) },
	{ .name = "read_conflicts", .unit = "cycles", .doc = "reservations that did not find all their "
	  "ports free", .offset = P(conflicts) },
	{ .name = "writes", .unit = "registers", .doc = "writes that got a port", .offset = P(writes) },
	{ .name = "write_conflicts", .unit = "registers", .doc = "writes that found the bank's ports taken",
	  .offset = P(write_conflicts) },
	{ .name = NULL },
};

const struct hd_module hd_module_register_banks = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "register_banks",
	.doc = "register file of few banks, whose read ports are reserved ahead",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
};
