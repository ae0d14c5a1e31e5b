#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No type is defined twice in one namespace of a program (tests/defined_once.awk), and the check can fail.
. "$(dirname "$0")/lib.sh"
check=$DUNLIN_SOURCE/tests/defined_once.awk

sources() { # FOLDER...
    for folder in "$@"; do find "$DUNLIN_SOURCE/$folder" -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh'; done | sort
}

# The sources: the library with the command, and with each suite of tests
for program in app tests/unit tests/quality tests/agree; do
    # shellcheck disable=SC2046  # no spaces in the paths of the sources
    awk -f "$check" $(sources src include "$program") >found || fail "$program: $(cat found)"
    [ "$(awk 'END { print $1 }' found)" -gt 800 ] || fail "$program: only $(tail -n 1 found) were seen"
done

# A type's name means one thing in the project. The common names of each method's interface are exempt (docs/vocabulary.md),
# and so is View, what a kernel sees of the class around it
# shellcheck disable=SC2046
awk -v reused=3 -f "$check" $(sources src include app) | sed -n 's/^reused: //p' |
    grep -v -E '^(Options|Result|Given|Seconds|Method|Metric|Start|View) ' >reused || true
[ "$(wc -l <reused)" -le 5 ] || fail "names of types in three files or more: $(tr '\n' ',' <reused)"

file() { mkdir -p "$(dirname "$1")" && cat >"$1"; } # PATH, text on standard input
faulty() { # WANTED FILE...
    wanted=$1
    shift
    awk -f "$check" "$@" >found && fail "no fault was found where '$wanted' was meant"
    contains found "$wanted"
}
faultless() { # TYPES FILE...
    wanted=$1
    shift
    awk -f "$check" "$@" >found || fail "a fault where there is none: $(cat found)"
    contains found "$wanted types"
}

# What has to be found: each form of a type, each way to write its namespace
file a.hpp <<'END'
#pragma once
namespace one::two {
struct Plain { int x; };
template <class T, int N = (1 << 3), class U = int>
class Generic : Base<T> { struct Inner { T value[N]; }; };
enum class Kind : unsigned char { some };
struct alignas(N > 3 ? 16 : 8) Wide { long long x; };
class EXPORTED Shown final { struct State; };
union Both { int i; float f; };
}
END
for other in 'struct Plain {};' 'template <class S> class Generic {};' 'enum class Kind { other };' \
    'struct alignas(16) Wide {};' 'struct Shown { int shown; };' 'union Both { int i; };' \
    'inline int f(int x = 3) { if (x < 2) { return 1; } return 2; } struct [[nodiscard]] Plain : Base { int y{1}; };'; do
    echo "namespace one { namespace two { $other } }" | file b.cuh
    faulty 'is defined in a.hpp:' a.hpp b.cuh
    contains found 'b.cuh:1: one::two::'
done
echo 'struct one::two::Shown::State { int x; };' | tee c.cpp | file d.cu
faulty 'one::two::Shown::State is defined in c.cpp:1 too' c.cpp d.cu
echo 'namespace one { namespace { struct Hidden {}; } }' | file e.hpp
faulty 'e.hpp:1: an anonymous namespace in a header' e.hpp
echo 'namespace one { struct Open {' | file f.cpp
faulty 'f.cpp: braces do not match' f.cpp
echo 'struct Closed {}; }' | file f.cpp
faulty 'was not opened' f.cpp

# What is none: other namespaces, anonymous ones, functions, specializations, declarations, comments and literals
file g.cpp <<'END'
#include "a.hpp"
#define OPEN \
    {
namespace { struct Plain { int x; }; }
namespace one::three { struct Plain { const char* text = "struct Text {"; char c = '{', quote = '"'; int n = 1'000; }; }
// struct Plain {
/* struct Plain {
   "  { */
const char* raw = R"x(struct Plain { " )" )x";
struct one::two::Plain made() { struct Plain { int y; } local{2}; return {local.y}; }
template <class T> struct Of { };
template <> struct Of<int> { };
struct one::two::Plain plain = {1};
auto f = [](struct one::two::Plain* p) { return p->x < 3 ? [] { struct Local {}; return 1; }() : 2; };
END
sed -e 's/made()/made_too()/' -e 's/ raw = / more = /' -e '/Of/d' -e 's/three/four/' g.cpp | file h.cpp
faultless 4 g.cpp
faultless 13 a.hpp g.cpp h.cpp
mkdir -p cuda
echo 'namespace one { struct Gpu::Parts { int none; }; }' | tee no_cuda.cpp | file cuda/gpu.cu
faultless 2 no_cuda.cpp cuda/gpu.cu
cp cuda/gpu.cu other.cu
faulty 'other.cu:1: one::Gpu::Parts is defined in cuda/gpu.cu:1 too' no_cuda.cpp cuda/gpu.cu other.cu
finish
