#!/bin/sh
# The shared library shows its own names and no others: what it links statically cannot clash with a caller's.
. "$(dirname "$0")/lib.sh"

nm --dynamic --defined-only "$DUNLIN_BUILD/libdunlin.so" | awk '{ print $NF }' >all
grep -vE '^_Z(N|NK|T[IVS]N)6dunlin' all >foreign
contains all _ZTIN6dunlin5ErrorE
is_empty foreign

finish
