// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

namespace dunlin::app {

/// Installs a handler: Ctrl-C, SIGTERM or the end of the terminal requests a stop, and a second one ends the process
/// with exit code 130. Call before any thread is started, so that threads inherit the signal mask.
std::stop_token stop_on_interrupt();

/// Thrown if a stop leaves nothing to write, such as during reading; main() returns 130.
struct Interrupted {};

}  // namespace dunlin::app
