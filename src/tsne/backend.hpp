// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

/// What runs on one kind of device or the other. Options are resolved and what is given is checked.
namespace dunlin::tsne {

/// How a descent ended.
struct DescentStatus {
    int iterations = 0;
    Stopped stopped = Stopped::budget;
    std::vector<Engine> engines = {};  ///< of the repulsion
};

struct Descent {
    Map map;
    DescentStatus status;
    scores::Score kl;
    int threads = 1;
    Offset strays = 0;
};

/// The standard deviation of the first coordinates.
constexpr double start_deviation = 1e-4;

/// The descent; `start` has as many points as `affinities`.
Descent descend_on_cpu(Graph affinities, const Map& start, const Options& options, const Run& run);
Descent descend_on_cuda(const Graph& affinities, const Map& start, const Options& options, const Run& run);

/// All stages from points. options.search becomes what ran. Of the result's outcome, what completed() says of all is
/// left to the caller.
Result embed_on_cpu(MatrixView<const float> points, const Given& given, Options& options, const Run& run);
Result embed_on_cuda(MatrixView<const float> points, const Given& given, Options& options, const Run& run);

/// libdunlin_cuda's own functions, which those above call (backend/table.hpp).
namespace backend {
decltype(tsne::descend_on_cuda) descend_on_cuda;
decltype(tsne::embed_on_cuda) embed_on_cuda;
}  // namespace backend

/// A descent's result after stages of these seconds, and what is left when there was none: the start, and no cost.
Result result_of(Descent descent, Seconds seconds, scores::Score search_recall = {1, 0});
Result unfinished(Map start);

/// The search that ran; an exact one has no recall to aim at.
inline void note_search(Options& options, neighbors::Method ran) {
    options.search = ran;
    if (ran == neighbors::Method::exact) options.recall.reset();
}

}  // namespace dunlin::tsne
