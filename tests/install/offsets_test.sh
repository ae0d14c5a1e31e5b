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

# Queries lose the offset of the points, also where their own spread hides it
head -n 50 near.csv >near.queries.csv
head -n 50 far.csv >far.queries.csv
echo 1,2,3,4,5,6,7,8,9,1 >>far.queries.csv
for metric in euclidean manhattan correlation; do
    exits 0 neighbors near.csv --queries near.queries.csv -k 5 --metric $metric -o near.edges.csv --report near.json
    exits 0 neighbors far.csv --queries far.queries.csv -k 5 --metric $metric -o far.edges.csv
    [ "$(json near.json queries rows)" = 50 ] || fail "queries in the report: $(json near.json queries rows)"
    lines near.edges.csv 251
    lines far.edges.csv 256
    cut -d , -f 1,2 near.edges.csv >near.ids
    cut -d , -f 1,2 far.edges.csv | head -n 251 >far.ids
    differing=$(diff near.ids far.ids | grep -c '^<')
    [ "$differing" -le 4 ] || fail "$metric: $differing of 250 neighbors of queries differ with an offset"
done
awk -F , 'NR > 1 && $1 != last { last = $1; if ($2 != $1 || $3 > 1e-6) exit 1 }' near.edges.csv ||
    fail "a query that equals a point does not find it first"

finish
