/* fuzz_toys.c - small netlists of the kernel's toys with links that fit, which are run in every way
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  The bytes of
 * the input choose clocks, instances, their numbers and links: an end leads to one of its type, and
 * what is left open gets an instance for it.  So most netlists are accepted, rings among them; those that
 * are not must be refused in every way.  The others run for CYCLES cycles: asleep, awake, in other orders, halted,
 * under the checks of --check-modules, and from a saved state; all must give the same events, statistics and messages.
 * With FUZZ_VERBOSE it prints each netlist.
 */
#include "ways.h"
#include "tests/kernel/toy/toy.h"

#define CYCLES 2000
#define MOST_CLOCKS 6u
#define MOST_INSTANCES 10u
#define MOST_ENDS 32u

const struct hd_module *const hd__builtin_wide[] = { NULL };
const struct hd_module *const hd__builtin_modules[] = { &hd_module_board, &hd_module_clerk, &hd_module_gatekeeper,
	&hd_module_router, &hd_module_set_sink, &hd_module_set_source, &hd_module_sink, &hd_module_sleeper,
	&hd_module_source, &hd_module_stage, &hd_module_user, &hd_module_worker, NULL };

/* What may lead to what. */
enum kind { FIFO, SET, CALL, KINDS };

struct port {
	const char *module, *name; /* of the port */
	enum kind kind;
};

static const struct port outs[] = { { "source", "out", FIFO }, { "stage", "out", FIFO }, { "router", "out", FIFO },
	{ "set_source", "out", SET }, { "user", "boards", CALL } };
static const struct port ins[] = { { "sink", "in", FIFO }, { "stage", "in", FIFO }, { "router", "in", FIFO },
	{ "set_sink", "in", SET }, { "board", "release", CALL }, { "board", "check", CALL },
	{ "board", "ordered", CALL }, { "clerk", "desk", CALL } };

/* What stands at the other end of a port that the input leaves open. */
static const char *const first_of[KINDS] = { "source", "set_source", "user" };
static const char *const last_of[KINDS] = { "sink", "set_sink", "board" };

static const char *const modules[] = { "source", "sink", "stage", "stage", "router", "set_source", "set_sink", "worker",
	"sleeper", "gatekeeper", "board", "clerk", "user" };

#define LENGTH(v) (unsigned)(sizeof(v) / sizeof *(v))

static const unsigned some[] = { 1, 2, 3, 4, 5, 7, 8, 16, 19, 33, 64, 150, 400, 1000 };

static unsigned take_some(struct fuzz_input *in, unsigned below)
{
	return some[fuzz_take(in, below)];
}

/* ---- the netlist so far ---- */

struct end {
	unsigned instance; /* its number */
	const struct port *port;
	bool linked, staged;
};

struct made {
	json_t *clocks, *instances, *links;
	unsigned nclocks, ninstances, nouts, nins;
	unsigned elements; /* of all arrays, so that their ends fit */
	bool array[MOST_INSTANCES + MOST_ENDS];
	struct end out[MOST_ENDS], in[MOST_ENDS];
};

static void make_clock(struct fuzz_input *in, struct made *m)
{
	static const char *const phases[] = { NULL, "1/2", "3/4", "1/3", "end" };
	static const unsigned mhz[] = { 1000, 700, 1500, 333 };
	char *name = hd__format("c%u", m->nclocks), *of = NULL;
	const char *phase;
	json_t *c = json_object();

	if (m->nclocks && fuzz_take(in, 4)) {
		of = hd__format("c%u", fuzz_take(in, m->nclocks));
		json_object_set_new(c, "of", json_string(of));
		phase = phases[fuzz_take(in, LENGTH(phases))];
		if (phase)
			json_object_set_new(c, "phase", json_string(phase));
		if (!phase || strcmp(phase, "end") != 0)
			json_object_set_new(c, "times", json_integer(1 + fuzz_take(in, 4)));
	} else {
		json_object_set_new(c, "mhz", json_integer(mhz[fuzz_take(in, LENGTH(mhz))]));
	}
	json_object_set_new(m->clocks, name, c);
	m->nclocks++;
	free(of);
	free(name);
}

/* Numbers of edges; rising, as a worker needs them. */
static json_t *make_list(struct fuzz_input *in, bool rising, unsigned least)
{
	json_t *v = json_array();
	unsigned n = least + fuzz_take(in, 4), sum = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned x = fuzz_take(in, 200);

		sum = rising ? sum + x : x;
		json_array_append_new(v, json_integer(sum));
	}
	return v;
}

