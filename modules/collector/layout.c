/* layout.c - private to the operand collector: units that each scheduler may use, the places that they fill
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "collector_parts.h"

static const struct route_attr *attr(const struct hd_end *e)
{
	return e->attr;
}

static int match_routes(struct collector *c)
{
	if (c->in.n > MAX_ROUTES)
		return hd_error(c->ctx, "%u register sets are linked to port 'in'; expected at most %u",
		                c->in.n, MAX_ROUTES);
	for (uint32_t i = 0; i < MAX_ROUTES + 2; i++)
		c->route[i].full = &c->nothing;
	for (uint32_t i = 0; i < c->in.n; i++) {
		uint32_t unit = attr(&c->in.v[i])->unit, k = 0;
		const char *name = hd_symbol_name(c->ctx, "unit", unit);

		while (k < c->out.n && attr(&c->out.v[k])->unit != unit)
			k++;
		if (k == c->out.n)
			return hd_error(c->ctx, "port 'in' has a link for unit '%s' and port 'out' has "
			                "none; expected one of each", name);
		c->route[i].in = &c->in.v[i];
		c->route[i].full = hd_slots_word(&c->in.v[i]);
		c->route[i].mine = c->in.v[i].slots;
		c->route[i].bit = hd_bit(i);
		c->route[i].index = (uint8_t)i;
		c->route[i].behind = &c->out.v[k];
		c->by_bit[i] = &c->route[i];
		c->delays = c->delays || hd_delays(&c->in.v[i]);
		for (uint32_t j = 0; j < i; j++)
			if (attr(&c->in.v[j])->unit == unit)
				return hd_error(c->ctx, "two links of port 'in' are for unit '%s'; "
				                "expected one", name);
	}
	return 0;
}

/* The units that each scheduler may use, and the places behind them that each unit may fill. */
static void divide_units(struct collector *c)
{
	const struct set_row *row = c->sets.rows;
	uint32_t s = c->sub_cores ? c->sub_cores : 1, base = 0;

	for (uint32_t u = 0; u < c->nunits; u++) {
		uint32_t n = c->nunits / s; /* units of one sub-core */

		c->place_mask[u] = c->sub_cores ? hd_bit(u / n) : UINT64_MAX;
	}
	for (uint32_t i = 0; i < c->sets.n; base += row[i].units, i++) {
		uint32_t step = c->sub_cores ? row[i].units / s : 1; /* units of one sub-core */

		for (uint32_t u = 0; u < row[i].units; u++)
			c->ahead[base + u] = c->set[i].units & ~hd_bits_below(base + (u / step + 1) * step);
	}
	base = 0;
	for (uint32_t i = 0; i < c->sets.n; base += row[i].units, i++)
		for (uint32_t k = 0; k < 64; k++)
			c->share[i][k] = !c->sub_cores ? c->set[i].units
			                : k >= s ? 0
			                : hd_bits_range(base + k * row[i].units / s, row[i].units / s);
}

static int make_sets(struct collector *c)
{
	const struct set_row *row = c->sets.rows;

	if (c->sets.n > 16)
		return hd_error(c->ctx, "%u sets; expected at most 16", c->sets.n);
	for (uint32_t i = 0; i < c->sets.n; i++) {
		if (c->nunits + row[i].units > MAX_UNITS)
			return hd_error(c->ctx, "more than %u collector units", MAX_UNITS);
		if (c->sub_cores && row[i].units % c->sub_cores)
			return hd_error(c->ctx, "%u units of set '%s' cannot be divided among %u "
			                "sub-cores; expected a multiple of %u", row[i].units,
			                hd_symbol_name(c->ctx, "collector set", row[i].name),
			                c->sub_cores, c->sub_cores);
		c->set[i].units = hd_bits_range(c->nunits, row[i].units);
		c->nunits += row[i].units;
		c->ndispatch += row[i].dispatch;
	}
	c->dispatch = hd_memory(c->ctx, c->ndispatch, sizeof *c->dispatch);
	if (!c->dispatch)
		return hd_error(c->ctx, "out of memory");
	divide_units(c);
	for (uint32_t i = 0, d = 0; i < c->sets.n; i++) {
		c->set[i].first = c->dispatch + d;
		for (uint32_t k = 0; k < row[i].dispatch; k++, d++)
			c->dispatch[d].ahead = c->ahead[hd_bits_first(c->set[i].units)];
		c->set[i].end = c->dispatch + d;
	}
	return 0;
}

