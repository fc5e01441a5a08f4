/* replay.h - the trace source without the kernel: stubs, and a replay logged as text
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For the test programs of the trace source; each includes it once.
 */
#ifndef TESTS_TRACE_REPLAY_H
#define TESTS_TRACE_REPLAY_H

#include "traces/trace_read.h"

#include <heddle/gpu/trace.h>
#include "tests/no_checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct hd_module hd_module_trace_source;

/* ---- stubs of the kernel ---------------------------------------------------------- */

static char log_text[1 << 16];
static size_t log_length;
static const char *input, *tables;
static bool strict;
static uint64_t range[2] = { 1, UINT64_MAX };
static const char *symbols[64];
static uint32_t nsymbols;
static unsigned failures;
static bool observable; /* as if a dump were written: hd_define() logs */
static bool statistics; /* a replay logs them at its end */
static struct hd_table classes; /* opcodes that change their class */

static void log_add(const char *fmt, ...) HD_PRINTF(1, 2);

static void vtell(const char *fmt, va_list ap)
{
	log_length += (size_t)vsnprintf(log_text + log_length, sizeof log_text - log_length, fmt, ap);
}

static inline void clear_log(void)
{
	log_length = 0;
	log_text[0] = '\0';
}

static void log_add(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vtell(fmt, ap);
	va_end(ap);
}

#define TELL(what)                   \
	do {                         \
		va_list ap;          \
		va_start(ap, fmt);   \
		log_add(what);          \
		vtell(fmt, ap);      \
		log_add("\n");          \
		va_end(ap);          \
	} while (0)

int hd_open(const struct hd_ctx *c, const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	(void)c;
	if (fd < 0)
		*why = strerror(errno);
	return fd;
}

int hd_error(const struct hd_ctx *c, const char *fmt, ...)
{
	(void)c;
	TELL("error: ");
	return -1;
}

void hd_define(const struct hd_ctx *c, const char *names, uint64_t id, const struct hd_cell *cells,
               unsigned n)
{
	(void)c;
	if (!observable)
		return;
	log_add("%s %d:", names, (int)id);
	for (unsigned i = 0; i < n; i++)
		if (cells[i].text)
			log_add(" %s=%s", cells[i].name, cells[i].text);
		else
			log_add(" %s=%d", cells[i].name, (int)cells[i].number);
	log_add("\n");
}

void hd_warn(const struct hd_ctx *c, const char *fmt, ...)
{
	(void)c;
	TELL("warning: ");
}

const char *hd_input(const struct hd_ctx *c)
{
	(void)c;
	return input;
}

bool hd_next_item(const struct hd_ctx *c, uint64_t item, const char *name)
{
	(void)c, (void)item, (void)name;
	return true;
}

bool hd_skips(const struct hd_ctx *c, uint64_t item)
{
	(void)c;
	(void)item;
	return false;
}

bool hd_keep_going(const struct hd_ctx *c)
{
	(void)c;
	return false;
}

bool hd_strict(const struct hd_ctx *c)
{
	(void)c;
	return strict;
}

/* What a source got stays until the program ends. */
void *hd_memory(const struct hd_ctx *c, size_t n, size_t size)
{
	static struct kept {
		struct kept *before;
		max_align_t v[];
	} *last;
	struct kept *k = calloc(1, sizeof *k + n * size);

	(void)c;
	if (!k)
		return NULL;
	k->before = last;
	last = k;
	return k->v;
}

void hd_input_range(const struct hd_ctx *c, uint64_t *first, uint64_t *last)
{
	(void)c;
	*first = range[0];
	*last = range[1];
}

uint32_t hd_symbol(const struct hd_ctx *c, const char *kind, const char *name)
{
	(void)c;
	(void)kind;
	for (uint32_t i = 0; i < nsymbols; i++)
		if (strcmp(symbols[i], name) == 0)
			return i;
	symbols[nsymbols] = strdup(name);
	return nsymbols++;
}

const char *hd_symbol_name(const struct hd_ctx *c, const char *kind, uint32_t symbol)
{
	(void)c;
	(void)kind;
	return symbols[symbol];
}

