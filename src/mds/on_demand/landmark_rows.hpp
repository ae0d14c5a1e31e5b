// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "device/stopwatch.hpp"
#include "mds/align.hpp"
#include "mds/backend.hpp"
#include "mds/spectral/anchored.hpp"
#include "mds/start.hpp"

/// Methods that request only some rows of on-demand dissimilarities; a template over the executor. Rows are computed
/// and kept on the host; positions are computed by the executor. It provides the functions of anchored.hpp,
/// spectral.hpp and start.hpp, and rows_of(), the source that these take.
namespace dunlin::mds {

/// `count` random items by the seed.
std::vector<Index> random_items(Index n, Index count, std::uint64_t seed);

/// True if the known rows have no missing pairs.
bool is_complete(const OnDemandRows& feed);

/// Throws Error{bad_input} unless is_complete.
void require_complete(const OnDemandRows& feed, Method method);

template <class Exec>
ScalingOutput place_by_anchors(Exec& exec, const OnDemandInput& fed) {
    const Options& o = fed.options;
    device::Stopwatch watch;
    ScalingOutput result;
    const std::vector<Index> landmarks = random_items(fed.feed.size(), *o.landmarks, fed.run.seed);
    fed.source.request(fed.cpu, landmarks, fed.run);
    const Options small{
        .dim = o.dim, .start = o.start, .starts = 1, .iterations = o.iterations, .tolerance = fed.tolerance};
    Anchors host = anchors_of(fed.cpu, fed.feed, landmarks);
    const Result few = place_anchors(host, small, fed.run);
    result.seconds["start"] = watch.lap();
    const Anchored<Exec> anchors = hold_anchors(exec, std::move(host), fed.feed);
    auto configuration = empty_configuration(exec, fed.feed.size(), o.dim);
    const Termination ending = place_others(exec, anchors, few.map, configuration, o, fed.run);
    result.ending = {few.iterations + ending.iterations, std::max(few.stopped, ending.stopped)};
    result.map = aligned(exec, std::move(configuration));
    result.seconds["optimize"] = watch.lap();
    return result;
}

template <class Exec>
ScalingOutput place_axes_by_rows(Exec& exec, const OnDemandInput& fed) {
    const Options& o = fed.options;
    device::Stopwatch watch;
    ScalingOutput result;
    const auto& source = rows_of(exec, fed);
    auto configuration = empty_configuration(exec, fed.feed.size(), o.dim);
    if (o.method == Method::landmark) {
        configuration.y =
            landmark(exec, source, o.dim, random_items(configuration.n, *o.landmarks, fed.run.seed), fed.run);
    } else {
        configuration.y = pivot(exec, source, o.dim, *o.landmarks, fed.run);
    }
    require_complete(fed.feed, o.method);
    if (o.method == Method::pivot) rescale(exec, source, configuration, fed.feed.known_rows());
    result.ending.stopped = Stopped::converged;
    result.map = aligned(exec, std::move(configuration));
    result.seconds["optimize"] = watch.lap();
    return result;
}

template <class Exec>
ScalingOutput place_by_landmark_rows(Exec& exec, const OnDemandInput& fed) {
    return fed.options.method == Method::dunlin ? place_by_anchors(exec, fed) : place_axes_by_rows(exec, fed);
}

inline const Source& rows_of(device::Cpu&, const OnDemandInput& fed) { return fed.source; }

}  // namespace dunlin::mds
