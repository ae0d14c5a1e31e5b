#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Help goes to standard output; an unknown word or flag gives exit code 2.
. "$(dirname "$0")/lib.sh"

exits 0 --help
is_empty err
for task in map tsne train neighbors kmeans kmedoids mixture clusters communities waves surface score draw view info; do
    contains out "$task"
    exits 0 "$task" --help
    is_empty err
    contains out "$task"
    exits 0 --help
done

exits 0 tsne --help
for flag in --perplexity --metric --iterations --exaggeration --learning-rate --repulsion --theta --seed --threads \
    --device --dim --labels --start --memory --quiet --report --output --preset; do
    contains out "$flag"
done

exits 2
exits 2 fly
is_empty out
exits 2 map "$digits" --no-such-flag
is_empty out
contains err --no-such-flag
exits 2 tsne
is_empty out

# Clusters of machines are the Python package's
exits 2 kmeans a.npy b.npy --clusters 3 --scheduler tcp://nowhere:8786
is_empty out
contains err "dunlin-maps[dask]"
lines err 1

finish
