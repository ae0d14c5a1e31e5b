#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Guesses of what INPUT holds and of its dialect give messages, and flags override them.
. "$(dirname "$0")/lib.sh"

# Two columns of whole numbers are drawn as a graph, with a message
printf '1,2\n2,3\n3,4\n4,5\n5,1\n' >pairs.csv
exits 0 map pairs.csv -o map.csv --report report.json
contains err 'note: pairs.csv is read as a graph: two columns of whole numbers; --holds overrides'
[ "$(json report.json input holds)" = graph ] || fail 'holds in the report'
json report.json input guessed | grep -qi '^\(true\|on\)$' || fail 'guessed in the report'
contains report.json '"reason": "two columns of whole numbers"'
exits 0 map pairs.csv -o map.csv --quiet
is_empty err
exits 0 map pairs.csv --holds graph -o graph.csv
same map.csv graph.csv
grep -q 'read as' err && fail 'a guess where --holds says it'
exits 0 map pairs.csv --holds points -o points.csv --perplexity 1 --report report.json
[ "$(json report.json method)" = tsne ] || fail 'points that are said to be points'
[ "$(json report.json input holds)" = points ] || fail 'points in the report'

printf '0;1,5;2,5;3\n1,5;0;1;2\n2,5;1;0;1,5\n3;2;1,5;0\n' >matrix.csv
exits 0 mds matrix.csv -o map.csv
contains err 'is read as dissimilarities'
contains err 'read with decimal commas, columns separated by semicolons; --decimal overrides'
exits 0 mds matrix.csv --holds dissimilarities --decimal comma -o again.csv
same map.csv again.csv
grep -q 'note:' err && fail 'a guess where flags say it'
exits 0 info matrix.csv
contains out 'dissimilarities of 4 items'
exits 2 score map.csv --of matrix.csv
contains err '--holds points'

# Tables with decimal commas, plain and compressed
awk 'BEGIN { print "Name;a;b"; for (i = 0; i < 60; ++i) printf "n%d;%d,5;%d,25\n", i, i, i * i % 17 }' >europe.csv
awk 'BEGIN { print "Name,a,b"; for (i = 0; i < 60; ++i) printf "n%d,%d.5,%d.25\n", i, i, i * i % 17 }' >plain.csv
gzip -k europe.csv
exits 0 kmeans plain.csv --clusters 3 -o plain_clusters.csv --centroids plain_centroids.csv
for table in europe.csv europe.csv.gz; do
    exits 0 kmeans $table --clusters 3 -o clusters.csv --centroids centroids.csv
    contains err 'decimal commas'
    same clusters.csv plain_clusters.csv
    same centroids.csv plain_centroids.csv
done
printf '1,5;2.5\n3,5;4.5\n' >mixed.csv
exits 3 kmeans mixed.csv --clusters 1 -o none.csv
contains err 'mixed.csv:1'
contains err 'decimal: comma or point'

# LDA-C documents
awk 'BEGIN { for (i = 0; i < 40; ++i) printf "3 %d:2 %d:1 7:1\n", i % 3, 3 + i % 4 }' >documents.txt
exits 0 info documents.txt
contains err 'is read as documents: every line begins with the number of its id:count pairs (LDA-C)'
contains out 'lda-c, 40 rows, 8 columns'
exits 0 map documents.txt --metric cosine --perplexity 5 -o map.csv --report report.json
[ "$(json report.json input holds)" = documents ] || fail 'documents in the report'
exits 0 kmeans documents.txt --clusters 3 -o clusters.csv
contains err 'read as documents'
exits 2 kmeans documents.txt --clusters 3 --holds graph -o none.csv
contains err 'holds'

finish
