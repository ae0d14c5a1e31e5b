#include "mds/anchored.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace dunlin::mds {

namespace {

constexpr Index at_once = 256;  ///< terms that are added in float32

std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

Index count_of(const Anchored& items) { return static_cast<Index>(items.anchors.size()); }

/// An item at a place meets all anchors; adds the force on it, and returns its stress.
double meet_anchors(const Anchored& items, const Axes& axes, Offset item, const float* place, int dim, double* force) {
    const Index k = count_of(items);
    double error = 0;
    for (Index first = 0; first < k; first += at_once) {
        const std::vector<const float*> others = axes.from(first);
        error += pull({items.to_anchors.data() + item * k + first, nullptr, others.data(), place, dim,
                       std::min(at_once, k - first)},
                      force);
    }
    return error;
}

/// The anchors' places, one after the other.
Axes axes_of(const Anchored& items, const std::vector<float>& y, int dim) {
    std::vector<float> places;
    for (const Index anchor : items.anchors)
        places.insert(places.end(), y.begin() + Offset{anchor} * dim, y.begin() + Offset{anchor + 1} * dim);
    return {places.data(), count_of(items), dim};
}

/// Of the anchors that are nearest to an item, the one at whose place its stress is least.
Index first_place(const Anchored& items, const Axes& axes, const Map& anchors, Offset item) {
    constexpr Index looks = 8;
    const Index k = count_of(items);
    const float* row = items.to_anchors.data() + item * k;
    std::vector<Index> near(at(k));
    std::iota(near.begin(), near.end(), Index{0});
    const auto nearer = [row](Index a, Index b) { return row[a] < row[b] || (row[a] == row[b] && a < b); };
    std::partial_sort(near.begin(), near.begin() + std::min(looks, k), near.end(), nearer);
    near.resize(at(std::min(looks, k)));
    std::vector<double> unused(at(anchors.dim));
    const auto stress_at = [&](Index a) {
        return meet_anchors(items, axes, item, anchors.coordinates.data() + Offset{a} * anchors.dim, anchors.dim,
                            unused.data());
    };
    std::vector<double> stresses(near.size());
    std::transform(near.begin(), near.end(), stresses.begin(), stress_at);
    return near[at(std::min_element(stresses.begin(), stresses.end()) - stresses.begin())];
}

/// How far an item may move along its force: 1 over the distances it has, times `relaxation`; anchors stay.
std::vector<float> steps(device::Cpu& cpu, const Anchored& items, double relaxation) {
    const Index n = items.source->size(), k = count_of(items);
    std::vector<float> steps(at(n), 0.0F);
    cpu.each(
        n,
        [&](Offset i) {
            const float* row = items.to_anchors.data() + i * k;
            const auto known = std::count_if(row, row + k, [](float delta) { return delta >= 0; });
            if (known > 0) steps[at(i)] = static_cast<float>(relaxation / static_cast<double>(known));
        },
        256);
    for (const Index anchor : items.anchors) steps[at(anchor)] = 0;
    return steps;
}

}  // namespace

Anchored anchored(device::Cpu& cpu, const Source& source, std::vector<Index> anchors) {
    const auto n = source.size(), k = static_cast<Index>(anchors.size());
    Anchored items{&source, std::move(anchors), std::vector<float>(at(Offset{n} * k))};
    cpu.blocks(n, tile_columns, [&](Offset begin, Offset end, int) {
        std::vector<float> tile(at(Offset{k} * tile_columns));
        source.tile(items.anchors, static_cast<Index>(begin), static_cast<Index>(end - begin), tile.data(),
                    tile_columns);
        for (Offset i = begin; i < end; ++i) {
            for (Offset a = 0; a < k; ++a) items.to_anchors[at(i * k + a)] = tile[at(a * tile_columns + i - begin)];
        }
    });
    return items;
}

void pull_all(device::Cpu& cpu, const Anchored& items, Shape<device::Cpu>& shape) {
    const int dim = shape.dim;
    const Axes axes = axes_of(items, shape.y, dim);
    cpu.blocks(shape.n, 64, [&](Offset begin, Offset end, int) {
        std::vector<double> force(at(dim));
        for (Offset i = begin; i < end; ++i) {
            std::fill(force.begin(), force.end(), 0.0);
            shape.error[at(i)] = meet_anchors(items, axes, i, shape.y.data() + i * dim, dim, force.data());
            std::transform(force.begin(), force.end(), shape.force.begin() + i * dim,
                           [](double f) { return static_cast<float>(f); });
        }
    });
    cpu.sum(shape.n, [&](Offset i) { return shape.error[at(i)]; }, shape.stress);
}

Result place_anchors(const Anchored& items, const Options& options, const Run& run) {
    const Index k = count_of(items);
    std::vector<float> among;
    for (const Index anchor : items.anchors) {
        const auto row = items.to_anchors.begin() + Offset{anchor} * k;
        among.insert(among.end(), row, row + k);
    }
    Run unlimited = run;
    unlimited.memory = 0;
    const auto few = Dissimilarities::of_matrix(Matrix(k, k, std::move(among)), unlimited);
    return place(few, options, unlimited);
}

Ending place_others(device::Cpu& cpu, const Anchored& items, const Map& anchors, Map& map, const Options& options,
                    const Run& run) {
    const int dim = anchors.dim;
    const Axes axes(anchors.coordinates.data(), anchors.size(), dim);
    map = {dim, std::vector<float>(at(Offset{items.source->size()} * dim))};
    const auto put = [&](Offset item, Offset anchor) {
        std::copy_n(anchors.coordinates.begin() + anchor * dim, dim, map.coordinates.begin() + item * dim);
    };
    cpu.each(map.size(), [&](Offset i) { put(i, first_place(items, axes, anchors, i)); }, 64);
    for (Index a = 0; a < anchors.size(); ++a) put(items.anchors[at(a)], a);

    auto nowhere = shape_at(cpu, Map{dim, std::vector<float>(map.coordinates.size(), 0.0F)});
    pull_all(cpu, items, nowhere);
    auto shape = shape_at(cpu, map);
    const Patience patience{300, *options.tolerance, nowhere.stress.value};
    const Ending ending = smacof(cpu, items, shape, steps(cpu, items, 1.5), patience, run);
    map.coordinates.assign(shape.y.begin(), shape.y.end());
    return ending;
}

}  // namespace dunlin::mds
