/* output.c - output files that are complete or absent, and never replace an input
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "output.h"
#include "below.h"
#include "exit.h"
#include "xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (1u << 18)
#define LONGEST 200 /* bytes of a name that are kept in front of ".PID.part" */
#define TRIES 100
#define LINKS 40 /* that are followed, as by the system */

struct file_id {
	dev_t device;
	ino_t inode;
};

/* A name that is removed if the process ends early.  A signal handler reads the list. */
struct unfinished {
	int at; /* the folder that it is below; AT_FDCWD: its name is a path */
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
		if (u->at != AT_FDCWD)
			hd__below_remove(u->at, u->name);
		else if (unlink(u->name) != 0)
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

static void note_unfinished(int at, const char *name)
{
	struct unfinished *u = hd__xcalloc(1, sizeof *u);

	u->at = at;
	u->name = hd__xstrdup(name);
	u->below = unfinished;
	if (owner == 0)
		atexit(hd__outputs_abandon);
	owner = getpid();
	unfinished = u;
}

void hd__output_unfinished(const char *name)
{
	note_unfinished(AT_FDCWD, name);
}

/* Forgets what an output has begun. */
static void forget_unfinished(int at)
{
	struct unfinished *_Atomic *link = &unfinished;

	while (*link) {
		struct unfinished *u = *link;

		if (u->at != at) {
			link = &u->below;
			continue;
		}
		*link = u->below;
		free(u->name);
		free(u);
	}
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

/* Where the file `path` will be, its folder's links followed.  NULL after printing an error. */
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
	char *inside = hd__join(folder, "/", "."); /* for a file, the system says what it is */
	bool ok = access(inside, W_OK | X_OK) == 0;

	if (!ok)
		fprintf(stderr, "heddle: %s: %s: folder '%s'\n", path, strerror(errno), folder);
	free(inside);
	free(folder);
	return ok;
}

static bool in_place(const char *target, const struct stat *st)
{
	return (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode)) || strncmp(target, "/dev/", 5) == 0
	       || strncmp(target, "/proc/", 6) == 0;
}

/* The output has a path and a target: holds the folder open that they are in, unless it is, and chooses the name to
 * write. */
static int choose(struct hd_output *o, const struct stat *there, int at, size_t names)
{
	bool apart;

	if (there)
		o->device = there->st_dev, o->inode = there->st_ino, o->mode = there->st_mode;
	apart = !o->target || check_apart(o);
	o->name = apart && o->target && folder_serves(o->path, o->target) ? name_beside(o->target) : NULL;
	if (o->name) {
		char *folder = folder_of(o->target);

		o->at = at >= 0 ? fcntl(at, F_DUPFD_CLOEXEC, 0) : hd__below_enter(folder);
		free(folder);
		if (o->at < 0)
			complain(o->path, errno);
	}
	if (o->name && o->at >= 0) {
		o->names = names ? names : (size_t)(strrchr(o->target, '/') + 1 - o->target);
		note_unfinished(o->at, o->name + o->names);
		o->next = outputs;
		outputs = o;
		return HD_EXIT_OK;
	}
	free(o->name);
	free(o->path);
	free(o->target);
	*o = (struct hd_output){ .label = o->label };
	return apart ? HD_EXIT_FAILED : HD_EXIT_USAGE;
}

/* What links lead to, be it there or not.  The caller frees it. */
static char *follow(const char *path)
{
	char *at = hd__xstrdup(path), link[PATH_MAX];
	ssize_t n;

	for (int i = 0; i < LINKS && (n = readlink(at, link, sizeof link - 1)) > 0; i++) {
		char *folder = folder_of(at), *next;

		link[n] = '\0';
		next = link[0] == '/' ? hd__xstrdup(link) : hd__join(folder, "/", link);
		free(folder);
		free(at);
		at = next;
	}
	return at;
}

/* The target of a name that is not there: of a link, what it leads to.  NULL after printing an error. */
static char *target_of(const char *path)
{
	char *through = follow(path), *target = new_target(through);

	free(through);
	return target;
}

