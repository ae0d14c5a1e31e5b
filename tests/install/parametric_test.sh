#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dunlin train makes a model, by which dunlin transform places rows.
. "$(dirname "$0")/lib.sh"

# Rows of two clusters, one column far from zero; every fourth row is new
awk 'BEGIN {
    srand(7)
    print "id,a,b,c" >"all.csv"; print "id,a,b,c" >"old.csv"; print "id,a,b,c" >"new.csv"
    for (i = 0; i < 400; ++i) {
        at = i % 2 ? 0 : 8
        row = sprintf("r%d,%.4f,%.4f,%.4f", i, at + rand(), 1e6 + at + rand(), rand())
        print row >"all.csv"
        print row >(i % 4 == 3 ? "new.csv" : "old.csv")
    }
}'
small='--layers 30,20 --pretrain-epochs 60 --epochs 10 --perplexity 20'
exits 0 train old.csv --ids id $small -o model.npz -o map.csv -o map.png --report report.json
[ "$(json report.json command)" = train ] || fail 'command in the report'
[ "$(json report.json method)" = map ] || fail 'method in the report'
[ "$(json report.json options layers)" = 30,20 ] || fail 'layers in the report'
[ "$(json report.json model prototypes)" = 150 ] || fail 'prototypes in the report'
[ "$(json report.json model parameters)" = 3890 ] || fail "parameters in the report: $(json report.json model parameters)"
json report.json quality kl >/dev/null || fail 'kl in the report'
lines map.csv 301

# Every new row lies among the old ones of its cluster
exits 0 transform new.csv --ids id --model model.npz -o places.csv --report transform.json
lines places.csv 101
contains places.csv 'r3,'
[ "$(json transform.json method)" = parametric ] || fail 'method of transform'
awk -F, 'FNR == 1 { next }
    { odd = substr($1, 2) % 2 }
    FNR == NR { x[odd] += $2; y[odd] += $3; n[odd]++; next }
    {
        own = ($2 - x[odd] / n[odd]) ^ 2 + ($3 - y[odd] / n[odd]) ^ 2
        other = ($2 - x[1 - odd] / n[1 - odd]) ^ 2 + ($3 - y[1 - odd] / n[1 - odd]) ^ 2
        if (own >= other) { print "row " $1 " lies in the other cluster"; bad = 1 }
    }
    END { exit bad }' map.csv places.csv || fail 'places'

# The training rows have their places in the map, and the model the same bytes for any number of threads
exits 0 transform old.csv --ids id --model model.npz -o again.csv --quiet
awk -F, 'FNR == NR { x[FNR] = $2; next } FNR > 1 && ($2 - x[FNR]) ^ 2 > 1e-4 { exit 1 }' map.csv again.csv || fail 'places of the training rows'
exits 0 train old.csv --ids id $small -o one.npz --quiet --threads 1
exits 0 train old.csv --ids id $small -o three.npz --quiet --threads 3
same one.npz three.npz
same one.npz model.npz

# The recipe of 2009
exits 0 train old.csv --ids id --pretrain rbm --layers 10 --pretrain-epochs 2 --epochs 1 --batch 100 -o rbm.npz --report rbm.json --quiet
[ "$(json rbm.json options visible)" = gaussian ] || fail 'visible units of real values'
json rbm.json quality batch_kl >/dev/null || fail 'batch_kl in the report'

# Errors
exits 2 train old.csv --ids id -o map.csv
contains err '--output names no model'
exits 2 train old.csv --ids id --layers 3,x -o m.npz
contains err "--layers is '3,x'"
exits 2 train old.csv --ids id --visible binary -o m.npz
contains err 'read only with pretrain rbm'
exits 4 train old.csv --ids id --device cuda -o m.npz
exits 2 transform new.csv --ids id -o p.csv
contains err '--map is missing'
exits 2 transform new.csv --ids id --model model.npz --map map.csv -o p.csv
contains err '--map is given beside --model'
exits 2 transform new.csv --ids id --model model.npz --perplexity 5 -o p.csv
contains err '--perplexity is given beside --model'
exits 3 transform new.csv --ids id --model map.csv -o p.csv
head -c 500 model.npz >cut.npz
exits 3 transform new.csv --ids id --model cut.npz -o p.csv
head -n 3 old.csv >few.csv
exits 2 train few.csv --ids id -o m.npz
contains err 'at least 4'
exits 2 train model.npz -o model.npz

finish
