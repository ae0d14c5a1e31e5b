// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/run.hpp>

namespace dunlin {

/// Seconds spent by stage, in the order in which stages began; their names are those of Progress::stage.
class Seconds {
public:
    struct Stage {
        std::string_view name;  ///< a literal
        double seconds = 0;
    };

    /// The seconds of a stage, which begins at 0.
    double& operator[](std::string_view stage) {
        for (Stage& each : stages_) {
            if (each.name == stage) return each.seconds;
        }
        return stages_.emplace_back(stage).seconds;
    }
    /// 0 for a stage that there was not.
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

/// What did a part of the work, from an iteration on: {"repulsion", "tree", 0}.
struct Engine {
    std::string_view part, name;  ///< literals
    int first_iteration = 0;
};

/// What every result tells of how it was computed.
template <class Options>
struct Outcome {
    Options options;              ///< every default resolved to its value; they give the same bytes again
    Device device = Device::cpu;  ///< where it ran
    std::vector<int> gpus;        ///< on which, where that is cuda
    int threads = 1;              ///< of the CPU
    std::uint64_t seed = 1;
    std::uint64_t gpu_memory = 0;  ///< the most bytes of GPU memory held
    int iterations = 0;            ///< done
    Stopped stopped = Stopped::budget;
    std::vector<Engine> engines;  ///< that ran, those of one part in order
    Seconds seconds;
    /// Why a run with the same input, options and seed may give other bytes: it was stopped by the caller, or its
    /// distances are the caller's. Empty: it gives the same.
    std::string varies_because;
};

}  // namespace dunlin
