#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each kind of error has its exit code and one sentence on standard error that names the value and the place.
. "$(dirname "$0")/lib.sh"

# refuses CODE TEXT ARGUMENTS...
refuses() {
    code=$1 text=$2
    shift 2
    exits "$code" "$@"
    is_empty out
    contains err "$text"
    lines err 1
    set -- *.map.*
    [ ! -e "$1" ] || fail "a failed run wrote $1"
    rm -f -- *.map.*
}
clusters good.csv 60

# 2: options and their values
refuses 2 perplexity tsne good.csv --perplexity 0.5
refuses 2 59 tsne good.csv --perplexity 60
exits 0 tsne good.csv --iterations 10 -o map.csv --quiet
for perplexity in 0.5 0 -3 nan inf; do
    refuses 2 "--perplexity: it is $perplexity and must be at least 1" score map.csv --of good.csv --perplexity $perplexity
done
exits 0 score map.csv --of good.csv --perplexity 1
refuses 2 dim tsne good.csv --dim 4
refuses 2 repulsion tsne good.csv --repulsion magic
refuses 2 theta tsne good.csv --repulsion exact --theta 0.5
refuses 2 metric tsne good.csv --metric chess
refuses 2 threads map good.csv --threads -1
refuses 2 .docx map good.csv -o map.docx
refuses 2 kinds map good.csv --labels kinds
refuses 2 landmarks mds good.csv --method landmark --landmarks 0
refuses 2 decimation mds good.csv --method gpu-sf --decimation 4
refuses 2 iterations mds good.csv --method classical --iterations 3
refuses 2 'dunlin map good.csv' good.csv
refuses 2 tsn tsn good.csv
refuses 2 "'ten'; it must be a number" map good.csv --perplexity ten
refuses 2 'dunlin map --help' map good.csv --perplexty 10
refuses 2 seed map good.csv --seed -1
refuses 2 memory kmeans good.csv --memory nan
refuses 2 "-k is ''; it must be a number" neighbors good.csv -k ''
refuses 2 "clusters is ''" kmeans good.csv --clusters ''
refuses 2 '--clusters is 61, but there are 60 points' kmeans good.csv --clusters 61
refuses 2 "tolerance is ''" kmeans good.csv --tolerance ''
refuses 2 "rerank is ''" neighbors good.csv --rerank ''
refuses 2 width map good.csv --width 0
refuses 2 alpha map good.csv --alpha 1.5
# Flags of edges and vertices are told before a map of points is made, not when its picture is drawn
refuses 2 "'layuot' is not a command; did you mean layout? dunlin --help" layuot good.csv
refuses 2 "knows no '--perplexty=3'; did you mean --perplexity? see dunlin tsne --help" tsne good.csv --perplexty=3
refuses 2 "knows no '--zzzzzz'; see" tsne good.csv --zzzzzz
refuses 2 'knows no' tsne good.csv --vertex-names -o early.csv -o early.png
refuses 2 '--vertex-names is for graphs' map good.csv --vertex-names -o early.csv -o early.png
exits 2 mds good.csv --edge-width 2 -o early.csv -o early.png
contains err '--edge-width is for graphs'
[ ! -e early.csv ] || fail 'a map was made before its picture was refused'
printf 'graph { a -- b }\n' >graph.dot
refuses 2 'dunlin layout graph.dot' tsne graph.dot
refuses 2 perplexity map graph.dot --perplexity 30
refuses 2 transpose info graph.dot --transpose
refuses 2 'weights-from' info good.csv --weights-from 3

# No input is overwritten, and no file is written twice
refuses 2 overwritten kmeans good.csv --clusters 2 -o ./good.csv
refuses 2 overwritten tsne good.csv --report good.csv
refuses 2 twice kmeans good.csv --clusters 2 -o both.csv --centroids both.csv
refuses 2 twice mds good.csv -o both.csv --per-point both.csv
refuses 2 twice neighbors good.csv -o both.csv -o both.csv
lines good.csv 61

# Inputs of flags are not overwritten either, also by default names
cp good.csv points.csv
head -n 3 good.csv >points.centroids.csv
awk 'NR > 1 { print 1 }' good.csv >ones.csv
awk 'NR > 1 { print NR % 2 }' good.csv >labels.csv
printf '0,1\n1,0\n' >pair.csv
printf '1,2\n' >edge.txt
printf 'x,y\n0,0\n1,0\n' >placed.csv
"$DUNLIN_COMMAND" neighbors good.csv -k 9 -o graph.csv --quiet
md5sum points.centroids.csv ones.csv labels.csv pair.csv edge.txt placed.csv graph.csv >before
refuses 2 'overwritten; give the file that is written another name: --centroids FILE' \
    kmeans points.csv --from points.centroids.csv
refuses 2 overwritten kmeans good.csv --weights ones.csv -o ones.csv
refuses 2 '--output FILE' kmeans good.csv --labels labels.csv -o ./labels.csv
refuses 2 overwritten kmeans good.csv --weights ones.csv --report ones.csv
refuses 2 overwritten mixture good.csv --labels labels.csv --variances labels.csv
refuses 2 overwritten tsne good.csv --start placed.csv -o placed.csv
refuses 2 overwritten map good.csv --neighbors graph.csv -o graph.csv
refuses 2 overwritten layout edge.txt --start placed.csv -o placed.csv
refuses 2 overwritten layout edge.txt --start input --pinned labels.csv -o labels.csv
refuses 2 overwritten mds pair.csv --start placed.csv --per-point placed.csv
refuses 2 overwritten mds pair.csv --fixed placed.csv -o placed.csv
refuses 2 overwritten mds pair.csv --weights ones.csv -o ones.csv
refuses 2 overwritten score placed.csv --of pair.csv --report placed.csv
md5sum --quiet -c before || fail 'a file that a flag names was overwritten'

