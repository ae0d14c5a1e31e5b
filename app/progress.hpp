// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/run.hpp>

namespace dunlin::app {

/// What Run::on_progress should do: a bar with stage, rate, cost and time left on a terminal, a line every five
/// seconds and per finished stage otherwise, nothing when quiet. Writes to standard error.
std::function<void(const Progress&)> show_progress(bool quiet);

}  // namespace dunlin::app
