#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --steer does the acts of a log again: the same bytes on any number of threads, the log again in report and --log. Logs
# that do not fit are refused.
. "$(dirname "$0")/lib.sh"
clusters points.csv 300
for i in $(seq 0 98); do echo "$i $((i + 1))"; echo "$i $((i * 7 % 100))"; done | awk '$1 != $2' >graph.txt

log() { printf '{"steering": [%s]}\n' "$1" >log.json; }

# repeats COMMAND ARGUMENTS...: the acts of log.json change the map, in the same way on one and three threads
repeats() {
    name=$1
    exits 0 "$@" --quiet -o unsteered.csv
    exits 0 "$@" --quiet --steer log.json --threads 3 --log again.json --report report.json -o steered.csv
    is_empty err
    exits 0 "$@" --quiet --steer again.json --threads 1 -o again.csv
    same steered.csv again.csv
    exits 0 "$@" --quiet --steer report.json -o again.csv
    same steered.csv again.csv
    cmp -s unsteered.csv steered.csv && fail "$name: the acts changed nothing"
    contains report.json '"steering"'
}

log '{"act": "pin", "pass": 0, "iteration": 20, "points": [3, 5], "places": [40, -40, 50, 50]},
     {"act": "set", "pass": 0, "iteration": 40, "option": "momentum", "value": 0.4},
     {"act": "nudge", "pass": 0, "iteration": 40, "points": [7], "by": [2, 1]},
     {"act": "free", "pass": 0, "iteration": 50, "points": [5]},
     {"act": "restart", "pass": 0, "iteration": 60},
     {"act": "finish", "pass": 1, "iteration": 90}'
repeats tsne points.csv --scores none
[ "$(sed -n 5p steered.csv | cut -d, -f1,2)" = 40,-40 ] || fail "a pinned point moved: $(sed -n 5p steered.csv)"
[ "$(json report.json iterations)" = 90 ] || fail "finish came at iteration $(json report.json iterations)"

log '{"act": "set", "pass": 0, "iteration": 20, "option": "repulsion-strength", "value": 3}'
repeats umap points.csv --scores none
log '{"act": "set", "pass": 0, "iteration": 20, "option": "learning-rate", "value": 0.2}'
repeats pacmap points.csv --iterations 30,30,30 --scores none
log '{"act": "pin", "pass": 0, "iteration": 5, "points": [0], "places": [3, 4]}'
repeats mds points.csv --starts 1 --method smacof --scores none
for method in multilevel eades fruchterman-reingold forceatlas2; do
    repeats layout graph.txt --method $method --iterations 60 --scores none
done

# A layout that goes on after it has converged, is saved, and goes on again
log '{"act": "pin", "pass": 1, "iteration": 0, "points": [0], "places": [9, 9]}, {"act": "save", "pass": 1, "iteration": 5},
     {"act": "nudge", "pass": 2, "iteration": 0, "points": [7], "by": [2, 1]}'
repeats layout graph.txt --scores none
[ "$(sed -n 2p steered.csv | cut -d, -f1,2 | tr ',' '\n' | awk '{ printf "%.3f ", $1 }')" = "9.000 9.000 " ] ||
    fail "a pinned vertex moved: $(sed -n 2p steered.csv)"

# Stopped: without scores, exit code 0
log '{"act": "stop", "pass": 0, "iteration": 30}'
exits 0 tsne points.csv --quiet --steer log.json --report report.json -o stopped.csv
lines stopped.csv 301
[ "$(json report.json stopped)" = cancelled ] || fail "a run that was stopped: $(json report.json stopped)"

# Acts after the end are a warning; so are those of a map without a loop
log '{"act": "finish", "pass": 0, "iteration": 50}'
exits 0 tsne points.csv --steer log.json --iterations 20 --scores none -o short.csv
contains err '1 acts of log.json were not done'
exits 0 layout graph.txt --method stress --steer log.json --scores none -o short.csv
contains err 'were not done'
# Several starts are not steered, nor are the maps that the scores are compared with
log '{"act": "finish", "pass": 0, "iteration": 3}'
for method in dunlin classical; do
    exits 0 mds points.csv --method $method --steer log.json -o short.csv
    contains err 'were not done'
done

refuses() { # CODE SENTENCE
    exits "$1" tsne points.csv --steer log.json --iterations 20 -o none.csv
    contains err "$2"
    [ ! -e none.csv ] || fail "a map was written"
}
for text in '' '{' '{"steering": ['; do
    echo "$text" >log.json
    refuses 3 'is no JSON, or not whole'
done
for text in '[]' '{"steering": 3}'; do
    echo "$text" >log.json
    refuses 3 'has no list "steering"'
done
log '{"act": "fly", "pass": 0, "iteration": 1}' && refuses 3 "act 0: 'fly' is no act"
log '{"act": "set", "pass": 0, "iteration": 1}' && refuses 3 'act 0: it has no option'
log '{"act": "set", "pass": 0, "iteration": 1, "option": "momentum", "value": null}' && refuses 3 'act 0: value is null; a number'
log '{"act": "nudge", "pass": 0, "iteration": 1, "points": [1], "by": [[1, 2]]}' && refuses 3 'act 0: a coordinate is [1,2]'
log '{"act": "finish", "pass": 0, "iteration": 1, "value": 3}' && refuses 3 'act 0: finish has no value'
log '3' && refuses 3 'act 0: it has no act'
log '{"act": "pin", "pass": 0}' && refuses 3 'act 0: it has no iteration'
log '{"act": "pin", "pass": 0, "iteration": -1, "points": [1]}' && refuses 3 'iteration is -1'
log '{"act": "pin", "pass": 0, "iteration": 5, "points": [1.5]}' && refuses 3 'a point is 1.5; whole numbers from 0'
log '{"act": "pin", "pass": 0, "iteration": 5, "points": 3}' && refuses 3 'points is no list'
log '{"act": "pin", "pass": 0, "iteration": 5, "points": [99999]}' && refuses 2 'there is no point 99999'
log '{"act": "pin", "pass": 0, "iteration": 5, "points": [1], "places": [1]}' && refuses 2 'it has 1 coordinates and not 2'
log '{"act": "set", "pass": 0, "iteration": 5, "option": "perplexity", "value": 5}' && refuses 2 'option perplexity cannot change now'
log '{"act": "set", "pass": 0, "iteration": 5, "option": "momentum", "value": 2}' && refuses 2 'momentum is 2'
log '{"act": "finish", "pass": 1, "iteration": 0}, {"act": "finish", "pass": 0, "iteration": 0}' && refuses 2 'earlier than the one before it'
exits 3 tsne points.csv --steer absent.json -o none.csv
contains err 'cannot open'
log '{"act": "finish", "pass": 0, "iteration": 5}'
exits 2 tsne points.csv --steer log.json --log log.json -o none.csv

finish
