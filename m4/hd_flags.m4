# HD_COMPILER_FLAGS: C11 and the warnings that the tree is kept free of.  Rows of tables leave out
# their last members, which clang would report even inside designated initialisers.
AC_DEFUN([HD_COMPILER_FLAGS], [
	AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])])
	HD_CFLAGS="-std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wno-unused-const-variable"
	HD_CFLAGS="$HD_CFLAGS -Wno-missing-field-initializers -fvisibility=hidden"
	AS_IF([test "x$enable_werror" = xyes], [HD_CFLAGS="$HD_CFLAGS -Werror"])
	AC_SUBST([HD_CFLAGS])
])

# HD_SANITIZERS: --enable-sanitizers builds everything with ASan and UBSan.
AC_DEFUN([HD_SANITIZERS], [
	AC_ARG_ENABLE([sanitizers],
		[AS_HELP_STRING([--enable-sanitizers], [build with ASan and UBSan])])
	AS_IF([test "x$enable_sanitizers" = xyes], [
		HD_CFLAGS="$HD_CFLAGS -fsanitize=address,undefined -fno-sanitize-recover=all"
		HD_CFLAGS="$HD_CFLAGS -fno-omit-frame-pointer"
	])
])

# HD_CHECK_ARGP: glibc has argp; beside musl it is a library of its own.
AC_DEFUN([HD_CHECK_ARGP], [
	AC_CHECK_HEADER([argp.h], [], [AC_MSG_ERROR([argp.h not found; install argp-standalone])])
	AC_SEARCH_LIBS([argp_parse], [argp], [],
		[AC_MSG_ERROR([argp not found in the C library; install argp-standalone])])
])

# HD_CHECK_LIBEV: libev ships no pkg-config file.
AC_DEFUN([HD_CHECK_LIBEV], [
	AC_CHECK_HEADER([ev.h], [], [AC_MSG_ERROR([ev.h not found; install libev-dev])])
	AC_CHECK_LIB([ev], [ev_run], [EV_LIBS=-lev],
		[AC_MSG_ERROR([libev not found; install libev-dev])])
	AC_SUBST([EV_LIBS])
])
