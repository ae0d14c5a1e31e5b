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

/// `count` items, drawn by the seed.
std::vector<Index> draw(Index n, Index count, std::uint64_t seed);

/// Whether no pair of the rows that are known is missing.
bool is_complete(const Feed& feed);

/// Throws Error{bad_input} if any is.
void require_complete(const Feed& feed, Method method);

template <class Exec>
Placed place_by_landmarks(Exec& exec, const Fed& fed) {
    const Options& o = fed.options;
    device::Stopwatch watch;
    Placed result;
    const std::vector<Index> items = draw(fed.feed.size(), *o.landmarks, fed.run.seed);
    fed.source.want(fed.cpu, items, fed.run);
    const Options small{
        .dim = o.dim, .start = o.start, .starts = 1, .iterations = o.iterations, .tolerance = fed.tolerance};
    Landmarks host = landmarks_of(fed.cpu, fed.feed, items);
    const Result few = place_landmarks(host, small, fed.run);
    result.seconds["start"] = watch.lap();
    const HeldLandmarks<Exec> landmarks = hold_landmarks(exec, std::move(host), fed.feed);
    auto shape = empty_shape(exec, fed.feed.size(), o.dim);
    const Ending ending = place_others(exec, landmarks, few.map, shape, o, fed.run);
    result.ending = {few.iterations + ending.iterations, std::max(few.stopped, ending.stopped)};
    result.map = aligned(exec, std::move(shape));
    result.seconds["optimize"] = watch.lap();
    return result;
}

template <class Exec>
Placed place_by_rows(Exec& exec, const Fed& fed) {
    const Options& o = fed.options;
    device::Stopwatch watch;
    Placed result;
    const auto& source = rows_of(exec, fed);
    auto shape = empty_shape(exec, fed.feed.size(), o.dim);
    if (o.method == Method::landmark) {
        shape.y = landmark(exec, source, o.dim, draw(shape.n, *o.landmarks, fed.run.seed), fed.run);
    } else {
        shape.y = pivot(exec, source, o.dim, *o.landmarks, fed.run);
    }
    require_complete(fed.feed, o.method);
    if (o.method == Method::pivot) rescale(exec, source, shape, fed.feed.known());
    result.ending.stopped = Stopped::converged;
    result.map = aligned(exec, std::move(shape));
    result.seconds["optimize"] = watch.lap();
    return result;
}

template <class Exec>
Placed place_some(Exec& exec, const Fed& fed) {
    return fed.options.method == Method::dunlin ? place_by_landmarks(exec, fed) : place_by_rows(exec, fed);
}

inline const Source& rows_of(device::Cpu&, const Fed& fed) { return fed.source; }

}  // namespace dunlin::mds
