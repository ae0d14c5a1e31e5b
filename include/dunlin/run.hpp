#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <stop_token>
#include <string_view>

#include <dunlin/types.hpp>

namespace dunlin {

/// Where the work is done. `automatic` takes the GPU when there is one and the data are large enough to gain from it.
enum class Device { automatic, cpu, cuda };

/// Why a method ended: its rule said so, its budget of iterations was spent, or the caller asked it to.
enum class Stopped { converged, budget, cancelled };
constexpr std::array<std::string_view, 3> names(Stopped) { return {"converged", "budget", "cancelled"}; }

/// What a running method tells whoever watches.
struct Progress {
    std::string_view stage;  ///< "neighbors", "affinities", "start", "optimise", "score"
    Offset done = 0;         ///< steps of this stage done, of `total`
    Offset total = 0;
    double cost = std::numeric_limits<double>::quiet_NaN();  ///< the method's cost when last computed; NaN: not yet
    std::span<const float> coordinates = {};                 ///< the map so far, on snapshots only
};

/// How to run, as opposed to what to compute: nothing here but the seed changes a result.
struct Run {
    Device device = Device::automatic;
    int device_index = 0;       ///< which GPU
    int threads = 0;            ///< CPU threads; 0: one per core; below is Error{bad_input}
    std::uint64_t seed = 1;     ///< the same seed gives the same bytes, for any number of threads
    std::uint64_t memory = 0;   ///< the most bytes to use; 0: what is free
    int snapshot_every = 0;     ///< iterations between snapshots given to on_progress; 0: none
    std::stop_token stop = {};  ///< ask for a stop from any thread; the last good result is returned
    std::function<void(const Progress&)> on_progress = {};  ///< called on the caller's thread, about 10 times a second
};

}  // namespace dunlin
