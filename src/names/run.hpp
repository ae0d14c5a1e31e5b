// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <dunlin/names.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/cpu.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::naming {

/// Calls work(result), which names the groups, until it is done or stopped, and fills in how it was computed.
template <class Work>
Result run_named(Result result, device::Cpu& cpu, const Run& run, const Work& work) {
    options::check(result.options);
    device::require_cpu(run, "names are");
    progress::Stopwatch watch;
    const progress::ProgressReporter reporter(run, "names", 1);
    const bool done = progress::run_cancellable(run.stop, [&] { work(result); });
    if (!done) {
        Result empty;
        empty.options = result.options;
        result = std::move(empty);
    }
    result.stopped = done ? Stopped::converged : Stopped::cancelled;
    result.threads = cpu.threads();
    result.seconds["names"] = watch.lap();
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace dunlin::naming
