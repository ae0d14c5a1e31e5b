#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/bytes.sh DUNLIN [--device cpu|cuda] [NAME...]: a listed set of small runs, and the SHA-256 of what each writes, a
# line a run; with NAMEs only the runs whose names contain one. A change that must keep results gives the same lines:
#   tests/bytes.sh old/dunlin >before; tests/bytes.sh build/cpu/dunlin >after; diff before after
# A run that the command refuses has its exit code in place of the sum. Commands without a device, as draw, have the same
# lines on every device. DUNLIN_THREADS=N limits the threads, on which no line may depend.
set -eu

dunlin=$(realpath "${1:?which dunlin?}")
here=$(cd "$(dirname "$0")" && pwd)
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
cp "$here/../examples/digits.csv.gz" .
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
# Points with names and classes, of which every fifth is new; places of the old ones; a drawing of grid.edges
awk "$awk_random"'; print "id,a,b,c,d,kind" >"old.csv"; print "id,a,b,c,d,kind" >"new.csv"; print "id,a,b,c,d,kind" >"named.csv"
    print "id,x,y,label" >"places.csv"; print "id,x,y,z,label" >"places3.csv"
    for (i = 0; i < 500; ++i) {
        class = int(random() * 4)
        row = sprintf("p%d,%.4f,%.4f,%.4f,%.4f,class %d", i, random() + 3 * (class == 0), random() + 3 * (class == 1), random() + 3 * (class == 2), random(), class)
        print row >"named.csv"
        print row >(i % 5 == 4 ? "new.csv" : "old.csv")
        x = 9 * (class % 2) + 3 * (random() + random()); y = 9 * int(class / 2) + 3 * (random() + random())
        if (i % 5 != 4) printf "p%d,%.4f,%.4f,class %d\n", i, x, y, class >"places.csv"
        if (i % 5 != 4) printf "p%d,%.4f,%.4f,%.4f,class %d\n", i, x, y, 4 * random(), class >"places3.csv"
    } }'
awk "$awk_random"'; for (i = 0; i < 2000; ++i) printf "%s%d,%.4f,%.4f\n", i ? "" : "id,x,y\n", i, i % 50 + random(), int(i / 50) + random() }' >drawing.csv
awk "$awk_random"'; print "id,time,x,y"; for (t = 0; t < 40; ++t) { x = random() * 9; y = random() * 9; for (s = 0; s < 8 + t % 5; ++s) {
        x += random() - 0.4; y += random() - 0.5; printf "t%d,%d,%.3f,%.3f\n", t, s, x, y } } }' >tracks.csv
awk "$awk_random"'; for (i = 0; i < 60; ++i) { word = ""; for (c = 0; c < 4 + i % 7; ++c) word = word substr("abcde", 1 + int(5 * random()), 1); print word } }' >words.txt
awk 'BEGIN { print "lat,lon"; for (i = 0; i < 50; ++i) printf "%.2f,%.2f\n", (i * 37) % 160 - 80, (i * 101) % 360 - 180 }' >cities.csv
echo '{"steering": [{"act": "pin", "pass": 0, "iteration": 20, "points": [3, 5], "places": [40, -40, 50, 50]},
    {"act": "nudge", "pass": 0, "iteration": 40, "points": [7], "by": [2, 1]}, {"act": "free", "pass": 0, "iteration": 45, "points": [5]},
    {"act": "restart", "pass": 0, "iteration": 50}, {"act": "finish", "pass": 1, "iteration": 30}]}' >acts.json

is_wanted() { # NAME
    [ -n "$only" ] || return 0
    for part in $only; do case $1 in *"$part"*) return 0 ;; esac; done
    return 1
}

# wrote NAME DUNLIN ARGUMENTS...: the run writes files named out* and beside*
wrote() {
    name=$1
    shift
    is_wanted "$name" || return 0
    code=0
    "$@" >/dev/null 2>&1 </dev/null || code=$?
    cat out* beside* >all 2>/dev/null || :
    if [ $code = 0 ]; then sum=$(sha256sum <all | cut -c 1-64); else sum="exit code $code"; fi
    printf '%-36s %s\n' "$name" "$sum"
    rm -f -- *.map.* out* beside* all
}

