#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exports.sh READELF FILE MAJOR VERSION OBJECT...: writes libdunlin's version script. Names with DUNLIN_API have default
# visibility and are listed in the node DUNLIN_<MAJOR>. All other names of namespace dunlin are protected and belong to
# DUNLIN_PRIVATE_<VERSION>, for the CUDA backend, tests and benchmarks of the same build only. Functions with several
# versions (IFUNC and resolvers) always have default visibility; none of them is public.
set -eu
readelf=$1 file=$2 public=DUNLIN_$3 private=DUNLIN_PRIVATE_$4
shift 4

"$readelf" --syms --wide "$@" |
    awk '$6 == "DEFAULT" && $7 != "UND" && $5 != "LOCAL" && $4 != "IFUNC" && $8 ~ /^_Z(N|NK|T[IVS]N)6dunlin/ && $8 !~ /[.]/ { print $8 }' |
    sort -u >"$file.names"
[ -s "$file.names" ] || { echo "exports.sh: no object defines a name with DUNLIN_API" >&2; exit 1; }
{
    printf '%s {\n  global:\n' "$public"
    sed 's/.*/    &;/' "$file.names"
    printf '  local:\n    *;\n};\n%s {\n  global:\n' "$private"
    printf '    %s*;\n' _ZN6dunlin _ZNK6dunlin _ZNO6dunlin '_ZT?N6dunlin'
    printf '} %s;\n' "$public"
} >"$file"
rm "$file.names"
