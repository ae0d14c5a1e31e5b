#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dunlin transform places new rows in a map that stays as it is.
. "$(dirname "$0")/lib.sh"

# Rows of two clusters; every fourth is new
awk 'BEGIN {
    srand(7)
    print "id,a,b,c" >"all.csv"; print "id,a,b,c" >"old.csv"; print "id,a,b,c" >"new.csv"
    for (i = 0; i < 400; ++i) {
        at = i % 2 ? 0 : 8
        row = sprintf("r%d,%.4f,%.4f,%.4f", i, at + rand(), at + rand(), rand())
        print row >"all.csv"
        print row >(i % 4 == 3 ? "new.csv" : "old.csv")
    }
}'
exits 0 tsne old.csv --ids id --perplexity 20 -o map.csv --report map.json --quiet
cp map.csv before.csv
exits 0 transform new.csv --map map.csv --of old.csv --ids id --map-report map.json -o places.csv --report report.json \
    --per-point per-point.csv
same map.csv before.csv
lines places.csv 101
lines per-point.csv 101
contains places.csv 'r3,'
contains per-point.csv 'id,cost,gap,distance,remoteness'
[ "$(json report.json method)" = tsne ] || fail 'method in the report'
json report.json options perplexity | grep -qx '20\(\.0\)\?' || fail 'the perplexity is that of the map'
[ "$(json report.json quality far)" = 0 ] || fail "far points: $(cat report.json)"
contains out preservation_15

# Every new row lies among the old ones of its cluster
awk -F, 'FNR == 1 { next }
    { odd = substr($1, 2) % 2 }
    FNR == NR { x[odd] += $2; y[odd] += $3; n[odd]++; next }
    {
        own = ($2 - x[odd] / n[odd]) ^ 2 + ($3 - y[odd] / n[odd]) ^ 2
        other = ($2 - x[1 - odd] / n[1 - odd]) ^ 2 + ($3 - y[1 - odd] / n[1 - odd]) ^ 2
        if (own >= other) { print "row " $1 " lies in the other cluster"; bad = 1 }
    }
    END { exit bad }' map.csv places.csv || fail 'places'

# Row by row is the batch, in any order
head -n 1 new.csv >one.csv
sed -n 51p new.csv >>one.csv
exits 0 transform one.csv --map map.csv --of old.csv --ids id --map-report map.json -o one-place.csv --quiet
[ "$(sed -n 2p one-place.csv)" = "$(sed -n 51p places.csv)" ] || fail 'one row has another place'

# The better of the places by joint and own affinities; the table says which it is
for affinity in joint own best; do
    exits 0 transform new.csv --map map.csv --of old.csv --ids id --map-report map.json --affinity $affinity \
        -o by-$affinity.csv --report by-$affinity.json --per-point per-$affinity.csv --quiet
done
contains per-best.csv 'id,cost,gap,distance,remoteness,affinity'
exits 0 transform --help
tr -s ' \n' ' ' <out >help
contains help 'remoteness of every new point, and with --affinity best'
awk -F, '
    FNR == 1 { file++; next }
    file == 1 { joint[$1] = $0 }
    file == 2 { own[$1] = $0 }
    file == 3 { by[$1] = $6; count += $6 == "own" }
    file == 4 && $0 != (by[$1] == "own" ? own[$1] : joint[$1]) { print "place of " $1; bad = 1 }
    END { print count >"by_own"; exit bad }' by-joint.csv by-own.csv per-best.csv by-best.csv || fail 'places by best'
[ "$(json by-best.json quality by_own)" = "$(cat by_own)" ] || fail "places by own: $(cat by-best.json)"
[ "$(json by-best.json options affinity)" = best ] || fail "affinity in the report: $(cat by-best.json)"

# The map may have another order: ids match rows
{ head -n 1 map.csv; tail -n +2 map.csv | sort -r; } >shuffled.csv
exits 0 transform new.csv --map shuffled.csv --of old.csv --ids id --map-report map.json -o again.csv --quiet
same again.csv places.csv

# Rows of other data are flagged
awk -F, 'BEGIN { OFS = "," } NR > 1 { $2 += 40 } { print }' new.csv >far.csv
exits 0 transform far.csv --map map.csv --of old.csv --ids id --map-report map.json -o far-places.csv --report far.json
contains err '100 of 100 rows (100.0%) are far from the data of the map'
[ "$(json far.json quality far)" = 100 ] || fail 'far rows in the report'

# A name that no state can have is refused before the map is made
exits 2 tsne old.csv --ids id --perplexity 20 -o early.csv --state state.csv
contains err 'the state of a map is written as .npz'
[ ! -e early.csv ] || fail "the map was made before --state was refused"

