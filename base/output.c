/* output.c - output files that are complete or absent, and never replace an input
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "output.h"
#include "exit.h"
#include "xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (1u << 18)
#define LONGEST 200 /* bytes of a name that are kept in front of ".PID.part" */
#define TRIES 100

struct file_id {
	dev_t device;
	ino_t inode;
};

/* A name that is removed if the process ends early.  A signal handler reads the list. */
struct unfinished {
	char *name;
	struct unfinished *_Atomic below;
};

static struct unfinished *_Atomic unfinished;
static pid_t owner; /* a forked child must not remove the files of its parent */
static struct hd_output *outputs;
static bool guarded; /* the program may have outputs; simulations in a library have none */
static struct {
	struct file_id *v;
	size_t n, cap;
} inputs;

static bool complain(const char *path, int error)
{
	fprintf(stderr, "heddle: %s: %s\n", path, strerror(error));
	return false;
}

/* ---- removal at an early end ---- */

/* Newest first, so that a folder is empty when it is removed.  Only calls that a handler may
 * make. */
void hd__outputs_abandon(void)
{
	if (getpid() != owner)
		return;
	for (struct unfinished *u = unfinished; u; u = u->below)
		if (unlink(u->name) != 0)
			rmdir(u->name);
}

void hd__outputs_end(const char *what)
{
	complain(what, errno);
	hd__outputs_abandon();
	_exit(HD_EXIT_FAILED);
}

static void on_signal(int number)
{
	hd__outputs_abandon();
	signal(number, SIG_DFL);
	raise(number);
}

void hd__outputs_guard(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = on_signal }, was;

	guarded = true;
	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (sigaction(ends[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
			sigaction(ends[i], &act, NULL);
}

void hd__output_unfinished(const char *name)
{
	struct unfinished *u = hd__xcalloc(1, sizeof *u);

	u->name = hd__xstrdup(name);
	u->below = unfinished;
	if (owner == 0)
		atexit(hd__outputs_abandon);
	owner = getpid();
	unfinished = u;
}

/* Forgets the name, and the names of files in a folder of this name. */
static void forget_unfinished(const char *name)
{
	struct unfinished *_Atomic *at = &unfinished;
	size_t n = strlen(name);

	while (*at) {
		struct unfinished *u = *at;

		if (strncmp(u->name, name, n) != 0 || (u->name[n] && u->name[n] != '/')) {
			at = &u->below;
			continue;
		}
		*at = u->below;
		free(u->name);
		free(u);
	}
}

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *f)
{
	(void)st;
	(void)what;
	(void)f;
	return remove(path);
}

/* ---- files that are read ---- */

static bool note(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return true;
	for (struct hd_output *o = outputs; o; o = o->next) {
		if (o->inode != st->st_ino || o->device != st->st_dev)
			continue;
		o->is_input = true;
		return false;
	}
	inputs.v = hd__xgrow(inputs.v, inputs.n, &inputs.cap, sizeof *inputs.v);
	inputs.v[inputs.n++] = (struct file_id){ st->st_dev, st->st_ino };
	return true;
}

bool hd__input_note(int fd)
{
	struct stat st;

	return !guarded || fstat(fd, &st) != 0 || note(&st);
}

bool hd__input_note_name(const char *path)
{
	struct stat st;

	return !guarded || stat(path, &st) != 0 || note(&st);
}

static bool is_input(const struct hd_output *o)
{
	for (size_t i = 0; o->inode && i < inputs.n; i++)
		if (inputs.v[i].inode == o->inode && inputs.v[i].device == o->device)
			return true;
	return false;
}

/* ---- names ---- */

static bool check_apart(const struct hd_output *o)
{
	if (is_input(o)) {
		fprintf(stderr, "heddle: %s: the output would replace '%s', which is an input; expected "
		        "another name\n", o->label ? o->label : o->path, o->path);
		return false;
	}
	for (const struct hd_output *b = outputs; b; b = b->next) {
		if (strcmp(b->target, o->target) != 0
		    && !(o->inode && b->inode == o->inode && b->device == o->device))
			continue;
		fprintf(stderr, "heddle: %s and %s: both would write '%s'; expected two names\n",
		        b->label ? b->label : b->path, o->label ? o->label : o->path, o->path);
		return false;
	}
	return true;
}

/* A new name in the target's folder.  NULL after printing an error. */
static char *name_beside(const char *target)
{
	const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
	int folder = (int)(base - target), length = (int)strlen(base);

	for (int i = 0; i < TRIES; i++) {
		char *name = hd__format("%.*s%.*s.%ld-%d.part", folder, target,
		                        length < LONGEST ? length : LONGEST, base, (long)getpid(), i);
		struct stat st;

		if (lstat(name, &st) != 0)
			return name; /* other errors are reported when it is opened */
		free(name);
	}
	complain(target, EEXIST);
	return NULL;
}

/* The folder in which `path` is, "." if it names none.  The caller frees it. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? hd__xstrndup(path, slash > path ? (size_t)(slash - path) : 1)
	             : hd__xstrdup(".");
}

/* Where the new file `path` will be, its folder's links followed.  NULL after printing an error. */
static char *new_target(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = folder_of(path), real[PATH_MAX], *target = NULL;

	if (realpath(folder, real))
		target = hd__format("%s/%s", strcmp(real, "/") == 0 ? "" : real, slash ? slash + 1 : path);
	else
		fprintf(stderr, "heddle: %s: %s: folder '%s'\n", path, strerror(errno), folder);
	free(folder);
	return target;
}

/* false after printing an error */
static bool folder_serves(const char *path, const char *target)
{
	char *folder = folder_of(target);
	bool ok = access(folder, W_OK | X_OK) == 0;

	if (!ok)
		fprintf(stderr, "heddle: %s: %s: folder '%s'\n", path, strerror(errno), folder);
	free(folder);
	return ok;
}

static bool in_place(const char *target, const struct stat *st)
{
	return (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode)) || strncmp(target, "/dev/", 5) == 0
	       || strncmp(target, "/proc/", 6) == 0;
}

