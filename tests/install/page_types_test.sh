#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page's modules are small, and TypeScript finds nothing wrong with their types.
. "$(dirname "$0")/lib.sh"

size=$(cat "$DUNLIN_SOURCE"/view/*.js "$DUNLIN_SOURCE"/view/paint/*.js "$DUNLIN_SOURCE"/view/*.css "$DUNLIN_SOURCE"/view/*.html |
    gzip -9 | wc -c)
[ "$size" -le 40960 ] || fail "the page's script, style and elements are $size bytes compressed; at most 40,960 are allowed"
relief=$(cat "$DUNLIN_SOURCE"/view/relief/*.js | gzip -9 | wc -c)
[ "$relief" -le 8192 ] || fail "the script of landscapes and hulls is $relief bytes compressed; at most 8,192 are allowed"
webgpu=$(cat "$DUNLIN_SOURCE"/view/webgpu/*.js | gzip -9 | wc -c)
[ "$webgpu" -le 9216 ] || fail "the script of WebGPU is $webgpu bytes compressed; at most 9,216 are allowed"
film=$(cat "$DUNLIN_SOURCE"/view/film/*.js | gzip -9 | wc -c)
[ "$film" -le 3072 ] || fail "the script of films is $film bytes compressed; at most 3,072 are allowed"
run=$(cat "$DUNLIN_SOURCE"/view/run/*.js "$DUNLIN_SOURCE"/view/film/player.js | gzip -9 | wc -c)
[ "$run" -le 12800 ] || fail "the script of served pages, which may follow a run, is $run bytes compressed; at most 12,800 are allowed"
notebook=$(cat "$DUNLIN_SOURCE"/view/notebook/*.js | gzip -9 | wc -c)
[ "$notebook" -le 4096 ] || fail "the scripts of pages in notebooks are $notebook bytes compressed; at most 4,096 are allowed"
grep -n 'https\?:' "$DUNLIN_SOURCE"/view/*.js "$DUNLIN_SOURCE"/view/*/*.js "$DUNLIN_SOURCE"/view/*.css \
    "$DUNLIN_SOURCE"/view/*.html && fail "a page names an address elsewhere"

if ! command -v tsc >/dev/null; then
    [ "$failures" = 0 ] || exit 1
    echo "skipped: tsc is not there; ./dev browser packages installs it"
    exit 77
fi
tsc -p "$DUNLIN_SOURCE/view" >out || fail "types: $(cat out)"
# The check finds errors
cp -r "$DUNLIN_SOURCE/view" wrong
echo 'layerStarts("many");' >>wrong/order.js
tsc -p wrong >out && fail "a wrong type was not found"
contains out 'order.js'

finish
