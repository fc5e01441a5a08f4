#!/bin/sh
# versions.sh - a program of CUDA 12 finds its functions; what nvcc links by default takes the shared library
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

fatbin=$src/tests/runtime/kernels.fatbin
libraries=$build/traces/runtime/.libs
cc=${CC:-cc}
! grep -q enable-sanitizers "$build/config.log" || cc="$cc -fsanitize=address,undefined" # as the library

# ---- a program that was linked with the library of CUDA 12, here one that only has the names ----
mkdir twelve
grep -oE '\b(__)?cuda[A-Z][A-Za-z0-9_]*\(' "$src/tests/runtime/older.c" | sort -u | sed 's/(//; s/.*/int &(void) { return 0; }/' >names.c
echo 'libcudart.so.12 { global: *; };' >names.map
$cc -shared -fPIC -Wl,-soname,libcudart.so.12 -Wl,--version-script=names.map -o twelve/libcudart.so names.c || fail 'no names'
$cc -std=c11 -Wno-builtin-declaration-mismatch -I"$src" -o older "$src/tests/runtime/older.c" -Ltwelve -L"$libraries" \
	-lcudart -lcuda -Wl,--allow-shlib-undefined || fail 'older.c cannot be built'
expect 0 '' "$heddle" trace record -o older.hpack -- ./older "$fatbin"
grep '^FAIL' out && fail 'a program of CUDA 12'
expect 0 '' "$heddle" trace info older.hpack
test "$(grep -c '^kernel ' out)" -eq 1 || fail 'its kernel is not in the trace'

# ---- -lcudart_static, which nvcc has by itself ----
cat >static.c <<'END'
#include <stdio.h>
int cudaDriverGetVersion(int *to);
int cudaRuntimeGetVersion(int *to);
int main(void)
{
	int driver, runtime;

	if (cudaDriverGetVersion(&driver) || cudaRuntimeGetVersion(&runtime))
		return 1;
	printf("%d %d\n", driver, runtime);
	return 0;
}
END
mkdir folder # as they are installed
ln -s "$src/traces/runtime/libcudart_static.a" "$libraries"/libcudart.so* folder
$cc -o static static.c -Lfolder -lcudart_static || fail 'no program with -lcudart_static'
LD_LIBRARY_PATH=folder ./static >out || fail 'a program with -lcudart_static does not run'
grep -qx '13000 13000' out || fail "versions: $(cat out)"
done_testing
