// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/run.hpp>

namespace dunlin {

/// Seconds per stage, in the order in which stages began. Names are those of Progress::stage.
class Seconds {
public:
    struct Stage {
        std::string_view name;  ///< a literal
        double seconds = 0;
    };

    /// The seconds of a stage; adds the stage with 0 seconds if it is new.
    double& operator[](std::string_view stage) {
        for (Stage& each : stages_) {
            if (each.name == stage) return each.seconds;
        }
        return stages_.emplace_back(Stage{stage}).seconds;
    }
    /// The seconds of a stage; 0 if it did not occur.
    double operator[](std::string_view stage) const {
        for (const Stage& each : stages_) {
            if (each.name == stage) return each.seconds;
        }
        return 0;
    }
    [[nodiscard]] const std::vector<Stage>& stages() const { return stages_; }

private:
    std::vector<Stage> stages_;
};

/// The implementation that computed a part of the work from an iteration on: {"repulsion", "tree", 0}.
struct Engine {
    std::string_view part, name;  ///< literals
    int first_iteration = 0;
};

/// Use of Run::checkpoint in a run (docs/checkpoints.md).
struct CheckpointUse {
    std::string file;                                   ///< as given; empty: no checkpoint
    bool resumed = false;                               ///< the run went on from it
    Offset resumed_from = 0;                            ///< its iteration
    std::vector<std::string_view> computed_again = {};  ///< stages before the loop, to the same bytes
    int writes = 0;
    std::uint64_t bytes = 0;  ///< of the last one
    double seconds = 0;       ///< of all writes
    std::string failure;      ///< why the last write that failed did so
};

/// Common part of all results: how it was computed.
template <class Options>
struct Outcome {
    Options options;              ///< all options with their defaults resolved; they reproduce the result
    Device device = Device::cpu;  ///< device that was used
    std::vector<int> gpus;        ///< numbers of the GPUs used, if device is cuda
    int threads = 1;              ///< number of CPU threads
    std::uint64_t seed = 1;
    std::uint64_t gpu_memory = 0;  ///< peak GPU memory in bytes
    int iterations = 0;            ///< number of finished iterations
    Stopped stopped = Stopped::budget;
    std::vector<Engine> engines;  ///< engines used; those of one part in chronological order
    Seconds seconds;
    /// Why a run with the same input, options and seed may differ: it was cancelled, or its distances come from a
    /// callback. Empty: the run is reproducible bit by bit.
    std::string varies_because;
    CheckpointUse checkpoint;
};

}  // namespace dunlin
