#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The programs in README.md are the files that the package test compiles and runs.
. "$(dirname "$0")/lib.sh"

block() { # LANGUAGE: the README's only block in that language
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$DUNLIN_SOURCE/README.md" | sed '1d;$d'
}
block cpp >shown.cpp
same shown.cpp "$DUNLIN_SOURCE/examples/cpp/main.cpp"
block cmake >shown.cmake
same shown.cmake "$DUNLIN_SOURCE/examples/cpp/CMakeLists.txt"

finish
