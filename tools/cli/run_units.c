/* run_units.c - a list that is simulated in parts, each by a process of its own
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A part is a kernel that begins on a fresh machine, or a piece of the list in front of which caches are warmed.  What
 * a process has counted is a record (run_record.h), and may stay in a folder.  Its name there is the hash of all that
 * it depends on: netlist, program, content of the kernels.  So the parts may be simulated by several machines, and a
 * run that finds all of them in the folder joins them.
 */
#include "run_units.h"

#include "base/child.h"
#include "base/exit.h"
#include "base/xalloc.h"
#include "kernel/netlist/netlist.h"
#include "tools/study/plan.h"
#include "tools/study/study_netlists.h"
#include "tools/study/study_result.h"
#include "traces/control_words.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define ACCESSES (HD_INST_LOAD | HD_INST_STORE | HD_INST_ATOMIC | HD_INST_COPY)
#define SAMPLES 4u /* pieces whose first kernel is simulated behind the one in front of it, too */
#define TERMINAL_SECONDS 1
#define LOG_SECONDS 30

struct kernel {
	uint64_t id, instructions, name; /* name: its hash */
	XXH128_hash_t hash; /* of its content */
	uint64_t file;      /* hash of size, times and inode of its file */
	char *path;
};

/* Kernels first .. last, counted from 0, of which those from `from` on count.  In front of these `lead` are simulated,
 * too; `tail`: and so is the one behind them. */
struct unit {
	size_t first, from, last, piece, lead;
	bool tail;
	char key[STUDY_KEY];
	size_t same;    /* the first unit with this key */
	uint64_t times; /* in the sum */
	long rows;      /* of hd__records_add(); -1: none yet */
};

struct child {
	pid_t pid; /* 0: none */
	struct unit *unit;
	FILE *record;
	double since;
};

