#!/bin/sh
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

finish
