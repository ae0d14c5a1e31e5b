#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each formula of tests/formulas.txt occurs in the listed number of files, and the check can fail.
. "$(dirname "$0")/lib.sh"
check="sh $DUNLIN_SOURCE/tests/formulas.sh"

$check "$DUNLIN_SOURCE/tests/formulas.txt" "$DUNLIN_SOURCE" >found || fail "$(cat found)"
[ "$(sed -n 's/ formulas$//p' found)" -ge 40 ] || fail "only $(tail -n 1 found) were looked for"

mkdir -p src/a include app
echo 'double area(double r) { return 3.14 * r *' >src/a/circle.cpp
echo '    r; }  // 6.28 * r' >>src/a/circle.cpp
printf 'area | 1 | 3\\.14 \\* r \\* r\ngirth | 0 | 6\\.28\n' >list
$check list . >found || fail "a formula in one place was not found: $(cat found)"
cp src/a/circle.cpp app/disc.cpp
$check list . >found && fail "a second copy was not found"
contains found "app/disc.cpp"
contains found "src/a/circle.cpp"
finish
