#!/bin/sh
# reference.sh - the reference's figures, row by row, where its traces are at hand
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
if test ! -f "$oracle/figures.csv"; then
	echo "SKIP: there are no reference figures; set HEDDLE_ORACLE to the folder with figures.csv"
	exit 77
fi
"$build/tests/fidelity/fidelity" "$oracle/figures.csv" "$oracle" "$src/netlists" \
	volta-lrr=volta_sm.json volta-gto=volta_sm_gto.json volta-old=volta_sm_oldest.json \
	turing-lrr=turing_sm.json ampere-lrr=ampere_sm.json pascal-gto=pascal_sm.json
