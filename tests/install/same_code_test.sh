#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ./dev same-code: code in another namespace, of another name and in another order is the same; another constant, table, text or callee
# is not.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null && command -v objdump >/dev/null || { echo "no python3 or objdump: ./dev same-code is not tested"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "./dev same-code is for x86-64"; exit 77; }

cat >one.cpp <<'END'
#include <cmath>
#include <cstdio>
namespace one {
struct Shape { virtual double area() const; virtual double edge() const; virtual ~Shape() = default; double side = 2; };
double Shape::area() const { return side * side * 0.25; }
double Shape::edge() const { return side * 4; }
const int primes[] = {2, 3, 5, 7, 11, 13};
[[gnu::noinline]] double lower(double x) { return std::sin(x) - 1.5; }
[[gnu::noinline]] double upper(double x) { return std::cos(x) + 1.5; }
int prime(int i) { return primes[i % 6]; }
double both(double x) { return lower(x) * upper(2 * x); }
double wide(const float* x, int n) { float sum = 0.1F; for (int i = 0; i < n; ++i) sum += x[i] * 3.25F; return sum; }
void tell(int what) {
    switch (what) {
    case 0: std::puts("none"); break;
    case 1: std::puts("one"); break;
    case 2: std::puts("a pair"); break;
    case 3: std::puts("three"); break;
    case 4: std::printf("%d\n", prime(what)); break;
    case 5: std::printf("%f\n", both(what)); break;
    default: std::puts("many");
    }
}
Shape* made() { return new Shape(); }
}
END
sed 's/namespace one/namespace another::one/; s/both/product/; s/Shape/Square/g' one.cpp >renamed.cpp
awk '/double upper/ { held = $0; next } { print } /^double wide/ { print held }' one.cpp |
    sed 's/^namespace one {/&\ndouble upper(double);/' >moved.cpp
sed 's/1\.5; }$/1.25; }/' one.cpp >constant.cpp
sed 's/3\.25F/3.5F/' one.cpp >vector.cpp
sed 's/7, 11/7, 12/' one.cpp >table.cpp
sed 's/a pair/a duet/' one.cpp >text.cpp
sed 's/lower(x) \* upper/upper(x) * upper/' one.cpp >callee.cpp
sed 's/double area() const; virtual double edge() const/double edge() const; virtual double area() const/' one.cpp >virtual.cpp
for name in one renamed moved constant vector table text callee virtual; do
    c++ -std=c++20 -O2 -ftree-vectorize -ffast-math -fPIC -shared -o $name.so $name.cpp || fail "$name.cpp does not compile"
done

compares() { # CODE NAME
    python3 "$DUNLIN_SOURCE/tests/same_code.py" one.so $2.so >out 2>err
    got=$?
    [ $got = "$1" ] || fail "one.so and $2.so: exit code $got, not $1: $(cat out err)"
}
for name in one renamed moved; do compares 0 $name; done
for name in constant vector table text callee virtual; do compares 1 $name; done
compares 1 constant
contains out 'one::lower(double)'
contains out 'one::upper(double)'
finish
