#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Waves from a graph, a line or a grid to tables, states and pictures; a drawing is colored by activation time.
. "$(dirname "$0")/lib.sh"

cat >path.csv <<'END'
source,target
a,b
b,c
c,d e
END

# A graph: ids as in the file, a drawing colored by activation time
exits 0 layout path.csv -o drawing.csv
exits 0 waves path.csv --stimulate 'd e' --map drawing.csv -o waves.csv -o waves.npy -o wave.png -o wave.svg -o wave.html \
    --report report.json
lines waves.csv 5
contains waves.csv id,v,w,activation
contains waves.csv 'd e,'
[ "$(awk -F, '$1 == "d e" { print $4 }' waves.csv)" = 0 ] || fail "the stimulated vertex is not activated at 0"
is_png wave.png
contains wave.svg 'activation time'
contains wave.html '"ticks"'
contains wave.html '"captions":["t = 0",'
contains out 'at rest; 4 of 4 activated'
[ "$(json report.json quality activated)" = 4 ] || fail "activated vertices in the report"
[ "$(json report.json options scheme)" = rkc ] || fail "the default scheme of a graph"

# A page plays the states
exits 0 waves path.csv --stimulate 'd e' --map drawing.csv --snapshots 1,2.5 -o frames.html
contains frames.html '"captions":["t = 1.'
exits 2 waves path.csv --stimulate 'd e' --model nagumo --show w --map drawing.csv -o frames.html
contains err 'show w: model nagumo has v alone'

# The table's columns color a drawing, too
exits 0 draw drawing.csv --graph path.csv --color waves.csv:activation -o colored.png
is_png colored.png
exits 0 draw drawing.csv --color waves.csv:2 -o colored.svg
contains colored.svg '>v<'
exits 0 draw drawing.csv --color waves.csv:1 -o colored.svg
contains err 'another label in every row'
exits 3 draw drawing.csv --color waves.csv:none -o colored.svg
contains err "no column 'none'"
exits 2 draw drawing.csv --color nothing -o colored.svg
contains err 'FILE:COLUMN'

# Activation times from each vertex are dissimilarities
exits 0 waves path.csv --stimulate each -o times.npy -o times.csv
exits 0 mds times.npy -o scaled.csv
lines scaled.csv 5

# Lines, rings and grids
exits 0 waves --line 101 --spacing 0.5 --start gaussian:25,10 --until 30 -o line.csv -o line.png -o line.npy --report report.json
lines line.csv 102
contains line.csv x,v,w,activation
is_png line.png
[ "$(json report.json input kind)" = line ] || fail "the kind of the input"
exits 0 waves --line 101 --spacing 0.5 --start gaussian:25,10 --until 30 -o tiled.csv --tile 7 --depth 3 --threads 2
same line.csv tiled.csv
exits 0 waves --line 101 --spacing 0.5 --start line.npy --until 1 -o next.csv
exits 0 waves --line 101 --hold right=1 --until 30 --show curve -o curve.svg
contains curve.svg '<path'
exits 0 waves --ring 60 --model gray-scott --stimulate 30 --until 20 -o ring.csv
exits 0 waves --grid 20x30 --stimulate 15,10 --until 20 -o grid.png -o grid.csv
is_png grid.png
contains grid.csv x,y,v,w,activation
exits 0 waves --grid 6x5x4 --periodic --model nagumo --stimulate 0 --until 20 --snapshots 5,10 -o grid.npy

# Implicit schemes and the adaptive grid
exits 0 waves --line 101 --spacing 0.5 --start gaussian:25,10 --until 30 --scheme crank-nicolson -o implicit.csv --report report.json
[ "$(json report.json quality newton)" -gt 100 ] || fail "Newton's iterations in the report"
exits 0 waves --ring 101 --spacing 0.1 --stimulate 50 --until 5 --scheme crank-nicolson --step 0.1 -o implicit.csv
exits 0 waves --grid 20x30 --stimulate 15,10 --until 20 --scheme adi -o implicit.csv
exits 0 waves --line 101 --spacing 0.5 --start gaussian:25,10 --until 30 --scheme adaptive --slope 0.01 --radius 3 -o adaptive.csv \
    --report report.json
[ "$(json report.json quality skipped)" -gt 1000 ] || fail "nodes that the adaptive grid leaves out"
exits 2 waves --grid 20x30 --stimulate 15,10 --scheme adaptive
contains err 'is for lines'
exits 2 waves path.csv --stimulate a --scheme adi
contains err 'use rkc'
exits 2 waves --line 101 --stimulate 0 --slope 0.1
contains err '--slope'

for scheme in crank-nicolson adi; do
    for solver in thomas cyclic-reduction partition; do
        exits 0 waves --line 101 --spacing 0.5 --stimulate 50 --until 5 --scheme $scheme --solver $solver -o $solver.csv
        lines $solver.csv 102
    done
done
exits 2 waves --line 101 --spacing 0.5 --stimulate 50 --solver thomas
contains err '--solver'

# Pages of lines and grids play the states
exits 0 waves --line 101 --spacing 0.5 --stimulate 50 --until 30 -o line.html
contains line.html '"captions":["t = 0",'
contains line.html '"columns":101'
exits 0 waves --line 1 --stimulate 0 --until 30 -o one.html
contains one.html '"columns":1,'
exits 0 waves --grid 20x30 --stimulate 15,10 --until 20 --snapshots 1,10,20 -o grid.html -o grid.png
contains grid.html '"name":"activation time"'
contains grid.html '"rows":20'
exits 0 waves --grid 6x5x4 --stimulate 0 --until 5 --show v -o layer.html
contains layer.html 'z = 2'
exits 2 waves --line 60000000 --stimulate 0 --until 1 -o long.html
contains err 'a page plays up to'

# Errors
exits 2 waves --line 100 --spacing 0.5 --stimulate 0 --step 0.2
contains err '--step is 0.2'
exits 2 waves --line 100
contains err 'nothing would happen'
exits 2 waves path.csv --line 100 --stimulate 0
contains err '2 domains are given'
exits 2 waves path.csv --stimulate f -o none.csv
contains err "there is no vertex 'f'"
exits 2 waves path.csv --stimulate a -o none.png
contains err '--map'
printf 'source,target\na,b\nc,d e\n' >apart.csv
exits 2 waves apart.csv --stimulate each -o none.npy
contains err "the stimulus of 'a' never activates 'c'"
printf 'graph { a -- b [weight=-1] }' >negative.dot
exits 3 waves negative.dot --stimulate a -o none.csv
contains err 'weighs -1'
contains err '(--weights-from none)'
printf 'graph { a -- b [weight=2]; b -- c [weight=0] }' >zero.dot
exits 3 waves zero.dot --stimulate a -o none.csv
contains err "weighs 0"
printf 'graph { }' >empty.dot
exits 2 waves empty.dot --stimulate a -o none.csv
contains err "there is no vertex 'a'"
exits 2 waves --grid 20x30 --stimulate 0,0.5
contains err "there is no node '0,0.5'"
exits 2 waves --grid 20 --stimulate 0
contains err 'ROWSxCOLUMNS'
exits 2 waves --grid 20x30 --stimulate 30,0
contains err 'along axis'
exits 2 waves --line 10 --stimulate 0 --noise 0.1 --scheme heun

finish