static json_t *make_params(struct fuzz_input *in, const char *module)
{
	if (strcmp(module, "source") == 0)
		return json_pack("{s:i, s:i, s:i, s:i}", "count", take_some(in, 14), "every", take_some(in, 10),
		                 "batch", take_some(in, 7), "id", fuzz_take(in, 4));
	if (strcmp(module, "sink") == 0)
		return json_pack("{s:i, s:i, s:i}", "every", take_some(in, 10), "batch", take_some(in, 7),
		                 "finish", fuzz_take(in, 4) ? 0 : take_some(in, 14));
	if (strcmp(module, "set_source") == 0)
		return json_pack("{s:i}", "count", take_some(in, 14));
	if (strcmp(module, "set_sink") == 0)
		return json_pack("{s:i, s:i}", "every", take_some(in, 10), "finish",
		                 fuzz_take(in, 4) ? 0 : take_some(in, 14));
	if (strcmp(module, "router") == 0)
		return json_pack("{s:i}", "modulo", 1 + fuzz_take(in, 4));
	if (strcmp(module, "user") == 0)
		return json_pack("{s:i, s:i}", "id", fuzz_take(in, 4), "count", take_some(in, 14));
	if (strcmp(module, "worker") == 0)
		return json_pack("{s:o, s:b, s:b}", "parts", make_list(in, true, 1), "expected", fuzz_take(in, 2),
		                 "apart", fuzz_take(in, 2));
	if (strcmp(module, "sleeper") == 0)
		return json_pack("{s:o, s:i}", "naps", make_list(in, false, 0), "repeat", fuzz_take(in, 2));
	if (strcmp(module, "gatekeeper") == 0)
		return json_pack("{s:o}", "naps", make_list(in, false, 1));
	return json_object();
}

static void add_ends(struct made *m, unsigned instance, const char *module)
{
	for (unsigned i = 0; i < LENGTH(outs); i++)
		if (strcmp(outs[i].module, module) == 0 && m->nouts < MOST_ENDS)
			m->out[m->nouts++] = (struct end){ instance, &outs[i], false };
	for (unsigned i = 0; i < LENGTH(ins); i++)
		if (strcmp(ins[i].module, module) == 0 && m->nins < MOST_ENDS)
			m->in[m->nins++] = (struct end){ instance, &ins[i], false };
}

static void make_instance(struct fuzz_input *in, struct made *m, const char *module)
{
	char *name = hd__format("i%u", m->ninstances), *clock = hd__format("c%u", fuzz_take(in, m->nclocks));
	json_t *i = json_pack("{s:s, s:o}", "module", module, "params", make_params(in, module));
	bool gates = strcmp(module, "gatekeeper") == 0;

	m->array[m->ninstances] = m->elements > 1 && !gates && fuzz_take(in, 3) == 0;
	if (m->array[m->ninstances])
		json_object_set_new(i, "count", json_integer(m->elements));
	if (strcmp(module, "board") != 0)
		json_object_set_new(i, "clock", json_string(clock));
	if (gates && m->nclocks > 1) {
		char *gated = hd__format("c%u", 1 + fuzz_take(in, m->nclocks - 1));

		json_object_set_new(json_object_get(m->clocks, gated), "gate", json_string(name));
		free(gated);
	}
	json_object_set_new(m->instances, name, i);
	add_ends(m, m->ninstances++, module);
	free(clock);
	free(name);
}

/* ---- links ---- */

static char *end_text(const struct made *m, const struct end *e)
{
	return hd__format("i%u%s.%s", e->instance, m->array[e->instance] ? "[*]" : "", e->port->name);
}

/* Latency, capacity and slots, which the first link into a port has. */
static void make_channel(struct fuzz_input *in, const struct made *m, struct end *to, bool back, json_t *l)
{
	static const unsigned latencies[] = { 1, 2, 3, 7, 19, 0, 0 };
	unsigned how = fuzz_take(in, 32);
	bool set = to->port->kind == SET;

	to->staged = back ? (how & 3) != 3 : (how & 3) == 0;
	if (how & 4)
		json_object_set_new(l, "latency", json_integer(latencies[fuzz_take(in, to->staged ? 5 : 7)]));
	if (set && how & 8) {
		json_object_set_new(l, "slots", json_integer(1 + fuzz_take(in, 64)));
		json_object_set_new(l, "index", json_string("any"));
	} else if (set) {
		json_object_set_new(l, "slots", json_integer(m->elements * (1 + fuzz_take(in, 4))));
	} else if (how & 8) {
		json_object_set_new(l, "capacity", json_integer(take_some(in, 14)));
	}
}

