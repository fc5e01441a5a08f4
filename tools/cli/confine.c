/* confine.c - confines the process to its inputs and outputs (--sandbox)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files by Landlock, the rest by a seccomp filter (confine_calls.c).  Neither can be undone, and both hold for plug-ins
 * and for the threads and copies of this process.
 */
#include "confine.h"
#include "base/exit.h"
#include "base/folders.h"
#include "base/xalloc.h"
#include "kernel/netlist/netlist.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#endif

static void allow(struct hd_confine *c, char *path, bool write)
{
	c->v = hd__xappend(c->v, c->n, sizeof *c->v);
	c->v[c->n++] = (struct hd_allowed){ path, write };
}

static char *folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? hd__xstrndup(file, slash > file ? (size_t)(slash - file) : 1) : hd__xstrdup(".");
}

void hd__confine_read(struct hd_confine *c, const char *file)
{
	char real[PATH_MAX];
	struct stat st;

	if (!c->wanted || !file)
		return;
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode)) {
		allow(c, hd__xstrdup(file), false);
		return;
	}
	allow(c, folder_of(file), false);
	if (realpath(file, real)) /* what lies beside the target of a link */
		allow(c, folder_of(real), false);
}

void hd__confine_write(struct hd_confine *c, const char *file)
{
	char real[PATH_MAX];
	struct stat st;

	if (!c->wanted || !file || strcmp(file, "-") == 0)
		return;
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		allow(c, hd__xstrdup(file), true);
	else
		allow(c, folder_of(realpath(file, real) ? real : file), true);
}

static _Noreturn void refuse(const char *what)
{
	fprintf(stderr, "heddle: --sandbox: %s; expected Linux 5.13 or later with Landlock, and a "
	        "heddle that was built with libseccomp, or to run without --sandbox\n", what);
	exit(HD_EXIT_USAGE);
}

#ifdef LANDLOCK_CREATE_RULESET_VERSION

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_FILE (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define WRITE (WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR \
               | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR)
#define BASE ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1) /* all of the first version */

/* What does not exist is left out: it cannot be opened anyway. */
static void add_rule(int rules, const struct hd_allowed *a, uint64_t handled)
{
	struct landlock_path_beneath_attr rule = {
		.parent_fd = open(a->path, O_PATH | O_CLOEXEC),
		.allowed_access = READ | (a->write ? WRITE : 0),
	};
	struct stat st;

	if (rule.parent_fd < 0)
		return;
	if (fstat(rule.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed_access &= LANDLOCK_ACCESS_FS_READ_FILE | WRITE_FILE;
	rule.allowed_access &= handled;
	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
		refuse(strerror(errno));
	close(rule.parent_fd);
}

static void limit_files(const struct hd_confine *c)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = BASE };
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	int rules;

	if (version < 1)
		refuse("this system has no Landlock");
	if (version >= 2)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
	rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
	if (rules < 0)
		refuse(strerror(errno));
	for (size_t i = 0; i < c->n; i++)
		add_rule(rules, &c->v[i], attr.handled_access_fs);
	if (syscall(SYS_landlock_restrict_self, rules, 0) != 0)
		refuse(strerror(errno));
	close(rules);
}

static void limit(const struct hd_confine *c)
{
	const char *why;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		refuse(strerror(errno));
	limit_files(c);
	why = hd__confine_calls();
	if (why)
		refuse(why);
}

#else

static void limit(const struct hd_confine *c)
{
	(void)c;
	refuse("this program was built without Landlock");
}

#endif

static void allow_folders(struct hd_confine *c, const char *folders)
{
	while (folders && *folders) {
		size_t n = strcspn(folders, ":");

		if (n > 0)
			allow(c, hd__xstrndup(folders, n), false);
		folders += n + (folders[n] == ':');
	}
}

void hd__confine(struct hd_confine *c)
{
	static const char *const common[] = { PKGDATADIR, SOURCEDIR "/netlists", "/lib", "/lib64", "/usr/lib",
		"/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/dev/urandom" };
	char *installed;

	if (!c->wanted)
		return;
	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		allow(c, hd__xstrdup(common[i]), false);
	if ((installed = hd__installed_data()) != NULL)
		allow(c, installed, false);
	allow(c, hd__xstrdup("/dev/null"), true);
	allow_folders(c, getenv("HEDDLE_DATA_PATH"));
	allow_folders(c, getenv("HEDDLE_MODULE_PATH"));
	allow_folders(c, getenv("LD_LIBRARY_PATH"));
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].write && strcmp(c->v[i].path, "/dev/null") != 0)
			setenv("SQLITE_TMPDIR", c->v[i].path, 0); /* rather than /var/tmp */
	limit(c);
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].path);
	free(c->v);
	*c = (struct hd_confine){ .wanted = true };
}