/* A register set that no port takes from would never be emptied, and a port without a set would never fill a unit. */
static int check_names(const struct collector *c, uint64_t routes)
{
	const struct set_row *set = c->sets.rows;
	const struct port_row *row = c->ports.rows;
	uint64_t sets = 0;

	for (uint32_t i = 0; i < c->sets.n; i++)
		sets |= hd_bit(set[i].name);
	for (uint32_t i = 0; i < c->ports.n; i++) {
		uint64_t other = (row[i].units | row[i].first) & ~sets;

		if (other)
			return hd_error(c->ctx, "'%s' of 'ports[%u].%s' is not a set; expected names of 'sets'",
			                hd_symbol_name(c->ctx, "collector set", hd_bits_first(other)), i,
			                row[i].units & other ? "units" : "first");
	}
	for (uint32_t k = 0; k < c->in.n; k++)
		if (!hd_bits_has(routes, k))
			return hd_error(c->ctx, "no port takes instructions for unit '%s'; expected it in 'takes' of "
			                "one of 'ports', or one without 'takes'",
			                hd_symbol_name(c->ctx, "unit", attr(&c->in.v[k])->unit));
	return 0;
}

static int make_ports(struct collector *c)
{
	const struct set_row *set = c->sets.rows;
	const struct port_row *row = c->ports.rows;
	uint64_t routes = 0;

	c->port = hd_memory(c->ctx, c->ports.n, sizeof *c->port);
	if (!c->port)
		return hd_error(c->ctx, "out of memory");
	for (uint32_t i = 0; i < c->ports.n; i++) {
		struct port *p = &c->port[i];

		p->count = row[i].count;
		p->share[0] = c->share[16];
		for (uint32_t k = 0; k < c->in.n; k++)
			if (row[i].takes == 0 || hd_bits_has(row[i].takes, attr(&c->in.v[k])->unit))
				p->routes |= hd_bit(k);
		routes |= p->routes;
		for (int later = 0; later < 2; later++)
			for (uint32_t k = 0; k < c->sets.n; k++)
				if ((row[i].units == 0 || hd_bits_has(row[i].units, set[k].name))
				    && later == !hd_bits_has(row[i].first, set[k].name))
					p->share[p->nsets++] = c->share[k];
	}
	return check_names(c, routes);
}

/* A scheduler without a sub-core, or a sub-core without a place behind it, would wait forever. */
static int check_sub_cores(const struct collector *c)
{
	for (uint32_t i = 0; c->sub_cores && i < c->in.n; i++) {
		uint32_t n = hd_writers(&c->in.v[i]), places = hd_capacity(c->route[i].behind);
		const char *name = hd_symbol_name(c->ctx, "unit", attr(&c->in.v[i])->unit);

		if (n > c->sub_cores)
			return hd_error(c->ctx, "%u instances are linked to port 'in' for unit '%s', and "
			                "'sub_cores' is %u; expected one for each, or 0", n, name,
			                c->sub_cores);
		if (n > places)
			return hd_error(c->ctx, "port 'out' has %u slots for unit '%s'; expected one "
			                "for each of %u sub-cores", places, name, n);
	}
	return 0;
}

int hd__collector_layout(struct collector *c)
{
	/* One collector for each sub-core: its scheduler has another number than 0, and its places
	 * are those of the array's element. */
	if (c->sub_cores == 1 && c->ctx->count > 1)
		c->sub_cores = 0;
	c->plain = c->ports.n == 1;
	for (uint32_t i = 0; i < c->out.n; i++)
		c->plain = c->plain && !hd_delays(&c->out.v[i]);
	return match_routes(c) || make_sets(c) || check_sub_cores(c) ? -1 : make_ports(c);
}
