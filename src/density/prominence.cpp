// SPDX-License-Identifier: Apache-2.0
#include "density/prominence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "math/at.hpp"
#include "numerics/ranked.hpp"
#include "numerics/sort.hpp"
#include "progress/cancel.hpp"

namespace dunlin::density {

namespace {

/// Components of the nodes above a falling level.
class Merging {
public:
    Merging(std::span<const float> heights, const std::array<Index, 3>& nodes, const Neighborhood& neighbors)
        : heights_(heights), nodes_(nodes), neighbors_(neighbors), parent_(heights.size(), -1) {}

    std::vector<Prominence> run(const std::vector<Index>& order) {
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i % 16384 == 0) progress::cancellation_point();
            add(order[i]);
        }
        for (const Index node : order) {
            if (parent_[at(node)] == node) found_.push_back({node, static_cast<double>(heights_[at(node)])});
        }
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Prominence& a, const Prominence& b) { return a.value > b.value; });
        return found_;
    }

private:
    /// A component is represented by its maximum, which is its first node.
    Index root(Index node) {
        while (parent_[at(node)] != node) {
            parent_[at(node)] = parent_[at(parent_[at(node)])];
            node = parent_[at(node)];
        }
        return node;
    }

    void add(Index node) {
        parent_[at(node)] = node;
        const std::array<Index, 3> place{node % nodes_[0], node / nodes_[0] % nodes_[1], node / nodes_[0] / nodes_[1]};
        for (const auto& [dx, dy, dz] : neighbors_) {
            const Index x = place[0] + dx, y = place[1] + dy, z = place[2] + dz;
            if (x < 0 || y < 0 || z < 0 || x >= nodes_[0] || y >= nodes_[1] || z >= nodes_[2]) continue;
            meet(node, x + nodes_[0] * (y + nodes_[1] * z));
        }
    }

    /// Two components meet at the level of `node`; the lower maximum ends there.
    void meet(Index node, Index other) {
        if (parent_[at(other)] < 0) return;
        Index high = root(node), low = root(other);
        if (high == low) return;
        if (heights_[at(low)] > heights_[at(high)] || (heights_[at(low)] == heights_[at(high)] && low < high))
            std::swap(high, low);
        const double above = static_cast<double>(heights_[at(low)]) - static_cast<double>(heights_[at(node)]);
        if (above > 0) found_.push_back({low, above});
        parent_[at(low)] = high;
    }

    std::span<const float> heights_;
    const std::array<Index, 3>& nodes_;
    const Neighborhood& neighbors_;
    std::vector<Index> parent_;
    std::vector<Prominence> found_;
};

/// falling_order by a radix sort.
std::vector<Index> sorted_order(device::Cpu& cpu, std::span<const float> heights) {
    std::vector<numerics::Keyed> items;
    for (std::size_t i = 0; i < heights.size(); ++i) {
        if (heights[i] > 0) items.push_back({~numerics::order_of(heights[i]), static_cast<Index>(i)});
    }
    numerics::RadixSort().sort(cpu, items, 32);
    std::vector<Index> order;
    order.reserve(items.size());
    for (const numerics::Keyed& item : items) order.push_back(item.item);
    return order;
}

}  // namespace

Neighborhood axis_neighbors(int dim) {
    Neighborhood all{{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
    if (dim == 3) all.insert(all.end(), {{0, 0, -1}, {0, 0, 1}});
    return all;
}

Neighborhood kuhn_neighbors(int dim) {
    Neighborhood all;
    for (int edge = 1; edge < (1 << dim); ++edge) {
        const std::array<int, 3> there{edge & 1, edge >> 1 & 1, edge >> 2};
        all.push_back({-there[0], -there[1], -there[2]});
        all.push_back(there);
    }
    return all;
}

std::vector<Index> falling_order(std::span<const float> heights) {
    std::vector<Index> order;
    for (Index node = 0; node < std::ssize(heights); ++node) {
        if (heights[at(node)] > 0) order.push_back(node);
    }
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return heights[at(a)] > heights[at(b)]; });
    return order;
}

std::vector<Prominence> prominent_maxima(std::span<const float> heights, const std::array<Index, 3>& nodes,
                                         const Neighborhood& neighbors, const std::vector<Index>& order) {
    return Merging(heights, nodes, neighbors).run(order);
}

void check(const ScalarField& field) {
    const auto [nx, ny, nz] = field.nodes;
    const bool sized = nx >= 0 && ny >= 0 && nz >= 0 && std::ssize(field.values) == field.size();
    if (sized && (field.dim == 3 || (field.dim == 2 && nz == 1))) return;
    throw Error(Fault::bad_input,
                fmt::format("the field has {} dimensions, {} x {} x {} nodes and {} values; there must "
                            "be one value for every node, and in 2-D one layer",
                            field.dim, nx, ny, nz, field.values.size()));
}

std::vector<Peak> peaks(const ScalarField& field, double least_prominence, const Run& run) {
    check(field);
    device::require_cpu(run, "peaks are");
    if (!(least_prominence >= 0)) {
        throw Error(Fault::bad_input,
                    fmt::format("the least prominence is {}; it must be at least 0", least_prominence));
    }
    std::vector<Peak> found;
    const bool complete = progress::run_cancellable(run.stop, [&] {
        device::Cpu cpu(run);
        const auto [nx, ny, nz] = field.nodes;
        for (const auto& [node, prominence] :
             prominent_maxima(field.values, field.nodes, kuhn_neighbors(field.dim), sorted_order(cpu, field.values))) {
            if (prominence < least_prominence) break;
            const std::array<double, 3> position{field.coordinate(0, node % nx), field.coordinate(1, node / nx % ny),
                                                 field.dim == 3 ? field.coordinate(2, node / nx / ny) : 0};
            found.push_back({node, position, static_cast<double>(field.values[at(node)]), prominence});
        }
    });
    return complete ? found : std::vector<Peak>{};
}

}  // namespace dunlin::density