/* A host of readers without the module. */
static void log_say(void *self, enum hd_severity severity, const char *fmt, va_list ap)
{
	(void)self;
	log_add(severity == HD_DIAG_ERROR ? "error: " : "warning: ");
	vtell(fmt, ap);
	log_add("\n");
}

static uint32_t log_class(void *self, const char *name)
{
	(void)self;
	return hd_symbol(NULL, "class", name);
}

static int log_open(void *self, const char *path, const char **why)
{
	(void)self;
	return hd_open(NULL, path, why);
}

static const struct trace_host log_host __attribute__((unused)) = {
	.say = log_say, .open = log_open, .class_number = log_class,
};

/* ---- replay --------------------------------------------------------------------------------- */

static void tell_inst(const struct hd_trace_if *t, const struct hd_inst *i)
{
	static const char *const flags[] = { "load", "store", "atomic", "barrier", "fence", "exit",
		"copy", "commit", "wait", "bypass", "last" };
	static const char *const spaces[] = { "-", "global", "local", "shared", "const",
		"texture" };

	log_add("%04x %08x %s %s", i->pc, i->mask, t->opcode_text(t->self, i->opcode),
	     hd_symbol_name(NULL, "class", i->cls));
	for (unsigned k = 0; k < sizeof flags / sizeof flags[0]; k++)
		if (i->flags >> k & 1)
			log_add(" %s", flags[k]);
	if (i->exits)
		log_add(" exits=%08x", i->exits);
	if (i->imm)
		log_add(" imm=%d", i->imm);
	if (i->rate != 1)
		log_add(" rate=%d", i->rate);
	log_add(" d%d", i->dst);
	for (unsigned k = 0; k < i->nsrc; k++)
		log_add(" s%d", i->src[k]);
	if (i->nlanes != __builtin_popcount(i->mask))
		log_add(" nlanes=%d", i->nlanes);
	if (i->space || i->width)
		log_add(" %s/%d", spaces[i->space], i->width);
	if (i->flags & (HD_INST_LOAD | HD_INST_STORE)) {
		for (unsigned k = 0; k < HD_LANES; k++)
			if (hd_inst_addr(i, k))
				log_add(" %u:%llx", k, (unsigned long long)hd_inst_addr(i, k));
	}
	log_add("\n");
}

/* Blocks go to the same slots again and again, as on an SM with room for one. */
static void replay_kernels(const struct hd_trace_if *t, uint64_t limit)
{
	struct hd_launch l;
	struct hd_inst inst;
	int got;

	while ((got = t->next_kernel(t->self, &l)) > 0) {
		log_add("kernel %s id=%d ctas=%d threads=%u warps=%u shmem=%u nregs=%u "
		     "sm=%u\n", l.name,
		     (int)l.id, (int)l.ctas, l.threads, l.warps, l.shmem, l.nregs, l.binary);
		for (uint64_t c = 0; c < l.ctas && c < limit; c++) {
			got = t->next_cta(t->self, 3);
			if (got <= 0)
				break;
			for (uint32_t w = 0; w < l.warps; w++) {
				log_add("warp %u\n", w);
				while (!t->ended(t->self, w + 3)) {
					uint32_t pc = t->pc(t->self, w + 3);

					memset(&inst, 0xee, sizeof inst);
					if (!t->next(t->self, w + 3, &inst) || inst.pc != pc ||
					    inst.warp != w + 3)
						log_add("pc, ended or next disagree\n");
					tell_inst(t, &inst);
				}
				if (t->next(t->self, w + 3, &inst) || t->pc(t->self, w + 3))
					log_add("an ended warp goes on\n");
			}
		}
		if (got < 0)
			return;
	}
	if (got == 0)
		log_add("end\n");
}

static void set(void *state, const char *name, uint32_t value)
{
	for (const struct hd_param *p = hd_module_trace_source.params; p->name; p++)
		if (strcmp(p->name, name) == 0)
			*(uint32_t *)((char *)state + p->offset) = value;
}

