#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dunlin mds of a matrix in a table: names are kept, errors have a location, weights have an effect.
. "$(dirname "$0")/lib.sh"

printf ',A town,B,C,D\nA town,0,3,4,5\nB,3,0,5,4\nC,4,5,0,3\nD,5,4,3,0\n' >good.csv
exits 0 mds good.csv -o map.csv --report report.json
lines map.csv 5
contains map.csv 'A town,'
contains out normalized_stress

# fault SED-SCRIPT TEXT...: the table with an error is rejected
fault() {
    sed "$1" good.csv >bad.csv
    shift
    exits 3 mds bad.csv --holds dissimilarities -o none.csv
    for text; do contains err "$text"; done
}
fault '2s/,3,/,7,/' 'bad.csv' '(0, 1)' 'is 7' 'is 3' 'symmetric'
fault '2s/,3,/,-3,/;3s/,3,/,-3,/' '(0, 1)' 'is -3'
fault '2s/,3,/,NA,/' '(0, 1)' 'missing both ways'
fault '3s/,0,/,2,/' '(1, 1)' 'itself must be 0'
fault '3s/,5,/,five,/' 'line 3' 'five'
fault '5d' '3 rows'
exits 2 mds good.csv --distances 5 -o none.csv
contains err 'distances on demand'
exits 5 mds good.csv --memory 60 -o none.csv
contains err 'raise memory'
contains err '(--memory)'
[ ! -e none.csv ] || fail 'a map of nothing'

# An error does not turn the matrix into points
sed '3s/,0,/,2,/' good.csv >bad.csv
exits 3 mds bad.csv -o none.csv
contains err 'itself must be 0'
exits 2 mds good.csv --metric cosine -o none.csv
contains err 'does not apply'
exits 2 mds good.csv --transpose -o none.csv
exits 2 mds good.csv --graph 2 -o none.csv

# dunlin map scales it, and rejects options that do not apply
exits 0 map good.csv -o scaled.csv --report scaled.json
same scaled.csv map.csv
[ "$(json scaled.json method)" = dunlin ] || fail 'the method of dunlin map'
exits 2 map good.csv --perplexity 3
contains err 'dunlin mds --help'

# A start map is matched by names
(head -n 1 map.csv; tail -n +2 map.csv | sort -r) >turned.csv
exits 0 mds good.csv --method smacof --iterations 0 --start turned.csv -o again.csv
same again.csv map.csv
exits 2 mds good.csv --dim 3 --start map.csv
contains err 'leave dim out'

# A pair with weight 0 may have any dissimilarity
sed '2s/,5$/,50/;5s/^D,5/D,50/' good.csv >far.csv
printf '0,1,1,0\n1,0,1,1\n1,1,0,1\n0,1,1,0\n' >weights.csv
for method in dunlin smacof; do
    exits 0 mds far.csv --method $method --weights weights.csv --tolerance 0 -o map.csv --report report.json
    case $(json report.json quality normalized_stress_weighted) in
    *e-*) ;;
    *) fail "weighted stress $(json report.json quality normalized_stress_weighted)" ;;
    esac
done
printf '0,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n' >nothing.csv
exits 2 mds far.csv --weights nothing.csv -o none.csv
contains err 'some pair must count'
exits 2 mds far.csv --method pivot --weights weights.csv -o none.csv
contains err 'dunlin and smacof do'

finish
