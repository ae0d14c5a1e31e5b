// SPDX-License-Identifier: Apache-2.0
#include "tsne/place/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "descent/given.hpp"
#include "options/check.hpp"
#include "placement/field.hpp"
#include "tsne/place/state.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

void require_finite(MatrixView<const float> map, const char* what = "map") {
    for (Index r = 0; r < map.rows; ++r) {
        for (const float value : map.row(r)) {
            if (std::isfinite(value)) continue;
            throw Error(
                Fault::bad_input,
                fmt::format("row {} of the {} is not finite; points are placed in a map that is complete", r, what),
                {.row = r});
        }
    }
}

void check_dimensions(const Map& map, const PlaceOptions& options) {
    options::check(options);
    if (map.dim < 1 || map.dim > 3) {
        throw Error(Fault::bad_input,
                    fmt::format("the map has {} dimensions; points are placed in maps of 1 to 3", map.dim));
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
    check_dimensions(map, options);
    descent::check_points(points, options.metric, {}, {.neighbors = given.neighbors}, run, "placing in a t-SNE map");
    descent::require_size(map.size(), points.rows, "map");
    require_finite(map.view());
    if (given.state != nullptr) check_state(*given.state, points);
}

void check_map(const Map& map, const PlaceOptions& options) {
    check_dimensions(map, options);
    if (map.size() == 0) throw Error(Fault::bad_input, "the map has no points; points are placed among others");
    require_finite(map.view());
}

bool is_exact(const PlaceOptions& options, const Map& map) {
    return options.repulsion == Potential::exact || map.dim == 1 ||
           (options.repulsion == Potential::automatic && map.size() <= placement::most_for_exact_field);
}

void check_start(const Map& start, Index queries, int dim) {
    if (start.dim != dim) {
        throw Error(Fault::bad_input,
                    fmt::format("the start has {} dimensions and the map {}; they must agree", start.dim, dim));
    }
    descent::require_size(start.size(), queries, "start");
    require_finite(start.view(), "start");
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
        const Options resolved = resolve_neighbors({.perplexity = o.perplexity, .k = o.k, .pca = o.pca}, n, points.cols,
                                                   std::max<Index>(degree, 1));
        o.perplexity = resolved.perplexity;
        o.k = given.neighbors != nullptr ? std::max<Index>(degree, 1) : resolved.k;
        o.pca = resolved.pca;
    }
    options::settle(o);
    return o;
}

}  // namespace dunlin::tsne
