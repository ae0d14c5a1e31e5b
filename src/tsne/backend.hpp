#pragma once

#include <dunlin/metrics.hpp>
#include <dunlin/tsne.hpp>

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
};

/// The descent on one device; options are resolved and `start` has as many points as `affinities`.
Descent descend_on_cpu(Graph affinities, const Map& start, const Options& options, const Run& run);

}  // namespace dunlin::tsne
