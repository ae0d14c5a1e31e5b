#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs that are killed at random moments and resumed end with the bytes of a run that was not; files that cannot be used
# are refused by name.
. "$(dirname "$0")/lib.sh"

# resumes OUTPUT ARGUMENTS...: kills the run three times and resumes it, with other threads each time
resumes() {
    output=$1
    shift
    rm -f run.checkpoint* "$output" plain."$output"
    begin=$(date +%s%N)
    exits 0 "$@" -o plain."$output" --threads 2
    seconds=$(awk -v begin="$begin" -v end="$(date +%s%N)" 'BEGIN { print (end - begin) / 1e9 }')
    flags='' kills=''
    for kill in 1 2 3; do
        moment=$(awk -v most="$seconds" -v seed="$(od -An -N3 -tu4 /dev/urandom)" 'BEGIN { srand(seed); print rand() * most }')
        kills="$kills $moment"
        # shellcheck disable=SC2086  # no word where there is no flag
        "$DUNLIN_COMMAND" "$@" -o "$output" --threads $kill --checkpoint run.checkpoint --checkpoint-every 0.02 $flags \
            >out 2>err </dev/null &
        run=$!
        sleep "$moment"
        kill -KILL $run 2>kill_err
        wait $run 2>kill_err
        got=$?
        [ $got = 137 ] || [ $got = 0 ] || fail "dunlin $*: exit code $got before it was killed: $(tail -n 3 err)"
        flags=--resume
    done
    exits 0 "$@" -o "$output" --threads 2 --checkpoint run.checkpoint --resume --report report.json
    cmp -s "$output" plain."$output" || fail "dunlin $*, killed after$kills of $seconds s: other bytes"
    [ "$(json report.json checkpoint file)" = run.checkpoint ] || fail "report of dunlin $*: checkpoint is not there"
}

clusters points.csv 2500
awk 'BEGIN { print "a,b"; for (i = 0; i < 900; ++i) { if (i % 30 < 29) print i "," i + 1; if (i < 870) print i "," i + 30 } }' >mesh.csv
resumes map.csv tsne points.csv --iterations 400
resumes map.csv umap points.csv --iterations 200
resumes map.csv pacmap points.csv --iterations 50,50,100
resumes labels.csv kmeans "$digits" --clusters 12 --restarts 30
resumes map.csv layout mesh.csv
head -n 701 points.csv >few.csv
resumes map.csv mds few.csv --method smacof --iterations 200
resumes map.csv mds few.csv
resumes near.npz neighbors "$digits" -k 20 --method exact
resumes waves.csv waves mesh.csv --stimulate 0 --until 400
resumes model.npz train few.csv --layers 60,40 --pretrain-epochs 60 --epochs 60
resumes model.npz train few.csv --layers 60,40 --pretrain rbm --pretrain-epochs 30 --epochs 5
resumes waves.csv waves --grid 150x150 --stimulate 1 --until 60

# A run that has finished is resumed to the same bytes, at once
exits 0 tsne points.csv --iterations 400 -o map.csv --checkpoint done.checkpoint
cp map.csv plain.csv
rm map.csv
exits 0 tsne points.csv --iterations 400 -o map.csv --checkpoint done.checkpoint --resume --report report.json
contains err 'it had finished'
same map.csv plain.csv
[ "$(json report.json checkpoint resumed_from)" = 400 ] || fail 'resumed_from is not the last iteration'

kept="tsne points.csv --iterations 100000 --tolerance 0 -o map.csv --checkpoint long.checkpoint"

# is_interrupted FLAGS...: runs the command of `kept`, and presses Ctrl-C after its first write
is_interrupted() {
    touch marker
    # shellcheck disable=SC2086  # words
    env --default-signal=INT "$DUNLIN_COMMAND" $kept --checkpoint-every 0.1 --report report.json "$@" >out 2>err &
    run=$!
    for _ in $(seq 600); do
        [ -n "$(find . -name long.checkpoint -newer marker)" ] && break
        sleep 0.1
    done
    kill -INT $run
    wait $run
    got=$?
    [ $got = 130 ] || fail "exit code $got after Ctrl-C, not 130: $(tail -n 3 err)"
}

# Ctrl-C writes a last file, which the next run goes on from
is_interrupted
stopped_at=$(json report.json iterations)
[ "$stopped_at" -gt 0 ] || fail 'the run was stopped before its first iteration'
is_interrupted --resume
contains err "resumed from iteration $stopped_at"
[ "$(json report.json checkpoint resumed_from)" = "$stopped_at" ] || fail 'resumed_from is not the iteration of the stop'

# An unfinished run is not overwritten, and its file is not of another run
refused() { # TEXT ARGUMENTS...
    text=$1
    shift
    exits 3 "$@"
    contains err "$text"
    contains err long.checkpoint
}
sum=$(cksum <long.checkpoint)
# shellcheck disable=SC2086  # words
{
    refused 'has not finished' $kept
    refused 'its seed is 1, and that of this run is 7' $kept --resume --seed 7
    refused 'its perplexity is' $kept --resume --perplexity 12
    refused 'its method is t-SNE' umap points.csv --iterations 100000 -o map.csv --checkpoint long.checkpoint --resume
}
sed '2s/^[^,]*/5.5/' points.csv >other.csv
refused 'its hash of points is' tsne other.csv --iterations 100000 --tolerance 0 -o map.csv --checkpoint long.checkpoint --resume
[ "$sum" = "$(cksum <long.checkpoint)" ] || fail 'a refused run changed the file'

# Torn, damaged and foreign files; the one before is used
size=$(wc -c <long.checkpoint)
cp long.checkpoint good
rm -f long.checkpoint.previous
head -c $((size / 2)) good >long.checkpoint
# shellcheck disable=SC2086  # words
refused 'remove it' $kept --resume
cp good long.checkpoint.previous
is_interrupted --resume
contains err 'long.checkpoint.previous, is used'
rm -f long.checkpoint.previous
echo 'a,b' >long.checkpoint
# shellcheck disable=SC2086  # words
refused 'it is no checkpoint' $kept --resume
contains long.checkpoint a,b

# No room, and a folder that cannot be written
(
    trap '' XFSZ
    ulimit -f 60 # blocks of 512 bytes: the map has 40, a checkpoint of it 140
    exec "$DUNLIN_COMMAND" tsne points.csv --iterations 400 -o full.npy --checkpoint full.checkpoint --checkpoint-every 0
) >out 2>err
got=$?
[ $got = 0 ] || fail "no room for a checkpoint ended the run: exit code $got: $(tail -n 3 err)"
contains err 'cannot be written'
[ "$(grep -c 'cannot be written' err)" = 1 ] || fail 'the warning is repeated'
[ -z "$(ls -A | grep -e '^[.]full' -e 'full.checkpoint.lock')" ] || fail 'a part of a file was left'
exits 3 tsne points.csv --checkpoint nowhere/run.checkpoint
contains err nowhere

# What cannot have one says so
exits 2 tsne points.csv --resume
contains err --checkpoint
exits 2 neighbors points.csv -k 5 --method approximate -o near.npz --checkpoint near.checkpoint
contains err approximate
exits 2 mds points.csv --method classical -o map.csv --checkpoint mds.checkpoint
contains err classical
exits 2 tsne points.csv --checkpoint points.csv
finish
