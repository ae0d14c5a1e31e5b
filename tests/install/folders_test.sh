#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The folders of src have no cyclic includes, CUDA files included (tests/folders.sh), and the check can fail.
. "$(dirname "$0")/lib.sh"
check="sh $DUNLIN_SOURCE/tests/folders.sh"

$check "$DUNLIN_SOURCE/src" >arrows 2>circle || fail "$(cat circle)"
[ "$(wc -l <arrows)" -gt 40 ] || fail "only $(wc -l <arrows) arrows were seen"
contains arrows "neighbors kmeans"

mkdir -p src/a src/b/cuda
echo '#include "b/cuda/x.cuh"' >src/a/x.hpp
echo '#include "a/x.hpp"' >src/b/cuda/x.cuh
$check src >arrows 2>circle && fail "a circle was not found"
contains circle "b"

echo '#include "b/cuda/y.cuh"' >src/b/cuda/x.cuh
$check src >arrows || fail "a circle was found where there is none"
contains arrows "a b"
finish
