/* ring_systemc.cpp - the rings of ring.c in SystemC, for comparison
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: ring_systemc dense|sparse N EDGES [TOKENS]
 * dense: a clocked SC_METHOD reads its neighbour's sc_signal and writes its own; all are busy.
 * The signals are reached by pointer; through sc_in and sc_out it takes up to 40 % longer.
 * sparse: a stage waits for its own event, which its neighbour notifies one edge ahead, so that
 * idle stages are not called; they would be if they were clocked.
 * EDGES and the first edge, at which ring.c only starts its tokens, are counted as there.
 */
#include "ring_work.h"

#include <systemc.h>

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

/* The first edges at half a period from zero, so that n periods have n edges. */
static double run(uint64_t edges)
{
	double start;

	sc_start(SC_ZERO_TIME);
	start = ring_now();
	sc_start(static_cast<double>(edges), SC_NS);
	return ring_now() - start;
}

static int dense(uint32_t n, uint64_t edges)
{
	sc_clock clk("clk", 1, SC_NS, 0.5, 0.5, SC_NS, true);
	std::vector<std::unique_ptr<Clocked>> stage;
	double ns;

	for (uint32_t i = 0; i < n; i++)
		stage.emplace_back(new Clocked(sc_gen_unique_name("stage"), i, clk));
	for (uint32_t i = 0; i < n; i++)
		stage[i]->in = &stage[(i + n - 1) % n]->out;
	ns = run(edges - 1);
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
	ns = run(edges - 1);
	return report(stage, ns);
}

int sc_main(int argc, char **argv)
{
	uint32_t n = argc > 2 ? static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 0;
	uint64_t edges = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
	uint32_t tokens = argc > 4 ? static_cast<uint32_t>(std::strtoul(argv[4], nullptr, 10)) : 0;

	if (n >= 2 && edges >= 2 && argc == 4 && std::strcmp(argv[1], "dense") == 0)
		return dense(n, edges);
	if (n >= 2 && edges >= 2 && tokens && std::strcmp(argv[1], "sparse") == 0)
		return sparse(n, edges, tokens);
	std::fputs("usage: ring_systemc dense|sparse N EDGES [TOKENS]\n", stderr);
	return 2;
}
