/* cudart_record.c - records what a program does with the device, for heddle trace record
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cudart_record.h"
#include "traces/exec/exec_record.h"
#include "base/exit.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

static struct {
	enum { UNKNOWN, OFF, ON, OVER } how;
	const char *folder;
	uint64_t first, last;      /* launches that are recorded, counted from 1 */
	uint64_t launches, recorded;
	struct hd_record *to;
	pid_t process;
	void (*at_end)(void);
} record;

static char *in_folder(const char *name)
{
	return hd__format("%s/%s", record.folder, name);
}

/* ---- the end ---- */

static void say_how_many(void)
{
	char *path = in_folder(CUDA_RECORD_COUNT);
	FILE *f = fopen(path, "wx");

	if (f) {
		fprintf(f, "%" PRIu64 " %" PRIu64 "\n", record.launches, record.recorded);
		fclose(f);
	}
	free(path);
}

void hd__cuda_record_end(void)
{
	if (record.how != ON || getpid() != record.process)
		return;
	record.how = OVER;
	hd__record_close(record.to, record.recorded > 0);
	say_how_many();
}

void hd__cuda_record_at_end(void (*end)(void))
{
	record.at_end = end;
}

/* ---- the beginning ---- */

/* Is this the first process that uses the device? */
static bool claim(void)
{
	char *path = in_folder(CUDA_RECORD_CLAIM);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		fprintf(stderr,
		        "heddle: warning: process %ld: another process of the program is recorded, this one is not\n",
		        (long)getpid());
	else if (fd < 0)
		fprintf(stderr, "heddle: %s: %s; this process is not recorded\n", path, strerror(errno));
	else
		close(fd);
	free(path);
	return fd >= 0;
}

static void read_range(void)
{
	const char *text = getenv(CUDA_RECORD_KERNELS);

	record.first = 1;
	record.last = UINT64_MAX;
	if (text)
		sscanf(text, "%" SCNu64 "-%" SCNu64, &record.first, &record.last);
}

static int open_record(void)
{
	char *path;
	int status;

	if (getenv(CUDA_RECORD_PARTS))
		return hd__record_open_parts(&record.to, record.folder, CUDA_RECORD_SOCKET);
	path = in_folder(CUDA_RECORD_TRACE);
	status = hd__record_open(&record.to, path, getenv(CUDA_RECORD_TEXT) != NULL);
	free(path);
	return status;
}

static void begin(void)
{
	record.how = OFF;
	record.folder = getenv(CUDA_RECORD_FOLDER);
	if (!record.folder || !claim())
		return;
	read_range();
	if (open_record() == HD_EXIT_OK) {
		record.how = ON;
		record.process = getpid();
		atexit(record.at_end); /* after what removes unfinished outputs, so it is called before that */
		(void)at_quick_exit(record.at_end);
	}
}

static bool is_on(void)
{
	if (record.how == UNKNOWN)
		begin();
	return record.how == ON;
}

/* ---- what is recorded ---- */

enum hd_exec_status hd__cuda_record_launch(struct hd_exec *x, const struct hd_exec_launch *launch, uint64_t stream,
                                           struct hd_exec_fault *fault)
{
	enum hd_exec_status status;

	if (!is_on() || ++record.launches < record.first || record.launches > record.last)
		return hd__exec_run(x, launch, NULL, NULL, fault);
	hd__record_stream(record.to, stream);
	status = hd__record_run(record.to, x, launch, NULL, fault);
	if (status == HD_EXEC_DONE) {
		record.recorded++;
	} else {
		record.last = record.launches - 1;
	}
	if (status != HD_EXEC_DONE && status != HD_EXEC_STOPPED)
		fprintf(stderr, "heddle: warning: launch %" PRIu64 " failed: the trace ends before it\n",
		        record.launches);
	return status;
}

void hd__cuda_record_copy(uint64_t to, uint64_t bytes)
{
	if (is_on() && record.launches < record.last)
		hd__record_copy(record.to, to, bytes);
}

bool hd__cuda_record_time(uint64_t *ns)
{
	return getenv(CUDA_SIMULATED_TIME) && is_on() && hd__record_time(record.to, ns);
}

/* What is in the buffer would be written by the child, too. */
void hd__cuda_record_fork(void)
{
	if (record.how == ON && record.process == getpid())
		hd__record_flush(record.to);
}

void hd__cuda_record_forked(void)
{
	if (record.how == ON)
		hd__record_leave(record.to);
}
