#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dunlin clusters of points, matrices and graphs of distances; dunlin communities of graphs; what they cannot use is named.
. "$(dirname "$0")/lib.sh"

# Two clusters apart, and one point far from both
clusters points.csv 60
echo '4.5,40,0.5,alone' >>points.csv
exits 0 clusters points.csv --min-size 5 --report report.json --tree tree.json --linkage linkage.npy
contains out '2 clusters of 61 points, 1 (1.6%) in none; of all pairs'
contains out 'wrote points.clusters.csv'
contains points.clusters.csv 'cluster,strength,outlier_score'
lines points.clusters.csv 62
[ "$(cut -d, -f1 points.clusters.csv | tail -n +2 | sort | uniq -c | tr -s ' \n' ' ')" = ' 1 -1 30 0 30 1 ' ] ||
    fail "labels: $(cut -d, -f1 points.clusters.csv | sort | uniq -c)"
tail -n 1 points.clusters.csv | grep -q '^-1,0,' || fail "the point alone: $(tail -n 1 points.clusters.csv)"
[ "$(json report.json quality clusters)" = 2 ] || fail "clusters: $(json report.json quality clusters)"
[ "$(json report.json counts 0)" = 30 ] || fail "counts: $(json report.json counts)"
for part in '"command": "clusters"' '"method": "hdbscan"' '"min-size": 5' '"min-samples": 5' '"exact": true' '"persistences"'; do
    contains report.json "$part"
done
[ "$(json tree.json groups parent 0)" = -1 ] || fail "tree.json: $(head -c 300 tree.json)"
[ -s linkage.npy ] || fail "there is no linkage.npy"

# The same for any number of threads and order of rows
exits 0 clusters points.csv --min-size 5 --threads 1 --quiet -o one.csv -o one.npy
same one.csv points.clusters.csv
(head -n 1 points.csv && tail -n +2 points.csv | awk '{ print NR - 1 "," $0 }' | sort -t, -k2 | cut -d, -f2-) >sorted.csv
exits 0 clusters sorted.csv --min-size 5 --quiet -o sorted_labels.csv
[ "$(cut -d, -f2 sorted_labels.csv | sort)" = "$(cut -d, -f2 points.clusters.csv | sort)" ] || fail "strengths depend on the order of rows"

# How well halves of the points show the clusters
exits 0 clusters points.csv --min-size 5 --stability -o stable.csv --report stable.json
contains stable.csv 'cluster,strength,outlier_score,stability'
contains stable.json '"stabilities"'
contains out ', stability '

# Other files of the tree
exits 0 clusters points.csv --min-size 5 --quiet --tree tree.nwk
tail -c 2 tree.nwk | grep -q ';' || fail "tree.nwk: $(tail -c 100 tree.nwk)"
exits 0 clusters points.csv --min-size 5 --quiet --tree tree.csv
contains tree.csv 'group,parent,end,size,least,birth,death,stability,persistence,number'

# Layers, from coarse to fine, and whether clusters of a map are apart in the data
awk 'BEGIN { srand(3); print "id,x,y"; for (i = 0; i < 240; i++) { c = int(i / 30)
    printf "p%d,%g,%g\n", i, (c % 2) * 3 + int(c / 4) * 100 + rand(), int(c / 2) % 2 * 20 + rand() } }' >map.csv
awk 'BEGIN { srand(4); print "id,a,b,c"; for (i = 239; i >= 0; i--) printf "p%d,%g,%g,%g\n", i, rand(), rand(), rand() }' >data.csv
exits 0 clusters map.csv --min-size 10 --layers 3 --of data.csv --of-neighbors 12 -o layers.csv --tree layers.tree.csv --report layers.json
contains layers.csv 'id,cluster,strength,outlier_score,conductance,map_only,layer_1,layer_2,layer_3'
contains layers.tree.csv 'number,conductance,map_only'
contains err 'of the map only: cluster 0, 1, 2, 3, 4, 5, 6, 7; in data.csv'
contains out ': of the map only'
[ "$(json layers.json layers 0)" = 2 ] || fail "layers: $(json layers.json layers)"
[ "$(json layers.json layers 1)" = 4 ] || fail "layers: $(json layers.json layers)"
[ "$(json layers.json map_only 7)" = 7 ] || fail "map_only: $(json layers.json map_only)"
awk -F, 'NR > 1 { print $2, $7 }' layers.csv | sort -u >pairs
[ "$(awk '{ print $1 }' pairs | sort | uniq -d | wc -l)" = 0 ] || fail "a cluster in two coarse groups: $(cat pairs)"
exits 0 clusters map.csv --min-size 10 --of map.csv -o layers.csv
contains out ', conductance 0.000'
exits 0 neighbors data.csv -k 12 -o data.npz --quiet
exits 0 clusters map.csv --min-size 10 --of data.npz -o again.csv
contains err 'of the map only'
exits 0 clusters map.csv --min-size 30 --layers 9 -o layers.csv
contains err '--layers is 9, and the tree of'
exits 2 clusters map.csv --of-neighbors 5
contains err '--of-neighbors is read with --of'
head -n 100 data.csv >short.csv
exits 3 clusters map.csv --of short.csv
contains err 'short.csv'

