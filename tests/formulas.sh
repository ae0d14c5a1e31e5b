#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# formulas.sh LIST ROOT [FOLDER...]: finds every formula of LIST (tests/formulas.txt) in the sources of these folders of ROOT;
# src, include and app if none is given. Exits with 1, and names the files, where one is in more or fewer of them than the list
# says.
set -eu
list=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$2"
shift 2
[ $# -gt 0 ] || set -- src include app
code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT

# Without comments, lines joined, and blanks as the formatter leaves them: a formula may be broken over lines
find "$@" -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.py' | while read -r file; do
    sed 's|//.*||' "$file" | tr -s ' \n' '  ' >"$code/$(echo "$file" | tr / @)"
done
cd "$code"
wrong=0
grep -v '^#' "$list" | grep '|' >list
while IFS= read -r line; do
    name=${line%% | *} rest=${line#* | }
    wanted=${rest%% | *} pattern=${rest#* | }
    found=$(grep -lE -e "$pattern" ./*@* | sed 's|^\./||' | tr @ / | tr '\n' ' ')
    count=$(echo "$found" | wc -w)
    [ "$count" = "$wanted" ] && continue
    echo "$name: in $count files, not $wanted: $found"
    wrong=1
done <list
echo "$(wc -l <list) formulas"
exit "$wrong"
