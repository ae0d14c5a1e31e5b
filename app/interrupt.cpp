#include "interrupt.hpp"

#include <unistd.h>
#include <csignal>
#include <thread>

#include "exit_code.hpp"

namespace dunlin::app {

std::stop_token stop_on_interrupt() {
    static std::stop_source source;
    static sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread([] {
        int signal = 0;
        sigwait(&signals, &signal);
        source.request_stop();
        sigwait(&signals, &signal);
        _exit(interrupted);
    }).detach();
    return source.get_token();
}

}  // namespace dunlin::app
