#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dunlin density writes fields and peaks, dunlin draw --style landscape draws them; what they cannot use is named.
. "$(dirname "$0")/lib.sh"

cat >map.csv <<'END'
id,x,y,label
a,0,0,low
b,1,0,low
c,0,1,low
d,9,9,high
e,9.5,9,high
END
exits 0 density map.csv --report report.json --peaks peaks.csv --threads 2
contains out '95% of the points are where the density is at least'
contains out 'wrote map.density.npy'
contains out 'wrote peaks.csv'
contains peaks.csv 'x,y,height,prominence'
for part in '"command": "density"' '"bandwidth"' '"mass": ' '"percentage": 95.0' '"origin"' '"spacing"' '"rows": 5'; do
    contains report.json "$part"
done
cp map.density.npy first.npy
exits 0 density map.csv -o map.density.npy --threads 1 --quiet
cmp -s first.npy map.density.npy || fail "the field depends on the number of threads"
exits 0 density map.csv -o field.csv --nodes 64 --bands 50 --bandwidth 1 --quiet
contains field.csv 'x,y,value'
cat >values.csv <<'END'
id,stress
e,1
d,2
c,3
b,
a,5
END
exits 0 density map.csv -o mean.npy --values values.csv:stress --report report.json --quiet
contains report.json '"missing": 1'
contains report.json '"mean_bands"'

exits 0 draw map.csv --style landscape -o plan.png -o plan.svg
contains plan.svg '>low<'
contains plan.svg '>water, beyond<'
exits 0 draw map.csv --style landscape --color values.csv:stress -o stress.svg
sed 's/,.*/,nan/; 1s/nan/none/' values.csv >nothing.csv
exits 0 draw map.csv --color nothing.csv:2 -o nothing.svg
contains err "column 'none' of nothing.csv has no number"
contains stress.svg '>lower stress<'

exits 3 density none.csv
contains err "cannot open 'none.csv'"
exits 2 density map.csv --bandwidth 0.001
contains err '--bandwidth is 0.001; with 1024 nodes over'
exits 2 density map.csv --bands 50,10
contains err "--bands is '50,10'"
exits 0 density map.csv -o mean.npy --values values.csv --quiet
exits 2 density map.csv --values stress
contains err '--values is '
exits 3 density map.csv --values values.csv:none
contains err "no column 'none'"
exits 2 density map.csv -o map.html
contains err '.npy'
exits 2 density map.csv -o map.csv
exits 4 density map.csv --device cuda:99
exits 2 draw map.csv --water 50
contains err '--water is 50, but it is read only with style landscape'
exits 2 draw map.csv --style landscape --graph map.csv
contains err '--graph'
exits 0 draw map.csv --style landscape --point-size 2 -o map.html
contains map.html "\"landscape\":{"
exits 0 draw map.csv -o points.html
contains points.html "\"landscape\":null"
exits 2 draw map.csv --style landscape -o map.jpg
printf 'x,y\n1,nan\n' >nan.csv
exits 3 density nan.csv
printf 'x1\n1\n2\n' >line.csv
exits 2 density line.csv
contains err '1 dimensions'
finish
