// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

namespace dunlin::app {

/// From here on Ctrl-C asks for a stop and a second one ends the process with 130. Call before any thread is started:
/// threads inherit the mask that keeps the signal for the one that waits for it.
std::stop_token stop_on_interrupt();

/// Thrown where a stop leaves nothing to write, as while the input is read; main() ends with 130.
struct Interrupted {};

}  // namespace dunlin::app
