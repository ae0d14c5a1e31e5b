#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's list of packages as sparse documents: the stress of a map of some of them is below that of the simplex.
. "$(dirname "$0")/lib.sh"

python3 "$DUNLIN_SOURCE/bench/packages.py" . >made 2>&1 || {
    echo "skipped: $(tail -n 1 made)"
    exit 0
}
contains made 'package-words.svm'
head -n 3000 package-tags.svm >some.svm
exits 0 mds some.svm --metric cosine --iterations 200 --report report.json -o map.csv
lines map.csv 3001
awk "BEGIN { exit !($(json report.json quality normalized_stress) < 0.7 * $(json report.json quality normalized_stress_simplex)) }" ||
    fail "stress $(json report.json quality normalized_stress) of packages by their tags"

finish
