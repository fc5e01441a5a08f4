# HD_STATIC_LIB(VARIABLE, NAME, LIBS-OF-IT, HEADER, FUNCTION): takes libNAME from its archive if that
# is installed.  Each shared library costs every start of the program some ten thousand instructions
# of the dynamic linker, more than the reading of a small netlist.  VARIABLE_SHARED stays as it was, for a
# shared library of our own, into which an archive may not fit.
AC_DEFUN([HD_STATIC_LIB], [
	AC_SUBST([$1_SHARED], [$$1])
	AC_ARG_ENABLE([static-libs], [AS_HELP_STRING([--disable-static-libs],
		[use shared libjansson, libzstd, liblz4, libxxhash, liblzma, libelf, libdw and libev even if their archives are there])])
	AS_IF([test "x$enable_static_libs" != xno && test "x$enable_sanitizers" != xyes], [
		AC_MSG_CHECKING([for an archive of lib$2])
		hd_saved_LIBS=$LIBS
		hd_dirs=
		for hd_word in $$1; do
			AS_CASE([$hd_word], [-L*], [hd_dirs="$hd_dirs$hd_word "])
		done
		LIBS="${hd_dirs}-l:lib$2.a $3 $LIBS"
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$4>]], [[return $5 != 0;]])], [
			$1="${hd_dirs}-l:lib$2.a $3"
			HD_HIDDEN_LIBS="$HD_HIDDEN_LIBS:lib$2.a"
			AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
		LIBS=$hd_saved_LIBS
	])
])

# HD_EXCLUDE_LIBS: keeps what came from archives away from plug-ins, which may bring their own.
AC_DEFUN([HD_EXCLUDE_LIBS], [
	AS_IF([test -n "$HD_HIDDEN_LIBS"], [HD_LDFLAGS="-Wl,--exclude-libs=${HD_HIDDEN_LIBS#:}"])
	AC_SUBST([HD_LDFLAGS])
])
