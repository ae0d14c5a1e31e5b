#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# folders.sh SRC: the arrows between the folders of SRC, "FROM TO" a line, by the includes of all C++ and CUDA files.
# Exits with 1, and names the folders of a circle, if the arrows have one.
set -eu
cd "$1"
arrows=$(find . -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' | sed 's|^\./||' | sort | xargs awk '
    /^#include "/ {
        split(FILENAME, from, "/")
        split($2, to, "\"")
        if (split(to[2], path, "/") > 1 && path[1] != from[1]) print from[1], path[1]
    }' | sort -u)
echo "$arrows"
circle=$(mktemp)
trap 'rm -f "$circle"' EXIT
echo "$arrows" | tsort >/dev/null 2>"$circle" && exit 0
echo "folders that include each other in a circle:" >&2
sed -n 's/^tsort: \([^-].*\)$/\1/p' "$circle" | grep -v 'contains a loop' >&2
exit 1
