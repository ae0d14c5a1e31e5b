// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "shards/lloyd.hpp"

namespace dunlin::kmeans {

/// Centroids of a run that ended, and what is known of them.
struct FoundCentroids {
    std::vector<float> centroids;  ///< empty: none
    double inertia = 0;
    int iterations = 0;
    Stopped stopped = Stopped::budget;
};

/// State of a driver between two iterations: with the rows, all that the rest of the run depends on.
struct DriverState {
    MessageHeader header;
    std::vector<char> question;  ///< text of everything that the result depends on but the rows
    Scales scales;               ///< of the rows
    int restart = 0;             ///< of the present run
    int iterations = 0;
    double last_inertia = std::numeric_limits<double>::infinity();
    ShardedCentroids centroids;  ///< none: the run has no start yet
    FoundCentroids best;         ///< of the earlier restarts

    /// choose(): inertia and criterion for each number of clusters tried, in order. Then the best and the last result
    std::vector<double> tried_inertias, tried_values;
    FoundCentroids chosen, last_tried;

    /// Fields of mixture::FitState, for a mixture. Its k-means ends with `best`
    std::vector<double> components;
    std::vector<double> floors;
    double log_likelihood = 0;
    int steps = 0;
    std::uint8_t converged = 0;
};

template <class Archive>
void content(Archive& archive, FoundCentroids& f) {
    archive(f.centroids), archive(f.inertia), archive(f.iterations), archive(f.stopped);
}
template <class Archive>
void content(Archive& archive, DriverState& s) {
    archive(s.question), content(archive, s.scales), archive(s.restart), archive(s.iterations);
    archive(s.last_inertia), archive(s.centroids.previous), archive(s.centroids.fills), archive(s.centroids.present);
    archive(s.centroids.iteration), content(archive, s.best);
    archive(s.tried_inertias), archive(s.tried_values), content(archive, s.chosen), content(archive, s.last_tried);
    archive(s.components), archive(s.floors), archive(s.log_likelihood), archive(s.steps), archive(s.converged);
}

/// The text of options, shape and seed; `more`: of what else the result depends on.
std::vector<char> question_of(Options options, const Shape& shape, std::uint64_t seed, const std::string& more = {});

/// The state in these bytes. Throws Error{bad_input} if they are damaged or belong to another question.
DriverState resumed_state(std::span<const std::byte> bytes, const std::vector<char>& question);

/// Throws Error{bad_input} unless the centroids, counts and sums of the state are possible for k-means with these
/// options and this number of runs. A checksum shows that the bytes are complete, not that the values are valid.
void require_fit(const DriverState& state, const Options& options, int runs, Index cols);
/// Checks a state of choose() in the same way. most: largest number of clusters.
void require_fit_of_choice(const DriverState& state, const Options& options, Index most, Index cols);
/// Checks the components and floors of a state of a mixture in the same way.
void require_fit_of_mixture(const DriverState& state, Index cols);

/// Throws Error{bad_input} if the scales of the state differ from `scales`: the rows have changed since it was saved.
void require_same_rows(const DriverState& state, const Scales& scales);

}  // namespace dunlin::kmeans
