// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "mds/align.hpp"
#include "mds/backend.hpp"
#include "mds/spectral/landmarks.hpp"
#include "mds/start.hpp"
#include "progress/stopwatch.hpp"

/// Methods that read some rows only of on-demand dissimilarities, as templates over the executor. Rows are requested
/// and kept on the host; the map is computed by the executor, which provides the functions of landmarks.hpp,
/// spectral.hpp and start.hpp, and rows_of(): the source of their dissimilarities.
namespace dunlin::mds {

/// `count` random items by the seed.
std::vector<Index> random_items(Index n, Index count, std::uint64_t seed);

/// True if the known rows have no missing pairs.
bool is_complete(const OnDemandRows& on_demand);

/// Throws Error{bad_input} unless is_complete.
void require_complete(const OnDemandRows& on_demand, Method method);

template <class Exec>
ScalingOutput place_by_landmarks(Exec& exec, const OnDemandInput& input) {
    const Options& o = input.options;
    progress::Stopwatch watch;
    ScalingOutput result;
    const std::vector<Index> items = random_items(input.on_demand.size(), *o.landmarks, input.run.seed);
    input.source.request(input.cpu, items, input.run);
    const Options small{.dim = o.dim,
                        .start = o.start,
                        .starts = 1,
                        .iterations = o.iterations,
                        .tolerance = input.tolerance,
                        .step = o.step};
    Landmarks host = landmarks_of(input.cpu, input.on_demand, items);
    const Result few = place_landmarks(host, small, input.run);
    result.seconds["start"] = watch.lap();
    const HeldLandmarks<Exec> landmarks = hold_landmarks(exec, std::move(host), input.on_demand);
    auto configuration = empty_configuration(exec, input.on_demand.size(), o.dim);
    const run::Ending ending = place_others(exec, landmarks, few.map, configuration, o, input.run);
    result.ending = {few.iterations + ending.iterations, std::max(few.stopped, ending.stopped)};
    result.map = aligned(exec, std::move(configuration));
    result.seconds["optimize"] = watch.lap();
    return result;
}

template <class Exec>
ScalingOutput place_axes_by_rows(Exec& exec, const OnDemandInput& input) {
    const Options& o = input.options;
    progress::Stopwatch watch;
    ScalingOutput result;
    const auto& source = rows_of(exec, input);
    auto configuration = empty_configuration(exec, input.on_demand.size(), o.dim);
    if (o.method == Method::landmark) {
        configuration.y =
            landmark(exec, source, o.dim, random_items(configuration.n, *o.landmarks, input.run.seed), input.run);
    } else {
        configuration.y = pivot(exec, source, o.dim, *o.landmarks, input.run);
    }
    require_complete(input.on_demand, o.method);
    if (o.method == Method::pivot) rescale(exec, source, configuration, input.on_demand.known_rows());
    result.ending.stopped = Stopped::converged;
    result.map = aligned(exec, std::move(configuration));
    result.seconds["optimize"] = watch.lap();
    return result;
}

template <class Exec>
ScalingOutput place_by_landmark_rows(Exec& exec, const OnDemandInput& input) {
    return input.options.method == Method::dunlin ? place_by_landmarks(exec, input) : place_axes_by_rows(exec, input);
}

inline const Source& rows_of(device::Cpu&, const OnDemandInput& input) { return input.source; }

}  // namespace dunlin::mds