# 3: files
refuses 3 missing.csv map missing.csv
printf '0,1\n2,0\n' >lopsided.csv
refuses 3 'symmetric' mds lopsided.csv
printf '0,1,2\n1,0\n2,1,0\n' >ragged.csv
refuses 3 'line 2' mds ragged.csv --holds dissimilarities
: >empty.csv
refuses 3 empty.csv map empty.csv
printf 'a,b\n1,2\n3\n4,5\n' >ragged.csv
refuses 3 ragged.csv:3 map ragged.csv
printf 'a,b\n1,2\n3,nan\n4,5\n' >nan.csv
refuses 3 nan.csv:3 map nan.csv
printf 'a,b\n1,2\n3,4\n4,duck\n' >word.csv
refuses 3 duck map word.csv
printf 'a,b\n1,2\n3,inf\n4,5\n' >infinite.csv
refuses 3 infinite.csv:3 map infinite.csv
head -c 20000 "$digits" >cut.csv.gz
refuses 3 cut.csv.gz map cut.csv.gz
printf 'not numpy at all' >lies.npy
refuses 3 lies.npy map lies.npy
refuses 3 nowhere map good.csv -o nowhere/map.csv
# Checked before reading
if [ -e /proc/self ]; then # writable by no one, root included
    refuses 3 /proc/map.csv tsne missing.csv -o /proc/map.csv
    refuses 3 /proc/report.json layout missing.dot --report /proc/report.json
    refuses 3 /proc/k.npz neighbors missing.npy -o /proc/k.npz
    refuses 3 /proc/c.csv kmeans missing.npy --clusters 2 -o /proc/c.csv
else
    echo "/proc is not mounted: places that cannot be written are not tested"
fi

printf 'a,b\n1,2\n3,1e20\n4,5\n' >huge.csv
refuses 3 "huge.csv: row 2, column 2 'b' is 1e+20" kmeans huge.csv --clusters 2
refuses 3 'huge.csv: row 2, column 2' kmeans huge.csv --clusters 1 --up-to 2
refuses 3 'huge.csv: row 2, column 2' mixture huge.csv --components 2
printf 'a,b\n1,2\n3,4\n4,5\n' >three.csv
printf 'a,b\n1,-1e20\n' >far.csv
refuses 3 'far.csv: row 1, column 2' kmeans three.csv --from far.csv
cut -d, -f1,2 good.csv >many.csv
refuses 3 'many.csv has 60 centroids' kmeans three.csv --from many.csv
exits 0 kmeans three.csv --from many.csv --iterations 0
printf '1\n-2\n1\n' >negative.csv
refuses 3 'negative.csv: row 2 is -2' kmeans three.csv --clusters 2 --weights negative.csv
printf '0\n0\n0\n' >zero.csv
refuses 3 'zero.csv: all weights are 0' kmeans three.csv --clusters 2 --weights zero.csv
printf '1\n2\n' >few.csv
refuses 3 'few.csv has 2 rows' kmeans three.csv --clusters 2 --weights few.csv

printf 'graph {\n a -> b\n}\n' >arrow.dot
refuses 3 arrow.dot:2 info arrow.dot
printf '0 1\n' >pair.txt
printf '0 1 1\n1 2 -3\n' >negative.edges
refuses 3 negative.edges:2 info negative.edges
refuses 3 '(--weights-from none)' layout negative.edges
printf 'x,y\n0,0\n1,0\n' >start.csv
printf '1\nno\n' >marks.txt
refuses 3 "'no'" layout pair.txt --start start.csv --pinned marks.txt

printf '1 1:2 2:3\n0 1:1 2:4\n' >labeled.svm
refuses 2 'layout runs on one GPU, and 2 are named; name one' layout pair.txt --device cuda:0,1
refuses 2 'scheme crank-nicolson runs on one GPU, and 2 are named; name one' waves --line 9 --stimulate 4 --until 1 \
    --scheme crank-nicolson --device cuda:0,1
refuses 2 'scaling by method stochastic runs on one GPU, and 2 are named; name one' mds good.csv --method stochastic \
    --device cuda:0,1
refuses 2 'scaling of distances on demand runs on one GPU, and 2 are named; name one' mds pair.txt --holds graph --method smacof \
    --device cuda:0,1
refuses 2 "--device is 'cuda:x'" map good.csv --device cuda:x
refuses 2 "--device is 'cuda:1,'" map good.csv --device cuda:1,
# 4: devices. The library speaks of options, the command of flags
refuses 4 cuda map good.csv --device cuda
refuses 2 '--threads: it is -1' map good.csv --threads -1
refuses 2 '--transpose: the lines' map labeled.svm --transpose
refuses 2 '--weights-from: ' layout pair.txt --weights-from strength

# 5: memory
refuses 5 memory map "$digits" --memory 1000
contains err '(--memory)'

finish