int hd__output_name(struct hd_output *o, const char *path, const char *label)
{
	char real[PATH_MAX];
	struct stat st;
	bool there = stat(path, &st) == 0;

	*o = (struct hd_output){ .label = label, .mode = 0666 };
	if (path[0] == '\0') {
		fprintf(stderr, "heddle: an output has no name; expected that of a file\n");
		return HD_EXIT_USAGE;
	}
	if (strcmp(path, "-") == 0) {
		fprintf(stderr, "heddle: %s%sthis cannot be written to standard output; expected a name, as ./- for "
		        "one of that name\n", label ? label : "", label ? ": " : "");
		return HD_EXIT_USAGE;
	}
	if (!there && errno == ELOOP) {
		complain(path, ELOOP);
		return HD_EXIT_FAILED;
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
	o->path = hd__xstrdup(path);
	o->target = there ? hd__xstrdup(real) : target_of(path);
	return choose(o, there ? &st : NULL, -1, 0);
}

int hd__output_below(struct hd_output *o, int at, const char *folder, const char *name, const char *label)
{
	struct stat st;
	bool there;

	*o = (struct hd_output){ .label = label, .mode = 0666, .path = hd__join(folder, "/", name) };
	there = lstat(o->path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
	o->target = new_target(o->path);
	return choose(o, there ? &st : NULL, at, o->target ? strlen(o->target) - strlen(name) : 0);
}

bool hd__output_is_folder(const struct hd_output *o)
{
	if (!o->inode || !S_ISDIR(o->mode))
		return false;
	fprintf(stderr, "heddle: %s: is a folder; expected the name of a file\n", o->path);
	return true;
}

int hd__output_fd(const struct hd_output *o)
{
	int fd = o->target ? hd__below_open(o->at, o->name + o->names, O_RDWR | O_CREAT | O_EXCL, o->mode & 0777)
	                   : open(o->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		complain(o->path, errno);
	return fd;
}

int hd__output_stream(struct hd_output *o)
{
	bool folder = hd__output_is_folder(o);
	int fd = folder ? -1 : hd__output_fd(o);

	if (fd < 0) {
		hd__output_close(o, false);
		return folder ? HD_EXIT_USAGE : HD_EXIT_FAILED;
	}
	o->f = hd__xcheck(fdopen(fd, "w"));
	setvbuf(o->f, NULL, _IOFBF, BUFFER);
	return HD_EXIT_OK;
}

int hd__output_open(struct hd_output *o, const char *path, const char *label)
{
	int status;

	if (!path || strcmp(path, "-") == 0) {
		*o = (struct hd_output){ .f = stdout, .label = label };
		return HD_EXIT_OK;
	}
	status = hd__output_name(o, path, label);
	return status == HD_EXIT_OK ? hd__output_stream(o) : status;
}

bool hd__output_folder(const struct hd_output *o)
{
	if (!o->target || (o->inode && !S_ISDIR(o->mode)))
		errno = ENOTDIR;
	else if (mkdirat(o->at, o->name + o->names, o->inode ? o->mode & 0777 : 0777) == 0)
		return true;
	return complain(o->path, errno);
}

FILE *hd__output_file(const struct hd_output *o, const char *name)
{
	char *below = hd__join(o->name + o->names, "/", name);
	FILE *f;

	note_unfinished(o->at, below); /* before it exists: a signal may come between */
	f = hd__below_new(o->at, below);
	if (!f)
		fprintf(stderr, "heddle: %s/%s: %s\n", o->path, name, strerror(errno));
	free(below);
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

/* What may be done with the old file may be done with the new one.  It was made with no more than that; with --sandbox
 * it may have less. */
static bool set_mode(int fd, mode_t mode, bool exact)
{
	struct stat st;

	return fstat(fd, &st) == 0 && ((st.st_mode & 07777) == (mode & 07777) || fchmod(fd, mode & 07777) == 0
	                               || (!exact && errno == EPERM && !(st.st_mode & ~mode & 07777)));
}

/* The new file is on the disk before the old one is replaced. */
static bool reach_disk(const struct hd_output *o)
{
	int fd = hd__below_open(o->at, o->name + o->names, O_RDONLY, 0);
	bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

	ok = ok && (!o->inode || !S_ISREG(o->mode) || set_mode(fd, o->mode, false));
	if (!ok)
		complain(o->path, errno);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool was_read(const struct stat *st)
{
	struct hd_output o = { .device = st->st_dev, .inode = st->st_ino };

	return is_input(&o);
}

/* ---- a folder in place of an older one ---- */

/* Both folders, open. */
struct folders {
	const struct hd_output *o;
	DIR *made, *target;
};

/* Is it there?  Its own properties, not those of what it leads to. */
static bool look(DIR *folder, const char *name, struct stat *st)
{
	return fstatat(dirfd(folder), name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Is it one file in both folders?  rename() would leave both. */
static bool same_file(const struct folders *f, const char *name)
{
	struct stat x, y;

	return look(f->made, name, &x) && look(f->target, name, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

typedef bool each_file(const struct folders *f, const char *name);

static bool complain_of(const struct folders *f, const char *name)
{
	fprintf(stderr, "heddle: %s/%s: %s\n", f->o->path, name, strerror(errno));
	return false;
}

/* Calls `call` for each entry of a folder, until it returns false. */
static bool for_each(const struct folders *f, DIR *folder, each_file *call)
{
	struct dirent *e;
	bool ok = true;

	rewinddir(folder);
	while (ok && (e = readdir(folder)) != NULL)
		ok = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || call(f, e->d_name);
	return ok;
}

/* A file of an older output of this kind that the new one does not have. */
static bool is_stale(const struct folders *f, const char *name)
{
	struct stat st;

	return f->o->owns && !look(f->made, name, &st) && look(f->target, name, &st) && !S_ISDIR(st.st_mode)
	       && f->o->owns(dirfd(f->target), name);
}

static bool check_entry(const struct folders *f, const char *name)
{
	struct stat st;

	if (look(f->made, name, &st) && look(f->target, name, &st) && S_ISDIR(st.st_mode)) {
		fprintf(stderr, "heddle: %s/%s: is a folder; expected a file or nothing\n",
		        f->o->path, name);
		return false;
	}
	if ((!look(f->made, name, &st) && !is_stale(f, name)) || same_file(f, name) || !look(f->target, name, &st)
	    || !was_read(&st))
		return true;
	fprintf(stderr, "heddle: %s: the output would replace '%s', which is an input; expected another folder\n",
	        f->o->path, name);
	return false;
}

/* A file that stays is a link in the new folder, too.  A folder cannot be. */
static bool keep(const struct folders *f, const char *name)
{
	struct stat st;
	char *below;

	if (look(f->made, name, &st) || is_stale(f, name))
		return true;
	below = hd__join(f->o->name + f->o->names, "/", name);
	note_unfinished(f->o->at, below);
	free(below);
	return linkat(dirfd(f->target), name, dirfd(f->made), name, 0) == 0;
}

static bool drop_stale(const struct folders *f, const char *name)
{
	return !is_stale(f, name) || unlinkat(dirfd(f->target), name, 0) == 0 || complain_of(f, name);
}

static bool drop(const struct folders *f, const char *name)
{
	return unlinkat(dirfd(f->made), name, 0) == 0 || complain_of(f, name);
}

static bool move(const struct folders *f, const char *name)
{
	if (same_file(f, name))
		return drop(f, name);
	return renameat(dirfd(f->made), name, dirfd(f->target), name) == 0 || complain_of(f, name);
}

/* Exchanges the names of the folders, with the files in the new one that stay. */
static bool exchange(const struct folders *f)
{
#ifdef RENAME_EXCHANGE
	const struct hd_output *o = f->o;
	struct stat st, here;

	return fstat(dirfd(f->target), &st) == 0 && stat(".", &here) == 0
	       && (st.st_dev != here.st_dev || st.st_ino != here.st_ino)
	       && set_mode(dirfd(f->made), st.st_mode, true) && for_each(f, f->target, keep)
	       && renameat2(o->at, o->name + o->names, o->at, o->target + o->names, RENAME_EXCHANGE) == 0;
#else
	(void)f;
	return false;
#endif
}

static DIR *open_folder(const struct hd_output *o, const char *path)
{
	int fd = hd__below_open(o->at, path + o->names, O_RDONLY | O_DIRECTORY, 0);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

/* Files of other programs in the target stay.  Both folders change names in one step,
 * so that all files are the old or all are the new ones; where that cannot be, because the target has folders
 * in it, is the working directory, or is on a file system that cannot, the files are renamed one by one. */
static bool move_folder(const struct hd_output *o)
{
	struct folders f = { o, open_folder(o, o->name), open_folder(o, o->target) };
	bool ok = f.made && f.target;

	if (!ok)
		complain(o->path, errno);
	ok = ok && for_each(&f, f.target, check_entry);
	if (ok && exchange(&f)) {
		closedir(f.made);
		f.made = open_folder(o, o->name); /* that of the last program to do the same, maybe */
		ok = f.made && for_each(&f, f.made, drop);
	} else if (ok) {
		ok = for_each(&f, f.target, drop_stale) && for_each(&f, f.made, move);
	}
	if (f.made)
		closedir(f.made);
	if (f.target)
		closedir(f.target);
	return ok && (unlinkat(o->at, o->name + o->names, AT_REMOVEDIR) == 0 || complain(o->path, errno));
}

/* ---- the end of an output ---- */

/* A folder that is there already, or that another program has put there meanwhile, gets the files of the new one; its
 * others stay. */
static bool put_in_place(const struct hd_output *o)
{
	const char *made = o->name + o->names, *target = o->target + o->names;
	struct stat st;
	bool folder = fstatat(o->at, made, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);

	if (folder && o->inode && S_ISDIR(o->mode))
		return move_folder(o);
	if (hd__below_rename(o->at, made, target))
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
	if (o->target && !good && !hd__below_remove(o->at, o->name + o->names)) {
		hd__below_clean(o->at, o->name + o->names);
		hd__below_remove(o->at, o->name + o->names);
	}
	if (o->target) {
		forget_unfinished(o->at);
		close(o->at);
	}
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
