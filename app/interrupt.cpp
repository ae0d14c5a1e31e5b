// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <csignal>
#include <system_error>
#include <thread>

#include <dunlin/outputs.hpp>

#include "exit_code.hpp"

namespace dunlin::app {

namespace {

sem_t arrived;
volatile std::sig_atomic_t first = 0;  ///< the signal that came first

/// Async-signal-safe handler. sigwait is not possible: OpenBLAS starts threads, without the mask, before main.
void note(int signal) {
    if (first == 0) first = signal;
    sem_post(&arrived);
}

void await() {
    while (sem_wait(&arrived) != 0) continue;
}

}  // namespace

int code_of_interrupt() { return first == 0 ? interrupted : 128 + first; }

std::stop_token stop_on_interrupt() {
    static std::stop_source source;
    sem_init(&arrived, 0, 0);
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before = {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
    std::signal(SIGXFSZ, SIG_IGN);  // a write past a limit is then an error
    try {
        std::thread([] {
            await();
            source.request_stop();
            await();
            remove_unfinished_outputs();
            _exit(code_of_interrupt());
        }).detach();
    } catch (const std::system_error&) {  // without a thread for it a signal ends the process at once
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    }
    return source.get_token();
}

}  // namespace dunlin::app
