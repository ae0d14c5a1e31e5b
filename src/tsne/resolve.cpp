// SPDX-License-Identifier: Apache-2.0
#include "tsne/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include <dunlin/error.hpp>

#include "descent/repulsion.hpp"
#include "forces/places.hpp"
#include "options/check.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::tsne {

namespace {

constexpr Index uniform_neighbors = 15;  // Böhm, Berens and Kobak 2022
constexpr Index large_size = 100000;     // Kobak and Berens 2019

void require(bool holds, const std::string& sentence, const char* option = "") {
    if (!holds) throw Error(Fault::bad_input, sentence, {.option = option});
}

void check_anchors(const Map& anchors, int dim, Index n) {
    constexpr const char* what = "map of anchors";
    forces::require_places(anchors, what, forces::Holes::allowed);
    forces::require_dim(anchors, dim, what);
    descent::require_size(anchors.size(), n, what);
}

}  // namespace

Options options_of(Preset preset) {
    Options o;
    if (preset == Preset::opentsne) return o;
    if (preset == Preset::kobak_berens) {
        o.perplexities = "30,n/100";
        o.rate_by_phase = false;  // n / 12 throughout
        o.exaggerate_large = true;
        return o;
    }
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
    require(o.dim <= 3,
            fmt::format("dim is {}; maps by t-SNE have 1 to 3 dimensions: its normalizer is a sum over all pairs, "
                        "which drawn ones do not give, and beyond 3 dimensions there is no tree or grid; take umap or "
                        "pacmap, which have up to {}",
                        o.dim, descent::most_dimensions),
            "dim");
    options::check(o);
    if (o.perplexities) static_cast<void>(perplexities_of(*o.perplexities, 0));
    for (const auto& [name, rate] :
         {std::pair{"learning-rate", o.learning_rate}, {"late-learning-rate", o.late_learning_rate}}) {
        require(!rate || *rate >= o.least_learning_rate,
                fmt::format("{0} is {1}, below least-learning-rate, {2}; raise {0} or lower least-learning-rate", name,
                            rate.value_or(0), o.least_learning_rate));
    }
}

Options in_single_precision(Options o) {
    require(o.affinity_precision != Precision::half,
            "affinity-precision half is for neighbors of dense points that are searched for on a GPU, but the points "
            "are sparse, or neighbors or affinities are given; take single",
            "affinity-precision");
    o.affinity_precision = Precision::single;
    return o;
}

void check_given(const Options& o, const Given& given, Index n) {
    descent::refuse_labels(given, method_name(o));
    require((given.anchors != nullptr) == (o.anchor == Anchor::given),
            given.anchors != nullptr
                ? fmt::format("anchors are given, but anchor is {}; take anchor given", name_of(o.anchor))
                : "anchor is given, but no anchors are; give a map of them, or take anchor start",
            "anchor");
    if (given.anchors != nullptr) check_anchors(*given.anchors, given.start != nullptr ? given.start->dim : o.dim, n);
    require_weights(given.point_weights, n);
    if (given.affinities != nullptr || given.neighbors != nullptr) static_cast<void>(in_single_precision(o));
    if (given.affinities == nullptr) return;
    require(given.neighbors == nullptr, "neighbors and affinities are given; give one of them", "affinities");
    require(given.point_weights.empty(),
            "weights of points are given beside affinities, of which they are a part; leave one of them out",
            "affinities");
    const auto refuse = [](bool is_set, const char* name) {
        require(!is_set, fmt::format("{0} is given beside affinities, which are used as they are; leave {0} out", name),
                name);
    };
    refuse(o.perplexity.has_value(), "perplexity");
    refuse(o.perplexities.has_value(), "perplexities");
    refuse(o.k.has_value(), "k");
    refuse(o.recall.has_value(), "recall");
    refuse(o.affinities != AffinityKind::gaussian, "affinities");
}

namespace {

/// automatic becomes single or half, by the sizes alone: the map must not depend on how much memory is free.
Precision resolve_precision(const Options& o, Index n, Device where) {
    const Offset listed = Offset{n} * o.k.value_or(0);
    const bool is_half = o.affinity_precision == Precision::half || (o.affinity_precision == Precision::automatic &&
                                                                     where == Device::cuda && listed > most_in_single);
    if (!is_half) return Precision::single;
    const char* option = "affinity-precision";
    require(where == Device::cuda,
            "affinity-precision half is how a GPU stores affinities, but the device is cpu; take single or device cuda",
            option);
    require(o.start != Start::spectral,
            fmt::format("of affinities in half precision, which {} points with {} neighbors get, no spectral start is "
                        "computed; take start pca",
                        n, o.k.value_or(0)),
            o.affinity_precision == Precision::half ? option : "start");
    return Precision::half;
}

}  // namespace

