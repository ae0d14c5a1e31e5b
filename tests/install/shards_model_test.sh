#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The protocol of distributed k-means, checked by spin: docs/lab/shards.pml has what is claimed. The check can fail.
. "$(dirname "$0")/lib.sh"

model=$DUNLIN_SOURCE/docs/lab/shards.pml
if ! command -v spin >/dev/null || ! command -v gcc >/dev/null; then
    echo "skipped: spin or gcc is not there (Debian: apt-get install spin gcc)"
    exit 77
fi

# check MODEL [-D...]: exits with 1 where spin finds an error
check() {
    file=$1
    shift
    spin -a "$file" >log 2>&1 || fail "spin: $(cat log)"
    gcc -O2 -w -DSAFETY -DMEMLIM=4096 "$@" -o pan pan.c || fail "pan.c does not compile"
    ./pan -m1000000 ${bits:+-w$bits} >log 2>&1
    grep -q 'errors: 0' log && ! grep -q 'max search depth too small\|out of memory' log
}

# faults NAME=NUMBER... [-- -D...]: checks the model with these
faults() {
    : >some.pml
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        words="${words:-} $1"
        echo "#define ${1%=*} ${1#*=}" >>some.pml
        shift
    done
    [ $# -eq 0 ] || shift
    cat "$model" >>some.pml
    check some.pml "${@:--DCOLLAPSE}" || fail "$words: $(head -n 20 log)"
    echo "$words: $(sed -n 's/^ *\([0-9.e+]* states, stored\).*/\1/p' log)"
    words=
}

faults CRASHES=1 FREEZES=0 RESTARTS=0 GHOSTS=0 ITERATIONS=2
faults CRASHES=0 FREEZES=1 RESTARTS=0 GHOSTS=0 ITERATIONS=2
faults CRASHES=0 FREEZES=0 RESTARTS=1 GHOSTS=1 ITERATIONS=1
if [ -n "${DUNLIN_SLOW:-}" ]; then
    faults CRASHES=1 FREEZES=0 RESTARTS=0 GHOSTS=0
    faults CRASHES=0 FREEZES=1 RESTARTS=0 GHOSTS=0
    # Too many states to keep: a bit for each, so that some may be passed over
    bits=33
    faults CRASHES=1 FREEZES=1 RESTARTS=1 GHOSTS=1 -- -DBITSTATE
    bits=
fi

# A driver that counts answers of any epoch, and one that counts an answer twice, are found
{ echo "#define ITERATIONS 1"; sed 's/a != PING \&\& e == epoch \&\& a == t/a != PING \&\& a == t/' "$model"; } >wrong.pml
check wrong.pml -DCOLLAPSE && fail "an answer of an older epoch was counted unnoticed"
{ echo "#define ITERATIONS 1"; sed 's/ \&\& !(counted \& (1 << c)) ->/ ->/' "$model"; } >wrong.pml
check wrong.pml -DCOLLAPSE && fail "a chunk was counted twice unnoticed"

finish
