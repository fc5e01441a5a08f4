/* graph.c - a breadth-first search as a V100 did it: masks and addresses of its trace, warp by warp
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The graph is rebuilt from the addresses in the trace.  The search of graph.cu is executed on it, for a GPU of version
 * 75, as older ones have no compiler any more: what is compared are the accesses to memory, the branches and the exits
 * of each warp, in order.
 */
#include "traces/exec/exec_record.h"
#include "traces/hasm/trace_input.h"

#include "base/read_file.h"
#include "base/xalloc.h"

#include <unistd.h>

#define NODES 4096u
#define EDGES 24576u
#define THREADS 512u
#define WARPS (NODES / HD_LANES) /* of a launch */

static unsigned failures;

static const char *folder(void)
{
	return getenv("srcdir") ? getenv("srcdir") : ".";
}

/* Buffers, in the order of their copies. */
enum { AT_NODES, AT_EDGES, AT_FRONT, AT_NEXT, AT_REACHED, AT_DISTANCE, AT_MORE, BUFFERS };
static const uint64_t bytes[] = { NODES * 8, EDGES * 4, NODES, NODES, NODES, NODES * 4, 1 };

/* ---- what warps did ---- */

struct step {
	char kind;         /* L: load, S: store, B: branch, E: exit */
	uint8_t width;     /* bytes that a lane accesses */
	uint32_t mask, pc;
	uint64_t address[HD_LANES];
};

struct launch {
	struct warp {
		struct step *v;
		size_t n, cap;
	} warp[WARPS];
};

struct trace {
	struct trace_input *in;
	struct launch *launch;
	size_t launches;
	uint64_t base[BUFFERS]; /* where the buffers are: all of them are copied to the device at first */
};

static char kind_of(const char *opcode, const struct hd_inst *i)
{
	return i->width ? *opcode : strncmp(opcode, "BRA", 3) == 0 ? 'B' : i->flags & HD_INST_EXIT ? 'E' : 0;
}

static bool add_block(void *arg, uint64_t number)
{
	struct trace *t = arg;
	struct trace_kernel *k = &t->in->k;
	struct hd_inst i;

	for (uint32_t w = 0; w < THREADS / HD_LANES; w++) {
		struct warp *to = &t->launch[t->launches].warp[number * (THREADS / HD_LANES) + w];

		while (trace_kernel_next(k, w, &i)) {
			struct step s = { .kind = kind_of(t->in->r.names.v[i.opcode], &i), .width = i.width,
			                  .mask = i.mask, .pc = i.pc };

			if (!s.kind || !s.mask)
				continue;
			for (unsigned lane = 0; i.width && lane < HD_LANES; lane++)
				s.address[lane] = hd_inst_addr(&i, lane);
			to->v = hd__xgrow(to->v, to->n, &to->cap, sizeof s);
			to->v[to->n++] = s;
		}
	}
	return true;
}

static struct trace *read_trace(const char *path)
{
	char *tables = hd__format("%s/netlists/opcodes", folder());
	struct trace_command c = { .tables = tables, .trace = path };
	struct trace *t = hd__xcalloc(1, sizeof *t);
	const struct hd_trace_copy *copy;

	t->in = hd__xcheck(hd__trace_input_open(&c));
	t->launch = hd__xcalloc(t->in->r.list.n, sizeof *t->launch);
	if (hd__trace_input_copies(t->in, 0, &copy) < BUFFERS)
		failures++;
	for (unsigned i = 0; i < BUFFERS && !failures; i++) {
		t->base[i] = copy[i].addr;
		failures += copy[i].bytes != bytes[i];
	}
	for (; t->launches < t->in->r.list.n; t->launches++)
		if (!hd__trace_input_kernel(t->in, t->launches, add_block, t))
			failures++;
	failures += hd__trace_input_close(t->in, 0) != 0;
	free(tables);
	return t;
}

static void free_trace(struct trace *t)
{
	for (size_t i = 0; i < t->launches; i++)
		for (unsigned w = 0; w < WARPS; w++)
			free(t->launch[i].warp[w].v);
	free(t->launch);
	free(t);
}

/* ---- the graph ---- */

struct graph {
	struct { int32_t first, edges; } node[NODES];
	int32_t edge[EDGES];
	unsigned known;     /* edges */
	unsigned start;     /* node at which the search begins */
};

/* The offset in a buffer; false: it is in another one. */
static bool in(const struct trace *t, unsigned buffer, uint64_t address, uint64_t *offset)
{
	*offset = address - t->base[buffer];
	return *offset < bytes[buffer];
}

/* A lane of the search: which node it is, which edge it has read last. */
struct lane {
	uint64_t node, edge;
	bool begun;
};

static void follow(struct graph *g, const struct trace *t, struct lane *l, uint64_t address)
{
	uint64_t at;

	if (in(t, AT_FRONT, address, &at)) {
		*l = (struct lane){ .node = at };
	} else if (in(t, AT_EDGES, address, &at)) {
		l->edge = at / 4;
		if (!l->begun)
			g->node[l->node].first = (int32_t)l->edge;
		l->begun = true;
		g->node[l->node].edges = (int32_t)l->edge - g->node[l->node].first + 1;
	} else if (in(t, AT_REACHED, address, &at) && g->edge[l->edge] < 0) {
		g->edge[l->edge] = (int32_t)at;
		g->known++;
	}
}

static struct graph *rebuild(const struct trace *t)
{
	struct graph *g = hd__xcalloc(1, sizeof *g);

