// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>

#include <dunlin/outcome.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/types.hpp>

#include "descent/status.hpp"

namespace dunlin::descent {

/// Result of a descent.
struct Descent {
    Map map;
    DescentStatus status;
    scores::Score cost;  ///< NaN: cancelled before it was computed
    int threads = 1;
    Offset strays = 0;
};

constexpr scores::Score no_cost = {std::numeric_limits<double>::quiet_NaN(), 0};

/// The result of a descent, with the seconds of the stages. set_cost(Result&, Score) of the method stores the cost. The
/// caller sets the fields that are common to all devices (completed() of embed.hpp).
template <class Result>
Result result_of(Descent descent, Seconds seconds, scores::Score search_recall = {1, 0}) {
    Result result;
    result.map = std::move(descent.map);
    result.iterations = descent.status.iterations;
    result.stopped = descent.status.stopped;
    result.engines = std::move(descent.status.engines);
    result.threads = descent.threads;
    result.strays = descent.strays;
    result.seconds = std::move(seconds);
    set_cost(result, descent.cost);
    result.search_recall = search_recall.value;
    result.search_recall_se = search_recall.se;
    return result;
}

/// The result without a descent: the start, with no cost.
template <class Result>
Result unfinished(Map start) {
    Result result;
    result.map = std::move(start);
    set_cost(result, no_cost);
    result.stopped = Stopped::cancelled;
    return result;
}

}  // namespace dunlin::descent