# same NAME ARGUMENTS...: the run writes out.csv; more: only the files that ARGUMENTS name
same() {
    name=$1
    shift
    wrote "$name" "$dunlin" "$@" --device "$device" --quiet -o out.csv
}
more() {
    name=$1
    shift
    wrote "$name" "$dunlin" "$@" --device "$device" --quiet
}

# reported NAME ARGUMENTS...: the report, without times, memory and machine, beside out.csv
reported() {
    name=$1
    shift
    wrote "$name" reports "$@" --device "$device" --quiet --report report.json
}
reports() {
    "$dunlin" "$@" || return $?
    awk '/"(seconds|peak_memory_bytes|memory_limit)": \{/ { skips = 1 } !skips && !/"(threads|dunlin)":/; /^  \},?$/ { skips = 0 }' report.json >out.json
}

# printed NAME ARGUMENTS...: what is printed
printed() {
    name=$1
    shift
    wrote "$name" prints "$@"
}
prints() { "$@" >out.txt; }
tells() { "$dunlin" info "$1" | grep -v '^memory: '; }  # the free memory

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
for affinities in mixture uniform; do same tsne-$affinities tsne named.csv --affinities $affinities --iterations 200; done
same tsne-freedom tsne named.csv --freedom 0.5 --perplexities 10,60 --iterations 300
same tsne-anchor-converged tsne named.csv --anchor start --tolerance 0.01
same tsne-dissimilarities tsne matrix.csv --holds dissimilarities --iterations 200

for method in umap pacmap; do
    iterations=100
    [ $method = umap ] || iterations=30,30,60
    for repulsion in exact tree grid; do
        same $method-$repulsion $method digits.csv.gz --repulsion $repulsion --iterations $iterations
    done
    same $method-cosine $method digits.csv.gz --metric cosine --start random --iterations $iterations
    same $method-3 $method named.csv --dim 3
done
same umap-mix umap named.csv --mix 0.5 --local-connectivity 1.5 --min-dist 0.4 --iterations 100

# New points: beside fixed ones, with them, in a map that stays, by its state, and by networks
for method in tsne umap pacmap; do
    same $method-fixed $method named.csv --fixed places.csv
    same $method-grow $method named.csv --grow places.csv
    more $method-state $method old.csv -o out.csv --state out.npz
    for affinity in joint own best; do
        [ $method = tsne ] || [ $affinity = joint ] || continue
        same transform-$method-$affinity transform new.csv --map places.csv --of old.csv --method $method --affinity $affinity --per-point beside.csv
    done
    "$dunlin" $method old.csv --quiet -o state.csv --state state.npz --device "$device" || :
    same transform-$method-by-state transform new.csv --map state.csv --of old.csv --method $method --state state.npz
done
for pretrain in map rbm none; do
    more train-$pretrain train old.csv --layers 30,20 --pretrain $pretrain --epochs 5 -o out.npz -o out.csv
done
same train-batch train old.csv --layers 20 --loss batch --batch 100 --epochs 5 -o out.npz
"$dunlin" train old.csv --layers 20 --epochs 5 -o model.npz --quiet --device "$device" || :
same transform-model transform new.csv --model model.npz

for graph in grid tree small pieces; do
    same layout-multilevel-$graph layout $graph.edges
    same layout-multilevel-$graph-3 layout $graph.edges --dim 3
    same layout-stress-$graph layout $graph.edges --method stress
    for method in eades fruchterman-reingold forceatlas2; do
        same layout-$method-$graph layout $graph.edges --method $method --iterations 100
    done
done
for repulsion in exact tree grid; do
    same layout-multilevel-by-$repulsion layout tree.edges --repulsion $repulsion
    same layout-forceatlas2-by-$repulsion layout tree.edges --method forceatlas2 --repulsion $repulsion --iterations 100
