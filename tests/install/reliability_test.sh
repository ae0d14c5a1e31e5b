#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Columns of a map's points, their table in a picture, and what is refused.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { srand(7); print "id,a,b,c"; for (i = 0; i < 90; ++i) printf "p%d,%.4f,%.4f,%.4f\n", i, rand() + 3 * (i % 3), rand(), rand() }' >points.csv
exits 0 tsne points.csv -o map.csv --iterations 1000

exits 0 score map.csv --of points.csv --per-point points.doubt.csv --report report.json
lines points.doubt.csv 91
contains points.doubt.csv id,kl,intruders,lost,singularity,home,gap
contains points.doubt.csv p89,
for key in points_elsewhere points_torn points_unheld median_newton_step nn_distance; do
    [ "$(json report.json quality $key)" != null ] || fail "$key is not in the report"
done
[ "$(json report.json options ranks)" = 89 ] || fail "the ranks that were used"

exits 0 score map.csv --of points.csv --per-point all.tsv --perturb --bootstrap 3 --null --iterations 50 --home-sample 20
lines all.tsv 91
contains all.tsv perturbation
contains all.tsv null_p
exits 0 score map.csv --of points.csv --per-point alone.csv --scores none
same alone.csv points.doubt.csv
exits 2 score map.csv --of points.csv --per-point alone.csv --scores none --curve curve.csv
contains err 'nothing for --curve'
exits 2 score map.csv --of points.csv --scores none
contains err 'nothing to do'
exits 0 score map.csv --of points.csv --method umap --per-point umap.csv
contains umap.csv id,intruders,lost
exits 0 score map.csv --of points.csv --per-point one.csv --threads 1
same one.csv points.doubt.csv

# A picture of a column, also of one with missing values, with the shares in its title
exits 0 draw map.csv --color points.doubt.csv:home --shares -o home.svg
contains home.svg 'of points would land elsewhere'
contains home.svg 'torn from their neighbors'
exits 0 draw map.csv --color all.tsv:home --shares -o sample.svg
contains sample.svg '(+-'
exits 2 draw map.csv --shares -o home.svg
contains err 'FILE:COLUMN'
exits 3 draw map.csv --color points.csv:a --shares -o home.svg
contains err 'per-point'

# Given neighbors
exits 0 neighbors points.csv -k 40 -o near.npz
exits 0 score map.csv --of points.csv --neighbors near.npz --perplexity 12 --per-point near.csv
exits 2 score map.csv --of points.csv --neighbors near.npz --perplexity 12 --per-point near.csv --ranks 41
contains err --ranks

exits 2 score map.csv --of points.csv --perturb
contains err 'is for --per-point FILE'
exits 2 score map.csv map.csv --of points.csv --per-point two.csv
contains err 'one map'
exits 2 score map.csv --of points.csv --per-point two.npy
exits 2 score map.csv --of points.csv --per-point map.csv
exits 2 score map.csv --of points.csv --method umap --perturb --per-point two.csv
contains err --perturb

finish
