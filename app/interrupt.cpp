// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <dunlin/outputs.hpp>

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
    struct sigaction of_hangup = {};
    sigaction(SIGHUP, nullptr, &of_hangup);
    if (of_hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup ignores it
    std::signal(SIGXFSZ, SIG_IGN);                                             // a write past a limit is then an error
    std::thread([] {
        await();
        source.request_stop();
        await();
        remove_unfinished_outputs();
        _exit(interrupted);
    }).detach();
    return source.get_token();
}

}  // namespace dunlin::app
