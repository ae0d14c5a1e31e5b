#!/bin/sh
# Off a terminal progress is a plain line every five seconds. Ctrl-C is not an error: the map so far is written, the
# report says so, and the exit code is 130.
. "$(dirname "$0")/lib.sh"

clusters points.csv 700

# a background job of a shell ignores SIGINT unless it is told otherwise
env --default-signal=INT "$DUNLIN_COMMAND" map points.csv --iterations 100000000 --report report.json >out 2>err &
run=$!
sleep 7
kill -INT "$run"
wait "$run"
got=$?
[ "$got" = 130 ] || fail "exit code $got, not 130: $(tail -n 3 err)"
grep -q '^optimise: .* of 100000000 in .* left$' err || fail "no line of progress: $(cat err)"
lines points.map.csv 701
is_png points.map.png
[ "$(json report.json stopped)" = cancelled ] || fail "report: stopped is $(json report.json stopped)"
iterations=$(json report.json iterations)
{ [ "$iterations" -gt 0 ] && [ "$iterations" -lt 100000000 ]; } || fail "report: iterations is $iterations"

finish