int hd__output_name(struct hd_output *o, const char *path, const char *label)
{
	char real[PATH_MAX];
	struct stat st;
	bool there = stat(path, &st) == 0, apart;

	*o = (struct hd_output){ .label = label, .mode = 0666 };
	if (path[0] == '\0') {
		fprintf(stderr, "heddle: an output has no name; expected that of a file\n");
		return HD_EXIT_USAGE;
	}
	if (there && (in_place(path, &st) || !realpath(path, real))) {
		o->path = hd__xstrdup(path);
		o->name = hd__xstrdup(path);
		return HD_EXIT_OK;
	}
	if (there && access(path, W_OK) != 0) {
		complain(path, errno);
		return HD_EXIT_FAILED;
	}
	if (there)
		o->device = st.st_dev, o->inode = st.st_ino, o->mode = st.st_mode;
	o->path = hd__xstrdup(path);
	o->target = there ? hd__xstrdup(real) : new_target(path);
	apart = !o->target || check_apart(o);
	o->name = apart && o->target && folder_serves(path, o->target) ? name_beside(o->target) : NULL;
	if (o->name) {
		hd__output_unfinished(o->name);
		o->next = outputs;
		outputs = o;
		return HD_EXIT_OK;
	}
	free(o->path);
	free(o->target);
	*o = (struct hd_output){ .label = label };
	return apart ? HD_EXIT_FAILED : HD_EXIT_USAGE;
}

bool hd__output_is_folder(const struct hd_output *o)
{
	if (!o->inode || !S_ISDIR(o->mode))
		return false;
	fprintf(stderr, "heddle: %s: is a folder; expected the name of a file\n", o->path);
	return true;
}

int hd__output_open(struct hd_output *o, const char *path, const char *label)
{
	int status;

	if (!path || strcmp(path, "-") == 0) {
		*o = (struct hd_output){ .f = stdout, .label = label };
		return HD_EXIT_OK;
	}
	status = hd__output_name(o, path, label);
	if (status != HD_EXIT_OK)
		return status;
	if (hd__output_is_folder(o)) {
		hd__output_close(o, false);
		return HD_EXIT_USAGE;
	}
	o->f = fopen(o->name, o->target ? "wx" : "w");
	if (o->f) {
		setvbuf(o->f, NULL, _IOFBF, BUFFER);
		return HD_EXIT_OK;
	}
	complain(path, errno);
	hd__output_close(o, false);
	return HD_EXIT_FAILED;
}

FILE *hd__output_file(const char *path)
{
	FILE *f;

	hd__output_unfinished(path); /* before it exists: a signal may come between */
	f = fopen(path, "wx");
	if (!f)
		complain(path, errno);
	return f;
}

/* ---- the end ---- */

static bool finish_stream(struct hd_output *o)
{
	bool ok = fflush(o->f) == 0 && !ferror(o->f);
	int error = ok ? 0 : errno;

	if (o->f != stdout && fclose(o->f) != 0 && ok)
		ok = false, error = errno;
	if (!ok)
		fprintf(stderr, "heddle: %s: could not be written: %s\n",
		        o->path ? o->path : "standard output", strerror(error ? error : EIO));
	if (o->f == stdout)
		clearerr(stdout); /* else the program reports it again when it ends */
	return ok;
}

