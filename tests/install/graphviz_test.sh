#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Graphviz loads the plug-in and draws with it: `dot -Kdunlin`.
. "$(dirname "$0")/lib.sh"

plugin=$(find "$DUNLIN_BUILD" -maxdepth 1 -name 'libgvplugin_dunlin.so.*' -type l)
command -v dot >/dev/null || {
    echo "skipped: Graphviz' dot is not there"
    exit 0
}
[ -n "$plugin" ] || {
    echo "skipped: the plug-in was not built, libgvc not being there"
    exit 0
}

# A folder of plug-ins with ours
mkdir plugins
for library in "$(pkg-config --variable=libdir libgvc)"/graphviz/libgvplugin_*.so.*; do ln -s "$library" plugins/; done
ln -s "$plugin" plugins/
GVBINDIR=$PWD/plugins
export GVBINDIR
dot -c 2>dot.err || fail "dot -c: $(cat dot.err)"
grep -q dunlin plugins/config* || fail "dot -c did not list dunlin: $(cat dot.err)"

# Two components, a loop, duplicate edges, an isolated node, a large node, an edge label
cat >graph.dot <<'END'
digraph "a graph" {
    a -> b -> c -> a; b -> a; c -> c; c -> d [label="an edge"];
    d [shape=box, width=3, label="a large node"];
    subgraph cluster_x { e -> f; e -> f }
    lonely
}
END
dot -Kdunlin graph.dot -Tsvg >graph.svg 2>dot.err || fail "dot -Kdunlin: $(cat dot.err)"
[ ! -s dot.err ] || fail "dot -Kdunlin said: $(cat dot.err)"
[ "$(grep -c 'class="node"' graph.svg)" = 7 ] || fail "not 7 nodes in graph.svg"
[ "$(grep -c 'class="edge"' graph.svg)" = 8 ] || fail "not 8 edges in graph.svg"
grep -q -- '-nan\|>nan\|inf,' graph.svg && fail "a place that is no number in graph.svg"

# The same seed gives the same picture, another seed another one
dot -Kdunlin graph.dot -Tplain >once
dot -Kdunlin graph.dot -Tplain >again
dot -Kdunlin -Gstart=7 graph.dot -Tplain >other
cmp -s once again || fail "two runs differ"
cmp -s once other && fail "another seed draws the same"

# No nodes, one node, and edges as curves
echo 'graph {}' | dot -Kdunlin -Tplain >none || fail "the empty graph"
echo 'graph { a }' | dot -Kdunlin -Tplain | grep -q '^node a' || fail "a single node"
dot -Kdunlin -Gsplines=true graph.dot -Tsvg >curves.svg || fail "splines=true"
grep -q '<path' curves.svg || fail "no paths in curves.svg"

# Pinned nodes keep their positions
echo 'graph { a [pos="0,0!"]; b [pos="3,0!"]; c [pos="1,1"]; a -- b -- c }' | dot -Kdunlin -Tplain >pinned || fail "pins"
awk '$1 == "edge" { next } $2 == "a" { ax = $3; ay = $4 } $2 == "b" { bx = $3; by = $4 }
     END { exit !(bx - ax > 2.99 && bx - ax < 3.01 && by - ay < 0.01 && ay - by < 0.01) }' pinned ||
    fail "pinned nodes have moved: $(cat pinned)"

finish
