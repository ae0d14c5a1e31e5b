#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page's modules are small, and TypeScript finds nothing wrong with their types.
. "$(dirname "$0")/lib.sh"

# at_most BYTES WHAT PART...: parts of a page, as the library has them, are not larger when compressed
at_most() {
    most=$1 what=$2
    shift 2
    for part in "$@"; do
        awk -v begin="const std::string_view page_$part = R\"page(" \
            'index($0, begin) == 1 { found = 1 } found { print } found && /\)page";$/ { exit }' "$DUNLIN_BUILD/html_page.cpp" >part
        [ -s part ] || fail "there is no $part"
        cat part
    done >parts
    size=$(gzip -9 <parts | wc -c)
    [ "$size" -le "$most" ] || fail "$what: $size bytes compressed; at most $most are allowed"
}
at_most 36864 "script, style and elements of a page" script style body
at_most 4608 "the script of landscapes and hulls" relief_script
at_most 7680 "the script of WebGPU" webgpu_script
at_most 2560 "the script of films" film_script
at_most 10240 "the script and elements of pages of lines and grids" plot_script plot_body
at_most 10240 "the script of served pages, which may follow a run" run_script
at_most 55296 "all of a served page" script style body relief_script webgpu_script run_script
at_most 3584 "the scripts of pages in notebooks" port_script widget_module
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
