// SPDX-License-Identifier: Apache-2.0
// Preloaded by tests/stopped.py: when the program has put a file into the place of a checkpoint for the DUNLIN_STOP_AT-th time, it gets the
// signal DUNLIN_STOP_BY. So a run is stopped after the same iteration each time. At the end, the number of writes is written to the
// file DUNLIN_STOP_COUNT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int writes = 0;

__attribute__((destructor)) static void tell(void) {
    const char* path = getenv("DUNLIN_STOP_COUNT");
    FILE* file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%d\n", writes);
    fclose(file);
}

int rename(const char* from, const char* to) {
    int (*actual)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
    const int status = actual(from, to);
    const char* suffix = strrchr(to, '.');
    const char* at = getenv("DUNLIN_STOP_AT");
    if (status == 0 && suffix && strcmp(suffix, ".checkpoint") == 0 && ++writes == (at ? atoi(at) : 0)) {
        kill(getpid(), atoi(getenv("DUNLIN_STOP_BY")));
        struct timespec left = {.tv_nsec = 300000000};  // in which the thread that waits for signals asks the run to stop
        while (nanosleep(&left, &left) != 0) continue;
    }
    return status;
}
