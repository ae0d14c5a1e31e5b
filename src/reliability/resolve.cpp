// SPDX-License-Identifier: Apache-2.0
#include "reliability/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>

#include "descent/given.hpp"
#include "device/cpu.hpp"
#include "options/check.hpp"
#include "scores/evaluated_rows.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::reliability {

namespace {

void require_at_most(Index value, Index largest, const char* option, std::string_view reason) {
    if (value <= largest) return;
    throw Error(Fault::bad_input, fmt::format("{} is {}; {} allow at most {}", option, value, reason, largest),
                {.option = option});
}

}  // namespace

void check(const Map& map, MatrixView<const float> points, const Options& options, const Run& run, const Given& given) {
    options::check(options);
    descent::check_points(points, options.metric, options.recall, {given.neighbors, nullptr}, run, "reliability");
    if (map.dim < 1 || map.dim > 3) {
        throw Error(Fault::bad_input,
                    fmt::format("the map has {} dimensions; its reliability is found in 1, 2 or 3", map.dim));
    }
    device::Cpu cpu(run);
    scores::check_points("reliability", cpu, points, map);
    if (given.neighbors != nullptr) descent::require_listed(*given.neighbors, {.asked = options.k});
    if (options.home_sample) require_at_most(*options.home_sample, points.rows, "home-sample", "the points");
}

Options resolve(Options o, Index n, Index most_neighbors, bool given) {
    const Index most = std::max<Index>(most_neighbors, 1);
    if (o.method == Method::tsne) {
        const auto largest = static_cast<float>(most);
        if (!o.perplexity) o.perplexity = tsne::default_perplexity(most_neighbors);
        if (*o.perplexity > largest) {
            throw Error(Fault::bad_input,
                        fmt::format("perplexity is {} but {} points with {} neighbors each allow at most {}",
                                    *o.perplexity, n, most_neighbors, largest),
                        {.option = "perplexity"});
        }
    }
    const std::string reason = fmt::format("{} points with {} neighbors each", n, most_neighbors);
    if (!o.ranks) o.ranks = given ? most : std::min(most, neighbors_of_affinities(o));
    require_at_most(*o.ranks, most, "ranks", reason);
    if (!o.k) o.k = std::clamp<Index>(std::min<Index>(12, (n - 1) / 2), 1, *o.ranks);
    require_at_most(*o.k, *o.ranks, "k", fmt::format("ranks up to {}", *o.ranks));
    options::settle(o);
    return o;
}

Index neighbors_of_affinities(const Options& options) {
    if (options.method == Method::umap) return default_ranks;
    return std::max<Index>(1, static_cast<Index>(std::ceil(3.0 * static_cast<double>(*options.perplexity))));
}

}  // namespace dunlin::reliability
