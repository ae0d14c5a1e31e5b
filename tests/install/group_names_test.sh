#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names of clusters and communities by texts, counts, columns, labels and files; what cannot be used is named.
. "$(dirname "$0")/lib.sh"

# Two clusters of 40 items each, whose texts have other words, and a table of texts in another order
awk 'BEGIN { print "id,a,b"; for (i = 0; i < 80; i++) printf "p%d,%g,%g\n", i, (i % 9) / 9 + (i < 40 ? 0 : 50), (i % 7) / 7 }' >points.csv
awk 'BEGIN { print "id,body"; for (i = 79; i >= 0; i--) printf "p%d,\"The %s, in the woods\"\n", i, i < 40 ? "red fox" : "brown bear" }' >texts.csv
exits 0 clusters points.csv --min-size 5 --text texts.csv:body --terms 1 -o named.csv --tree tree.json --report report.json
contains out 'cluster 0: red fox'
contains out 'cluster 1: brown bear'
contains named.csv 'id,cluster,strength,outlier_score,name'
grep -q '^p0,0,.*,red fox$' named.csv || fail "p0: $(sed -n 2p named.csv)"
grep -q '^p79,1,.*,brown bear$' named.csv || fail "p79: $(tail -n 1 named.csv)"
contains tree.json '"All"'
contains tree.json '"brown bear"'
[ "$(json report.json names 0)" = 'red fox' ] || fail "names: $(json report.json names)"
[ "$(json report.json named by)" = words ] || fail "named: $(json report.json named)"
contains report.json '"word": "fox"'

# Stop words; the names of any number of threads
printf 'Red\n\nthe\n' >stop.txt
exits 0 clusters points.csv --min-size 5 --text texts.csv:body --stop-words stop.txt --terms 1 --threads 1 -o stop.csv
contains out 'cluster 0: fox'

# Counts, with and without names of their columns
(printf '%%%%MatrixMarket matrix coordinate integer general\n80 2 80\n' && awk 'BEGIN { for (i = 1; i <= 80; i++) print i, i <= 40 ? 1 : 2, 3 }') >counts.mtx
printf 'fox\nbear\n' >words.txt
exits 0 clusters points.csv --min-size 5 --counts counts.mtx --words words.txt -o counts.csv
contains out 'cluster 1: bear'
exits 2 clusters points.csv --min-size 5 --counts counts.mtx -o counts.csv
contains err 'has 2 columns, and no names of them'

