#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a fuzzer per reader (clang, libFuzzer, address and undefined-behavior sanitizers) and runs them all.
#   tests/fuzz/run.sh SECONDS [READER...]     SECONDS altogether; without READER all of tests/fuzz/*.cpp
# New inputs and crashes are left in build/fuzz; the corpus here is only read. Exits with 1 if a reader failed.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:?how many seconds altogether?}
shift
readers=${*:-$(cd tests/fuzz && ls ./*.cpp | sed 's|.*/||; s|\.cpp$||')}
clang=${CLANG:-$(command -v clang++-14 || command -v clang++)}
out=build/fuzz
flags="-std=c++20 -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -DDUNLIN_NO_CLONES $(pkg-config --cflags libcgraph cairo hdf5) -DDUNLIN_VERSION=\"fuzzed\""
export clang flags
mkdir -p "$out/objects"

# The readers and what they may call, compiled once; only what changed. An archive: a fuzzer takes what it needs. What
# knows of GPUs includes <source_location>, which clang 14 has not, and reads no file
{ find src/io src/device src/checkpoint src/progress hdf5 -name '*.cpp' -exec grep -L 'device/\(gpus\|complete\)\.hpp' {} +; ls src/parametric/check.cpp src/graph/simplify.cpp src/sequences/strings.cpp; } | while read -r source; do
    object="$out/objects/$(echo "${source%.cpp}" | tr / _).o"
    if [ ! -e "$object" ] || [ -n "$(find src/io src/device src/checkpoint src/progress src/parametric src/graph src/sequences hdf5 include "$source" -newer "$object" | head -n 1)" ]; then
        echo "$source $object"
    fi
done | xargs -r -n 2 -P "$(nproc)" sh -c '"$clang" $flags -Iinclude -Isrc -c "$1" -o "$2"' compile
rm -f "$out/readers.a"
ar rcs "$out/readers.a" "$out"/objects/*.o

count=$(echo $readers | wc -w)
each=$(((seconds + count - 1) / count))
failed=""
for reader in $readers; do
    "$clang" $flags -fsanitize=fuzzer -Iinclude -Isrc "tests/fuzz/$reader.cpp" "$out/readers.a" -lfmt -lz -llzma \
        -lcgraph -lpugixml -lcairo $(pkg-config --libs hdf5) -ldl -o "$out/$reader"
    mkdir -p "$out/found/$reader"
    if "$out/$reader" -max_total_time="$each" -timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="$out/$reader-" "$out/found/$reader" "tests/fuzz/corpus/$reader" >"$out/$reader.log" 2>&1; then
        echo "$reader: $(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$reader.log") inputs in $each s"
    else
        tail -n 40 "$out/$reader.log"
        failed="$failed $reader"
    fi
done
[ -z "$failed" ] || { echo "failed:$failed (inputs in $out)"; exit 1; }