struct units {
	struct hd_units_run *r;
	struct hd_record_sum *sum;
	struct study_folder folder;
	struct kernel *kernels; /* of the range that is simulated */
	size_t nkernels;
	uint64_t base;          /* position of the first, from 1 */
	struct unit *v;
	size_t n, done, todo;
	struct child *children;
	unsigned most;
	uint64_t trace;         /* stamp of its file */
	char netlist[STUDY_KEY], program[STUDY_KEY];
	double since, told;
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- what a kernel is ---- */

struct reading {
	struct trace_input *in;
	XXH3_state_t *h;
	uint64_t *opcodes; /* hashes of names, by number; 0: none yet */
	size_t nopcodes;
	uint64_t instructions;
};

static void add(XXH3_state_t *h, const void *v, size_t n)
{
	XXH3_128bits_update(h, v, n);
}

static void add_text(XXH3_state_t *h, const char *text)
{
	add(h, text, strlen(text) + 1);
}

/* Numbers of opcodes depend on what was read before. */
static uint64_t opcode_of(struct reading *r, uint32_t number)
{
	r->opcodes = hd__xgrow_zero(r->opcodes, &r->nopcodes, number, sizeof *r->opcodes);
	if (r->opcodes[number] == 0) {
		const char *name = r->in->r.names.v[number];

		r->opcodes[number] = XXH3_64bits(name, strlen(name)) | 1;
	}
	return r->opcodes[number];
}

static void add_inst(struct reading *r, const struct hd_inst *i)
{
	const uint64_t v[] = { opcode_of(r, i->opcode), (uint64_t)i->pc << 32 | i->mask,
	                       (uint64_t)i->exits << 32 | (uint32_t)i->imm, (uint64_t)i->flags << 16 | i->dst,
	                       (uint64_t)i->nsrc << 32 | i->space << 16 | i->width << 8 | i->rate, i->regs };

	add(r->h, v, sizeof v);
	add(r->h, i->src, i->nsrc * sizeof *i->src);
	if (!(i->flags & ACCESSES))
		return;
	for (uint64_t m = i->mask; m;) {
		uint64_t addr = hd_inst_addr(i, hd_bits_pop(&m));

		add(r->h, &addr, sizeof addr);
	}
}

static bool add_block(void *arg, uint64_t number)
{
	struct reading *r = arg;
	struct trace_kernel *k = &r->in->k;
	struct hd_inst i;

	(void)number;
	add(r->h, &k->blocks.number, sizeof k->blocks.number);
	for (uint32_t w = 0; w < k->header.launch.warps; w++) {
		add(r->h, &w, sizeof w);
		for (; trace_kernel_next(k, w, &i); r->instructions++)
			add_inst(r, &i);
	}
	return true;
}

/* What cores that follow control words read beside a kernel. */
static void add_listing(struct reading *r, const char *file)
{
	size_t n = 0;
	const char *packed = hd__trace_kernel_listing(&r->in->k, &n);
	char *name = hd__listing_name(file), *text = packed ? NULL : hd__read_file(name, &n);

	if (packed || text)
		add(r->h, packed ? packed : text, n);
	free(text);
	free(name);
}

/* Size, times and inode of a file; 0: there is none, as of kernels in a packed trace. */
static uint64_t stamp_of(const char *path)
{
	struct stat st;
	bool there = stat(path, &st) == 0;
	const int64_t v[] = { st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec, st.st_ctim.tv_sec, st.st_ctim.tv_nsec,
	                      (int64_t)st.st_ino };

	return there ? XXH3_64bits(v, sizeof v) : 0;
}

static bool read_kernel(struct kernel *k, struct trace_input *t, size_t i, struct reading *r)
{
	const struct hd_launch *l = &t->k.header.launch;
	const struct hd_trace_copy *copy;
	size_t copies = hd__trace_input_copies(t, i, &copy);

	XXH3_128bits_reset(r->h);
	r->instructions = 0;
	for (size_t c = 0; c < copies; c++) {
		add(r->h, &copy[c].addr, sizeof copy[c].addr);
		add(r->h, &copy[c].bytes, sizeof copy[c].bytes);
	}
	if (hd__trace_kernel_open(&t->r, &t->k, i) != 0)
		return false;
	add_text(r->h, l->name);
	add(r->h, l->grid, sizeof l->grid);
	add(r->h, l->block, sizeof l->block);
	add(r->h, &l->ctas, sizeof l->ctas);
	add(r->h, (const uint32_t[]){ l->warps, l->shmem, l->nregs, l->binary }, 4 * sizeof(uint32_t));
	add(r->h, (const uint64_t[]){ l->shared_base, l->local_base }, 2 * sizeof(uint64_t));
	add_listing(r, t->r.list.v[i].path);
	k->path = hd__xstrdup(t->r.list.v[i].path);
	k->file = stamp_of(k->path);
	k->id = l->id;
	k->name = XXH3_64bits(l->name, strlen(l->name));
	if (!hd__trace_input_kernel(t, i, add_block, r))
		return false;
	k->hash = XXH3_128bits_digest(r->h);
	k->instructions = r->instructions;
	return true;
}

/* Reads the kernels that are asked for.  Returns false after printing an error. */
static bool read_kernels(struct units *u)
{
	const struct hd_options *o = u->r->options;
	char *tables = hd__data_path(NULL, "opcodes");
	struct trace_command c = { .trace = u->r->trace, .tables = tables, .strict = o->strict };
	struct reading r = { .h = hd__xcheck(XXH3_createState()) };
	struct stat st;
	bool good = stat(c.trace, &st) == 0 && S_ISREG(st.st_mode);

	u->base = o->first ? o->first : 1;
	u->trace = stamp_of(c.trace);
	if (good)
		r.in = hd__trace_input_open(&c);
	else
		fprintf(stderr, "heddle: '%s' is not a file; expected a list or a trace that can be read twice\n",
		        c.trace);
	good = r.in != NULL;
	for (size_t i = u->base - 1; good && i < r.in->r.list.n && (!o->last || i < o->last); i++) {
		u->kernels = hd__xappend(u->kernels, u->nkernels, sizeof *u->kernels);
		good = read_kernel(&u->kernels[u->nkernels++], r.in, i, &r);
	}
	if (good)
		hd__diags_free(&r.in->d); /* the runs say it again */
	if (r.in)
		hd__trace_input_close(r.in, 0);
	XXH3_freeState(r.h);
	free(r.opcodes);
	free(tables);
	if (good && u->nkernels == 0)
		fprintf(stderr, "heddle: %s: there is no kernel to simulate\n", c.trace);
	return good && u->nkernels > 0;
}

/* ---- the parts ---- */

static void add_unit(struct units *u, struct unit x)
{
	x.rows = -1;
	u->v = hd__xappend(u->v, u->n, sizeof *u->v);
	u->v[u->n++] = x;
}

static bool has_name(const struct units *u, size_t begin, size_t end, uint64_t name)
{
	while (begin < end && u->kernels[begin].name != name)
		begin++;
	return begin < end;
}

/* What becomes of the kernels first .. last + tail.  Warming fills the caches of data alone.  So some in front of those
 * that count are simulated: the last one, and the last one of each code that they have, up to half of their
 * instructions.  The caller frees it. */
static unsigned char *fates_of(const struct units *u, struct unit *x, size_t *n)
{
	unsigned char *v = hd__xcalloc(*n = x->last + x->tail - x->first + 1, 1);
	uint64_t room = 0;

	for (size_t k = x->from; k <= x->last; k++)
		room += u->kernels[k].instructions;
	room /= 2;
	x->lead = 0;
	for (size_t k = x->from; k-- > x->first;) {
		const struct kernel *one = &u->kernels[k];
		bool last = !has_name(u, k + 1, x->from, one->name) && has_name(u, x->from, x->last + 1, one->name);
		bool leads = one->instructions <= room && (last || k + 1 == x->from);
		bool warms = u->r->warm == HD_WARM_ALL
		             || (u->r->warm == HD_WARM_LAST && v[k + 1 - x->first] == HD_RUNS);

		room -= leads ? one->instructions : 0;
		x->lead += leads;
		v[k - x->first] = leads ? HD_RUNS : warms ? HD_WARMS : HD_PASSES;
	}
	return v;
}

/* The pieces have as many instructions each as whole kernels allow.  Returns the first kernel behind piece number `i`
 * of n, which leaves one for each of the others. */
static size_t end_of_piece(const struct units *u, size_t begin, size_t i, size_t n)
{
	uint64_t all = 0, sum = 0;
	size_t end = 0;

	for (size_t k = 0; k < u->nkernels; k++)
		all += u->kernels[k].instructions;
	while (end < u->nkernels && (double)sum < (double)all * (double)(i + 1) / (double)n)
		sum += u->kernels[end++].instructions;
	end = end > begin + 1 ? end : begin + 1;
	return end < u->nkernels - (n - 1 - i) && i + 1 < n ? end : u->nkernels - (n - 1 - i);
}

/* The key of all that the unit depends on. */
static void find_key(const struct units *u, struct unit *x)
{
	XXH3_state_t *h = hd__xcheck(XXH3_createState());
	size_t n;
	unsigned char *fates = fates_of(u, x, &n);
	XXH128_hash_t v;

	XXH3_128bits_reset(h);
	add_text(h, "part of a run");
	add_text(h, u->program);
	add_text(h, u->netlist);
	add(h, (const uint64_t[]){ x->from - x->first, x->tail, u->r->options->strict }, 3 * sizeof(uint64_t));
	add(h, fates, n);
	for (size_t k = 0; k < n; k++)
		add(h, &u->kernels[x->first + k].hash, sizeof u->kernels[k].hash);
	v = XXH3_128bits_digest(h);
	snprintf(x->key, sizeof x->key, "%016" PRIx64 "%016" PRIx64, (uint64_t)v.high64, (uint64_t)v.low64);
	XXH3_freeState(h);
	free(fates);
}

static int by_key(const void *a, const void *b)
{
	const struct unit *const *x = a, *const *y = b;
	int c = strcmp((*x)->key, (*y)->key);

	return c ? c : *x < *y ? -1 : *x > *y;
}

/* Units that are the same become one, those of --fresh without --once do not. */
static void find_same(struct units *u)
{
	struct unit **v = hd__xcalloc(u->n, sizeof *v);

	for (size_t i = 0; i < u->n; i++) {
		find_key(u, &u->v[i]);
		u->v[i].same = i;
		v[i] = &u->v[i];
	}
	qsort(v, u->n, sizeof(struct unit *), by_key);
	for (size_t i = 1; i < u->n; i++)
		if ((u->r->u->once || u->folder.at >= 0) && strcmp(v[i]->key, v[i - 1]->key) == 0)
			v[i]->same = v[i - 1]->same;
	for (size_t i = 0; i < u->n; i++)
		u->v[u->v[i].same].times++;
	free(v);
}

static void find_units(struct units *u)
{
	const struct hd_units *o = u->r->u;
	size_t n = o->split && o->split < u->nkernels ? o->split : o->split ? u->nkernels : 1, begin = 0;
	size_t every = n > SAMPLES ? (n - 1 + SAMPLES - 1) / SAMPLES : 1;

	for (size_t i = 0; i < n; i++) {
		size_t end = end_of_piece(u, begin, i, n);

		for (size_t k = begin; k < end && (o->fresh || o->once); k++)
			add_unit(u, (struct unit){ .first = k, .from = k, .last = k, .piece = i });
		if (!o->fresh && !o->once)
			add_unit(u, (struct unit){ .from = begin, .last = end - 1, .piece = i,
			                           .tail = i + 1 < n && i % every == 0 });
		begin = end;
	}
	find_same(u);
}

/* ---- the folder ---- */

/* Returns false after printing an error. */
static bool keep(const struct units *u, const struct child *c)
{
	char host[65] = "", *part;
	long n = fseek(c->record, 0, SEEK_END) == 0 ? ftell(c->record) : -1;
	bool ok;

	gethostname(host, sizeof host - 1);
	part = hd__format("%s.%ld", host, (long)getpid());
	ok = n > 1 && study_result_write(&u->folder, c->unit->key, part,
	                                 json_pack("{s:s, s:s, s:f}", "key", c->unit->key, "status", "finished",
	                                           "seconds", seconds() - c->since), c->record, (size_t)n - 1);
	if (!ok)
		fprintf(stderr, "heddle: %s/points/%s.json: %s\n", u->folder.path, c->unit->key, strerror(errno));
	free(part);
	return ok;
}

/* ---- processes ---- */

static void tell(struct units *u, bool last)
{
	bool terminal = isatty(STDERR_FILENO);
	double now = seconds(), left = u->done ? (now - u->since) / (double)u->done * (double)(u->todo - u->done) : 0;
	char buf[32];

	if (u->r->quiet || (!last && now - u->told < (terminal ? TERMINAL_SECONDS : LOG_SECONDS)))
		return;
	if (terminal && last) {
		fputs("\r\033[K", stderr);
		return;
	}
	if (last)
		return;
	fprintf(stderr, "%s%zu of %zu parts simulated, about %s left%s", terminal ? "\r\033[K" : "heddle: ", u->done,
	        u->todo, study_duration(left, buf), terminal ? "" : "\n");
	fflush(stderr);
	u->told = now;
}

static void item_over(void *arg)
{
	struct hd_units *u = arg;

	u->ended++;
	if (u->lead && u->ended == u->lead)
		u->begin = hd__record_at(*u->sim);
	if (u->ended == u->lead + u->counted)
		u->end = hd__record_at(*u->sim);
}

void hd__units_again(struct hd_units *u)
{
	hd__record_at_free(u->begin);
	hd__record_at_free(u->end);
	u->begin = u->end = NULL;
	u->ended = 0;
}

/* In the process that simulates the unit. */
static void become(const struct units *u, const struct child *c)
{
	struct hd_options *o = u->r->options;
	struct unit *x = c->unit;

	o->fates = fates_of(u, x, &o->nfates);
	o->first = u->base + x->first;
	o->last = u->base + x->last + x->tail;
	u->r->u->record = c->record;
	u->r->u->hush = x->first == x->from && x->from > 0; /* of --fresh kernels the first tells what all would */
	u->r->u->lead = x->lead;
	u->r->u->counted = x->tail ? x->last - x->from + 1 : SIZE_MAX - x->lead;
	o->most_items = SIZE_MAX;
	o->item_over = item_over;
	o->item_arg = u->r->u;
}

/* Are the files still what was hashed?  Returns false after printing an error. */
static bool is_unchanged(const struct units *u, const struct unit *x)
{
	const char *changed = stamp_of(u->r->trace) != u->trace ? u->r->trace : NULL;

	for (size_t k = x->first; k <= x->last + x->tail && !changed; k++)
		if (stamp_of(u->kernels[k].path) != u->kernels[k].file)
			changed = u->kernels[k].path;
	if (changed)
		fprintf(stderr, "heddle: %s has changed since this run began; expected a trace that stays as it is\n",
		        changed);
	return !changed;
}

/* Adds the record of a unit, which is freed.  Returns false if it is not one, or after printing an error. */
static bool take(struct units *u, struct unit *x, json_t *record)
{
	bool all = json_array_size(json_object_get(record, "kernels")) >= x->last - x->from + 1;

	x->rows = all ? hd__records_add(u->sum, record, x->times) : -1;
	json_decref(record);
	return x->rows >= 0;
}

/* Waits for a process.  Returns false after printing an error, or the process did: *status is the exit status then. */
static bool end_child(struct units *u, int *status)
{
	struct child *c = u->children;
	int how;
	pid_t pid = wait(&how);
	bool ok;

	while (c < u->children + u->most && c->pid != pid)
		c++;
	if (pid < 0 || c == u->children + u->most) {
		fprintf(stderr, "heddle: a process is lost: %s\n", strerror(pid < 0 ? errno : ECHILD));
		return false;
	}
	c->pid = 0;
	ok = WIFEXITED(how) && WEXITSTATUS(how) == HD_EXIT_OK;
	if (!ok) {
		fprintf(stderr, "heddle: kernels %" PRIu64 " to %" PRIu64 ": no result: ", u->base + c->unit->from,
		        u->base + c->unit->last);
		if (WIFSIGNALED(how))
			fprintf(stderr, "the process ended by signal %d, %s\n", WTERMSIG(how),
			        strsignal(WTERMSIG(how)));
		else
			fprintf(stderr, "its run ended with exit status %d\n", WEXITSTATUS(how));
		*status = WIFEXITED(how) ? WEXITSTATUS(how) : HD_EXIT_FAILED;
	} else {
		ok = is_unchanged(u, c->unit) && (u->folder.at < 0 || keep(u, c));
		rewind(c->record);
		if (ok && !take(u, c->unit, json_loadf(c->record, JSON_DISABLE_EOF_CHECK, NULL))) {
			fputs("heddle: a process has not written what it has counted, a row for each kernel\n", stderr);
			ok = false;
		}
	}
	fclose(c->record);
	u->done++;
	tell(u, false);
	return ok;
}

/* Begins to simulate a unit in a process.  Returns HD_UNITS_PART in that one; HD_UNITS_NOT after printing an error. */
static enum hd_units_end begin_child(struct units *u, struct unit *x)
{
	struct child *c = u->children;