# The state of the map gives the same places
exits 0 tsne old.csv --ids id --perplexity 20 -o map2.csv --state state.npz --quiet
same map2.csv map.csv
exits 0 transform new.csv --map map.csv --of old.csv --ids id --map-report map.json --state state.npz -o again.csv --quiet
same again.csv places.csv
exits 2 transform old.csv --map places.csv --of new.csv --ids id --state state.npz
contains err 'state'

# Fixed points stay to the bit, whatever their order; a grown map has all rows
exits 0 tsne all.csv --ids id --perplexity 20 --fixed map.csv -o fixed.csv --report fixed.json --quiet
lines fixed.csv 401
grep -vxF -f fixed.csv map.csv >changed
is_empty changed
awk -F, -v OFS=, 'NR > 300 { $2 = $3 = "" } { print }' map.csv >holes.csv # points without a place are placed, too
exits 0 tsne all.csv --ids id --perplexity 20 --fixed holes.csv --iterations 20 -o fixed.csv --quiet
head -n 300 map.csv >kept.csv
grep -vxF -f fixed.csv kept.csv >changed
is_empty changed
exits 0 tsne all.csv --ids id --perplexity 20 --grow map.csv -o grown.csv --report grown.json --quiet
lines grown.csv 401
[ "$(json grown.json iterations)" = 400 ] || fail 'iterations of a map that grows by a third'
exits 0 tsne all.csv --ids id --perplexity 20 --grow map.csv --iterations 30 -o x.csv --report grown.json --quiet
[ "$(json grown.json iterations)" = 30 ] || fail 'iterations that are given'
exits 3 tsne old.csv --ids id --grow places.csv -o x.csv
contains err 'places.csv and old.csv have no id in common'
exits 2 tsne all.csv --ids id --grow map.csv --fixed map.csv

# Maps by the other methods
for method in umap pacmap; do
    exits 0 $method old.csv --ids id -o $method.csv --report $method.json --state $method.npz --quiet
    exits 0 transform new.csv --map $method.csv --of old.csv --ids id --map-report $method.json -o $method-places.csv \
        --report report.json --per-point per-point.csv
    [ "$(json report.json method)" = $method ] || fail "method in the report: $(cat report.json)"
    lines per-point.csv 101
    exits 0 transform one.csv --map $method.csv --of old.csv --ids id --method $method --state $method.npz -o one-place.csv \
        --quiet
    [ "$(sed -n 2p one-place.csv)" = "$(sed -n 51p $method-places.csv)" ] || fail "$method: one row has another place"
    exits 0 transform far.csv --map $method.csv --of old.csv --ids id --method $method -o x.csv
    contains err '100 of 100 rows (100.0%) are far from the data of the map'
    exits 0 $method all.csv --ids id --fixed $method.csv -o fixed.csv --report fixed.json --quiet
    lines fixed.csv 401
    grep -vxF -f fixed.csv $method.csv >changed
    is_empty changed
    [ "$(json fixed.json options fixed)" = $method.csv ] || fail 'the fixed map in the report'
    exits 0 $method all.csv --ids id --grow $method.csv -o grown.csv --report grown.json --quiet
    lines grown.csv 401
    [ "$(json grown.json iterations)" = 50 ] || [ "$(json grown.json options iterations)" = 0,0,50 ] ||
        fail 'iterations of a grown map'
    exits 3 $method old.csv --ids id --grow $method-places.csv -o x.csv
    contains err 'no id in common'
    exits 2 $method all.csv --ids id --grow $method.csv --fixed $method.csv
    exits 2 $method all.csv --ids id --grow $method.csv --start random -o x.csv
    contains err '--start is given beside --fixed or --grow'
done
exits 2 transform new.csv --map umap.csv --of old.csv --ids id --map-report umap.json --method tsne -o x.csv
contains err '--method is tsne and --map-report umap.json is of umap'
exits 2 transform new.csv --map umap.csv --of old.csv --ids id --method umap --perplexity 9 -o x.csv
contains err 'read only with method tsne'
exits 2 transform new.csv --map umap.csv --of old.csv --ids id --method umap --state state.npz -o x.csv
contains err 'the state was made with tsne'
exits 2 transform new.csv --map umap.csv --of old.csv --ids id --method isomap -o x.csv
contains err --method

# Mistakes
exits 2 transform new.csv --of old.csv
contains err --map
exits 3 transform new.csv --map places.csv --of old.csv --ids id
contains err 'no id in common'
printf 'id,a,b,c\nx,1,nan,2\n' >nan.csv
exits 3 transform nan.csv --map map.csv --of old.csv --ids id
contains err 'row 1, column 3'
exits 3 transform new.csv --map map.csv --of old.csv --ids id --map-report new.csv
contains err --map-report
exits 2 transform new.csv --map map.csv --of old.csv --ids id -o map.csv
contains err map.csv
exits 2 transform new.csv --map map.csv --of old.csv --ids id --perplexity 1000
contains err --perplexity

finish