done
same layout-linlog layout small.edges --method forceatlas2 --linlog --strong-gravity
same layout-annealing layout small.edges --method annealing
same layout-davidson-harel layout small.edges --method annealing --cost davidson-harel
same layout-overlap layout grid.edges --overlap remove --radius 0.3
same layout-pieces-overlap layout pieces.edges --overlap remove --radius 0.2
awk '{ print $1 + 90, $2 + 90 }' small.edges | cat tree.edges - >some.edges
awk 'BEGIN { print "9001 9001"; for (i = 0; i < 40; ++i) print 8000 + 3 * i, 8001 + 3 * i }' >>some.edges
same layout-several layout some.edges
same layout-pack-lengths layout some.edges --pack lengths
same layout-start layout grid.edges --start drawing.csv --iterations 20
more layout-graphs layout small.edges -o out.dot -o out.graphml -o out.gexf -o out.json

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
same mds-beside mds matrix.csv --method smacof --per-point beside.csv --shepard beside.tsv
same mds-shepard mds matrix.csv --method smacof --shepard beside.svg
same mds-fixed mds old.csv --fixed places.csv --method smacof
same mds-edit mds words.txt --metric edit
for metric in dtw frechet hausdorff; do same mds-$metric mds tracks.csv --metric $metric; done
same mds-on-demand mds words.txt --metric edit --pairs on-demand --landmarks 10
same mds-great-circle mds cities.csv --metric great-circle --dim 3

for start in plusplus parallel random; do
    same kmeans-$start kmeans digits.csv.gz --clusters 10 --start $start --centroids beside.csv
    same kmeans-$start-plane kmeans plane.csv --clusters 40 --start $start --centroids beside.csv
done
same kmeans-many kmeans blobs.csv --clusters 300 --centroids beside.csv
same kmeans-cosine kmeans digits.csv.gz --clusters 10 --metric cosine --centroids beside.csv
same kmeans-sequential kmeans few.csv --clusters 5 --method sequential --centroids beside.csv
same kmeans-restarts kmeans blobs.csv --clusters 7 --restarts 3 --centroids beside.csv
same kmeans-up-to kmeans blobs.csv --clusters 5 --up-to 9 --criterion silhouette --centroids beside.csv
for covariance in diagonal full spherical tied; do
    same mixture-$covariance mixture blobs.csv --components 7 --covariance $covariance --means beside.csv --variances beside2.csv
done
same mixture-up-to mixture named.csv --components 2 --up-to 6
for start in plusplus build random; do same kmedoids-$start kmedoids words.txt --metric edit --clusters 6 --start $start; done
for metric in dtw frechet hausdorff; do same kmedoids-$metric kmedoids tracks.csv --metric $metric --clusters 5; done
wrote kmedoids-points "$dunlin" kmedoids blobs.csv --clusters 7 --sample 500 --restarts 2 --device cpu --quiet -o out.csv
wrote kmedoids-graph "$dunlin" kmedoids grid.edges --holds graph --clusters 9 --sample 300 --device cpu --quiet -o out.csv

for graph in grid tree small; do same waves-$graph waves $graph.edges --stimulate 3 --until 60; done
for scheme in euler heun rkc; do
    same waves-line-$scheme waves --line 500 --spacing 0.5 --stimulate 0 --until 60 --scheme $scheme
done
same waves-plane waves --grid 90x110 --stimulate 40,50 --until 30
same waves-noise waves --ring 300 --noise 0.05 --until 30
more waves-states waves --grid 6x5x4 --periodic --model nagumo --stimulate 0 --until 20 --snapshots 5,10 -o out.npy
wrote waves-times "$dunlin" waves small.edges --stimulate each --device cpu --quiet -o out.npy
same waves-implicit waves --line 101 --spacing 0.5 --start gaussian:25,10 --until 30 --scheme crank-nicolson

