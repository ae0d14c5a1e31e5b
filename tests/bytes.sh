#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/bytes.sh DUNLIN [--device cpu|cuda] [NAME...]: a listed set of small runs, and the SHA-256 of what each writes, a
# line a run; with NAMEs only the runs whose names contain one. A change that must keep maps gives the same lines:
#   tests/bytes.sh old/dunlin >before; tests/bytes.sh build/cpu/dunlin >after; diff before after
# A run that the command refuses has its exit code in place of the sum.
set -eu

dunlin=$(realpath "${1:?which dunlin?}")
examples=$(cd "$(dirname "$0")/../examples" && pwd)
shift
device=cpu
if [ "${1:-}" = --device ]; then
    device=$2
    shift 2
fi
only=$*
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Inputs, from a generator of random numbers that every awk computes alike
awk_random='function random() { state = (state * 16807) % 2147483647; return state / 2147483647 } BEGIN { state = 12345'
cp "$examples/digits.csv.gz" .
awk "$awk_random"'; print "a,b,c,d,e,f"; for (i = 0; i < 4000; ++i) for (j = 0; j < 6; ++j)
    printf "%.5f%s", random() + random() + random() + 4 * (i % 7 == j), j < 5 ? "," : "\n" }' >blobs.csv
awk "$awk_random"'; print "x,y"; for (i = 0; i < 3000; ++i) printf "%.5f,%.5f\n", random(), random() * random() }' >plane.csv
awk "$awk_random"'; print "x,y,z"; for (i = 0; i < 150; ++i) printf "%.5f,%.5f,%.5f\n", random(), random(), i % 9 == 0 ? 0 : random()
    }' >few.csv
awk "$awk_random"'; n = 120; for (i = 0; i < n; ++i) for (c = 0; c < 5; ++c) at[i, c] = random()
    for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) {
        sum = 0
        for (c = 0; c < 5; ++c) sum += (at[i, c] - at[j, c]) ^ 2
        printf "%.6f%s", sqrt(sum), j < n - 1 ? "," : "\n"
    } }' >matrix.csv
awk 'BEGIN { n = 120; for (i = 0; i < n; ++i) for (j = 0; j < n; ++j) printf "%d%s", i == j ? 0 : 1 + (i * j) % 3, j < n - 1 ? "," : "\n"
    }' >pair_weights.csv
awk 'BEGIN { for (i = 0; i < 40; ++i) for (j = 0; j < 50; ++j) {
        if (j < 49) print i * 50 + j, i * 50 + j + 1
        if (i < 39) print i * 50 + j, i * 50 + j + 50
    } }' >grid.edges
awk "$awk_random"'; for (i = 1; i < 3000; ++i) {
        print i, int(random() * random() * i)
        if (i % 3 == 0) print i, int(random() * i)
    } }' >tree.edges
awk "$awk_random"'; for (i = 1; i < 60; ++i) { print i, int(random() * i); if (i % 2) print i, int(random() * i) } }' >small.edges
awk 'BEGIN { for (p = 0; p < 30; ++p) for (i = 0; i < p; ++i) print p * 100 + i, p * 100 + i + 1 }' >pieces.edges

# same NAME ARGUMENTS...: the run writes $name.csv, and kmeans and mixture a file beside it
same() {
    name=$1
    shift
    if [ -n "$only" ]; then
        wanted=
        for part in $only; do case $name in *"$part"*) wanted=yes ;; esac; done
        [ -n "$wanted" ] || return 0
    fi
    code=0
    "$dunlin" "$@" --device "$device" --quiet -o out.csv >/dev/null 2>&1 </dev/null || code=$?
    cat out.csv beside.csv beside2.csv >all 2>/dev/null || :
    if [ $code = 0 ]; then sum=$(sha256sum <all | cut -c 1-64); else sum="exit code $code"; fi
    printf '%-36s %s\n' "$name" "$sum"
    rm -f -- *.map.* out.csv beside*.csv all
}

