// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

#include <dunlin/outputs.hpp>

#include "exit_code.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

sem_t arrived;
volatile std::sig_atomic_t first = 0;  ///< the signal that came first
std::atomic<int> reading{0};           ///< objects WhileReading

/// Async-signal-safe handler. sigwait is not possible: OpenBLAS starts threads, without the mask, before main.
void note(int signal) {
    if (first == 0) first = signal;
    sem_post(&arrived);
}

void await() {
    while (sem_wait(&arrived) != 0) continue;
}

[[noreturn]] void end_at_once() {
    remove_unfinished_outputs();
    _exit(code_of_interrupt());
}

void end_if_still_reading() {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (reading == 0) return;
    write_error("dunlin: interrupted before there was a result\n");
    end_at_once();
}

}  // namespace

WhileReading::WhileReading() { ++reading; }

WhileReading::~WhileReading() { --reading; }

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
            end_if_still_reading();
            await();
            end_at_once();
        }).detach();
    } catch (const std::system_error&) {  // without a thread for it a signal ends the process at once
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    }
    return source.get_token();
}

}  // namespace dunlin::app
