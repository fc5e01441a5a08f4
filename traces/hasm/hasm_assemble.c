/* hasm_assemble.c - makes a trace of a text of kernels written by hand
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_commands.h"

#include "base/exit.h"
#include "base/json_read.h"
#include "trace_folder.h"
#include "hasm_walk.h"

#include <inttypes.h>
#include <unistd.h>

/* ---- writing ---- */

static void put_header(FILE *f, const struct hasm_kernel *k, size_t number)
{
	fprintf(f, "-kernel name = %s\n-kernel id = %" PRIu64 "\n", k->name,
	        k->id ? k->id : number);
	fprintf(f, "-grid dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", k->grid[0], k->grid[1],
	        k->grid[2]);
	fprintf(f, "-block dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", k->block[0], k->block[1],
	        k->block[2]);
	fprintf(f, "-shmem = %" PRIu32 "\n-nregs = %" PRIu32 "\n-binary version = %" PRIu32 "\n",
	        k->shared, k->regs, k->sm);
	fprintf(f, "-cuda stream id = %" PRIu64 "\n-shmem base_addr = 0x%016" PRIx64
	        "\n-local mem base_addr = 0x%016" PRIx64 "\n", k->stream, k->shared_base, k->local_base);
	if (k->cluster[0])
		fprintf(f, "-cluster dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", k->cluster[0], k->cluster[1],
		        k->cluster[2]);
	fprintf(f, "-accelsim tracer version = %d\n-enable lineinfo = 0\n\n"
	        "# pc mask destinations opcode sources width [mode addresses] immediate%s\n", k->new_lines ? 6 : 5,
	        k->new_lines ? " immediate values" : "");
}

void hd__hasm_put_cluster(FILE *f, const uint32_t c[3], const uint64_t at[3])
{
	uint64_t in[3], id[3];

	for (int i = 0; i < 3; i++) {
		in[i] = at[i] % c[i];
		id[i] = at[i] / c[i];
	}
	fprintf(f, "cluster id = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\ncluster cta = %" PRIu64 ",%" PRIu64 ",%" PRIu64
	        "\ncluster rank = %" PRIu64 "\n", id[0], id[1], id[2], in[0], in[1], in[2],
	        in[0] + c[0] * (in[1] + c[1] * in[2]));
}

static void put_block(FILE *f, struct hasm_walk *w, uint64_t block)
{
	const struct hasm_kernel *k = w->k;
	uint64_t row = block / k->grid[0];

	fprintf(f, "\n#BEGIN_TB\n\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
	        block % k->grid[0], row % k->grid[1], row / k->grid[1]);
	if (k->cluster[0])
		hd__hasm_put_cluster(f, k->cluster,
				     (uint64_t[]){ block % k->grid[0], row % k->grid[1], row / k->grid[1] });
	for (uint32_t warp = 0; warp < k->warps; warp++) {
		hd__hasm_walk_warp(w, block, warp);
		fprintf(f, "\nwarp = %" PRIu32 "\ninsts = %" PRIu64 "\n", warp, w->lines);
		if (w->text.n)
			fwrite(w->text.v, 1, w->text.n, f);
	}
	fputs("\n#END_TB\n", f);
}

/* The n-th block: those of a cluster follow one another, as they are launched. */
static uint64_t block_at(const struct hasm_kernel *k, uint64_t n)
{
	uint64_t of = 1, block = 0, stride = 1, in, id;

	if (!k->cluster[0])
		return n;
	for (int i = 0; i < 3; i++)
		of *= k->cluster[i];
	in = n % of;
	id = n / of;
	for (int i = 0; i < 3; i++) {
		uint32_t c = k->cluster[i], clusters = k->grid[i] / c;

		block += (id % clusters * c + in % c) * stride;
		id /= clusters;
		in /= c;
		stride *= k->grid[i];
	}
	return block;
}

/* Mistakes of execution go to d, after which nothing more is worth writing. */
static bool write_kernel(const struct hd_output *folder, struct hasm *h, size_t i, struct hd_diags *d)
{
	struct hasm_kernel *k = &h->kernel[i];
	char *name = hd__format("kernel-%zu.traceg", i + 1);
	FILE *f = hd__folder_file(folder, name);
	struct hasm_walk w;
	bool ok = f != NULL;

	free(name);
	if (!ok)
		return false;
	put_header(f, k, i + 1);
	hd__hasm_walk_begin(&w, h->file, k, d);
	for (uint64_t b = 0; b < k->blocks && d->errors == 0 && !ferror(f); b++)
		put_block(f, &w, block_at(k, b));
	hd__hasm_walk_end(&w);
	return hd__folder_close(folder, f);
}

