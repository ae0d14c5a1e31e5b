#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that knows only the prefix finds, links and runs an installed Dunlin; its command runs as well.
. "$(dirname "$0")/lib.sh"

cmake --install "$DUNLIN_BUILD" --prefix "$work/first" >log 2>&1 || fail "install: $(tail -n 5 log)"
mv first moved # no path of the installation may be fixed

CXXFLAGS='-Wall -Wextra -Wpedantic -Wconversion -Werror' cmake -S "$DUNLIN_SOURCE/examples/cpp" -B example -G Ninja \
    -D CMAKE_PREFIX_PATH="$work/moved" >log 2>&1 || fail "configure: $(tail -n 20 log)"
cmake --build example >log 2>&1 || fail "build: $(tail -n 20 log)"

./example/embed "$digits" >out 2>err || fail "the example failed: $(cat err)"
contains out '1797 points, KL 0.'
lines map.csv 1798
is_png map.png

DUNLIN_COMMAND=$work/moved/bin/dunlin
[ -e /proc/self ] || export LD_LIBRARY_PATH="$work/moved/lib" # else the loader does not know where the command is
exits 0 --version
contains out "$(sed -n 's/^project(dunlin VERSION \([0-9.]*\).*/\1/p' "$DUNLIN_SOURCE/CMakeLists.txt")"

# every public header compiles alone
for header in moved/include/dunlin/*.hpp; do
    printf '#include <dunlin/%s>\n' "$(basename "$header")" >alone.cpp
    c++ -std=c++20 -fsyntax-only -I moved/include alone.cpp 2>log || fail "$header alone: $(head -n 5 log)"
done

finish
