#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without a terminal, progress is one line every five seconds. Ctrl-C is not an error: the map so far is written, the
# report states the stop, and the exit code is 130.
. "$(dirname "$0")/lib.sh"

clusters points.csv 700

# a background job of a shell ignores SIGINT by default
env --default-signal=INT "$DUNLIN_COMMAND" map points.csv --iterations 100000000 --report report.json >out 2>err &
run=$!
sleep 7
kill -INT "$run"
wait "$run"
got=$?
[ "$got" = 130 ] || fail "exit code $got, not 130: $(tail -n 3 err)"
grep -q '^optimize: .* of 100000000 in .* left$' err || fail "no line of progress: $(cat err)"
lines points.map.csv 701
is_png points.map.png
[ "$(json report.json stopped)" = cancelled ] || fail "report: stopped is $(json report.json stopped)"
iterations=$(json report.json iterations)
{ [ "$iterations" -gt 0 ] && [ "$iterations" -lt 100000000 ]; } || fail "report: iterations is $iterations"

# During reading there is nothing to write: the same exit code, one sentence, no map
rm -f points.map.csv points.map.png
mkfifo pipe.csv
env --default-signal=INT "$DUNLIN_COMMAND" tsne pipe.csv >out 2>err &
run=$!
{ echo a,b; i=0; while [ $i -lt 20 ]; do echo 1,2; sleep 0.2; i=$((i + 1)); done; } >pipe.csv &
sleep 1
kill -INT "$run"
wait "$run"
got=$?
[ "$got" = 130 ] || fail "while reading: exit code $got, not 130: $(tail -n 3 err)"
[ ! -e pipe.map.csv ] || fail 'an interrupted read left a map'

finish
