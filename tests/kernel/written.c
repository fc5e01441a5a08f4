/* written.c - files that are written: what replaces what, numbers in JSON
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "kernel.h"
#include "base/exit.h"
#include "base/output.h"
#include "kernel/stats/stats.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- outputs ---- */

static int real_stderr;

/* What is printed goes to a file, until printed() has it. */
static void begin_printing(void)
{
	FILE *f = tmpfile();

	fflush(stderr);
	real_stderr = dup(STDERR_FILENO);
	dup2(fileno(f), STDERR_FILENO);
	fclose(f);
}

static char *printed(void)
{
	char text[1000];
	ssize_t n;

	fflush(stderr);
	lseek(STDERR_FILENO, 0, SEEK_SET);
	n = read(STDERR_FILENO, text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	return strdup(text);
}

static char *content(const char *path)
{
	char text[100] = "";
	FILE *f = fopen(path, "r");

	if (f) {
		text[fread(text, 1, sizeof text - 1, f)] = '\0';
		fclose(f);
	}
	return strdup(text);
}

static void check_content(const char *path, const char *expected, int line)
{
	char *text = content(path);

	check_text(text, expected, __FILE__, line);
	free(text);
}

/* Keeps what may be done with the file that it replaces. */
static void test_replaced(const char *path)
{
	struct hd_output o = { .label = NULL };
	struct stat st;
	FILE *f = fopen(path, "w");

	fputs("old", f);
	fclose(f);
	chmod(path, 0640);
	CHECK(hd__output_open(&o, path, "--stats") == HD_EXIT_OK);
	fputs("new", o.f);
	check_content(path, "old", __LINE__);
	CHECK(hd__output_close(&o, true));
	check_content(path, "new", __LINE__);
	CHECK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0640);
}

/* What was written is gone: the message says so, and the old file stays. */
static void test_lost(const char *path)
{
	struct hd_output o = { .label = NULL };
	char *expected = hd__format("heddle: %s: No such file or directory\n", path), *text;

	CHECK(hd__output_open(&o, path, "--stats") == HD_EXIT_OK);
	fputs("newer", o.f);
	unlink(o.name);
	begin_printing();
	CHECK(!hd__output_close(&o, true));
	text = printed();
	TEXT(text, expected);
	check_content(path, "new", __LINE__);
	free(expected);
	free(text);
}

/* Two outputs of one name, whether there is such a file or not. */
static void test_both(const char *path)
{
	struct hd_output a = { .label = NULL }, b = { .label = NULL };
	char *expected = hd__format("heddle: --stats and --dump: both would write '%s'; expected two names\n", path);
	char *text;

	CHECK(hd__output_open(&a, path, "--stats") == HD_EXIT_OK);
	begin_printing();
	CHECK(hd__output_open(&b, path, "--dump") == HD_EXIT_USAGE);
	text = printed();
	TEXT(text, expected);
	CHECK(!hd__output_close(&a, false));
	free(expected);
	free(text);
}

/* ---- numbers ---- */

/* As many digits as a double has for sure: more show how it is stored, 9.699999999999999. */
static void test_digits(void)
{
	json_t *j = json_pack("[f, f, f, i]", 9.7, 0.1, 2.0 / 3, 7);
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	CHECK(hd__json_write_line(j, NULL, f));
	fclose(f);
	TEXT(text, "[9.7,0.1,0.666666666666667,7]\n");
	free(text);
	json_decref(j);
}

void test_written(void)
{
	const char *tmp = getenv("TMPDIR");
	/* files in /dev are written in place */
	char *folder = hd__format("%s/written.XXXXXX", tmp && strncmp(tmp, "/dev/", 5) != 0 ? tmp : "/tmp"), *path;

	if (!mkdtemp(folder)) {
		check(false, "a folder for temporary files", __FILE__, __LINE__);
		free(folder);
		return;
	}
	path = hd__format("%s/file", folder);
	test_both(path);
	test_replaced(path);
	test_lost(path);
	test_both(path);
	unlink(path);
	CHECK(rmdir(folder) == 0);
	free(path);
	free(folder);
	test_digits();
}
