/* SPDX-License-Identifier: Apache-2.0
 *
 * Model of the protocol between the driver of a distributed k-means and its workers (python/dunlin/_shards/schedule.py),
 * for spin: `./dev shards-model` checks it, docs/lab/distributed.md says what that shows.
 *
 * 3 workers, 3 chunks, 3 iterations. A worker answers for a chunk from the request alone. At any moment a worker may
 * crash (its queue is lost) and come back with an empty memory, the driver may take it for frozen (it is quarantined and
 * asked by a ping; nothing stops it from answering later), and the driver may die: another goes on from the checkpoint
 * with a higher epoch, while requests of the dead one are still sent and answered.
 *
 * Checked: no deadlock short of the end; an answer counts only if it has the driver's epoch and iteration; when an
 * iteration is written to the checkpoint, every chunk was counted exactly once in it; each iteration is written once.
 */

#define WORKERS 3
#define CHUNKS 3
#ifndef ITERATIONS
#define ITERATIONS 3
#endif
#define NONE 9
#define PING 8          /* in place of an iteration */
#define ALL ((1 << CHUNKS) - 1)

#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef FREEZES
#define FREEZES 1
#endif
#ifndef RESTARTS
#define RESTARTS 1
#endif
#ifndef GHOSTS
#define GHOSTS 1        /* requests of a driver that was replaced */
#endif

mtype = { is_active, is_quarantined, is_lost };

chan to[WORKERS] = [4] of { byte, byte, byte };         /* epoch, iteration, chunk */
chan from = [8] of { byte, byte, byte, byte };          /* worker, epoch, iteration, chunk */

bool alive[WORKERS];
bool broken[WORKERS];               /* the connection: also where a new process runs by now */
byte seen[WORKERS];                 /* the newest epoch a worker has heard of */
byte epoch, checkpoint;
byte written[ITERATIONS];           /* how often an iteration was written to the checkpoint */
byte crashes = CRASHES, freezes = FREEZES, restarts = RESTARTS, ghosts = GHOSTS;
bool finished;

proctype Worker(byte me) {
    byte e, t, c;
end:
    do
    :: atomic { alive[me] && nempty(to[me]) && nfull(from) ->
        to[me]?e, t, c;
        if
        :: e < seen[me]             /* refused: it learns that it was replaced */
        :: else -> seen[me] = e; from!me, e, t, c
        fi; e = 0; t = 0; c = 0 }
    :: atomic { alive[me] && crashes > 0 && !finished ->
        crashes--; alive[me] = false; broken[me] = true; seen[me] = 0;
        do
        :: nempty(to[me]) -> to[me]?e, t, c
        :: empty(to[me]) -> break
        od; e = 0; t = 0; c = 0 }
    :: atomic { !alive[me] -> alive[me] = true }    /* a new process, with nothing in memory */
    od
}

/* A driver that was replaced and does not know it yet */
proctype Ghost() {
    byte w;
end:
    do
    :: atomic { ghosts > 0 && epoch > 1 && !finished ->
        ghosts--;
        select(w : 0 .. WORKERS - 1);
        if
        :: alive[w] && len(to[w]) < 4 -> to[w]!epoch - 1, checkpoint, 0
        :: else
        fi; w = 0 }
    od
}

mtype state[WORKERS];
byte coming[CHUNKS];                /* the worker that is asked, or NONE */
byte counted;                       /* bits: chunks with an answer */
byte times[CHUNKS];                 /* how often a chunk was counted in this iteration */

inline forget(w) {
    byte k;
    k = 0;
    do
    :: k < CHUNKS -> if :: coming[k] == w -> coming[k] = NONE :: else fi; k++
    :: else -> break
    od;
    k = 0
}

inline fresh_iteration() {
    counted = 0;
    c = 0;
    do
    :: c < CHUNKS -> coming[c] = NONE; times[c] = 0; c++
    :: else -> break
    od;
    c = 0
}

proctype Driver() {
    byte t, w, e, a, c;

takeover:
    atomic {
        epoch++;
        t = checkpoint;
        w = 0;
        do
        :: w < WORKERS ->
            broken[w] = false;
            if :: alive[w] -> state[w] = is_active :: else -> state[w] = is_lost fi;
            w++
        :: else -> break
        od;
        w = 0;
        fresh_iteration()
    }
    do
    :: t == ITERATIONS -> break
    /* all chunks are there: the iteration ends with the checkpoint */
    :: atomic { t < ITERATIONS && counted == ALL ->
        assert(times[0] == 1 && times[1] == 1 && times[2] == 1);
        written[t]++;
        assert(written[t] == 1);
        t++;
        checkpoint = t;
        fresh_iteration() }
    /* a chunk that nobody computes is asked of an active worker */
    :: atomic { t < ITERATIONS && counted != ALL ->
        c = 0;
        do
        :: c < CHUNKS && (counted & (1 << c) || coming[c] != NONE) -> c++
        :: else -> break
        od;
        if
        :: c < CHUNKS && state[0] == is_active && !broken[0] && nfull(to[0]) -> to[0]!epoch, t, c; coming[c] = 0
        :: c < CHUNKS && state[1] == is_active && !broken[1] && nfull(to[1]) -> to[1]!epoch, t, c; coming[c] = 1
        :: c < CHUNKS && state[2] == is_active && !broken[2] && nfull(to[2]) -> to[2]!epoch, t, c; coming[c] = 2
        /* or something else happens first */
        :: nempty(from) -> from?w, e, a, c;
            if
            :: a == PING -> if :: e == epoch && state[w] == is_quarantined -> state[w] = is_active :: else fi
            :: a != PING && e == epoch && a == t && !(counted & (1 << c)) ->
                assert(e == epoch);
                counted = counted | (1 << c);
                times[c]++;
                coming[c] = NONE
            :: else                     /* late, again, or of another driver: not counted */
            fi
        /* the engine says that a worker is gone, or that one is there */
        :: broken[0] -> broken[0] = false; state[0] = is_lost; forget(0)
        :: broken[1] -> broken[1] = false; state[1] = is_lost; forget(1)
        :: broken[2] -> broken[2] = false; state[2] = is_lost; forget(2)
        :: alive[0] && !broken[0] && state[0] == is_lost -> state[0] = is_active
        :: alive[1] && !broken[1] && state[1] == is_lost -> state[1] = is_active
        :: alive[2] && !broken[2] && state[2] == is_lost -> state[2] = is_active
        /* no answer for too long */
        :: freezes > 0 && state[0] == is_active && !broken[0] && nfull(to[0]) ->
            freezes--; state[0] = is_quarantined; forget(0); to[0]!epoch, PING, 0
        :: freezes > 0 && state[1] == is_active && !broken[1] && nfull(to[1]) ->
            freezes--; state[1] = is_quarantined; forget(1); to[1]!epoch, PING, 0
        :: freezes > 0 && state[2] == is_active && !broken[2] && nfull(to[2]) ->
            freezes--; state[2] = is_quarantined; forget(2); to[2]!epoch, PING, 0
        :: restarts > 0 -> restarts--; w = 0; e = 0; a = 0; c = 0; goto takeover
        fi;
        w = 0; e = 0; a = 0; c = 0 }
    od;
    finished = true
}

init {
    atomic {
        byte w;
        do
        :: w < WORKERS -> alive[w] = true; run Worker(w); w++
        :: else -> break
        od;
        run Ghost();
        run Driver()
    }
    /* a stuck driver leaves this process where it cannot end: an invalid end state */
    finished
}