# New points
printf 'a,b,c,kind\n0.5,0.5,0.5,near\n9.5,0.5,0.5,far\n' >new.csv
exits 0 clusters points.csv --min-size 5 --quiet --predict new.csv
contains new.clusters.csv 'id,cluster,strength' # whose kinds differ, and so are names
sed -n 2p points.csv | grep -q near && near=$(sed -n 2p points.clusters.csv | cut -d, -f1)
[ "$(sed -n 2p new.clusters.csv | cut -d, -f2)" = "$near" ] || fail "a new point near cluster $near: $(cat new.clusters.csv)"
[ "$(sed -n 3p new.clusters.csv | cut -d, -f2)" = $((1 - near)) ] || fail "a new point: $(cat new.clusters.csv)"

# Distances, and neighbors with them
printf '0,1,9,9\n1,0,9,9\n9,9,0,1\n9,9,1,0\n' >square.csv
exits 0 clusters square.csv --holds dissimilarities --min-size 2 -o square.out.csv
contains out '2 clusters of 4 points'
exits 2 clusters square.csv --holds dissimilarities --min-size 2 --metric cosine
contains err '--metric'
exits 0 neighbors points.csv -k 10 -o near.npz --quiet
exits 0 clusters near.npz --holds graph --min-size 5 -o near.csv --report near.json
contains out '2 clusters of 61 points'
contains out 'of pairs of neighbors'
contains near.json '"exact": false'

# A map in JSON
printf '{"dim": 2, "coordinates": [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]}' >map.json
exits 0 clusters map.json --min-size 3 -o map.out.csv
contains out '2 clusters of 6 points'
exits 2 clusters map.json --min-size 3 --columns x,y
contains err '--columns: map.json holds a map in JSON'

# What cannot be used
printf 'graph { a -- b; b -- c; }' >plain.dot
exits 3 clusters plain.dot
contains err 'dunlin communities'
printf 'a,b\n' >none.csv
exits 3 clusters none.csv
exits 2 clusters points.csv --min-size 1
contains err '--min-size'
exits 2 clusters points.csv --min-samples 100
contains err '--min-samples'
exits 2 clusters points.csv --tree tree.png
contains err '--tree'
exits 2 clusters points.csv -o points.csv
exits 2 clusters points.csv --predicted p.csv

# Two triangles and an edge between them
printf 'a,b\nb,c\nc,a\nc,d\nd,e\ne,f\nf,d\n' >graph.csv
exits 0 communities graph.csv --report graph.json --tree graph.nwk
contains out '2 communities of 6 vertices and 7 edges, modularity 0.3571'
contains out 'wrote graph.communities.csv'
[ "$(tail -n +2 graph.communities.csv | cut -d, -f1,2 | sort | tr '\n' ' ')" = 'a,0 b,0 c,0 d,1 e,1 f,1 ' ] ||
    fail "communities: $(cat graph.communities.csv)"
for part in '"command": "communities"' '"method": "leiden"' '"modularity": 0.357' '"communities": 2'; do contains graph.json "$part"; done
for method in louvain sequential; do
    exits 0 communities graph.csv --method "$method" --quiet -o "$method.csv"
    [ "$(cut -d, -f1,2 "$method.csv")" = "$(cut -d, -f1,2 graph.communities.csv)" ] || fail "$method: $(cat "$method.csv")"
done
printf 'source,target,weight\na,b,1\nb,c,2\nc,a,3\n' >weighted.csv
exits 0 communities weighted.csv -o w.npy
contains err 'weights from 1 to 3 are read as strengths'
exits 2 communities graph.csv --resolution -1
contains err '--resolution'
printf '' >empty.csv
exits 3 communities empty.csv

finish
