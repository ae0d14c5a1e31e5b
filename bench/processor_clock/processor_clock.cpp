// SPDX-License-Identifier: Apache-2.0
// Preloaded by run.py --processor-time: a program's steady clock shows the processor time of its thread, so that the
// seconds of a run with one thread do not depend on what else the machine does.
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

extern "C" int clock_gettime(clockid_t id, timespec* now) {
    const clockid_t shown = id == CLOCK_MONOTONIC ? CLOCK_THREAD_CPUTIME_ID : id;
    return static_cast<int>(syscall(SYS_clock_gettime, shown, now));
}