static void tell_stats(const void *state)
{
	log_add("stats");
	for (const struct hd_stat *s = hd_module_trace_source.stats; s->name; s++)
		if (hd_stat_value(s, state))
			log_add(" %s=%d", s->name, (int)hd_stat_value(s, state));
	log_add("\n");
}

/* A source with default parameters, but one if `name` is not NULL; to be freed. */
static void *new_source(const char *file, const char *name, uint32_t value)
{
	const struct hd_module *m = &hd_module_trace_source;
	void *state = calloc(1, m->state_size);

	clear_log();
	input = file;
	for (const struct hd_param *p = m->params; p->name; p++) {
		if (p->type == HD_PATH)
			*(const char **)((char *)state + p->offset) = tables;
		else if (p->type == HD_U32)
			set(state, p->name, (uint32_t)strtoul(p->def, NULL, 10));
		else if (p->type == HD_TABLE)
			*(struct hd_table *)((char *)state + p->offset) = classes;
	}
	if (name)
		set(state, name, value);
	return state;
}

static inline void start_source(void *s)
{
	static struct hd_ctx ctx;

	if (hd_module_trace_source.init(s, &ctx) || hd_module_trace_source.start(s))
		log_add("no source\n");
}

static inline void replay_with(const char *file, const char *name, uint32_t value)
{
	const struct hd_module *m = &hd_module_trace_source;
	void *state = new_source(file, name, value);
	struct hd_ctx ctx = { .observable = observable };

	if (m->init(state, &ctx) == 0 && m->start(state) == 0)
		replay_kernels((void *)((char *)state + m->ports[0].offset), UINT64_MAX);
	if (statistics)
		tell_stats(state);
	m->fini(state);
	free(state);
}

/* A whole kernel file of one block.  head: further header lines. */
static inline void make(char *out, size_t size, const char *version, const char *head, const char *block,
                 const char *body)
{
	snprintf(out, size, "-kernel name = k\n-kernel id = 7\n-grid dim = (1,1,1)\n"
	         "-block dim = (%s)\n-shmem = 16\n-nregs = 8\n-binary version = 80\n"
	         "-shmem base_addr = 0x1000\n-local mem base_addr = 0x5000\n"
	         "-accelsim tracer version = %s\n%s\n#traces format\n\n%s", block, version, head,
	         body);
}

static inline void write_file(const char *file, const void *bytes, size_t n)
{
	FILE *f = fopen(file, "wb");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
		perror(file);
		exit(2);
	}
}

static inline void write_kernel(const char *file, const char *version, const char *block, const char *body)
{
	static char text[1 << 20];

	make(text, sizeof text, version, "", block, body);
	write_file(file, text, strlen(text));
}

/* Compares the log.  The tables' folder differs from machine to machine. */
static inline void expect(const char *what, const char *text)
{
	char *at;

	while ((at = strstr(log_text, tables))) {
		memmove(at + 6, at + strlen(tables), strlen(at + strlen(tables)) + 1);
		memcpy(at, "TABLES", 6);
	}
	if (strcmp(log_text, text) == 0)
		return;
	printf("FAIL %s\n--- expected\n%s--- got\n%s---\n", what, text, log_text);
	failures++;
}

/* Finds the tables, then works in a scratch folder. */
static inline void begin(int argc, char **argv)
{
	const char *src = getenv("srcdir"); /* of automake */
	char folder[] = "/tmp/test_trace.XXXXXX", here[4096];

	snprintf(here, sizeof here, "%s/netlists/opcodes", src ? src : ".");
	tables = realpath(argc > 1 ? argv[1] : here, NULL);
	if (!tables || !mkdtemp(folder) || chdir(folder)) {
		perror("test_trace");
		exit(2);
	}
}

/* Removes the scratch folder with its files. */
static inline int finish(void)
{
	char folder[4096];
	DIR *d = opendir(".");

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		unlink(e->d_name);
	if (d)
		closedir(d);
	if (getcwd(folder, sizeof folder))
		rmdir(folder);
	for (uint32_t i = 0; i < nsymbols; i++)
		free((char *)symbols[i]);
	free((char *)tables);
	if (failures)
		printf("%u failed\n", failures);
	else
		printf("ok\n");
	return failures != 0;
}

#endif
