#pragma once

#include <dunlin/metrics.hpp>
#include <dunlin/tsne.hpp>

/// What runs on one kind of device or the other. Options are resolved and what is given is checked.
namespace dunlin::tsne {

/// How a descent ended.
struct Ending {
    int iterations = 0;
    Stopped stopped = Stopped::budget;
};

struct Descent {
    Map map;
    Ending ending;
    metrics::Score kl;
    int threads = 1;
    Offset strays = 0;
};

/// The standard deviation of the first coordinates.
constexpr double start_deviation = 1e-4;

/// The descent; `start` has as many points as `affinities`.
Descent descend_on_cpu(Graph affinities, const Map& start, const Options& options, const Run& run);
Descent descend_on_cuda(const Graph& affinities, const Map& start, const Options& options, const Run& run);

/// All stages from points. Of the result, options, device and gpu_memory are left to the caller.
Result embed_on_cpu(MatrixView<const float> points, const Given& given, const Options& options, const Run& run);
Result embed_on_cuda(MatrixView<const float> points, const Given& given, const Options& options, const Run& run);

/// A descent's result after `seconds`, and what is left when there was none: the start, and no cost.
Result result_of(Descent descent, double seconds);
Result unfinished(Map start);

/// After a search for neighbours, whose method and recall `found` has.
template <class Found>
Result result_of(Descent descent, const Seconds& seconds, const Found& found) {
    Result result = result_of(std::move(descent), seconds.optimise);
    result.seconds = seconds;
    result.search = found.method;
    result.search_recall = found.recall;
    result.search_recall_se = found.recall_se;
    return result;
}

}  // namespace dunlin::tsne
