#!/bin/sh
# energy.sh - power against the reference's, kernel by kernel and interval by interval
# SPDX-License-Identifier: BSD-2-Clause
#
# Averages of a kernel agree to 0.0001, with one or two intervals to 0.001, and components to 0.002 or 0.0001 W; those
# of the register file, whose reads are counted up to a cycle earlier, to 0.005.
. "${srcdir:-.}/tests/lib.sh"
needs python3

oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if ! test -f "$oracle/energy/tests_dev.csv"; then
	echo "SKIP: there is no power of the reference; set HEDDLE_ORACLE to the folder with energy/"
	exit 77
fi
heddle=$heddle oracle=$oracle all=${HEDDLE_ALL:-} src=$src python3 "$src/tests/fidelity/energy.py" || fail "power"
done_testing