static bool write_list(const struct hd_output *folder, const struct hasm *h)
{
	FILE *f = hd__folder_file(folder, "kernelslist.g");

	if (!f)
		return false;
	for (size_t i = 0; i < h->n; i++) {
		const struct hasm_kernel *k = &h->kernel[i];

		for (size_t c = 0; c < k->ncopies; c++)
			fprintf(f, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", k->copy[c].address,
			        k->copy[c].bytes);
		fprintf(f, "kernel-%zu.traceg\n", i + 1);
	}
	return hd__folder_close(folder, f);
}

/* Everything, or as much as shows all mistakes. */
static bool write_all(const struct hd_output *folder, struct hasm *h, struct hd_diags *d)
{
	bool ok = true;

	for (size_t i = 0; i < h->n && ok; i++) {
		struct hd_diags own = { 0 };

		ok = write_kernel(folder, h, i, &own) && hd__folder_listing(folder, &h->kernel[i], i + 1);
		for (size_t j = 0; j < own.n; j++)
			hd__diag(d, own.v[j].severity, own.v[j].file, own.v[j].line, own.v[j].column, "%s",
			         own.v[j].text);
		hd__diags_free(&own);
	}
	return ok && write_list(folder, h);
}

/* ---- the trace ---- */

static void check_size(const struct hasm *h, uint64_t limit, struct hd_diags *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < h->n; i++) {
		uint64_t lines = hd__hasm_lines(&h->kernel[i]);

		if (__builtin_add_overflow(sum, lines, &sum))
			sum = UINT64_MAX;
		if (sum <= limit)
			continue;
		hd__diag(d, HD_DIAG_ERROR, h->file, h->kernel[i].line, 1, "with kernel '%s' the trace would have "
		         "%" PRIu64 "%s lines; expected at most %" PRIu64 " (--limit)", h->kernel[i].name, sum,
		         sum == UINT64_MAX ? " or more" : "", limit);
		return;
	}
}

static int write_trace(struct hasm *h, const char *path, bool strict, struct hd_diags *d)
{
	struct hd_output folder;
	int status = hd__folder_open(&folder, path);
	bool ok;

	if (status != HD_EXIT_OK)
		return status;
	ok = write_all(&folder, h, d);
	if (d->errors || (strict && d->warnings))
		status = HD_EXIT_USAGE;
	ok = hd__output_close(&folder, ok && status == HD_EXIT_OK);
	return status == HD_EXIT_OK && !ok ? HD_EXIT_FAILED : status;
}

/* ---- names of opcodes ---- */

/* The tables of opcodes; what is wrong with them is the concern of simulations. */
struct tables {
	const char *folder;
	struct hd_diags d;
	struct trace_program_host host;
	struct trace_archs archs;
	const char **names; /* of the SM version that was looked up last */
};

static const char *const *names_of(void *self, uint32_t sm, size_t *n)
{
	struct tables *t = self;
	const struct trace_opcodes *o = t->archs.n ? hd__trace_archs_get(&t->archs, sm) : NULL;

	if (!o)
		return NULL;
	t->names = hd__xcheck(reallocarray(t->names, o->n + 1, sizeof *t->names));
	for (*n = 0; *n < o->n; ++*n)
		t->names[*n] = o->v[*n].name;
	return t->names;
}

static void open_tables(struct tables *t)
{
	char *asynchronous = hd__format("%s/hopper", t->folder); /* what only cores with such units execute */

	hd__trace_host_init(&t->host, &t->d);
	if (hd__trace_archs_open(&t->archs, &t->host.host, t->folder)
	    || (access(asynchronous, F_OK) == 0 && hd__trace_archs_add(&t->archs, &t->host.host, asynchronous)))
		fprintf(stderr, "heddle: %s; names of opcodes are not checked\n", t->d.v[0].text);
	free(asynchronous);
}

static void close_tables(struct tables *t)
{
	hd__trace_archs_free(&t->archs);
	hd__trace_host_free(&t->host);
	hd__diags_free(&t->d);
	free(t->names);
}

/* ---- all of it ---- */

int hd__hasm_assemble(const struct trace_command *c, uint64_t limit)
{
	struct tables t = { .folder = c->tables };
	struct hd_diags d = { 0 };
	struct hasm h = { 0 };
	size_t size;
	char *text = hd__read_input(c->trace, &size);
	int status = HD_EXIT_USAGE;

	if (!text)
		return HD_EXIT_USAGE;
	open_tables(&t);
	hd__hasm_parse(&h, c->trace, text, size, &(struct hasm_names){ .of = names_of, .self = &t }, &d);
	if (d.errors == 0)
		check_size(&h, limit, &d);
	if (d.errors == 0)
		status = write_trace(&h, c->output, c->strict, &d);
	hd__diags_print(&d, stderr);
	hd__diags_free(&d);
	hd__hasm_free(&h);
	close_tables(&t);
	free(text);
	return status;
}
