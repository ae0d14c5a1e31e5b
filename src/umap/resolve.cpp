// SPDX-License-Identifier: Apache-2.0
#include "umap/resolve.hpp"

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "descent/given.hpp"
#include "descent/repulsion.hpp"
#include "options/check.hpp"
#include "umap/supervision.hpp"

namespace dunlin::umap {

namespace {
constexpr Index default_k = 15;  // umap-learn's
}

Options options_of(Preset preset) {
    Options o;
    if (preset == Preset::umap_learn) {
        o.start = Start::spectral;
        return o;
    }
    o.a = o.b = 1.0F;
    o.softening = preset == Preset::largevis ? 0.1F : 0.05F;
    if (preset == Preset::largevis) o.repulsion_strength = 7;
    return o;
}

void check(const Options& o) {
    options::check(o);
    if (o.a.has_value() != o.b.has_value()) {
        throw Error(Fault::bad_input, "only one of a and b is given; give both, or min-dist and spread instead",
                    {.option = o.a ? "b" : "a"});
    }
    if (!o.a) fit_curve(o.min_dist, o.spread);
}

void check_given(const Options& o, const Given& given, Index n) {
    descent::refuse_affinities(given, method_name(o));
    check_labels(o, given.labels, n);
}

Options resolve_neighbors(Options o, Index, Index cols, Index most_neighbors) {
    o.k = std::clamp<Index>(o.k.value_or(default_k), 1, std::max<Index>(most_neighbors, 0) + 1);
    o.pca = std::min(o.pca.value_or(cols), cols);
    return o;
}

Options resolve_descent(Options o, Index n, Device where) {
    if (o.densmap && where == Device::cuda)
        throw Error(Fault::bad_input, "densmap is on and the device is cuda; densMAP runs on a CPU: take device cpu",
                    {.option = "densmap"});
    if (!o.a) {
        const Curve curve = fit_curve(o.min_dist, o.spread);
        o.a = curve.a, o.b = curve.b;
    }
    o.repulsion = descent::resolve_repulsion(o.repulsion, n, o.dim, where);
    options::settle(o);
    return o;
}

descent::StagePlan stage_plan(const Options& o) {
    return {.points = {.dim = o.dim,
                       .pca = *o.pca,
                       .start = o.start,
                       .deviation = 1,
                       .search = {.k = std::max<Index>(*o.k - 1, 1),
                                  .metric = o.metric,
                                  .method = o.search,
                                  .recall = o.recall}},
            .k = *o.k,
            .method = method_name(o),
            .edges = "memberships",
            // The lengths of up to 2 k edges a point, and their ends
            .more_bytes = o.densmap ? 2 * static_cast<std::uint64_t>(*o.k) * (sizeof(float) + sizeof(Index)) : 0};
}

/// Maps have a root mean square radius of at most 23 (docs/tsne.md), whatever the number of points; with ten times the
/// repulsion 43, and proportional to the distance at which the membership is 1 / 2, by default 0.78.
descent::StartRule start_rule(const Options& o, Index) {
    const double half = std::pow(static_cast<double>(*o.a), -0.5 / static_cast<double>(*o.b));
    const double push = static_cast<double>(o.negatives) * static_cast<double>(o.repulsion_strength) / 5;
    return {10, true, 50 * std::max(1.0, half / 0.78) * std::sqrt(std::max(1.0, push))};
}

}  // namespace dunlin::umap
