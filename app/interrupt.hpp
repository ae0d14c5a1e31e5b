// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

namespace dunlin::app {

/// Installs a handler: Ctrl-C, SIGTERM or the end of the terminal requests a stop, and a second one ends the process
/// with the exit code of its signal. Signals that are ignored stay so, as nohup and shells set them. Call before any
/// thread is started, so that threads inherit the signal mask.
std::stop_token stop_on_interrupt();

/// During its lifetime a stop that is not heard within a fifth of a second ends the process: there is no result to
/// write yet, and the parsers of other libraries cannot be stopped.
class WhileReading {
public:
    WhileReading();
    ~WhileReading();
    WhileReading(const WhileReading&) = delete;
    WhileReading& operator=(const WhileReading&) = delete;
    WhileReading(WhileReading&&) = delete;
    WhileReading& operator=(WhileReading&&) = delete;
};

/// The exit code after a stop: 128 and the number of the signal that came first, as shells count; 130 without one.
int code_of_interrupt();

/// Thrown if a stop leaves nothing to write, such as during reading; main() returns code_of_interrupt().
struct Interrupted {};

}  // namespace dunlin::app
