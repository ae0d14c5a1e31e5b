// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "device/stopwatch.hpp"
#include "mds/align.hpp"
#include "mds/backend.hpp"
#include "mds/spectral/landmarks.hpp"
#include "mds/start.hpp"

/// Methods that look at some rows only of dissimilarities that are fed, once for every executor: rows are asked for,
/// and stay, on the host; places are found where the executor is. It brings the words of landmarks.hpp, spectral.hpp
/// and start.hpp, and rows_of(): what these take for a source.
namespace dunlin::mds {

/// `count` random items by the seed.
std::vector<Index> random_items(Index n, Index count, std::uint64_t seed);

/// True if the known rows have no missing pairs.
bool is_complete(const OnDemandRows& on_demand);

/// Throws Error{bad_input} unless is_complete.
void require_complete(const OnDemandRows& on_demand, Method method);

template <class Exec>
ScalingOutput place_by_landmarks(Exec& exec, const OnDemandInput& fed) {
    const Options& o = fed.options;
    device::Stopwatch watch;
    ScalingOutput result;
    const std::vector<Index> items = random_items(fed.feed.size(), *o.landmarks, fed.run.seed);
    fed.source.request(fed.cpu, items, fed.run);
    const Options small{
        .dim = o.dim, .start = o.start, .starts = 1, .iterations = o.iterations, .tolerance = fed.tolerance};
    Landmarks host = landmarks_of(fed.cpu, fed.feed, items);
    const Result few = place_landmarks(host, small, fed.run);
    result.seconds["start"] = watch.lap();
    const HeldLandmarks<Exec> landmarks = hold_landmarks(exec, std::move(host), fed.feed);
    auto configuration = empty_configuration(exec, fed.feed.size(), o.dim);
    const Termination ending = place_others(exec, landmarks, few.map, configuration, o, fed.run);
    result.ending = {few.iterations + ending.iterations, std::max(few.stopped, ending.stopped)};
    result.map = aligned(exec, std::move(configuration));
    result.seconds["optimize"] = watch.lap();
    return result;
}

template <class Exec>
ScalingOutput place_axes_by_rows(Exec& exec, const OnDemandInput& input) {
    const Options& o = input.options;
    device::Stopwatch watch;
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
ScalingOutput place_by_landmark_rows(Exec& exec, const OnDemandInput& fed) {
    return fed.options.method == Method::dunlin ? place_by_landmarks(exec, fed) : place_axes_by_rows(exec, fed);
}

inline const Source& rows_of(device::Cpu&, const OnDemandInput& input) { return input.source; }

}  // namespace dunlin::mds
