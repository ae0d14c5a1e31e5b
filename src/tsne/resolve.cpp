// SPDX-License-Identifier: Apache-2.0
#include "tsne/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <dunlin/error.hpp>

#include "descent/repulsion.hpp"
#include "options/check.hpp"

namespace dunlin::tsne {

namespace {

void require(bool holds, const std::string& sentence, const char* option = "") {
    if (!holds) throw Error(Fault::bad_input, sentence, {.option = option});
}

}  // namespace

Options options_of(Preset preset) {
    Options o;
    if (preset == Preset::opentsne) return o;
    o.iterations = preset == Preset::fitsne ? 750 : 1000;
    o.first_momentum = 0.5F;
    o.rate_by_phase = false;
    if (preset == Preset::bhtsne) {
        o.learning_rate = 200;
        o.perplexity = 50;
    } else {
        o.least_learning_rate =
            200;  // max(n / 12, 200); scikit-learn writes max(n / 48, 50) for a gradient 4 times ours
    }
    if (preset == Preset::sklearn || preset == Preset::bhtsne) o.longest_step = 0;
    if (preset == Preset::bhtsne) o.start = Start::random;
    return o;
}

void check(const Options& o) {
    options::check(o);
    for (const auto& [name, rate] :
         {std::pair{"learning-rate", o.learning_rate}, {"late-learning-rate", o.late_learning_rate}}) {
        require(!rate || *rate >= o.least_learning_rate,
                fmt::format("{0} is {1}, below least-learning-rate, {2}; raise {0} or lower least-learning-rate", name,
                            rate.value_or(0), o.least_learning_rate));
    }
}

Options resolve_neighbors(Options o, Index n, Index cols, Index most_neighbors) {
    const auto largest = static_cast<float>(std::max<Index>(most_neighbors, 1));
    if (!o.perplexity) o.perplexity = std::clamp(static_cast<float>(n - 1) / 3.0F, 1.0F, std::min(30.0F, largest));
    require(*o.perplexity <= largest,
            fmt::format("perplexity is {} but {} points with {} neighbors each allow at most {}", *o.perplexity, n,
                        most_neighbors, largest),
            "perplexity");
    if (!o.k) o.k = static_cast<Index>(std::ceil(3.0 * static_cast<double>(*o.perplexity)));
    o.k = std::clamp<Index>(*o.k, 1, std::max<Index>(most_neighbors, 1));
    require(static_cast<float>(*o.k) >= *o.perplexity,
            fmt::format("perplexity is {} but k = {} neighbors allow at most {}", *o.perplexity, *o.k, *o.k),
            "perplexity");
    o.pca = std::min(o.pca.value_or(cols), cols);
    return o;
}

Options resolve_descent(Options o, Index n, Device where) {
    const auto rate = [&](float exaggeration) {
        return std::max(static_cast<float>(n) / exaggeration, o.least_learning_rate);
    };
    if (!o.late_learning_rate && (o.learning_rate || !o.rate_by_phase))
        o.late_learning_rate = o.learning_rate.value_or(rate(o.exaggeration));
    if (!o.late_learning_rate) o.late_learning_rate = rate(o.late_exaggeration);
    if (!o.learning_rate) o.learning_rate = rate(o.exaggeration);

    o.repulsion = descent::resolve_repulsion(o.repulsion, n, o.dim, where);
    options::settle(o);
    return o;
}

descent::StagePlan stage_plan(const Options& o) {
    return {.points = {.dim = o.dim,
                       .pca = *o.pca,
                       .start = o.start,
                       .deviation = 1e-4,
                       .search = {.k = *o.k, .metric = o.metric, .method = o.search, .recall = o.recall}},
            .k = *o.k,
            .method = method_name(o),
            .edges = "affinities"};
}

}  // namespace dunlin::tsne
