// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/transform.hpp>

#include "descent/given.hpp"
#include "math/at.hpp"

namespace dunlin::tsne {

namespace {

/// The rows of a map that have a place, and those that do not.
struct Sides {
    std::vector<Index> known, open;
};
Sides sides_of(MatrixView<const float> map) {
    Sides sides;
    for (Index r = 0; r < map.rows; ++r) {
        const auto row = map.row(r);
        const auto missing = std::count_if(row.begin(), row.end(), [](float y) { return std::isnan(y); });
        const bool whole = std::all_of(row.begin(), row.end(), [](float y) { return std::isfinite(y); });
        if (!whole && missing < map.cols) {
            throw Error(
                Fault::bad_input,
                fmt::format("row {} of the map is NaN or infinite in part; give all coordinates, or NaN for all", r),
                {.row = r});
        }
        (whole ? sides.known : sides.open).push_back(r);
    }
    if (sides.known.empty() && map.rows > 0)
        throw Error(Fault::bad_input, "the map has no row with coordinates; at least one point must have a place");
    return sides;
}

std::vector<float> rows_of(MatrixView<const float> all, const std::vector<Index>& rows) {
    std::vector<float> some;
    some.reserve(at(Offset{all.cols} * std::ssize(rows)));
    for (const Index r : rows) {
        const auto row = all.row(r);
        some.insert(some.end(), row.begin(), row.end());
    }
    return some;
}

/// The options of placing in a map made with these; what the known points are too few for becomes the default.
PlaceOptions place_options_of(const Options& o, Index known) {
    PlaceOptions place{.pca = o.pca,
                       .metric = o.metric,
                       .search = o.search,
                       .recall = o.recall,
                       .exaggeration = o.late_exaggeration,
                       .score = false};
    const auto most = static_cast<float>(known - 1);
    if (o.perplexity && *o.perplexity <= most) place.perplexity = o.perplexity;
    if (o.k && *o.k < known && (!place.perplexity || static_cast<float>(*o.k) >= *place.perplexity)) place.k = o.k;
    return place;
}

}  // namespace

Map completed(MatrixView<const float> points, const Map& some, const Options& options, const Run& run) {
    descent::require_size(some.size(), points.rows, "map");
    const Sides sides = sides_of(some.view());
    if (sides.open.empty()) return some;
    const auto known = static_cast<Index>(sides.known.size()), open = static_cast<Index>(sides.open.size());
    const std::vector<float> of_known = rows_of(points, sides.known), of_open = rows_of(points, sides.open);
    const Map map{some.dim, rows_of(some.view(), sides.known)};
    const Placed placed = place({of_known.data(), known, points.cols}, map, {of_open.data(), open, points.cols},
                                place_options_of(options, known), run);
    if (placed.stopped == Stopped::cancelled) return {some.dim, {}};
    Map all = some;
    for (std::size_t q = 0; q < sides.open.size(); ++q) {
        const auto row = placed.map.view().row(static_cast<Index>(q));
        std::copy(row.begin(), row.end(), all.coordinates.begin() + Offset{sides.open[q]} * some.dim);
    }
    return all;
}

}  // namespace dunlin::tsne
