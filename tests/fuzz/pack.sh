#!/bin/sh
# pack.sh - unpacks the fuzzers' corpora, and packs one again
# SPDX-License-Identifier: BSD-2-Clause
#
#   pack.sh -x FOLDER        makes FOLDER/NAME of each corpus
#   pack.sh FOLDER/NAME      makes the archive of NAME of the files that are there now
set -eu
corpus=$(cd "$(dirname "$0")" && pwd)/corpus
case $#:${1-} in
2:-x)
	mkdir -p "$2"
	for archive in "$corpus"/*.tar.xz; do
		tar -xJf "$archive" -C "$2"
	done
	;;
1:?*)
	name=$(basename "$1")
	cd "$(dirname "$1")"
	# The same files make the same archive.
	find "$name" -type f | LC_ALL=C sort | tar --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 \
		-cf - -T - | xz -9e >"$corpus/$name.tar.xz"
	;;
*)
	sed -n 's/^#   //p' "$0" >&2
	exit 2
	;;
esac
