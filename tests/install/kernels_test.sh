#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A file with its own compiler flags cannot lose them by renaming: CMake fails.
. "$(dirname "$0")/lib.sh"

mkdir tree
printf 'cmake_minimum_required(VERSION 3.25)\nproject(kernels NONE)\ninclude(%s)\n' \
    "$DUNLIN_SOURCE/cmake/kernels.cmake" >tree/CMakeLists.txt
(cd "$DUNLIN_SOURCE" && find src -name '*_simd.cpp' -o -name '*_unfused.cpp' -o -name '*_sm90a.cu') >kernels
while read -r kernel; do
    mkdir -p "tree/$(dirname "$kernel")"
    : >"tree/$kernel"
done <kernels
configure() { cmake -G Ninja -S tree -B built >log 2>&1; }

configure || fail "the tree as it is: $(cat log)"
for kernel in src/forces/exact/exact_simd.cpp src/kmeans/distances_unfused.cpp src/neighbors/cuda/filter_hopper_sm90a.cu; do
    mv "tree/$kernel" tree/src/renamed
    configure && fail "$kernel may be renamed"
    contains log "$kernel"
    mv tree/src/renamed "tree/$kernel"
done
for name in src/new_simd.cpp src/io/new_unfused.cpp src/tsne/new_sm90a.cu; do
    mkdir -p "tree/$(dirname "$name")"
    : >"tree/$name"
    configure && fail "$name is not listed and has no flags"
    contains log "$name"
    rm "tree/$name"
done
configure || fail "the tree as it was: $(cat log)"

finish