/* The new file is on the disk before the old one is replaced. */
static bool reach_disk(const struct hd_output *o)
{
	int fd = open(o->name, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

	if (ok && o->inode && S_ISREG(o->mode))
		ok = fchmod(fd, o->mode & 07777) == 0;
	if (!ok)
		complain(o->path, errno);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool was_read(const char *path)
{
	struct stat st;
	struct hd_output o = { 0 };

	if (stat(path, &st) == 0)
		o.device = st.st_dev, o.inode = st.st_ino;
	return is_input(&o);
}

/* ---- a folder in place of an older one ---- */

/* Do both names lead to one file?  rename() would leave both. */
static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return lstat(a, &x) == 0 && lstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

typedef bool each_file(const struct hd_output *o, const char *made, const char *target);

/* Calls `f` for each entry of `folder`, with its name in both folders, until it returns false. */
static bool for_each(const struct hd_output *o, const char *folder, each_file *f)
{
	DIR *dir = opendir(folder);
	bool ok = dir || complain(folder, errno);
	struct dirent *e;

	while (ok && (e = readdir(dir)) != NULL) {
		char *a, *b;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		a = hd__format("%s/%s", o->name, e->d_name);
		b = hd__format("%s/%s", o->target, e->d_name);
		ok = f(o, a, b);
		free(a);
		free(b);
	}
	if (dir)
		closedir(dir);
	return ok;
}

static bool check_entry(const struct hd_output *o, const char *made, const char *target)
{
	if (same_file(made, target) || !was_read(target))
		return true;
	fprintf(stderr, "heddle: %s: the output would replace '%s', which is an input; expected another folder\n",
	        o->path, target);
	return false;
}

/* A file that the new folder does not have is a link in it, too.  A folder cannot be. */
static bool keep(const struct hd_output *o, const char *made, const char *target)
{
	struct stat st;

	(void)o;
	if (lstat(made, &st) == 0)
		return true;
	hd__output_unfinished(made);
	return linkat(AT_FDCWD, target, AT_FDCWD, made, 0) == 0;
}

static bool move(const struct hd_output *o, const char *made, const char *target)
{
	(void)o;
	if (same_file(made, target))
		return unlink(made) == 0 || complain(made, errno);
	return rename(made, target) == 0 || complain(target, errno);
}

static bool drop(const struct hd_output *o, const char *made, const char *target)
{
	(void)o;
	(void)target;
	return unlink(made) == 0 || complain(made, errno);
}

static bool exchange(const struct hd_output *o)
{
#ifdef RENAME_EXCHANGE
	struct stat st;

	return !same_file(".", o->target) && stat(o->target, &st) == 0 && chmod(o->name, st.st_mode & 07777) == 0
	       && for_each(o, o->target, keep)
	       && renameat2(AT_FDCWD, o->name, AT_FDCWD, o->target, RENAME_EXCHANGE) == 0;
#else
	(void)o;
	return false;
#endif
}

/* The target gets the files of the new folder and keeps its others.  Both folders change names in one step,
 * so that all files are the old or all are the new ones; where that cannot be, because the target has folders
 * in it, is the working directory, or is on a file system that cannot, the files are renamed one by one. */
static bool move_folder(const struct hd_output *o)
{
	if (!for_each(o, o->name, check_entry))
		return false;
	return for_each(o, o->name, exchange(o) ? drop : move) && (rmdir(o->name) == 0 || complain(o->name, errno));
}

/* ---- the end of an output ---- */

/* A folder that is there already, or that another program has put there meanwhile, gets the files of the new one; its
 * others stay. */
static bool put_in_place(const struct hd_output *o)
{
	struct stat st;
	bool folder = stat(o->name, &st) == 0 && S_ISDIR(st.st_mode);

	if (folder && o->inode && S_ISDIR(o->mode))
		return move_folder(o);
	if (rename(o->name, o->target) == 0)
		return true;
	return folder && (errno == ENOTEMPTY || errno == EEXIST) ? move_folder(o) : complain(o->path, errno);
}

bool hd__output_close(struct hd_output *o, bool good)
{
	struct hd_output **at = &outputs;

	good = good && !o->is_input;
	if (o->f && (good || o->f == stdout))
		good = finish_stream(o) && good;
	else if (o->f)
		fclose(o->f);
	if (o->target && good)
		good = reach_disk(o);
	if (o->target && good)
		good = put_in_place(o);
	if (o->target && !good && nftw(o->name, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
		rmdir(o->name); /* too many open files: none could be opened in it either */
	if (o->target)
		forget_unfinished(o->name);
	while (*at && *at != o)
		at = &(*at)->next;
	if (*at)
		*at = o->next;
	free(o->name);
	free(o->path);
	free(o->target);
	*o = (struct hd_output){ .label = o->label };
	return good;
}
