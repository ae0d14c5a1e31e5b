#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The programs in README.md are the files that the package test compiles and runs, and its commands run.
. "$(dirname "$0")/lib.sh"

block() { # LANGUAGE: the README's only block in that language
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$DUNLIN_SOURCE/README.md" | sed '1d;$d'
}
block cpp >shown.cpp
same shown.cpp "$DUNLIN_SOURCE/examples/cpp/main.cpp"
block cmake >shown.cmake
same shown.cmake "$DUNLIN_SOURCE/examples/cpp/CMakeLists.txt"

ln -s "$DUNLIN_SOURCE/examples" examples
sed -n 's/^dunlin \(.*[^ ]\)  *#.*/\1/p' "$DUNLIN_SOURCE/README.md" >commands
lines commands 4
while read -r arguments; do
    # shellcheck disable=SC2086  # words of a command
    exits 0 $arguments
done <commands
is_png digits.png
is_png capitals.png
contains includes.svg '<svg'
contains texts.html '<html'

finish
