#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A common offset of all columns loses no digits if the metric is invariant under it.
. "$(dirname "$0")/lib.sh"

# rows OFFSET: 200 rows of 10 columns, printed with all their digits
rows() {
    awk -v offset="$1" 'BEGIN {
        srand(5)
        for (i = 0; i < 200; ++i) {
            for (c = 0; c < 10; ++c) printf "%s%.6f", c ? "," : "", offset + rand()
            print ""
        }
    }'
}
rows 0 >near.csv
rows 1000000 >far.csv
for metric in euclidean manhattan correlation; do
    exits 0 neighbors near.csv -k 5 --metric $metric -o near.edges.csv
    exits 0 neighbors far.csv -k 5 --metric $metric -o far.edges.csv
    cut -d , -f 1,2 near.edges.csv >near.ids
    cut -d , -f 1,2 far.edges.csv >far.ids
    differing=$(diff near.ids far.ids | grep -c '^<')
    [ "$differing" -le 4 ] || fail "$metric: $differing of 1000 neighbors differ with an offset"
done

finish
