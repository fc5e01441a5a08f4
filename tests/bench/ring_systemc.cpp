/* ring_systemc.cpp - the rings of ring.c in SystemC, for comparison
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: ring_systemc dense|fifo N EDGES, ring_systemc sparse N EDGES TOKENS, ring_systemc domains N INSTANTS TOKENS
 * dense: a clocked SC_METHOD reads its neighbour's sc_signal and writes its own; all are busy.
 * fifo: the same with an sc_fifo of two places, since room is seen one edge after it was made.
 * The signals are reached by pointer; through sc_in and sc_out it takes up to 40 % longer.
 * sparse: a stage waits for its own event, which its neighbour notifies one edge ahead, so that
 * idle stages are not called; they would be if they were clocked.
 * domains: three rings of such stages with clocks of their own, joined to one by FIFOs.
 * EDGES and the first edge, at which ring.c only starts its tokens, are counted as there.
 */
#include "ring_work.h"

#include <systemc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

struct Clocked : sc_module {
	sc_signal<uint32_t> out;
	const sc_signal<uint32_t> *in = nullptr;
	uint32_t index, sum = 0;
	uint64_t works = 0;

	SC_HAS_PROCESS(Clocked);
	Clocked(sc_module_name name, uint32_t i, const sc_clock &clk)
		: sc_module(name), out("out", ring_seed(i)), index(i)
	{
		SC_METHOD(edge);
		sensitive << clk.posedge_event();
		dont_initialize();
	}

	void edge()
	{
		uint32_t v = ring_work(in->read(), index);

		out.write(v);
		sum += v;
		works++;
	}
};

struct Fifo : sc_module {
	sc_fifo<uint32_t> out;
	sc_fifo<uint32_t> *in = nullptr;
	uint32_t index, sum = 0;
	uint64_t works = 0;

	SC_HAS_PROCESS(Fifo);
	Fifo(sc_module_name name, uint32_t i, const sc_clock &clk) : sc_module(name), out("out", 2), index(i)
	{
		SC_METHOD(edge);
		sensitive << clk.posedge_event();
		dont_initialize();
		out.nb_write(ring_seed(i));
	}

	void edge()
	{
		uint32_t v;

		if (out.num_free() == 0 || !in->nb_read(v))
			return;
		v = ring_work(v, index);
		out.nb_write(v);
		sum += v;
		works++;
	}
};

struct Waiting : sc_module {
	sc_event arrived;
	Waiting *next = nullptr;
	uint32_t token = 0, index, sum = 0;
	uint64_t works = 0;

	SC_HAS_PROCESS(Waiting);
	Waiting(sc_module_name name, uint32_t i) : sc_module(name), index(i)
	{
		SC_METHOD(arrive);
		sensitive << arrived;
		dont_initialize();
	}

	void arrive()
	{
		uint32_t v = ring_work(token, index);

		next->token = v;
		next->arrived.notify(1, SC_NS);
		sum += v;
		works++;
	}
};

/* Femtoseconds until an edge; edges of different clocks that are not one are further apart than that. */
static uint64_t time_of(uint32_t mhz, uint64_t edge)
{
	return edge * 1000000000 / mhz;
}

/* A stage in one of several clock domains.  Its tokens wait with the edges at which they are taken; that more than one
 * does happens only in front of the first stage of a domain. */
struct Crossing : sc_module {
	sc_event due;
	Crossing *next = nullptr;
	uint32_t token[RING_CROSSING], head = 0, count = 0;
	uint64_t edge[RING_CROSSING], last = 0;
	uint32_t mhz, index, sum = 0;
	uint64_t works = 0;

	SC_HAS_PROCESS(Crossing);
	Crossing(sc_module_name name, uint32_t i, uint32_t f) : sc_module(name), mhz(f), index(i)
	{
		SC_METHOD(take);
		sensitive << due;
		dont_initialize();
	}

	void notify(uint64_t now)
	{
		due.notify(static_cast<double>(time_of(mhz, edge[head]) - now), SC_FS);
	}

	/* From the stage before, at an edge of its clock: it can be taken at the first later edge of this one's. */
	void put(uint32_t v, uint32_t from_mhz, uint64_t from_edge)
	{
		uint64_t e = from_mhz == mhz ? from_edge + 1 : from_edge * mhz / from_mhz + 1;
		uint32_t place = (head + count) % RING_CROSSING;

		if (count == RING_CROSSING) {
			std::fputs("ring_systemc: a FIFO is full, and this ring does not wait for room\n", stderr);
			std::exit(1);
		}
		last = e > last ? e : last + 1;
		token[place] = v;
		edge[place] = last;
		if (count++ == 0)
			notify(time_of(from_mhz, from_edge));
	}

	void take()
	{
		uint32_t v = ring_work(token[head], index);
		uint64_t e = edge[head];

		head = (head + 1) % RING_CROSSING;
		if (--count > 0)
			notify(time_of(mhz, e));
		next->put(v, mhz, e);
		sum += v;
		works++;
	}
};

template <class Stage> static int report(const std::vector<std::unique_ptr<Stage>> &v, double ns)
{
	uint32_t checksum = 0;
	uint64_t works = 0;

	for (const auto &s : v) {
		checksum = ring_fold(checksum, s->sum);
		works += s->works;
	}
	std::printf("ns %.3f\nchecksum %08x\n", ns / static_cast<double>(works),
	            static_cast<unsigned>(checksum));
	return 0;
}

