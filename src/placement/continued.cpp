// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/transform.hpp>

#include "checkpoint/session.hpp"
#include "descent/given.hpp"
#include "descent/result.hpp"
#include "forces/places.hpp"
#include "math/at.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin {

namespace {

constexpr int fixed_iterations = 250, grow_iterations = 50;

/// The rows of a map that have a place, and those that do not; checked by require_places.
struct Sides {
    std::vector<Index> known, open;
};
Sides sides_of(MatrixView<const float> map) {
    Sides sides;
    for (Index r = 0; r < map.rows; ++r) {
        const bool whole = !std::isnan(map(r, 0));
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
template <class Made>
placement::Options options_for(const Made& made, Index known) {
    placement::Options place = placement::options_of(made);
    place.score = false;
    const bool narrow = place.perplexity && *place.perplexity > static_cast<float>(known - 1);
    if (narrow) place.perplexity.reset();
    if (place.method != placement::Method::tsne) return place;
    if (place.k && (*place.k >= known || (place.perplexity && static_cast<float>(*place.k) < *place.perplexity)))
        place.k.reset();
    return place;
}

template <class Made>
Map completed_map(MatrixView<const float> points, const Map& some, const Made& made, const Run& run) {
    forces::require_places(some, "map", forces::Holes::allowed, descent::most_dimensions);
    descent::require_size(some.size(), points.rows, "map");
    const Sides sides = sides_of(some.view());
    if (sides.open.empty()) return some;
    const auto known = static_cast<Index>(sides.known.size()), open = static_cast<Index>(sides.open.size());
    const std::vector<float> of_known = rows_of(points, sides.known), of_open = rows_of(points, sides.open);
    const Map map{some.dim, rows_of(some.view(), sides.known)};
    const placement::Result placed = placement::place(
        {of_known.data(), known, points.cols}, map, {of_open.data(), open, points.cols}, options_for(made, known), run);
    if (placed.stopped == Stopped::cancelled) return {some.dim, {}};
    Map all = some;
    for (std::size_t q = 0; q < sides.open.size(); ++q) {
        const auto row = placed.map.view().row(static_cast<Index>(q));
        std::copy(row.begin(), row.end(), all.coordinates.begin() + Offset{sides.open[q]} * some.dim);
    }
    return all;
}

template <class Result, class Made>
Result continued_map(MatrixView<const float> points, const Map& some, descent::Continuation how, const Made& made,
                     const Run& run, const descent::Given& given) {
    if (given.start != nullptr || !given.fixed.empty()) {
        throw Error(Fault::bad_input,
                    "a start or fixed points are given beside a map that goes on, which is the start; leave them out");
    }
    if (made.start != descent::Start::pca) {
        throw Error(
            Fault::bad_input,
            fmt::format("start is {}, but the map goes on from a given one; leave start out", name_of(made.start)),
            {.option = "start"});
    }
    progress::Stopwatch watch;
    const Map start = completed_map(points, some, made, checkpoint::without_checkpoint(run));
    if (start.size() < some.size()) {
        Result result;
        result.map.dim = some.dim;
        result.stopped = Stopped::cancelled;
        return result;
    }
    const double seconds = watch.lap();
    std::vector<std::uint8_t> fixed;
    if (how == descent::Continuation::fixed) {
        for (Index i = 0; i < some.size(); ++i) fixed.push_back(std::isnan(some.view()(i, 0)) ? 0 : 1);
    }
    descent::Given next = given;
    next.start = &start;
    next.keeps_start = true;
    next.fixed = fixed;
    Result result = embed(points, made, run, next);
    result.seconds["place"] = seconds;
    return result;
}

}  // namespace

double placement::share_of_new(const Map& some) {
    forces::require_places(some, "map", forces::Holes::allowed, descent::most_dimensions);
    const Index n = some.size();
    Index open = 0;
    for (Index i = 0; i < n; ++i) open += std::isnan(some.view()(i, 0)) ? 1 : 0;
    return n > 0 ? open / static_cast<double>(n) : 0;
}

// t-SNE

Map tsne::completed(MatrixView<const float> points, const Map& some, const Options& options, const Run& run) {
    return completed_map(points, some, options, run);
}

tsne::Options tsne::continuing(descent::Continuation how, double new_share, Options options) {
    options.start = Start::pca;  // not read: the map is the start
    if (how == descent::Continuation::fixed) {
        options.exaggerated_iterations = 0;
        options.iterations = fixed_iterations;
        return options;
    }
    // A map that doubles takes as long as a new one
    const double way = std::min(1.0, 2 * new_share);
    options.exaggeration = static_cast<float>(std::pow(static_cast<double>(options.exaggeration), new_share));
    options.exaggerated_iterations = static_cast<int>(std::lround(way * options.exaggerated_iterations));
    options.iterations = static_cast<int>(std::lround(grow_iterations + way * (options.iterations - grow_iterations)));
    return options;
}

tsne::Result tsne::continued(MatrixView<const float> points, const Map& some, descent::Continuation how,
                             const Options& options, const Run& run, const Given& given) {
    return continued_map<Result>(points, some, how, options, run, given);
}

// UMAP

Map umap::completed(MatrixView<const float> points, const Map& some, const Options& options, const Run& run) {
    return completed_map(points, some, options, run);
}

umap::Options umap::continuing(descent::Continuation how, double, Options options) {
    options.start = Start::pca;
    options.iterations = how == descent::Continuation::fixed ? fixed_iterations : grow_iterations;
    return options;
}

umap::Result umap::continued(MatrixView<const float> points, const Map& some, descent::Continuation how,
                             const Options& options, const Run& run, const Given& given) {
    placement::require_placeable(options);
    return continued_map<Result>(points, some, how, options, run, given);
}

// PaCMAP

Map pacmap::completed(MatrixView<const float> points, const Map& some, const Options& options, const Run& run) {
    return completed_map(points, some, options, run);
}

pacmap::Options pacmap::continuing(descent::Continuation how, double, Options options) {
    options.start = Start::pca;
    options.iterations =
        fmt::format("0,0,{}", how == descent::Continuation::fixed ? fixed_iterations : grow_iterations);
    options.learning_rate = 0.1F;
    return options;
}

pacmap::Result pacmap::continued(MatrixView<const float> points, const Map& some, descent::Continuation how,
                                 const Options& options, const Run& run, const Given& given) {
    return continued_map<Result>(points, some, how, options, run, given);
}

}  // namespace dunlin