# Columns, labels and names of one's own
exits 0 clusters points.csv --min-size 5 --features -o columns.csv
contains out 'cluster 0: a low'
contains err 'no evidence that the groups exist'
awk 'BEGIN { print "id,gene"; for (i = 0; i < 80; i++) printf "p%d,%d\n", i, i < 40 ? 0 : 1 + i % 3 }' >genes.csv
exits 0 clusters points.csv --min-size 5 --features genes.csv --log1p -o columns.csv --report columns.json
contains out 'cluster 1: gene high'
contains columns.json '"log2-fold"'
awk 'BEGIN { print "id,kind"; for (i = 0; i < 80; i++) printf "p%d,%s\n", i, i < 40 ? (i % 4 ? "fox" : "wolf") : "bear" }' >kinds.csv
exits 0 clusters points.csv --min-size 5 --labels kinds.csv:kind -o labels.csv --report labels.json
contains out 'cluster 0: fox'
[ "$(json labels.json purities 0)" = 0.75 ] || fail "purities: $(json labels.json purities)"
printf 'id,name\n1,Bears\n' >own.csv
exits 0 clusters points.csv --min-size 5 --text texts.csv:body --terms 1 --group-names own.csv -o own.out.csv
contains out 'cluster 0: red fox'
contains out 'cluster 1: Bears'
contains err 'own.csv: it has no name for 1 of the 2 clusters: 0'
# By number, whatever the order and the column's name; what matches nothing is said
printf 'cluster,name\n1,Bears\n2,Wolves\n-1,Others\n0.0,Foxes\n' >own.csv
exits 0 clusters points.csv --min-size 5 --group-names own.csv:name -o own.out.csv --report own.json
contains out 'cluster 0: Foxes'
contains out 'cluster 1: Bears'
contains err 'own.csv: 2 numbers match none of the clusters and are not used: 2, -1'
contains own.json '2 numbers match none'
exits 0 clusters points.csv --min-size 5 --group-names own.csv -o own.out.csv --quiet
exits 0 clusters points.csv --min-size 5 --group-names own.out.csv -o again.csv
same own.out.csv again.csv
printf 'id,name\n1,Bears\n2,Foxes\n' >counted.csv
exits 0 clusters points.csv --min-size 5 --group-names counted.csv -o own.out.csv
contains out 'cluster 1: Bears'
contains err 'has no name for 1 of the 2 clusters: 0'
printf 'Foxes\nBears\n' >lines.txt
exits 0 clusters points.csv --min-size 5 --group-names lines.txt -o own.out.csv
contains out 'cluster 1: Bears'
printf 'id,name\n7,Bears\nx,Foxes\n' >strangers.csv
exits 3 clusters points.csv --min-size 5 --group-names strangers.csv
contains err 'no entry has the number of one of the clusters, which are 0 to 1: 7, x'
printf 'id,name\n1,Bears\n1,Foxes\n' >twice.csv
exits 3 clusters points.csv --min-size 5 --group-names twice.csv
contains err 'has two names of the number 1, in rows 1 and 2'
printf 'Foxes\nBears\nWolves\n' >more.txt
exits 3 clusters points.csv --min-size 5 --group-names more.txt
contains err 'more.txt has 3 names, and there are 2 clusters'
# Groups that nothing sets apart are called by the number that the table prints
awk 'BEGIN { print "id,body"; for (i = 0; i < 80; i++) printf "p%d,same words\n", i }' >same.csv
exits 0 clusters points.csv --min-size 5 --text same.csv:body -o same.out.csv --tree same.tree.csv
contains out 'cluster 0: Group 0'
grep -q '^p79,1,.*,Group 1$' same.out.csv || fail "p79: $(tail -n 1 same.out.csv)"
contains same.tree.csv ',1,Group 1'

# Texts of INPUT itself
awk 'BEGIN { print "body"; for (i = 0; i < 60; i++) printf "%s %s\n", i < 30 ? "red fox den" : "brown bear cave", i % 2 ? "one" : "two" }' >documents.csv
exits 0 clusters documents.csv --text body --min-size 25 -o documents.out.csv
contains documents.out.csv ',name'
contains out 'fox'

# Communities, matched by the names of vertices
printf 'source,target\na,b\nb,c\na,c\nc,d\nd,e\ne,f\nd,f\n' >graph.csv
printf 'id,text\nf,bears\nb,red foxes\na,red foxes\nc,red foxes\nd,bears\ne,bears\n' >vertices.csv
exits 2 communities graph.csv --text vertices.csv:text --labels vertices.csv:text
contains err '--text and --labels are given'
exits 0 communities graph.csv --labels vertices.csv:text -o communities.csv --tree communities.csv.nwk.csv
contains communities.csv 'id,community,name'
contains communities.csv 'red foxes'

# A picture shows the names
exits 0 draw points.csv --color named.csv:name -o names.svg --quiet
contains names.svg 'red fox'

# What cannot be used
exits 2 clusters points.csv --min-size 5 --terms 2
contains err '--terms is given, but groups get no names'
exits 2 clusters points.csv --min-size 5 --words words.txt
contains err '--counts'
exits 2 clusters points.csv --min-size 5 --text texts.csv:body --log1p
contains err '--features'
exits 2 clusters points.csv --min-size 5 --group-names nothing.csv
contains err "there is no file 'nothing.csv'"
exits 3 clusters points.csv --min-size 5 --counts nothing.mtx --words words.txt
exits 2 clusters points.csv --min-size 5 --text texts.csv:body -o texts.csv
contains err 'read and overwritten'
printf '%%%%MatrixMarket matrix coordinate real general\n80 2 1\n1 1 -3\n' >negative.mtx
exits 3 clusters points.csv --min-size 5 --counts negative.mtx --words words.txt
contains err 'negative.mtx: row 1 has the value -3 in column 1; counts must be finite and at least 0'

finish