std::vector<float> perplexities_of(const std::string& list, Index n) {
    const auto refuse = [&](const std::string& what) {
        require(false, fmt::format("perplexities is '{}'; {}, as in 30,300 or 30,n/100", list, what), "perplexities");
    };
    constexpr std::string_view by_size = "n/100";
    std::vector<float> perplexities;
    bool has_size = false;
    std::string_view rest = list;
    while (true) {
        const std::string_view item = rest.substr(0, rest.find(','));
        if (item == by_size) {
            has_size = true;
        } else {
            float perplexity = 0;
            const auto [after, fault] = std::from_chars(item.data(), item.data() + item.size(), perplexity);
            if (fault != std::errc() || after != item.data() + item.size()) refuse("give numbers and commas");
            if (!(perplexity >= 1) || !std::isfinite(perplexity)) refuse("perplexities are at least 1 and finite");
            perplexities.push_back(perplexity);
        }
        if (item.size() == rest.size()) break;
        rest.remove_prefix(item.size() + 1);
    }
    const float of_size = std::max(static_cast<float>(n) / 100.0F, 1.0F);
    if (has_size && (perplexities.empty() || of_size > *std::max_element(perplexities.begin(), perplexities.end())))
        perplexities.push_back(of_size);
    if (std::ssize(perplexities) > most_perplexities)
        refuse(fmt::format("give at most {} perplexities", most_perplexities));
    return perplexities;
}

std::string listed(const std::vector<float>& perplexities) {
    std::string list;
    for (const float perplexity : perplexities) {
        if (!list.empty()) list.push_back(',');
        list.append(text_of(perplexity));
    }
    return list;
}

float default_perplexity(Offset neighbors) { return std::clamp(static_cast<float>(neighbors) / 3.0F, 1.0F, 30.0F); }

RowRule rule_of(const Options& o) {
    if (o.affinities == AffinityKind::uniform) return {o.affinities, {}};
    return {o.affinities, o.perplexities ? perplexities_of(*o.perplexities, 0) : std::vector{*o.perplexity}};
}

Options resolve_neighbors(Options o, Index n, Index cols, Index most_neighbors) {
    const auto largest = static_cast<float>(std::max<Index>(most_neighbors, 1));
    o.pca = std::min(o.pca.value_or(cols), cols);
    if (o.affinities == AffinityKind::uniform) {
        o.k = std::clamp<Index>(o.k.value_or(uniform_neighbors), 1, std::max<Index>(most_neighbors, 1));
        return o;
    }
    if (!o.perplexity && !o.perplexities)
        o.perplexity = default_perplexity(std::min({n - 1, most_neighbors, o.k.value_or(n - 1)}));
    if (o.perplexities) o.perplexities = listed(perplexities_of(*o.perplexities, n));
    const char* option = o.perplexities ? "perplexities" : "perplexity";
    const float perplexity = rule_of(o).largest();
    require(perplexity <= largest,
            fmt::format("perplexity is {} but {} points with {} neighbors each allow at most {}", perplexity, n,
                        most_neighbors, largest),
            option);
    if (!o.k) o.k = static_cast<Index>(std::ceil(3.0 * static_cast<double>(perplexity)));
    o.k = std::clamp<Index>(*o.k, 1, std::max<Index>(most_neighbors, 1));
    require(static_cast<float>(*o.k) >= perplexity,
            fmt::format("perplexity is {} but k = {} neighbors allow at most {}", perplexity, *o.k, *o.k), option);
    return o;
}

Options resolve_descent(Options o, Index n, Device where) {
    const auto rate = [&](float exaggeration) {
        return std::max(static_cast<float>(n) / exaggeration, o.least_learning_rate);
    };
    if (!o.late_exaggeration) o.late_exaggeration = o.exaggerate_large && n > large_size ? 4.0F : 1.0F;
    if (!o.late_learning_rate && (o.learning_rate || !o.rate_by_phase))
        o.late_learning_rate = o.learning_rate.value_or(rate(o.exaggeration));
    if (!o.late_learning_rate) o.late_learning_rate = rate(*o.late_exaggeration);
    if (!o.learning_rate) o.learning_rate = rate(o.exaggeration);

    o.affinity_precision = resolve_precision(o, n, where);
    o.repulsion = descent::resolve_repulsion(o.repulsion, n, o.dim, where);
    const bool wants_spacing = !o.spacing;
    options::settle(o);
    if (wants_spacing && o.spacing) *o.spacing *= std::sqrt(o.freedom);  // the kernel is as much wider
    return o;
}

descent::StagePlan stage_plan(const Options& o) {
    return {.points = {.dim = o.dim,
                       .pca = *o.pca,
                       .start = o.start,
                       .deviation = 1e-4,
                       .search = {.k = o.k.value_or(0), .metric = o.metric, .method = o.search, .recall = o.recall}},
            .k = o.k.value_or(0),
            .method = method_name(o),
            .edges = "affinities"};
}

/// Maps of few points have a root mean square radius of at most 3.1 sqrt(n), but up to 14; of up to 10,000 points of at
/// most 74 (docs/tsne.md); larger ones, which fill their area, of 0.8 sqrt(n). A heavier kernel widens those of few
/// points, exaggeration below 1 all.
descent::StartRule start_rule(const Options& o, Index n) {
    const double side = std::sqrt(static_cast<double>(n));
    const double widest = std::max({20.0, std::min(4 * side, 120.0), 1.2 * side});
    const double heavier = std::pow(std::min(1.0, static_cast<double>(o.freedom)), -0.25);
    return {1e-4, false, widest * heavier / std::min(1.0, static_cast<double>(*o.late_exaggeration))};
}

}  // namespace dunlin::tsne