for repulsion in exact tree grid; do
    for dim in 2 3; do
        same tsne-$repulsion-$dim tsne digits.csv.gz --repulsion $repulsion --dim $dim --iterations 300
    done
done
same tsne-default tsne digits.csv.gz
same tsne-random-start tsne digits.csv.gz --start random --iterations 300
same tsne-pca tsne digits.csv.gz --pca 20 --iterations 300
same tsne-approximate tsne blobs.csv --neighbors approximate --iterations 300
for metric in cosine manhattan correlation; do same tsne-$metric tsne digits.csv.gz --metric $metric --iterations 100; done
for preset in opentsne sklearn fitsne bhtsne; do same tsne-$preset tsne blobs.csv --preset $preset --iterations 300; done
same tsne-late-exaggeration tsne few.csv --late-exaggeration 2 --perplexity 10
same tsne-seed tsne few.csv --start random --seed 7

for graph in grid tree small pieces; do
    same layout-multilevel-$graph layout $graph.edges
    same layout-multilevel-$graph-3 layout $graph.edges --dim 3
    same layout-stress-$graph layout $graph.edges --method stress
    for method in eades fruchterman-reingold forceatlas2; do
        same layout-$method-$graph layout $graph.edges --method $method --iterations 100
    done
done
for repulsion in exact tree grid; do
    same layout-multilevel-$repulsion layout tree.edges --repulsion $repulsion
    same layout-forceatlas2-$repulsion layout tree.edges --method forceatlas2 --repulsion $repulsion --iterations 100
done
same layout-linlog layout small.edges --method forceatlas2 --linlog --strong-gravity
same layout-annealing layout small.edges --method annealing
same layout-davidson-harel layout small.edges --method annealing --cost davidson-harel
same layout-overlap layout grid.edges --overlap remove --radius 0.3

for method in dunlin smacof classical landmark pivot stochastic gpu-sf glimmer hybrid; do
    same mds-$method-points mds digits.csv.gz --method $method
    same mds-$method-3 mds few.csv --method $method --dim 3
    same mds-$method-matrix mds matrix.csv --method $method
done
for transform in interval ordinal; do same mds-$transform mds matrix.csv --method smacof --transform $transform; done
for method in dunlin smacof; do same mds-$method-weights mds matrix.csv --method $method --weights pair_weights.csv; done
same mds-many mds blobs.csv
same mds-graph mds grid.edges
same mds-graph-pieces mds pieces.edges
same mds-graph-fed mds grid.edges --distances 200000

for start in plusplus parallel random; do
    same kmeans-$start kmeans digits.csv.gz --clusters 10 --start $start --centroids beside.csv
    same kmeans-$start-plane kmeans plane.csv --clusters 40 --start $start --centroids beside.csv
done
same kmeans-many kmeans blobs.csv --clusters 300 --centroids beside.csv
same kmeans-cosine kmeans digits.csv.gz --clusters 10 --metric cosine --centroids beside.csv
same kmeans-sequential kmeans few.csv --clusters 5 --method sequential --centroids beside.csv
same kmeans-restarts kmeans blobs.csv --clusters 7 --restarts 3 --centroids beside.csv
for covariance in diagonal full spherical tied; do
    same mixture-$covariance mixture blobs.csv --components 7 --covariance $covariance --means beside.csv --variances beside2.csv
done

for graph in grid tree small; do same waves-$graph waves $graph.edges --stimulate 3 --until 60; done
for scheme in euler heun rkc; do
    same waves-line-$scheme waves --line 500 --spacing 0.5 --stimulate 0 --until 60 --scheme $scheme
done
same waves-plane waves --grid 90x110 --stimulate 40,50 --until 30
same waves-noise waves --ring 300 --noise 0.05 --until 30

for metric in euclidean cosine manhattan correlation inner-product; do
    same neighbors-$metric neighbors digits.csv.gz --metric $metric
done
same neighbors-plane neighbors plane.csv
same neighbors-exact neighbors blobs.csv --method exact -k 30
same neighbors-approximate neighbors blobs.csv --method approximate
same neighbors-codes neighbors digits.csv.gz --method approximate --codes 8