for metric in euclidean cosine manhattan correlation inner-product; do
    same neighbors-$metric neighbors digits.csv.gz --metric $metric
done
same neighbors-plane neighbors plane.csv
same neighbors-exact neighbors blobs.csv --method exact -k 30
same neighbors-approximate neighbors blobs.csv --method approximate
same neighbors-codes neighbors digits.csv.gz --method approximate --codes 8
more neighbors-queries neighbors old.csv --queries new.csv -o out.npz -o out.mtx

# What is computed of maps
reported score-points score places.csv --of old.csv --scores full --curve beside.csv
reported score-sampled score plane.csv --of plane.csv --exact-rows 100 --sample 200
reported score-graph score drawing.csv --of grid.edges
reported score-graph-sampled score drawing.csv --of grid.edges --exact-sources 100 --exact-edges 100 --exact-neighborhoods 100 --exact-angles 100
reported score-per-point score places.csv --of old.csv --scores none --per-point beside.csv --perturb --bootstrap 2 --null --iterations 50
more density density places.csv -o out.npy --peaks beside.csv --nodes 200
more density-3 density places3.csv -o out.npy --nodes 64
more surface-hulls surface places3.csv -o out.ply -o out.glb -o out.stl --cells 40
"$dunlin" density places3.csv -o field.npy --nodes 64 --quiet --device cpu || :
more surface-field surface field.npy --level 0.001 -o out.ply

# Acts on a run, in the log that is written again; a checkpoint that is written
for method in tsne umap; do same $method-steered $method old.csv --steer acts.json --log beside.json --scores none; done
same pacmap-steered pacmap old.csv --iterations 30,30,30 --steer acts.json --log beside.json --scores none
same mds-steered mds old.csv --method smacof --tolerance 0 --iterations 90 --steer acts.json --log beside.json --scores none
same layout-steered layout small.edges --steer acts.json --log beside.json --scores none
for method in eades fruchterman-reingold forceatlas2; do
    same layout-$method-steered layout small.edges --method $method --steer acts.json --log beside.json --scores none
done

# Reports
for method in tsne umap pacmap; do reported report-$method $method named.csv -o out.csv; done
reported report-map map digits.csv.gz -o out.csv
reported report-train train old.csv --layers 20 --epochs 3 -o out.npz
reported report-transform transform new.csv --map places.csv --of old.csv -o out.csv
reported report-layout layout pieces.edges -o out.csv
reported report-mds mds matrix.csv -o out.csv
reported report-kmeans kmeans blobs.csv --clusters 7 -o out.csv --centroids beside.csv
reported report-mixture mixture blobs.csv --components 7 -o out.csv
reported report-waves waves --ring 300 --stimulate 5 --until 30 -o out.csv
reported report-neighbors neighbors named.csv -o out.npz
for input in digits.csv.gz named.csv matrix.csv grid.edges tracks.csv; do printed info-${input%%.*} tells $input; done

# Pictures and pages
for format in png svg pdf html; do
    wrote draw-$format "$dunlin" draw places.csv -o out.$format --quiet
    wrote draw-graph-$format "$dunlin" draw drawing.csv --graph grid.edges --color degree -o out.$format --quiet
    wrote draw-landscape-$format "$dunlin" draw places.csv --style landscape -o out.$format --quiet
    wrote draw-3-$format "$dunlin" draw places3.csv -o out.$format --quiet
done
wrote draw-column "$dunlin" draw places.csv --color old.csv:a --figure-size 89mm --legend below -o out.svg --quiet
wrote draw-names "$dunlin" draw drawing.csv --names 40 -o out.svg --svg-text paths --quiet
printed view python3 "$here/page_talk.py" "$dunlin" places.csv --of old.csv --select beside.csv
printed view-graph python3 "$here/page_talk.py" "$dunlin" drawing.csv --graph grid.edges
printed view-hulls python3 "$here/page_talk.py" "$dunlin" places3.csv --hulls --cells 40
