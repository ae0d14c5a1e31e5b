#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared library exports only its own names, so that static dependencies cannot clash with a caller's. Exactly the
# names with DUNLIN_API have the public symbol version; internals have that of their build.
. "$(dirname "$0")/lib.sh"

version=$(sed -n 's/^project(dunlin VERSION \([0-9.]*\).*/\1/p' "$DUNLIN_SOURCE/CMakeLists.txt")
nm --dynamic --defined-only --with-symbol-versions "$DUNLIN_BUILD/libdunlin.so" | awk '$2 != "A" { print $NF }' >all
grep -vE '^_Z(N|NK|NO|T[A-Z]N|GVN)6dunlin' all >foreign
is_empty foreign
grep -vE "@@(DUNLIN_${version%%.*}|DUNLIN_PRIVATE_$version)\$" all >elsewhere
is_empty elsewhere

grep "@@DUNLIN_${version%%.*}\$" all | sed 's/@.*//' >public
grep "@@DUNLIN_PRIVATE_$version\$" all | sed 's/@.*//' >private
contains public _ZTIN6dunlin5ErrorE
contains private _ZN6dunlin8progress18cancellation_pointEv

# Exactly the functions and classes that public headers declare with DUNLIN_API are public
sed -n 's/.*\(class\|struct\) DUNLIN_API \([A-Za-z]*\).*/\2/p' "$DUNLIN_SOURCE"/include/dunlin/*.hpp | sort -u >classes
sed -n 's/.*DUNLIN_API [^(]*[ &*]\([A-Za-z_0-9]*\)(.*/\1/p' "$DUNLIN_SOURCE"/include/dunlin/*.hpp | sort -u >declared
[ "$(wc -l <declared)" -gt 30 ] || fail "only $(wc -l <declared) functions were found in the public headers"
c++filt <public | sed 's/\[abi:[a-z0-9]*\]//; s/(.*//' >names
sed 's/^\(.*\)$/::\1$\n::\1::/' classes >of_classes
grep -vf of_classes names | sed 's/.*:://' | sort -u >defined
diff declared defined >difference
is_empty difference
for class in $(cat classes); do contains names "::$class"; done

finish
