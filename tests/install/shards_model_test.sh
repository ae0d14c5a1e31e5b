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
    gcc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=4096 -o pan pan.c || fail "pan.c does not compile"
    ./pan -m1000000 >log 2>&1
    grep -q 'errors: 0' log && ! grep -q 'max search depth too small\|out of memory' log
}

cp "$model" shards.pml
for faults in "CRASHES=1 FREEZES=0 RESTARTS=0 GHOSTS=0" "CRASHES=0 FREEZES=1 RESTARTS=0 GHOSTS=0" \
    "CRASHES=0 FREEZES=0 RESTARTS=1 GHOSTS=1" ${DUNLIN_SLOW:+"CRASHES=1 FREEZES=1 RESTARTS=1 GHOSTS=1"}; do
    for each in $faults; do echo "#define ${each%=*} ${each#*=}"; done >some.pml
    cat shards.pml >>some.pml
    check some.pml || fail "$faults: $(head -n 20 log)"
    echo "$faults: $(sed -n 's/^ *\([0-9]* states, stored\).*/\1/p' log)"
done

# A driver that counts answers of any epoch, and one that counts an answer twice, are found
{ echo "#define RESTARTS 1"; sed 's/a != PING \&\& e == epoch \&\& a == t/a != PING \&\& a == t/' shards.pml; } >wrong.pml
check wrong.pml && fail "an answer of an older epoch was counted unnoticed"
{ echo "#define FREEZES 1"; sed 's/ \&\& !(counted \& (1 << c)) ->/ ->/' shards.pml; } >wrong.pml
check wrong.pml && fail "a chunk was counted twice unnoticed"

finish