	while (c->pid)
		c++;
	*c = (struct child){ .unit = x, .record = tmpfile(), .since = seconds() };
	fflush(NULL);
	c->pid = c->record ? hd__fork(SIGKILL) : -1;
	if (c->pid == 0) {
		become(u, c);
		return HD_UNITS_PART;
	}
	if (c->pid > 0)
		return HD_UNITS_JOINED;
	fprintf(stderr, "heddle: a process could not be started: %s\n", strerror(errno));
	c->pid = 0;
	return HD_UNITS_NOT;
}

/* Takes the record of a unit if it is there.  One that is damaged counts as missing, with a warning. */
static void look_up(struct units *u, struct unit *x)
{
	char *path = study_folder_point(&u->folder, x->key);
	struct study_result result;
	json_t *record = NULL;

	if (access(path, F_OK) == 0) {
		if (study_result_open(&result, path)) {
			fseek(result.statistics.f, result.statistics.at, SEEK_SET);
			record = json_loadf(result.statistics.f, JSON_DISABLE_EOF_CHECK, NULL);
			study_result_close(&result);
		}
		if (!take(u, x, record))
			fprintf(stderr, "heddle: warning: %s is damaged: it is simulated again\n", path);
	}
	free(path);
}

static bool wanted(const struct units *u, size_t i)
{
	return u->v[i].same == i && (!u->r->u->piece || u->v[i].piece == u->r->u->piece - 1);
}

static enum hd_units_end simulate(struct units *u, int *status)
{
	enum hd_units_end end = HD_UNITS_JOINED;
	unsigned running = 0;

