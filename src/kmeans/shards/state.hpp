// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "kmeans/shards/lloyd.hpp"

namespace dunlin::kmeans {

/// State of a driver between two iterations: with the rows, all that the rest of the run depends on.
struct DriverState {
    MessageHeader header;
    std::vector<char> question;  ///< text of everything that the result depends on but the rows
    Scales scales;               ///< of the rows
    int restart = 0;             ///< of the present run
    int iterations = 0;
    double last_inertia = std::numeric_limits<double>::infinity();
    ShardedCentroids centroids;  ///< none: the run has no start yet

    std::uint8_t has_best = 0;  ///< the best of the earlier runs
    double best_inertia = 0;
    int best_iterations = 0;
    Stopped best_stopped = Stopped::budget;
    std::vector<float> best;
};

template <class Archive>
void content(Archive& archive, DriverState& s) {
    archive(s.question), content(archive, s.scales), archive(s.restart), archive(s.iterations);
    archive(s.last_inertia), archive(s.centroids.previous), archive(s.centroids.fills), archive(s.centroids.present);
    archive(s.centroids.iteration), archive(s.has_best), archive(s.best_inertia), archive(s.best_iterations);
    archive(s.best_stopped), archive(s.best);
}

/// The text of options, shape and seed.
std::vector<char> question_of(Options options, const Shape& shape, std::uint64_t seed);

/// The state in these bytes. Throws Error{bad_input} if they are damaged or belong to another question.
DriverState resumed_state(std::span<const std::byte> bytes, const std::vector<char>& question);

/// Throws Error{bad_input} unless the state's scales are these: the rows have changed since.
void require_same_rows(const DriverState& state, const Scales& scales);

}  // namespace dunlin::kmeans
