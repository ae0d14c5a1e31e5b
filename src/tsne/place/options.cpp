// SPDX-License-Identifier: Apache-2.0
#include "tsne/place/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "descent/given.hpp"
#include "options/check.hpp"
#include "tsne/place/state.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

void require_finite(MatrixView<const float> map) {
    for (Index r = 0; r < map.rows; ++r) {
        for (const float value : map.row(r)) {
            if (std::isfinite(value)) continue;
            throw Error(Fault::bad_input,
                        fmt::format("row {} of the map is not finite; points are placed in a map that is complete", r),
                        {.row = r});
        }
    }
}

/// Throws if an option is given that differs from that of the state.
template <class T>
void require_as_saved(const char* name, const std::optional<T>& wanted, const T& saved) {
    if (!wanted || *wanted == saved) return;
    throw Error(Fault::bad_input,
                fmt::format("{} is {} but the state was made with {}; leave it out, or make the state again", name,
                            text_of(*wanted), text_of(saved)),
                {.option = name});
}

}  // namespace

void check_place(MatrixView<const float> points, const Map& map, const PlaceOptions& options, const Run& run,
                 const PlaceGiven& given) {
    options::check(options);
    if (map.dim < 1 || map.dim > 3) {
        throw Error(Fault::bad_input,
                    fmt::format("the map has {} dimensions; points are placed in maps of 1 to 3", map.dim));
    }
    descent::check_points(points, options.metric, {}, {.neighbors = given.neighbors}, run, "placing in a t-SNE map");
    descent::require_size(map.size(), points.rows, "map");
    require_finite(map.view());
    if (given.state != nullptr) check_state(*given.state, points);
}

PlaceOptions resolve_place(const PlaceOptions& wanted, MatrixView<const float> points, const PlaceGiven& given) {
    PlaceOptions o = wanted;
    if (given.state != nullptr) {
        const PlaceState& state = *given.state;
        require_as_saved("perplexity", o.perplexity, state.perplexity);
        require_as_saved("k", o.k, state.k);
        require_as_saved("pca", o.pca, state.pca);
        require_as_saved("metric", std::optional(o.metric), state.metric);
        o.perplexity = state.perplexity;
        o.k = state.k;
        o.pca = state.pca;
    } else {
        const Index n = points.rows;
        const Index degree = given.neighbors != nullptr ? static_cast<Index>(given.neighbors->edges() / n) : n - 1;
        const Options resolved = resolve_affinities({.perplexity = o.perplexity, .k = o.k, .pca = o.pca}, n,
                                                    points.cols, std::max<Index>(degree, 1));
        o.perplexity = resolved.perplexity;
        o.k = given.neighbors != nullptr ? std::max<Index>(degree, 1) : resolved.k;
        o.pca = resolved.pca;
    }
    options::settle(o);
    return o;
}

}  // namespace dunlin::tsne
