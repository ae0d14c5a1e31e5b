// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/run.hpp>

namespace dunlin::app {

/// Callback for Run::on_progress, which writes to standard error: on a terminal a bar with stage, rate, cost and time
/// left, else a line every five seconds and per finished stage; nothing if quiet.
std::function<void(const Progress&)> show_progress(bool quiet);

}  // namespace dunlin::app
