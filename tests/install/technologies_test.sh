#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The bench of technologies: every source has the problems that the catalogue says, and the plain program solves small ones
# whose results are known.
. "$(dirname "$0")/lib.sh"
bench=$DUNLIN_SOURCE/bench/technologies

if ! command -v python3 >/dev/null || ! command -v g++ >/dev/null; then
    echo "skipped: python3 or g++ is not there"
    exit 77
fi

python3 "$bench/run.py" --list >list || fail "the list of technologies"
[ "$(wc -l <list)" -ge 15 ] || fail "only these technologies: $(cat list)"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$bench python3 - <<'END' || fail "a technology without lines of code"
import run

for technology in run.technologies().values():
    for kind in technology.kinds if technology.source else ():
        lines = run.lines_of(technology.source, kind)
        if lines == 0 and (technology.name, kind) != ("OpenBLAS", "waves"):
            raise SystemExit(f"{technology.source} has no lines for {kind}")
END

# Files of numbers without a header
numbers() {
    python3 -c 'import array, sys; array.array(sys.argv[1], map(float, sys.argv[3:])).tofile(open(sys.argv[2], "wb"))' "$@"
}
shown() { # FORMAT FILE
    python3 -c 'import array, sys
values = array.array(sys.argv[1])
values.frombytes(open(sys.argv[2], "rb").read())
print(*(f"{value:g}" for value in values))' "$@"
}

g++ -std=c++20 -O1 -ffp-contract=off "$bench/plain.cpp" -o plain || fail "plain.cpp was not compiled"

mkdir kmeans waves solve
numbers f kmeans/points.f32 0 0 0 2 10 0 10 2
numbers f kmeans/start.f32 0 0 10 0
echo 4 2 1 >kmeans/sizes
./plain kmeans kmeans 3 0 >out || fail "k-means"
lines out 2
[ "$(shown i kmeans/out-labels.i32)" = "0 0 1 1" ] || fail "labels $(shown i kmeans/out-labels.i32)"
[ "$(shown d kmeans/out-centroids.f64)" = "0 1 10 1" ] || fail "centroids $(shown d kmeans/out-centroids.f64)"

# v' = v + 0.4 (left - 2 v + right) + 0.1 v (1 - v) (v - 0.01), w' = 0.001 v; ends have mirrors
numbers d waves/v.f64 1 0 0
numbers d waves/w.f64 0 0 0
echo 3 0 1 >waves/sizes
./plain waves waves 2 0 >out || fail "waves"
[ "$(shown d waves/out-v.f64)" = "0.2 0.4 0" ] || fail "v $(shown d waves/out-v.f64)"
[ "$(shown d waves/out-w.f64)" = "0.001 0 0" ] || fail "w $(shown d waves/out-w.f64)"

# 2x - y = 0, -x + 2y - z = 0, -y + 2z = 4
numbers d solve/lower.f64 0 -1 -1
numbers d solve/diagonal.f64 2 2 2
numbers d solve/upper.f64 -1 -1 0
numbers d solve/right.f64 0 0 4
echo 3 0 0 >solve/sizes
./plain solve solve 2 0 >out || fail "solve"
[ "$(shown d solve/out-x.f64)" = "1 2 3" ] || fail "x $(shown d solve/out-x.f64)"

./plain solve nowhere 2 0 >out 2>err && fail "a missing input was not noticed"
contains err "nowhere"
finish
