#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Graphs from file to drawing: ids, pins and attributes are kept, and DOT is written in its unit.
. "$(dirname "$0")/lib.sh"

cat >house.dot <<'END'
graph house { // two vertices stay
    node [shape=box]
    "a b" [pos="0,0!"]; c [pos="1,0!", color=red]; d; e:n -- d [style=dotted]
    "a b" -- c -- d -- "a b" -- e; e -- e; c -- d
    subgraph cluster_roof { d; e }
}
END

exits 0 layout house.dot -o house.csv -o out.dot -o out.graphml -o out.json -o house.png --report report.json
lines house.csv 5
contains house.csv id,x,y
contains house.csv 'a b,0,0'
contains house.csv 'c,1,0'
contains out.dot 'pos="72,0!"'
for kept in color=red style=dotted cluster_roof shape=box 'e:n -- d'; do contains out.dot "$kept"; done
is_png house.png
[ "$(json report.json input self_loops)" = 1 ] || fail "self-loops in the report"
[ "$(json report.json input edges)" = 5 ] || fail "edges in the report"

exits 0 info house.dot
contains out '4 vertices, 5 edges'
contains out '1 self-loops, 1 repeated edges'
contains out 'positions: 2 vertices, 2 pinned'
contains out 'components: 1, the largest of 4 vertices'

# The output can be read again: all positions are there, and a second drawing can start from them
for drawing in out.dot out.graphml; do
    exits 0 info $drawing
    contains out '4 vertices, 5 edges'
    contains out 'positions: 4 vertices'
done
exits 0 layout out.dot --start input --iterations 1 -o again.csv
exits 3 info out.json
contains err 'give another graph as .graphml or .dot'

# Scaling of a graph gives a drawing; scaling of points does not
exits 0 mds house.dot -o scaled.csv -o scaled.dot -o scaled.graphml -o scaled.json
contains scaled.dot cluster_roof
contains scaled.json '"edges": [['
for drawing in scaled.dot scaled.graphml; do
    exits 0 info $drawing
    contains out 'positions: 4 vertices'
done
exits 2 mds house.dot --dim 4 -o four.dot
clusters points.csv 20
exits 2 mds points.csv -o points.dot
contains err '.csv, .tsv, .npy, .json, .png'

# An edge in both directions counts once
printf '0 1\n1 2\n2 3\n3 0\n' >one_way.txt
printf '0 1\n1 2\n2 3\n3 0\n1 0\n0 3\n' >both_ways.txt
for method in multilevel eades fruchterman-reingold forceatlas2 annealing stress; do
    for graph in one_way both_ways; do exits 0 layout $graph.txt --method $method -o $graph.csv; done
    same one_way.csv both_ways.csv
done

# dunlin map detects a graph
printf '1 2\n2 3\n3 1\n' >triangle.txt
exits 0 map triangle.txt -o triangle.csv
lines triangle.csv 4
# Points of a map are matched by id, in any order
printf '0 1\n1 2\n' >line.txt
printf 'id,x,y\n0,0,0\n1,1,0\n2,2,0\n' >line.csv
printf 'id,x,y\n2,2,0\n0,0,0\n1,1,0\n' >mixed.csv
exits 0 score line.csv --of line.txt --report line.json
exits 0 score mixed.csv --of line.txt --report mixed.json
[ "$(json line.json quality edge_length_cv)" = "$(json mixed.json quality edge_length_cv)" ] || fail "the order of a map"

# Also for initial positions
printf 'a b\nb c\n' >names.txt
printf 'id,x,y\na,1,2\nb,3,4\nc,5,6\n' >names.csv
printf 'id,x,y\nc,5,6\na,1,2\nb,3,4\n' >turned.csv
printf '1\n1\n1\n' >all.txt
exits 0 layout names.txt --start turned.csv --pinned all.txt -o placed.csv
same placed.csv names.csv

# A graph without vertices gives a blank drawing
printf 'graph {}' >none.dot
exits 0 layout none.dot
lines none.map.csv 1

# Two coincident vertices of radius 0.5 end at distance 1; in DOT by their own sizes
printf '0 1\n' >pair.txt
printf '0,0\n0,0.1\n' >near.csv
exits 0 layout pair.txt --start near.csv --iterations 0 --overlap remove --radius 0.5 -o apart.csv
awk -F, 'NR > 1 { x[NR] = $2; y[NR] = $3 } END { exit !((x[2] - x[3]) ^ 2 + (y[2] - y[3]) ^ 2 >= 0.9999) }' apart.csv ||
    fail "vertices that overlap"
exits 2 layout pair.txt --overlap remove
contains err 'give a --radius'
exits 2 layout pair.txt --radius 1
contains err 'only --overlap remove'
printf 'graph { a [width=2 height=2]; b [width=2 height=2]; a -- b }' >wide.dot
exits 0 layout wide.dot --overlap remove -o wide.csv
awk -F, 'NR > 1 { x[NR] = $2; y[NR] = $3 } END { exit !((x[2] - x[3]) ^ 2 + (y[2] - y[3]) ^ 2 >= 7.999) }' wide.csv ||
    fail "DOT's sizes"

# Pins of a file are written as pins of DOT, and replace those of the input
printf '0\n1\n0\n0\n' >pins.txt
exits 0 layout house.dot --start input --pinned pins.txt -o pins.dot
[ "$(grep -c 'pos="[^"]*!"' pins.dot)" = 1 ] || fail "pins of a file"
contains pins.dot 'pos="72,0!"'

# ForceAtlas2 with sizes of the vertices
exits 0 layout wide.dot --method forceatlas2 --prevent-overlap -o wide.csv
awk -F, 'NR > 1 { x[NR] = $2; y[NR] = $3 } END { exit !((x[2] - x[3]) ^ 2 + (y[2] - y[3]) ^ 2 >= 7.999) }' wide.csv ||
    fail "overlap that forceatlas2 prevents"
exits 2 layout pair.txt --method forceatlas2 --prevent-overlap
contains err 'prevent-overlap: pair.txt has no sizes of vertices'

printf 'from,to,weight\nx,y,1\ny,z,-1\n' >negative.csv
exits 3 layout negative.csv
contains err 'negative.csv:3'
exits 0 layout negative.csv --weights-from none -o signs.dot -o signs.csv
contains signs.dot '"x" -- "y"'

finish
