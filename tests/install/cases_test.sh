#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tolerances of tests/cases/cases.hpp are typed there alone (tests/cases/once.txt), each is used, and the check can fail.
. "$(dirname "$0")/lib.sh"
check="sh $DUNLIN_SOURCE/tests/formulas.sh"
cases=$DUNLIN_SOURCE/tests/cases

$check "$cases/once.txt" "$DUNLIN_SOURCE" tests bench >found || fail "$(cat found)"
[ "$(sed -n 's/ formulas$//p' found)" -ge 20 ] || fail "only $(tail -n 1 found) were looked for"

names=$(sed -n 's/^constexpr [A-Za-z]* \([a-z_]*\)[^a-z_].*/\1/p' "$cases/cases.hpp")
[ "$(echo "$names" | wc -w)" -ge 25 ] || fail "only these constants were seen: $names"
for name in $names; do
    grep -rqE "cases::$name\b|tolerance\(\"$name\"\)" "$DUNLIN_SOURCE/tests" "$DUNLIN_SOURCE/bench" ||
        fail "tests/cases/cases.hpp: nothing uses $name"
done

mkdir -p tests/cases tests/unit bench
echo 'constexpr double best = 0.1234;' >tests/cases/cases.hpp
echo 'EXPECT_LT(stress, cases::best);  // 0.1234' >tests/unit/stress_test.cpp
echo 'best | 1 | 0\.1234' >once
$check once . tests bench >found || fail "a tolerance in one place was not found: $(cat found)"
echo 'TARGET = 0.1234' >bench/stress.py
$check once . tests bench >found && fail "a second copy was not found"
contains found "bench/stress.py"
finish
