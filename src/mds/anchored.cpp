#include "mds/anchored.hpp"

#include <algorithm>
#include <limits>

#include "math/at.hpp"
#include "mds/anchor_weights.hpp"

namespace dunlin::mds {

namespace {

Index count_of(const Anchored& items) { return static_cast<Index>(items.anchors.size()); }

/// An item at a place and all anchors.
Meeting with_anchors(const Anchored& items, std::span<const float* const> axes, Offset item, const float* place) {
    const Index k = count_of(items);
    const float* row = items.to_anchors.data() + item * k;
    return {row, items.weights.data(), axes.data(), place, static_cast<int>(axes.size()), k};
}

/// The anchors nearest to an item, the first of equals first.
std::vector<Index> nearest_anchors(const Anchored& items, Offset item, std::size_t count) {
    const float* row = items.to_anchors.data() + item * count_of(items);
    std::vector<Index> near;
    for (Index a = 0; a < count_of(items); ++a) {
        if (!(row[a] >= 0) || (near.size() == count && row[a] >= row[near.back()])) continue;
        if (near.size() == count) near.pop_back();
        near.insert(std::upper_bound(near.begin(), near.end(), a, [row](Index x, Index y) { return row[x] < row[y]; }),
                    a);
    }
    return near;
}

/// Of the anchors that are nearest to an item, the one at whose place its stress is least.
Index first_place(const Anchored& items, std::span<const float* const> axes, const Map& anchors, Offset item) {
    constexpr std::size_t looks = 8;
    std::vector<double> unused(axes.size());
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const Index a : nearest_anchors(items, item, looks)) {
        const double stress =
            pull(with_anchors(items, axes, item, anchors.coordinates.data() + Offset{a} * anchors.dim), unused.data());
        if (!(stress < least)) continue;
        least = stress;
        best = a;
    }
    return best;
}

constexpr int most_moves = 300;

/// Moves an item, by majorisation with long steps, to where its stress is least; returns how many moves that took.
int settle(const Anchored& items, std::span<const float* const> axes, Offset item, float* y, double tolerance) {
    constexpr double relaxation = 1.5;
    const Meeting meeting = with_anchors(items, axes, item, y);
    const double step = relaxation / std::max(weight_of(meeting), 1.0),
                 nought = least_stress * stress_sums(meeting).delta2;
    std::vector<double> force(axes.size());
    double before = std::numeric_limits<double>::infinity();
    for (int move = 0; move < most_moves; ++move) {
        std::fill(force.begin(), force.end(), 0.0);
        const double stress = pull(meeting, force.data());
        if (before - stress <= tolerance * stress || stress <= nought) return move;
        before = stress;
        for (std::size_t c = 0; c < axes.size(); ++c) y[c] += static_cast<float>(step * force[c]);
    }
    return most_moves;
}

}  // namespace

Anchored anchored(device::Cpu& cpu, const Source& source, std::vector<Index> anchors) {
    const auto n = source.size(), k = static_cast<Index>(anchors.size());
    Anchored items{&source, std::move(anchors), std::vector<float>(at(Offset{n} * k)), {}};
    cpu.blocks(n, tile_columns, [&](Offset begin, Offset end, int) {
        std::vector<float> tile(at(Offset{k} * tile_columns));
        source.tile(items.anchors, static_cast<Index>(begin), static_cast<Index>(end - begin), tile.data(),
                    tile_columns);
        for (Offset i = begin; i < end; ++i) {
            for (Offset a = 0; a < k; ++a) items.to_anchors[at(i * k + a)] = tile[at(a * tile_columns + i - begin)];
        }
    });
    items.weights = anchor_weights(cpu, items.anchors, items.to_anchors);
    return items;
}

Result place_anchors(const Anchored& items, const Options& options, const Run& run) {
    const Index k = count_of(items);
    std::vector<float> among, weights;
    for (Index a = 0; a < k; ++a) {
        const auto row = items.to_anchors.begin() + Offset{items.anchors[at(a)]} * k;
        among.insert(among.end(), row, row + k);
        for (const float weight : items.weights) weights.push_back(items.weights[at(a)] * weight);
    }
    Run unlimited = run;
    unlimited.memory = 0;
    const auto few = Dissimilarities::of_matrix(Matrix(k, k, std::move(among)), unlimited);
    const Matrix by_pair(k, k, std::move(weights));
    return place(few, options, unlimited, {.weights = &by_pair});
}

Ending place_others(device::Cpu& cpu, const Anchored& items, const Map& anchors, Map& map, const Options& options,
                    const Run& run) {
    constexpr Offset items_at_once = 8192;
    const Index n = items.source->size();
    const Offset dim = anchors.dim;
    const Axes of_anchors(anchors.coordinates.data(), anchors.size(), anchors.dim);
    const std::vector<const float*> axes = of_anchors.from(0);
    map = {anchors.dim, std::vector<float>(at(n * dim))};
    const auto place_of = [&](Offset item) { return map.coordinates.data() + item * dim; };
    const auto put = [&](Offset item, Offset anchor) {
        std::copy_n(anchors.coordinates.begin() + anchor * dim, dim, place_of(item));
    };
    cpu.each(n, [&](Offset i) { put(i, first_place(items, axes, anchors, i)); }, 64);

    std::vector<int> moves(at(n), 0);
    device::Ticker ticker(run, "optimise", n);
    for (Offset first = 0; first < n && !run.stop.stop_requested(); first += items_at_once) {
        const Offset count = std::min(items_at_once, n - first);
        cpu.each(
            count,
            [&](Offset k) {
                moves[at(first + k)] = settle(items, axes, first + k, place_of(first + k), *options.tolerance);
            },
            16);
        ticker.tick(first + count);
    }
    for (Index a = 0; a < anchors.size(); ++a) put(items.anchors[at(a)], a);
    const int most = *std::max_element(moves.begin(), moves.end());
    if (run.stop.stop_requested()) return {most, Stopped::cancelled};
    return {most, most < most_moves ? Stopped::converged : Stopped::budget};
}

}  // namespace dunlin::mds
