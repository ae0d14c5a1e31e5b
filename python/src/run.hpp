// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <stop_token>

#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>

#include "options.hpp"

namespace dunlin::python {

/// A Run made from Python: {"device", "threads", "seed", "memory", "gpus", "checkpoint", ..}, a callback and how often
/// it gets the map. The work runs without the GIL. At each progress (10 times a second or more) it takes the GIL,
/// handles signals, and calls callback(stage, done, total, cost, coordinates); a signal's exception, an exception of
/// the callback, or a true value that it returns, requests the stop.
class Watched {
public:
    Watched(const nb::dict& given, nb::object callback, int snapshot_every, Index points = 0, int dim = 2);

    [[nodiscard]] const dunlin::Run& run() const { return run_; }

    /// Calls work(run) without the GIL.
    template <class Work>
    auto operator()(const Work& work) {
        const nb::gil_scoped_release released;
        return work(run_);
    }

    /// The exception that ended the work, or None; what the work returned is then the last good result.
    nb::object raised();

private:
    void tell(const Progress& progress);
    void tell(Notice kind, const std::string& sentence);

    dunlin::Run run_;
    std::stop_source source_;
    nb::object callback_;
    std::optional<nb::python_error> error_;
    Index points_;
    int dim_;
};

/// None without a checkpoint.
inline nb::object checkpoint_of(const CheckpointUse& use) {
    if (use.file.empty()) return nb::none();
    nb::dict all;
    all["file"] = use.file;
    all["resumed_from"] = use.resumed ? nb::cast(use.resumed_from) : nb::none();
    nb::list computed_again;
    for (const std::string_view stage : use.computed_again) computed_again.append(std::string(stage));
    all["computed_again"] = computed_again;
    all["writes"] = use.writes;
    all["bytes"] = use.bytes;
    all["seconds"] = use.seconds;
    all["failure"] = use.failure;
    return all;
}

template <class Options>
nb::dict outcome_of(const Outcome<Options>& outcome) {
    nb::dict all;
    all["options"] = dict_of(outcome.options);
    all["device"] = std::string(name_of(outcome.device));
    all["threads"] = outcome.threads;
    all["seed"] = outcome.seed;
    all["n_iter"] = outcome.iterations;
    all["stopped"] = std::string(name_of(outcome.stopped));
    nb::dict seconds;
    for (const auto& stage : outcome.seconds.stages()) seconds[std::string(stage.name).c_str()] = stage.seconds;
    all["seconds"] = seconds;
    nb::list engines;
    for (const Engine& engine : outcome.engines)
        engines.append(nb::make_tuple(std::string(engine.part), std::string(engine.name), engine.first_iteration));
    all["engines"] = engines;
    all["varies_because"] = outcome.varies_because;
    all["checkpoint"] = checkpoint_of(outcome.checkpoint);
    return all;
}

}  // namespace dunlin::python