/* Runs for so many units; returns the time, that of the middle one of many slices, as ring.c does.  With clocks, the
 * first edges are at half a period from zero, so that n periods have n edges. */
static double run(uint64_t units, sc_time_unit unit)
{
	uint64_t slices = std::min<uint64_t>(RING_SLICES, units);
	std::vector<double> ns;

	sc_start(SC_ZERO_TIME);
	for (uint64_t i = 0; i < slices; i++) {
		double start = ring_now();

		sc_start(static_cast<double>(units * (i + 1) / slices - units * i / slices), unit);
		ns.push_back(ring_now() - start);
	}
	std::nth_element(ns.begin(), ns.begin() + static_cast<long>(slices / 2), ns.end());
	return ns[slices / 2] * static_cast<double>(slices);
}

template <class Stage> static int dense(uint32_t n, uint64_t edges)
{
	sc_clock clk("clk", 1, SC_NS, 0.5, 0.5, SC_NS, true);
	std::vector<std::unique_ptr<Stage>> stage;
	double ns;

	for (uint32_t i = 0; i < n; i++)
		stage.emplace_back(new Stage(sc_gen_unique_name("stage"), i, clk));
	for (uint32_t i = 0; i < n; i++)
		stage[i]->in = &stage[(i + n - 1) % n]->out;
	ns = run(edges - 1, SC_NS);
	return report(stage, ns);
}

static int sparse(uint32_t n, uint64_t edges, uint32_t tokens)
{
	std::vector<std::unique_ptr<Waiting>> stage;
	double ns;

	for (uint32_t i = 0; i < n; i++)
		stage.emplace_back(new Waiting(sc_gen_unique_name("stage"), i));
	for (uint32_t i = 0; i < n; i++) {
		stage[i]->next = stage[(i + 1) % n].get();
		if (ring_seeded(i, n, tokens)) {
			stage[i]->next->token = ring_seed(i);
			stage[i]->next->arrived.notify(0.5, SC_NS);
		}
	}
	ns = run(edges - 1, SC_NS);
	return report(stage, ns);
}

/* The edge of the first clock at the last of so many instants at which some clock has one, and its time, rounded up. */
static uint64_t last_instant(uint64_t instants, uint64_t *edge)
{
	uint64_t next[RING_DOMAINS] = { 0 }, end = 0;

	while (instants-- > 0) {
		uint32_t first = 0;

		for (uint32_t d = 1; d < RING_DOMAINS; d++)
			if (next[d] * ring_mhz[first] < next[first] * ring_mhz[d])
				first = d;
		end = time_of(ring_mhz[first], next[first]) + 1;
		for (uint32_t d = RING_DOMAINS; d-- > 0;) /* `first` last: the others are compared with it */
			if (d != first && next[d] * ring_mhz[first] == next[first] * ring_mhz[d])
				next[d]++;
		next[first]++;
	}
	*edge = next[0] - 1;
	return end;
}

static int domains(uint32_t n, uint64_t instants, uint32_t tokens)
{
	std::vector<std::unique_ptr<Crossing>> stage;
	uint64_t edge, end = last_instant(instants, &edge);
	double ns;

	sc_set_time_resolution(1, SC_FS);
	for (uint32_t i = 0; i < RING_DOMAINS * n; i++)
		stage.emplace_back(new Crossing(sc_gen_unique_name("stage"), i % n, ring_mhz[i / n]));
	for (uint32_t i = 0; i < RING_DOMAINS * n; i++)
		stage[i]->next = stage[(i + 1) % (RING_DOMAINS * n)].get();
	for (uint32_t i = 0; i < RING_DOMAINS * n; i++)
		if (ring_seeded(i % n, n, tokens))
			stage[i]->next->put(ring_seed(i % n), stage[i]->mhz, 0);
	ns = run(end, SC_FS);
	std::printf("us_per_us %.2f\n", ns / 1e3 / (static_cast<double>(edge + 1) / ring_mhz[0]));
	return report(stage, ns);
}

int sc_main(int argc, char **argv)
{
	uint32_t n = argc > 2 ? static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 0;
	uint64_t edges = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
	uint32_t tokens = argc > 4 ? static_cast<uint32_t>(std::strtoul(argv[4], nullptr, 10)) : 0;

	if (n >= 2 && edges >= 2 && argc == 4 && std::strcmp(argv[1], "dense") == 0)
		return dense<Clocked>(n, edges);
	if (n >= 2 && edges >= 2 && argc == 4 && std::strcmp(argv[1], "fifo") == 0)
		return dense<Fifo>(n, edges);
	if (n >= 2 && edges >= 2 && tokens && std::strcmp(argv[1], "sparse") == 0)
		return sparse(n, edges, tokens);
	if (n >= 2 && edges >= 2 && tokens && std::strcmp(argv[1], "domains") == 0)
		return domains(n, edges, tokens);
	std::fputs("usage: ring_systemc dense|fifo N EDGES, ring_systemc sparse|domains N EDGES TOKENS\n", stderr);
	return 2;
}
