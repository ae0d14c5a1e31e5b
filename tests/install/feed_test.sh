#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dunlin mds with distances from a process, and with the paths of a graph.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(7); for (i = 0; i < 500; ++i) printf "%.5f %.5f\n", rand(), rand() }' >places
seq -f 'town %.0f' 500 >towns.txt

# A distance server for positions, in batches
cat >feed.pl <<'END'
open(PLACES, "places");
@places = map { [split] } <PLACES>;
while (<STDIN>) {
    if (/(\d+) (\d+)/) { printf "%.7g\n", sqrt(($places[$1][0] - $places[$2][0]) ** 2 + ($places[$1][1] - $places[$2][1]) ** 2) }
    else { $| = 1; print "\n"; $| = 0 }
}
END

exits 0 mds towns.txt --feed 'perl feed.pl' --landmarks 20 -o map.csv -o map.png --report report.json \
    --per-point stress.csv --shepard shepard.png
lines map.csv 501
lines stress.csv 501
contains stress.csv stress
is_png shepard.png
contains map.csv 'town 17,'
is_png map.png
contains out '% of all'
# 20 rows for the map, 64 for its score: at most 84 x 499 pairs of 124,750
computed=$(json report.json distances computed)
{ [ "$computed" -gt 20000 ] && [ "$computed" -le 41916 ]; } || fail "$computed distances computed"
case $(json report.json quality normalized_stress) in
    *e-*) ;;
    *) fail "stress $(json report.json quality normalized_stress) of places in the plane" ;;
esac

exits 0 mds towns.txt --feed 'perl feed.pl' --distances 15000 -o map.csv --report report.json
contains out 'the budget is spent'
[ "$(json report.json stopped)" = budget ] || fail "stopped: $(json report.json stopped)"
[ "$(json report.json distances computed)" -le 15000 ] || fail 'more distances than allowed'

exits 3 mds towns.txt --feed 'head -c 5 >/dev/null; exit 3' -o none.csv
contains err 'exit status 3'
exits 3 mds towns.txt --feed 'yes nan' -o none.csv
contains err "'nan'"
exits 3 mds towns.txt --feed 'cat >/dev/null' --feed-timeout 0.5 -o none.csv
contains err 'silent for 0.5 s'
exits 2 mds towns.txt --feed 'perl feed.pl' --distances 100 -o none.csv
contains err 'allow more'
exits 2 mds towns.txt --feed 'perl feed.pl' --method smacof --distances 100 -o none.csv
contains err 'all 124750 distances'
exits 2 mds places --feed-timeout 3 -o none.csv
[ ! -e none.csv ] || fail 'a map of nothing'

# Ctrl-C while the process computes: the map so far is written, and no process is left
env --default-signal=INT "$DUNLIN_COMMAND" mds towns.txt --feed 'echo $$ >id; sleep 100' -o late.csv >out 2>err &
run=$!
while [ ! -s id ]; do sleep 0.1; done
sleep 0.5
kill -INT "$run"
wait "$run"
got=$?
[ "$got" = 130 ] || fail "exit code $got, not 130: $(tail -n 3 err)"
lines late.csv 501
kill -0 "$(cat id)" 2>/dev/null && fail 'the process was left behind'

# A graph: two squares and an isolated vertex
printf 'from,to,weight\na,b,1\nb,c,1\nc,d,1\nd,a,1\np,q,2\nq,r,2\nr,s,2\ns,p,2\n' >squares.csv
exits 0 mds squares.csv -o squares.map.csv -o squares.png --report report.json
lines squares.map.csv 9
[ "$(json report.json input edges)" = 8 ] || fail "edges: $(json report.json input edges)"
[ "$(json report.json input missing)" = 16 ] || fail "missing: $(json report.json input missing)"
exits 0 mds squares.csv --distances 14 -o squares.map.csv --report report.json
lines squares.map.csv 9
[ "$(json report.json distances computed)" -le 14 ] || fail "$(json report.json distances computed) distances computed"
exits 2 mds squares.csv --method smacof --distances 5 -o none.csv
contains err ', of 4 vertices'
exits 2 mds squares.csv --normalize minmax -o none.csv
contains err 'does not apply'

finish
