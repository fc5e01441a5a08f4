/* crash.c - reports which plug-in crashed, exited or hung in a run, in which instance, at which cycle
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The run loop does not record which process it evaluates: that would slow every evaluation down.
 * The handler finds it instead.  The first address on the stack inside the code of a plug-in gives
 * the module, and a pointer to the state of one of its instances, in a register or further up the
 * stack, gives the instance.  The handler calls only async-signal-safe functions.
 */
#include "base/output.h"
#include "module_check.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define ALT_STACK 65536u /* bytes; the ordinary stack may have overflowed */
#define PAGE 4096u

#if defined(__SANITIZE_ADDRESS__)
#define READS_STACK __attribute__((no_sanitize_address, noinline))
#else
#define READS_STACK __attribute__((noinline))
#endif

struct plugin {
	uintptr_t low, high;      /* its code */
	const struct hd_module *module;
	const char *file;
};

static const struct fatal {
	int number;
	const char *name;
} fatal[] = {
	{ SIGSEGV, "Segmentation fault" },
	{ SIGBUS, "Bus error" },
	{ SIGFPE, "Floating point exception" },
	{ SIGILL, "Illegal instruction" },
	{ SIGABRT, "Aborted" },
	{ SIGVTALRM, NULL }, /* the time for one call is over */
	{ SIGINT, NULL },    /* twice: the user does not want to wait for that */
};

enum { NFATAL = sizeof fatal / sizeof *fatal };

struct hd_crash {
	const struct hd_sim *sim;
	struct plugin *v;
	size_t n;
	uintptr_t top;            /* of the stack that a run uses */
	void *stack;
	stack_t old_stack;
	struct sigaction old[NFATAL];
};

/* A handler gets no user argument; each thread runs one simulation at a time. */
static _Thread_local const struct hd_crash *in_run;
static _Thread_local unsigned interrupts; /* since the run was entered */
/* Of the run that was entered last, for threads that it has called. */
static const struct hd_crash *volatile called;

/* ---- text ---- */

struct line {
	char text[1024];
	size_t n;
};

static void put(struct line *l, const char *s)
{
	while (*s != '\0' && l->n < sizeof l->text - 2)
		l->text[l->n++] = *s++;
}

static void put_number(struct line *l, uint64_t v)
{
	char digits[21];
	size_t i = sizeof digits - 1;

	digits[i] = '\0';
	do
		digits[--i] = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	put(l, &digits[i]);
}

/* Number 0: the plug-in ended the program. */
static void put_end(struct line *l, const struct hd_crash *c, int number)
{
	if (number == 0) {
		put(l, "ended the program; expected hd_fail() or hd_finish()");
		return;
	}
	if (number == SIGINT) {
		put(l, "did not return before the second interrupt");
		return;
	}
	if (number == SIGVTALRM) {
		put(l, "did not return for ");
		put_number(l, c->sim->opt.stuck_after);
		put(l, " s of processor time (--stuck-after)");
		return;
	}
	put(l, "crashed with signal ");
	put_number(l, (uint64_t)number);
	for (size_t i = 0; i < NFATAL; i++) {
		if (fatal[i].number != number || fatal[i].name == NULL)
			continue;
		put(l, " (");
		put(l, fatal[i].name);
		put(l, ")");
	}
}

static void put_plugin(struct line *l, const struct plugin *p)
{
	put(l, "module '");
	put(l, p->module->name);
	put(l, "' (");
	put(l, p->file);
	put(l, ")");
}

/* ---- finding plug-in and instance ---- */

struct words {
	const uintptr_t *v;
	size_t n;
};

static const struct plugin *plugin_at(const struct hd_crash *c, uintptr_t address)
{
	for (size_t i = 0; i < c->n; i++)
		if (address >= c->v[i].low && address < c->v[i].high)
			return &c->v[i];
	return NULL;
}

READS_STACK static const struct plugin *find_plugin(const struct hd_crash *c, uintptr_t pc,
                                                    struct words stack)
{
	const struct plugin *p = plugin_at(c, pc);

	for (size_t i = 0; p == NULL && i < stack.n; i++)
		p = plugin_at(c, stack.v[i]);
	return p;
}

/* The instance of the module whose state begins at one of the addresses (`inside`: contains
 * one). */
READS_STACK static const struct hd_instance *find_state(const struct hd_sim *s,
                                                        const struct hd_module *m,
                                                        struct words words, bool inside)
{
	for (size_t k = 0; k < words.n; k++) {
		for (size_t i = 0; i < s->ninstances; i++) {
			const struct hd_instance *in = &s->instances[i];
			uintptr_t from = (uintptr_t)in->state;

			if (in->module == m && (words.v[k] == from
			    || (inside && words.v[k] > from && words.v[k] < from + m->state_size)))
				return in;
		}
	}
	return NULL;
}

