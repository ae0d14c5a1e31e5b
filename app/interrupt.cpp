// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "exit_code.hpp"

namespace dunlin::app {

namespace {

sem_t arrived;

/// Async-signal-safe handler. sigwait is not possible: OpenBLAS starts threads, without the mask, before main.
void note(int) { sem_post(&arrived); }

void await() {
    while (sem_wait(&arrived) != 0) continue;
}

}  // namespace

std::stop_token stop_on_interrupt() {
    static std::stop_source source;
    sem_init(&arrived, 0, 0);
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::thread([] {
        await();
        source.request_stop();
        await();
        _exit(interrupted);
    }).detach();
    return source.get_token();
}

}  // namespace dunlin::app
