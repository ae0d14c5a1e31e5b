#include "tsne/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

namespace dunlin::tsne {

namespace {

void require(bool holds, const std::string& sentence) {
    if (!holds) throw Error(Fault::bad_input, sentence);
}

void require_positive(float value, std::string_view name) {
    require(value > 0 && std::isfinite(value), fmt::format("{} is {}; it must be above 0", name, value));
}

void require_momentum(float value, std::string_view name) {
    require(value >= 0 && value < 1, fmt::format("{} is {}; it must be at least 0 and below 1", name, value));
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
    if (preset == Preset::sklearn || preset == Preset::bhtsne) o.longest_step.reset();
    if (preset == Preset::bhtsne) o.start = Start::random;
    return o;
}

void check(const Options& o) {
    require(o.dim == 2 || o.dim == 3, fmt::format("dim is {}; t-SNE maps have 2 or 3 dimensions", o.dim));
    require(!o.perplexity || *o.perplexity >= 1,
            fmt::format("perplexity is {}; it must be at least 1", o.perplexity.value_or(0)));
    require(!o.k || *o.k >= 1, fmt::format("k is {}; it must be at least 1", o.k.value_or(0)));
    require(!o.pca || *o.pca >= 1, fmt::format("pca is {}; it must be at least 1", o.pca.value_or(0)));
    require(o.iterations >= 0, fmt::format("iterations is {}; it must be at least 0", o.iterations));
    require(o.exaggerated_iterations >= 0,
            fmt::format("exaggerated-iterations is {}; it must be at least 0", o.exaggerated_iterations));
    require_positive(o.exaggeration, "exaggeration");
    require_positive(o.late_exaggeration, "late-exaggeration");
    require_positive(o.learning_rate.value_or(1), "learning-rate");
    require_positive(o.longest_step.value_or(1), "longest-step");
    require(o.least_learning_rate >= 0, "least-learning-rate must be at least 0");
    require(o.least_gain >= 0, "least-gain must be at least 0");
    require(o.tolerance >= 0, "tolerance must be at least 0");
    require_momentum(o.first_momentum, "first-momentum");
    require_momentum(o.momentum, "momentum");

    // What a method does not read is refused
    require(!o.recall || o.search != neighbors::Method::exact,
            "recall is read by an approximate search only; take neighbors auto or approximate, or leave recall out");
    require(!o.theta || o.repulsion == Repulsion::tree,
            "theta is read by --repulsion tree only; name it or leave theta out");
    require(!o.theta || *o.theta >= 0, "theta must be at least 0");
    require(!o.spacing || o.repulsion == Repulsion::grid,
            "spacing is read by --repulsion grid only; name it or leave spacing out");
    require_positive(o.spacing.value_or(1), "spacing");
}

Options resolve(Options o, Index n, Index most_neighbours) {
    const auto largest = static_cast<float>(std::max<Index>(most_neighbours, 1));
    if (!o.perplexity) o.perplexity = std::clamp(static_cast<float>(n - 1) / 3.0F, 1.0F, std::min(30.0F, largest));
    require(*o.perplexity <= largest,
            fmt::format("perplexity is {} but {} points with {} neighbours each allow at most {}", *o.perplexity, n,
                        most_neighbours, largest));
    if (!o.k) o.k = static_cast<Index>(std::ceil(3.0 * static_cast<double>(*o.perplexity)));
    o.k = std::clamp<Index>(*o.k, 1, std::max<Index>(most_neighbours, 1));
    require(static_cast<float>(*o.k) >= *o.perplexity,
            fmt::format("perplexity is {} but k = {} neighbours allow at most {}", *o.perplexity, *o.k, *o.k));
    return o;
}

neighbors::Options search_options(const Options& o) {
    return {.k = *o.k, .metric = o.metric, .method = o.search, .recall = o.recall};
}

float learning_rate(const Options& o, Index n, float exaggeration) {
    if (o.learning_rate) return *o.learning_rate;
    const float factor = o.rate_by_phase ? exaggeration : o.exaggeration;
    return std::max(static_cast<float>(n) / factor, o.least_learning_rate);
}

}  // namespace dunlin::tsne