static const struct hd_instance *find_instance(const struct hd_sim *s, const struct hd_module *m,
                                               struct words registers, struct words stack)
{
	const struct hd_instance *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->ninstances; i++) {
		if (s->instances[i].module == m) {
			found = &s->instances[i];
			n++;
		}
	}
	if (n <= 1)
		return found;
	for (int inside = 0; inside < 2; inside++) {
		found = find_state(s, m, registers, inside != 0);
		if (found == NULL)
			found = find_state(s, m, stack, inside != 0);
		if (found != NULL)
			return found;
	}
	return NULL;
}

/* Probes the address by a system call, which refuses a path that it cannot read. */
static bool readable(uintptr_t address)
{
	return access((const char *)address, F_OK) == 0 || errno != EFAULT;
}

/* The words of the stack in use, from the frame that crashed to that of the run loop. */
static struct words stack_of(const struct hd_crash *c, uintptr_t sp)
{
	sp = (sp + sizeof sp - 1) / sizeof sp * sizeof sp;
	while (sp < c->top && !readable(sp)) /* it overflowed */
		sp = (sp / PAGE + 1) * PAGE;
	if (sp == 0 || sp >= c->top)
		return (struct words){ NULL, 0 };
	return (struct words){ (const uintptr_t *)sp, (c->top - sp) / sizeof sp };
}

/* Ends the process after writing the line. */
static _Noreturn void end(struct line *l)
{
	l->text[l->n++] = '\n';
	if (write(STDERR_FILENO, l->text, l->n) < 0)
		_exit(1);
	hd__outputs_abandon();
	_exit(1);
}

/* While modules are checked it is known which instance is evaluated. */
static _Noreturn void describe_checked(const struct hd_crash *c, const struct hd_instance *in,
                                       int number, uintptr_t address)
{
	struct hd_stale stale;
	struct line l = { .n = 0 };

	put(&l, "heddle: error: ");
	put(&l, in->path);
	put(&l, ": cycle ");
	put_number(&l, hd__sim_cycles(c->sim));
	put(&l, ": module '");
	put(&l, in->module->name);
	put(&l, "' ");
	if ((number != SIGSEGV && number != SIGBUS) || !c->sim->opt.checker->find(c->sim, address, &stale)) {
		put_end(&l, c, number);
		end(&l);
	}
	put(&l, "used record ");
	put_number(&l, stale.handle);
	put(&l, " of type '");
	put(&l, stale.type->name);
	put(&l, stale.cycle == 0 ? "', which was never in use" : "', which was released at cycle ");
	if (stale.cycle != 0)
		put_number(&l, stale.cycle);
	if (stale.cycle != 0 && stale.by != NULL) {
		put(&l, " by '");
		put(&l, stale.by->path);
		put(&l, "'");
	}
	end(&l);
}

static _Noreturn void describe(const struct hd_crash *c, int number, uintptr_t pc, struct words registers,
                     struct words stack)
{
	const struct plugin *p = find_plugin(c, pc, stack);
	const struct hd_instance *in = NULL;
	struct line l = { .n = 0 };

	put(&l, "heddle: error: ");
	if (p != NULL)
		in = find_instance(c->sim, p->module, registers, stack);
	if (in != NULL) {
		put(&l, in->path);
		put(&l, ": ");
	}
	put(&l, "cycle ");
	put_number(&l, hd__sim_cycles(c->sim));
	put(&l, ": ");
	if (p != NULL) {
		if (in == NULL)
			put(&l, "an instance of ");
		put_plugin(&l, p);
		put(&l, " ");
		put_end(&l, c, number);
	} else {
		put(&l, "the run ");
		put_end(&l, c, number);
		put(&l, ", maybe after an earlier error in");
		for (size_t i = 0; i < c->n; i++) {
			put(&l, i ? ", " : " ");
			put_plugin(&l, &c->v[i]);
		}
	}
	end(&l);
}