	for (size_t i = 0; i < u->n; i++)
		if (wanted(u, i) && u->folder.at >= 0)
			look_up(u, &u->v[i]);
	for (size_t i = 0; i < u->n; i++)
		u->todo += wanted(u, i) && u->v[i].rows < 0;
	for (size_t i = 0; i < u->n && end == HD_UNITS_JOINED; i++) {
		if (!wanted(u, i) || u->v[i].rows >= 0)
			continue;
		if (running == u->most && !end_child(u, status))
			return HD_UNITS_NOT; /* the others end with this process */
		running -= running == u->most;
		end = begin_child(u, &u->v[i]);
		running++;
	}
	for (; running > 0 && end == HD_UNITS_JOINED; running--)
		if (!end_child(u, status))
			return HD_UNITS_NOT;
	if (end != HD_UNITS_PART)
		tell(u, true);
	return end;
}

/* ---- the sum ---- */

static json_int_t cycles_in(struct units *u, const struct unit *x, const char *table)
{
	json_t *o = hd__records_row(u->sum, u->v[x->same].rows, table, 0);
	json_int_t cycles = json_integer_value(json_object_get(o, "cycles"));

	json_decref(o);
	return cycles;
}

/* How many pieces there are, and by how much their first kernels differ from what they are at the end of the piece
 * before. */
static json_t *describe(struct units *u)
{
	const struct hd_units *o = u->r->u;
	json_t *samples = json_array();
	double here = 0, before = 0;

	for (size_t i = 0; i < u->n; i++) {
		json_int_t a, b;

		if (!u->v[i].tail)
			continue;
		a = cycles_in(u, &u->v[i + 1], "kernels");
		b = cycles_in(u, &u->v[i], "after");
		here += (double)a;
		before += (double)b;
		json_array_append_new(samples, json_pack("{s:I, s:I, s:I}",
			"kernel", (json_int_t)(u->base + u->v[i].last + 1), "cycles", a, "cycles_in_sequence", b));
	}
	if (!o->split || o->fresh || o->once) {
		json_decref(samples);
		return NULL;
	}
	return json_pack("{s:I, s:o, s:f}", "pieces", (json_int_t)u->n, "samples", samples, "difference",
	                 before > 0 ? (here - before) / before : 0.0);
}

static void join(struct units *u)
{
	uint64_t *ids = hd__xcalloc(u->nkernels, sizeof *ids);

	for (size_t k = 0; k < u->nkernels; k++)
		ids[k] = u->kernels[k].id;
	for (size_t i = 0; i < u->n; i++)
		hd__records_follow(u->sum, u->v[u->v[i].same].rows, ids + u->v[i].from,
		                   u->v[i].last - u->v[i].from + 1);
	u->r->joined = describe(u);
	u->r->rows = hd__records_end(u->sum);
	free(ids);
}

static void hash_inputs(struct units *u, struct hd_sim *s)
{
	struct study_cache none = { .files = json_object(), .used = json_object() };

	study_hash_sim(s, &none, u->netlist);
	study_hash_program(u->r->registry, &none, u->program);
	json_decref(none.files);
	json_decref(none.used);
}

enum hd_units_end hd__units_run(struct hd_units_run *r, struct hd_sim *s, int *status)
{
	static struct units u; /* the exit frees what it has: rows of the sum are read until then */
	enum hd_units_end end;

