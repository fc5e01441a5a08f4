# HD_CHECK_VECTORS: the operations of traces/exec are compiled with EXEC_CFLAGS, and on x86-64 a second time for CPUs with
# AVX2 and FMA.
AC_DEFUN([HD_CHECK_VECTORS], [
	hd_save_cflags=$CFLAGS
	EXEC_CFLAGS="-ftree-vectorize -fno-math-errno -fno-trapping-math -ffp-contract=off"
	CFLAGS="$hd_save_cflags -Werror -fvect-cost-model=dynamic"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [EXEC_CFLAGS="$EXEC_CFLAGS -fvect-cost-model=dynamic"])
	CFLAGS="$hd_save_cflags -march=x86-64-v3"
	AC_MSG_CHECKING([whether $CC knows -march=x86-64-v3])
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#ifndef __x86_64__
#error "another machine"
#endif
]])], [hd_wide=yes], [hd_wide=no])
	AC_MSG_RESULT([$hd_wide])
	CFLAGS=$hd_save_cflags
	AC_SUBST([EXEC_CFLAGS])
	AS_IF([test $hd_wide = yes], [AC_DEFINE([HD_EXEC_WIDE], [1], [operations are there for AVX2, too])])
	AM_CONDITIONAL([EXEC_WIDE], [test $hd_wide = yes])
])