/* The first interrupt has the action that it had before the run was entered. */
static void pass_on(const struct hd_crash *c, int number)
{
	for (size_t i = 0; c != NULL && i < NFATAL; i++) {
		if (fatal[i].number != number)
			continue;
		if (c->old[i].sa_handler == SIG_DFL) {
			sigaction(number, &c->old[i], NULL);
			raise(number);
		} else if (c->old[i].sa_handler != SIG_IGN) {
			c->old[i].sa_handler(number);
		}
	}
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	const struct hd_crash *c = in_run;
	const ucontext_t *u = context;
	struct words registers = { NULL, 0 }, stack = { NULL, 0 };
	const struct hd_instance *in = NULL;
	uintptr_t pc = 0;

	if (number == SIGINT && (c == NULL || interrupts++ == 0)) {
		pass_on(c, number);
		return;
	}
	if (c == NULL)
		c = called;
	if (c == NULL)
		_exit(1);
	if (c->sim->opt.checker != NULL)
		in = c->sim->opt.checker->running(c->sim);
	if (in != NULL)
		describe_checked(c, in, number, (uintptr_t)info->si_addr);
#if defined(__x86_64__)
	pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	registers = (struct words){ (const uintptr_t *)u->uc_mcontext.gregs, REG_RIP };
	if (in_run != NULL) /* else it is another stack */
		stack = stack_of(c, (uintptr_t)u->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
	pc = (uintptr_t)u->uc_mcontext.pc;
	registers = (struct words){ (const uintptr_t *)u->uc_mcontext.regs, 31 };
	if (in_run != NULL)
		stack = stack_of(c, (uintptr_t)u->uc_mcontext.sp);
#else
	(void)u;
#endif
	describe(c, number, pc, registers, stack);
}

/* The C library runs this on the stack of what ends the program. */
static void on_exit_in_run(void)
{
	const struct hd_crash *c = in_run;
	struct words stack;

	if (c == NULL)
		return;
	stack = stack_of(c, (uintptr_t)__builtin_frame_address(0));
	describe(c, 0, 0, (struct words){ NULL, 0 }, stack);
}

/* ---- installing and removing the handler ---- */

static int note_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct plugin *p = arg;
	uintptr_t low = UINTPTR_MAX, high = 0;
	uintptr_t inside = (uintptr_t)p->module;
	bool ours = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t from = (uintptr_t)info->dlpi_addr + (uintptr_t)h->p_vaddr;

		if (h->p_type != PT_LOAD)
			continue;
		ours = ours || (inside >= from && inside < from + h->p_memsz);
		if (!(h->p_flags & PF_X))
			continue;
		low = from < low ? from : low;
		high = from + h->p_memsz > high ? from + h->p_memsz : high;
	}
	if (ours && low < high) {
		p->low = low;
		p->high = high;
	}
	return ours;
}

struct hd_crash *hd__crash_new(const struct hd_sim *s)
{
	struct hd_crash *c = hd__xcalloc(1, sizeof *c);

	c->sim = s;
	c->v = hd__xcalloc(s->narrays, sizeof *c->v);
	for (size_t i = 0; i < s->narrays; i++) {
		struct plugin p = { .module = s->arrays[i].module };
		bool known = false;

		p.file = hd__registry_plugin(s->registry, p.module);
		for (size_t k = 0; k < c->n; k++)
			known = known || c->v[k].module == p.module;
		if (p.file == NULL || known)
			continue;
		dl_iterate_phdr(note_code, &p);
		c->v[c->n++] = p;
	}
	c->stack = hd__xcalloc(1, ALT_STACK);
	atexit(on_exit_in_run);
	return c;
}

void hd__crash_free(struct hd_crash *c)
{
	if (c == NULL)
		return;
	free(c->stack);
	free(c->v);
	free(c);
}

/* Seconds of processor time, so that a process that is stopped or waits for its turn does not count
 * as stuck.  0: none. */
static void set_limit(unsigned seconds)
{
	const struct itimerval limit = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

bool hd__crash_watch(struct hd_crash *c, const void *top)
{
	const stack_t stack = { .ss_sp = c->stack, .ss_size = ALT_STACK };
	struct sigaction act = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

	if (in_run)
		return false;
	c->top = (uintptr_t)top;
	act.sa_sigaction = on_crash;
	sigfillset(&act.sa_mask);
	sigaltstack(&stack, &c->old_stack);
	in_run = c;
	called = c;
	interrupts = 0;
	for (size_t i = 0; i < NFATAL; i++)
		sigaction(fatal[i].number, &act, &c->old[i]);
	set_limit(c->sim->opt.stuck_after);
	return true;
}

void hd__crash_unwatch(struct hd_crash *c)
{
	set_limit(0);
	for (size_t i = 0; i < NFATAL; i++)
		sigaction(fatal[i].number, &c->old[i], NULL);
	in_run = NULL;
	called = NULL;
	sigaltstack(&c->old_stack, NULL);
}