	u = (struct units){ .r = r, .folder = { .at = -1, .lock = -1 }, .since = seconds(), .told = seconds() };
	*status = HD_EXIT_USAGE;
	if (s->parts) {
		fputs("heddle: --fresh, --once, --split and --results-cache expect kernels that run one after another; "
		      "this netlist's dispatcher runs several at a time\n", stderr);
		return HD_UNITS_NOT;
	}
	if (r->u->cache && (*status = study_folder_open(&u.folder, r->u->cache, true)) != HD_EXIT_OK)
		return HD_UNITS_NOT;
	*status = HD_EXIT_USAGE;
	if (!read_kernels(&u))
		return HD_UNITS_NOT;
	*status = HD_EXIT_FAILED;
	hash_inputs(&u, s);
	find_units(&u);
	u.sum = hd__records_begin(s);
	u.most = r->u->jobs ? r->u->jobs : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	u.children = hd__xcalloc(u.most, sizeof *u.children);
	end = simulate(&u, status);
	if (end == HD_UNITS_JOINED && r->u->piece) {
		*status = HD_EXIT_OK;
		end = HD_UNITS_NOT;
	}
	if (end == HD_UNITS_JOINED)
		join(&u);
	r->seconds = seconds() - u.since;
	return end;
}

void hd__units_print(const json_t *joined, FILE *out)
{
	const json_t *samples = json_object_get(joined, "samples");

	fprintf(out, "\njoined of %" JSON_INTEGER_FORMAT " pieces, simulated apart",
	        json_integer_value(json_object_get(joined, "pieces")));
	if (json_array_size(samples))
		fprintf(out, "; the first kernels of %zu take %+.2f %% more or fewer cycles than at the end of the "
		        "piece before", json_array_size(samples),
		        100 * json_number_value(json_object_get(joined, "difference")));
	fputc('\n', out);
}
