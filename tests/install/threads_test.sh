#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same seed gives the same bytes for any number of threads, quiet or not; another seed gives others.
. "$(dirname "$0")/lib.sh"
clusters points.csv 700

for repulsion in exact tree grid; do
    for dim in 2 3; do
        for threads in 1 2 3; do
            exits 0 tsne points.csv --repulsion $repulsion --dim $dim --start random --iterations 120 \
                --threads $threads -o $threads.csv
        done
        same 1.csv 2.csv
        same 1.csv 3.csv
    done
done

exits 0 tsne points.csv --start random --iterations 120 -o loud.csv
exits 0 tsne points.csv --start random --iterations 120 -o quiet.csv --quiet
is_empty out
is_empty err
same loud.csv quiet.csv
exits 0 tsne points.csv --start random --iterations 120 -o other.csv --seed 2
cmp -s loud.csv other.csv && fail "another seed gave the same map"

# The default number of threads is the number of available cores; DUNLIN_THREADS limits it and --threads
threads_of() {
    json report.json device threads
}
taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$DUNLIN_COMMAND" kmeans points.csv --clusters 2 \
    --report report.json --quiet -o labels.csv --centroids centroids.csv || fail "kmeans within taskset"
[ "$(threads_of)" = 1 ] || fail "on one core: $(threads_of) threads"
DUNLIN_THREADS=3 "$DUNLIN_COMMAND" kmeans points.csv --clusters 2 --threads 5 --report report.json --quiet \
    -o labels.csv --centroids centroids.csv || fail "kmeans with DUNLIN_THREADS"
[ "$(threads_of)" = 3 ] || fail "with a limit of 3: $(threads_of) threads"
for wrong in none 0 -2 3x; do
    DUNLIN_THREADS=$wrong "$DUNLIN_COMMAND" kmeans points.csv --clusters 2 -o labels.csv --centroids centroids.csv \
        >out 2>err
    got=$?
    [ "$got" = 2 ] || fail "DUNLIN_THREADS=$wrong: exit code $got"
    contains err "DUNLIN_THREADS is '$wrong'"
done

finish
