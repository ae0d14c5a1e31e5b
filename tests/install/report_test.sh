#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `dunlin map` says what it did: on standard output, in the report, in the map and in the picture.
. "$(dirname "$0")/lib.sh"

exits 0 map "$digits" --report report.json --seed 5 --threads 2
contains out digits.map.csv
contains out digits.map.png
lines digits.map.csv 1798
[ "$(head -n 1 digits.map.csv)" = x,y,label ] || fail "first line of the map: $(head -n 1 digits.map.csv)"
is_png digits.map.png

# says KEY... VALUE
says() {
    for value in "$@"; do :; done
    keys=
    while [ $# -gt 1 ]; do
        keys="$keys $1"
        shift
    done
    # shellcheck disable=SC2086  # keys hold no spaces
    found=$(json report.json $keys)
    [ "$found" = "$value" ] || fail "report:$keys is $found, not $value"
}
# shellcheck disable=SC2086
number() {
    found=$(json report.json "$@")
    echo "$found" | grep -qE '^[0-9]+(\.[0-9]+)?(e-?[0-9]+)?$' || fail "report: $* is no number: $found"
}
# within KEY LOW HIGH
within() {
    number quality "$1"
    awk -v x="$found" -v low="$2" -v high="$3" 'BEGIN { exit !(x >= low && x <= high) }' ||
        fail "report: quality $1 is $found, not in $2 .. $3"
}

says command map
says method tsne
says input rows 1797
says input cols 64
says input kind csv
says device backend cpu
says device threads 2
says options seed 5
says options perplexity 30.0
says iterations 750
says stopped budget
says dunlin "$("$DUNLIN_COMMAND" --version | sed "s/^dunlin //")"
for stage in read neighbors affinities start optimize score write total; do number seconds "$stage"; done
number peak_memory_bytes host
# the memory of the parent process does not count; /proc tells the own peak
alone=$found
sh -c 'held=$(head -c 600000000 /dev/zero | tr "\0" x)
    "$@" >out 2>err </dev/null; exit $?' sh "$DUNLIN_COMMAND" map "$digits" --iterations 20 -o low.csv --report low.json ||
    fail "dunlin map from a large process: exit code $?"
below=$(json low.json peak_memory_bytes host)
[ ! -e /proc/self ] || awk -v a="$alone" -v b="$below" 'BEGIN { exit !(b < a + 2e8) }' || fail "peak memory is $below from a large process, $alone alone"
within kl 0.6 0.8
within trustworthiness 0.98 1
within preservation_10 0.5 0.7
within preservation_15 0.5 0.7
within label_accuracy 0.97 1
within continuity 0.97 1
within rnx_auc 0.4 0.7
within density_correlation 0.3 0.9
within distance_correlation 0.3 0.8
within triplets 0.6 0.9
within centroid_neighbors 0.4 1
within centroid_correlation 0.5 1
within centroid_triplets 0.5 1
says score_device cpu

# every option that was read has a value, none is automatic; the others are omitted
says deterministic ON
says options repulsion adaptive
says options neighbors exact
says options pca 64
says options learning-rate 149.75
says engines 0 part neighbors
says engines 1 part repulsion
says engines 1 first_iteration 0
grep -E '"auto"|null' report.json && fail "the report leaves something open"
grep -q '"recall"' report.json && fail "the report has an option that an exact search does not read"

# the score of the written map is the score in the report
kl=$(json report.json quality kl)
exits 0 score digits.map.csv --of "$digits" --report score.json
again=$(json score.json quality kl)
awk -v a="$kl" -v b="$again" 'BEGIN { d = a - b; exit !(d < 1e-3 && d > -1e-3) }' || fail "kl is $kl in map, $again in score"

# several maps in one pass: each has the scores that it has alone
exits 0 score digits.map.csv low.csv --of "$digits" --no-kl --curve curve.csv --report both.json
exits 0 score low.csv --of "$digits" --no-kl --curve alone.csv --report low.json
alone=$(grep '"rnx_auc"' low.json | tr -d ' ')
[ "$(grep '"rnx_auc"' both.json | tail -n 1 | tr -d ' ')" = "$alone" ] || fail "of one of two maps is not $alone"
lines curve.csv 1796
contains curve.csv k,r_nx_1,r_nx_2
contains alone.csv k,r_nx
[ "$(cut -d, -f3 curve.csv | tail -n +2)" = "$(cut -d, -f2 alone.csv | tail -n +2)" ] || fail "the curves differ"

# every kind of output in one go, and a picture of a map
clusters small.csv 90
exits 0 tsne small.csv --iterations 60 -o a.csv -o a.tsv -o a.npy -o a.json -o a.png -o a.svg
lines a.csv 91
lines a.tsv 91
is_png a.png
contains a.svg '<svg'
json a.json >/dev/null || fail "a.json is not JSON"
exits 0 draw a.csv -o again.png
is_png again.png
exits 0 info small.csv
contains out 90

# the options of a run are in its report
exits 0 kmeans small.csv --clusters 2 --seed 7 --threads 1 --centroids centroids.csv --report report.json
says options seed 7
exits 0 kmeans small.csv --from centroids.csv --centroids after.csv --report report.json
says options from centroids.csv
says options start centroids.csv
exits 0 kmeans small.csv --clusters 1 --up-to 2 --criterion aic --report report.json
cp report.json kmeans.json
says options up-to 2
says options criterion aic
contains report.json '"criterion_model": "spherical Gaussians of one variance"'
printf '0\n0\n1\n1\n' >two.csv
exits 0 kmeans two.csv --clusters 1 --up-to 4 --report report.json
contains out '2 clusters, inertia 0, bic none'
says options clusters 1
contains report.json '"bic": null'
exits 0 mixture small.csv --components 1 --up-to 3 --criterion aic --covariance tied --report report.json
says options up-to 3
says options criterion aic
contains report.json '"parameters": '
contains out '3 components, log likelihood'
exits 0 mixture small.csv --components 2 --seed 7 --report report.json
says options seed 7
cores=$(json kmeans.json device threads)
says device threads "$cores"
lines small.components.csv 91
exits 0 mixture small.csv --components 2 --restarts 2 --covariance spherical --variances var.csv --responsibilities r.csv
lines var.csv 3
lines r.csv 91
exits 0 neighbors small.csv --seed 7 --report report.json
says options seed 7
says device threads "$cores"
says quality search_recall_se 0.0

# switches
exits 0 info small.csv --transpose
contains out '90 columns'
exits 0 draw a.csv -o plain.svg --no-label-names --alpha 0.3

# a graph of neighbors, written and then read
exits 0 neighbors small.csv -k 20 -o small.mtx
exits 0 tsne small.csv --neighbors small.mtx --perplexity 6 --iterations 60 -o given.csv
lines given.csv 91

finish