static void make_link(struct fuzz_input *in, struct made *m, struct end *from, struct end *to)
{
	char *a = end_text(m, from), *b = end_text(m, to);
	json_t *l = json_pack("{s:s, s:s}", "from", a, "to", b);
	bool router = strcmp(to->port->module, "router") == 0;

	if (from->port->kind != CALL && (!to->linked || router))
		make_channel(in, m, to, to->instance <= from->instance, l);
	if (to->staged)
		json_object_set_new(l, "staged", json_true());
	if (fuzz_take(in, 4) == 1)
		json_object_set_new(l, "rotate", json_true());
	if (strcmp(from->port->module, "router") == 0)
		json_object_set_new(l, "residue", json_integer(fuzz_take(in, 4)));
	json_array_append_new(m->links, l);
	from->linked = to->linked = true;
	free(a);
	free(b);
}

/* One of that kind, from a place that the input chooses; NULL: there is none. */
static struct end *choose(struct fuzz_input *in, struct end *v, unsigned n, enum kind kind)
{
	unsigned at = n ? fuzz_take(in, n) : 0;

	for (unsigned i = 0; i < n; i++, at = (at + 1) % n)
		if (v[at].port->kind == kind)
			return &v[at];
	return NULL;
}

/* Every end has a link, routers may have several. */
static void make_links(struct fuzz_input *in, struct made *m)
{
	for (unsigned i = 0; i < m->nouts; i++) {
		const struct port *p = m->out[i].port;
		unsigned n = strcmp(p->module, "router") == 0 || p->kind == CALL ? 1 + fuzz_take(in, 3) : 1;

		for (unsigned k = 0; k < n; k++) {
			struct end *to = choose(in, m->in, m->nins, p->kind);

			if (!to && m->nins < MOST_ENDS) {
				make_instance(in, m, last_of[p->kind]);
				to = &m->in[m->nins - 1];
			}
			if (to)
				make_link(in, m, &m->out[i], to);
		}
	}
	for (unsigned i = 0; i < m->nins; i++) {
		const struct port *p = m->in[i].port;

		if (m->in[i].linked || p->kind == CALL || m->nouts == MOST_ENDS)
			continue;
		make_instance(in, m, first_of[p->kind]);
		make_link(in, m, &m->out[m->nouts - 1], &m->in[i]);
	}
}

/* The netlist as text; the caller frees it. */
static char *netlist_of(struct fuzz_input *in)
{
	struct made m = { .clocks = json_object(), .instances = json_object(), .links = json_array() };
	unsigned how = fuzz_take(in, 32), nclocks = 1 + fuzz_take(in, MOST_CLOCKS);
	json_t *root;
	char *text;

	m.elements = 1 + how % 4;
	for (unsigned i = 0; i < nclocks; i++)
		make_clock(in, &m);
	for (unsigned i = 0; i < MOST_INSTANCES && in->left > 1; i++)
		make_instance(in, &m, modules[fuzz_take(in, LENGTH(modules))]);
	if (m.ninstances == 0)
		make_instance(in, &m, "source");
	make_links(in, &m);
	root = json_pack("{s:i, s:o, s:o, s:o}", "heddle", 1, "clocks", m.clocks, "instances", m.instances, "links",
	                 m.links);
	if (how >= 24) /* the same several times, as a part of another netlist */
		root = json_pack("{s:i, s:{s:{s:o, s:i}}}", "heddle", 1, "instances", "part", "netlist", root, "count",
		                 1 + how % 3);
	text = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hd_registry r;
	struct fuzz_input in = { data, size };
	struct hd_options o = { .max_cycles = CYCLES, .per_item = true };
	char *text = netlist_of(&in), *file;
	struct hd_diags d = { 0 };
	int fd;

	if (r.n == 0)
		hd__registry_init(&r, &d);
	file = fuzz_file(text, strlen(text), &fd);
	fuzz_every_way(&(struct fuzz_run){ .registry = &r, .netlist = file, .o = o }, fuzz_seed(data, size), text);
	free(file);
	close(fd);
	free(text);
	return 0;
}

#include "files.h"
