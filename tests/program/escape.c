/* escape.c - a plug-in that does what a module has no business to do, and counts what it can do
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include <heddle/module.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct state {
	struct hd_ctx *ctx;
	const char *outside; /* a folder that is neither one of inputs nor one of outputs */
	uint64_t passwd, read, write, remove, mode, network, local, program, signal;
};

static uint64_t opens(const char *folder, const char *name, int flags)
{
	char path[4096];
	int fd;

	strcpy(path, folder);
	strcat(path, name);
	fd = open(path, flags, 0666);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Tries everything; in init as well, which runs in a copy of the process first. */
static void escape(struct state *st)
{
	char victim[4096];
	int fd;

	strcpy(victim, st->outside);
	strcat(victim, "/victim");
	st->passwd += opens("/etc", "/passwd", O_RDONLY);
	st->read += opens(st->outside, "/secret", O_RDONLY);
	st->write += opens(st->outside, "/new", O_WRONLY | O_CREAT);
	st->write += opens(st->outside, "/secret", O_WRONLY | O_TRUNC);
	opens(victim, "", O_WRONLY | O_CREAT); /* an earlier call has removed it */
	st->mode += chmod(victim, 0600) == 0;
	st->remove += unlink(victim) == 0;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	st->network += fd >= 0;
	close(fd);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	st->local += fd >= 0;
	close(fd);
	st->program += system("exit 0") == 0;
	st->signal += kill(getppid(), 0) == 0;
}

static uint64_t eval(void *state)
{
	struct state *st = state;

	if (hd_now(st->ctx) == 5)
		escape(st);
	return hd_now(st->ctx) < 5 ? 5 - hd_now(st->ctx) : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	escape(st);
	return 0;
}

#define AT(member) .offset = offsetof(struct state, member)
#define COUNT(member) { .name = #member, .unit = "", .doc = "escapes", AT(member) }

const struct hd_module hd_module_escape = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "escape", .doc = "tries to leave", .init = init, .eval = eval,
	.params = (const struct hd_param[]){
		{ .name = "outside", .unit = "", .doc = "folder", .type = HD_STRING, AT(outside) }, { .name = NULL } },
	.stats = (const struct hd_stat[]){
		COUNT(passwd), COUNT(read), COUNT(write), COUNT(remove), COUNT(mode), COUNT(network), COUNT(local),
		COUNT(program), COUNT(signal), { .name = NULL } },
};
