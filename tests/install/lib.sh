#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Functions for the tests of the installed Dunlin. A test sources this file, and ends with `finish`.
# CTest sets DUNLIN_COMMAND, DUNLIN_BUILD and DUNLIN_SOURCE.
set -u

# shellcheck disable=SC2034  # the tests use it
digits=$DUNLIN_SOURCE/examples/digits.csv.gz
here=$DUNLIN_SOURCE/tests/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

finish() {
    [ "$failures" = 0 ] || exit 1
    exit 0
}

# exits CODE ARGUMENTS...: runs the command, stores its output in the files out and err, and checks its exit code
exits() {
    wanted=$1
    shift
    "$DUNLIN_COMMAND" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] && return
    fail "dunlin $*: exit code $got, not $wanted"
    tail -n 5 err >&2
}

contains() { # FILE TEXT
    grep -qF -e "$2" "$1" && return
    fail "$1 lacks '$2'; it has: $(head -c 600 "$1")"
}

is_empty() { # FILE
    [ ! -s "$1" ] || fail "$1 is not empty: $(head -c 600 "$1")"
}

same() { # FILE FILE
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

lines() { # FILE COUNT
    count=$(awk "END { print NR }" "$1")
    [ "$count" -eq "$2" ] || fail "$1 has $count lines, not $2"
}

is_png() { # FILE
    [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] || fail "$1 is not a PNG picture"
}

# json FILE KEY...: the value in the file
json() {
    file=$1
    shift
    keys=$(printf '%s;' "$@")
    cmake -D "file=$file" -D "keys=${keys%;}" -P "$here/json.cmake" 2>&1
}

# a small set of points in two clusters, FILE ROWS
clusters() {
    awk -v rows="$2" 'BEGIN {
        srand(3)
        print "a,b,c,kind"
        for (i = 0; i < rows; ++i) printf "%.4f,%.4f,%.4f,%s\n", rand() + 9 * (i % 2), rand(), rand(), i % 2 ? "far" : "near"
    }' >"$1"
}