	memset(g->edge, -1, sizeof g->edge);
	for (size_t i = 0; i < t->launches; i += 2) /* the others are those of `advance` */
		for (unsigned w = 0; w < WARPS; w++) {
			struct lane lane[HD_LANES] = { { 0 } };

			for (size_t s = 0; s < t->launch[i].warp[w].n; s++) {
				const struct step *p = &t->launch[i].warp[w].v[s];

				for (unsigned n = 0; p->width && n < HD_LANES; n++)
					if (p->mask >> n & 1)
						follow(g, t, &lane[n], p->address[n]);
				if (i == 0 && p->kind == 'S') /* the one node of the first front */
					g->start = w * HD_LANES + (unsigned)__builtin_ctz(p->mask);
			}
		}
	return g;
}

/* ---- the search, executed ---- */

static void launch(struct hd_record *r, struct hd_exec *x, struct hd_exec_image *m, const char *name,
                   const uint64_t *buffers, unsigned n)
{
	struct hd_exec_launch l = { .kernel = hd__exec_kernel(m, name), .grid = { NODES / THREADS, 1, 1 },
	                            .block = { THREADS, 1, 1 } };
	uint64_t args[BUFFERS + 1];
	struct hd_exec_fault fault;

	memcpy(args, buffers, n * sizeof *args);
	args[n] = NODES;
	l.args = args;
	l.nargs = n * sizeof *args + 4;
	if (hd__record_run(r, x, &l, NULL, &fault) == HD_EXEC_DONE)
		return;
	printf("FAIL: %s: %s\n", name, fault.words);
	failures++;
}

static void search(const struct graph *g, const char *out)
{
	char *name = hd__format("%s/tests/exec/graph.fatbin", folder()), *why, *cubin;
	struct hd_exec_options o = { .most = 1 << 24 };
	struct hd_exec *x = hd__xcheck(hd__exec_new(&o, &why));
	struct hd_exec_image *m;
	struct hd_record *r;
	uint64_t base[BUFFERS];
	unsigned char *host[BUFFERS];
	size_t n;

	failures += hd__record_open(&r, out, false) != 0;
	cubin = hd__xcheck(hd__read_file(name, &n));
	m = hd__xcheck(hd__exec_load(x, cubin, n, 75, name, &why));
	for (unsigned i = 0; i < BUFFERS; i++) {
		base[i] = hd__exec_alloc(x, bytes[i]);
		hd__record_copy(r, base[i], bytes[i]);
		host[i] = hd__exec_host(x, base[i], bytes[i]);
	}
	memcpy(host[AT_NODES], g->node, bytes[AT_NODES]);
	memcpy(host[AT_EDGES], g->edge, bytes[AT_EDGES]);
	memset(host[AT_DISTANCE], -1, bytes[AT_DISTANCE]);
	host[AT_FRONT][g->start] = host[AT_REACHED][g->start] = 1;
	memset(host[AT_DISTANCE] + 4 * g->start, 0, 4);
	do {
		*host[AT_MORE] = 0;
		launch(r, x, m, "spread", base, AT_MORE);
		launch(r, x, m, "advance",
		       (uint64_t[]){ base[AT_FRONT], base[AT_NEXT], base[AT_REACHED], base[AT_MORE] }, 4);
	} while (*host[AT_MORE] && !failures);
	failures += hd__record_close(r, true) != 0;
	hd__exec_free(x);
	free(cubin);
	free(name);
}

/* ---- both ---- */

/* Steps of the traces s and t. */
static bool same_step(const struct trace *s, const struct step *a, const struct trace *t, const struct step *b)
{
	if (a->kind != b->kind || a->width != b->width || a->mask != b->mask)
		return false;
	for (unsigned lane = 0; a->width && lane < HD_LANES; lane++) {
		uint64_t offset, other;
		unsigned k = 0;

		if (!(a->mask >> lane & 1))
			continue;
		while (k < BUFFERS && !in(s, k, a->address[lane], &offset))
			k++;
		if (k == BUFFERS || !in(t, k, b->address[lane], &other) || offset != other)
			return false;
	}
	return true;
}

static unsigned compare(const struct trace *a, const struct trace *b)
{
	unsigned same = 0;

	for (size_t i = 0; i < a->launches && i < b->launches; i++)
		for (unsigned w = 0; w < WARPS; w++) {
			const struct warp *p = &a->launch[i].warp[w], *q = &b->launch[i].warp[w];
			size_t n = 0;

			while (n < p->n && n < q->n && same_step(a, &p->v[n], b, &q->v[n]))
				n++;
			same += n == p->n && n == q->n;
			if ((n < p->n || n < q->n) && failures++ == 0)
				printf("FAIL: launch %zu, warp %u: step %zu of %zu and %zu differs\n", i + 1, w, n + 1,
				       p->n, q->n);
		}
	return same;
}

int main(void)
{
	static const char out[] = "tests/exec/graph.hpack";
	const char *oracle = getenv("HEDDLE_ORACLE");
	char *path = oracle ? hd__format("%s/real/bfs-volta/kernelslist.g", oracle)
			    : hd__format("%s/../shared/oracle/real/bfs-volta/kernelslist.g", folder());
	struct trace *real, *made;
	struct graph *g;
	unsigned same;

	if (access(path, R_OK)) {
		printf("skipped: no trace %s\n", path);
		free(path);
		return 77;
	}
	real = read_trace(path);
	g = rebuild(real);
	if (g->known != EDGES) {
		printf("FAIL: %u edges of %u were read\n", g->known, EDGES);
		failures++;
	}
	search(g, out);
	made = read_trace(out);
	same = compare(real, made);
	printf("%zu and %zu launches; equal are %u of %zu warps\n", real->launches, made->launches, same,
	       real->launches * WARPS);
	failures += made->launches != real->launches;
	free_trace(real);
	free_trace(made);
	free(g);
	free(path);
	remove(out);
	return failures != 0;
}
