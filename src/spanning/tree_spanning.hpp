// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <dunlin/run.hpp>

#include "hierarchy/merge_tree.hpp"
#include "math/at.hpp"
#include "math/float_order.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "spanning/hilbert.hpp"
#include "spanning/tree_rounds.hpp"

namespace dunlin::spanning {

template <Index Cols>
struct ColumnKey {
    const Coordinates<Cols>* points;
    Index column;
    std::uint32_t* keys;
    Index* items;
    DUNLIN_HD void operator()(Offset i) const {
        keys[i] = math::order_of_bits(std::bit_cast<std::uint32_t>(points[i].of[column]));
        items[i] = static_cast<Index>(i);
    }
};
/// Cells of the curve are ranks, so that neither outliers nor units matter.
template <Index Cols>
struct SetCell {
    const Index* items;
    Index points, column;
    std::uint32_t* cells;
    DUNLIN_HD void operator()(Offset rank) const {
        cells[Offset{items[rank]} * Cols + column] = static_cast<std::uint32_t>(
            (static_cast<std::uint64_t>(rank) << hilbert_bits<Cols>) / static_cast<std::uint64_t>(points));
    }
};
template <Index Cols>
struct CurveKey {
    const std::uint32_t* cells;
    std::uint64_t* keys;
    Index* items;
    DUNLIN_HD void operator()(Offset i) const {
        std::uint32_t cell[Cols];
        for (Index c = 0; c < Cols; ++c) cell[c] = cells[i * Cols + c];
        keys[i] = hilbert_key<Cols>(cell);
        items[i] = static_cast<Index>(i);
    }
};
template <class T>
struct TakeInOrder {
    const Index* order;
    const T* from;
    T* to;
    DUNLIN_HD void operator()(Offset i) const { to[i] = from[order[i]]; }
};
template <class T>
struct PutInOrder {
    const Index* order;
    const T* from;
    T* to;
    DUNLIN_HD void operator()(Offset i) const { to[order[i]] = from[i]; }
};
struct CountFrom0 {
    Index* values;
    DUNLIN_HD void operator()(Offset i) const { values[i] = static_cast<Index>(i); }
};

/// Lists up to this many nearest others; k is at most one more.
constexpr Index most_nearest = 128;

/// The minimum spanning tree under mutual reachability (boruvka.hpp) of at least two points in 1 to 4 columns, by loops
/// over all points at a time: for a GPU.
template <class Exec, Norm norm, Index Cols>
class TreeSpanning {
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;

public:
    TreeSpanning(Exec& exec, const Buffer<Coordinates<Cols>>& points, Index k, double scale)
        : exec_(exec), n_(static_cast<Index>(points.size())), k_(k) {
        arrays_.tree.points = n_;
        arrays_.tree.depth = depth_for(n_);
        arrays_.scale = scale;
        arrays_.width = std::min<Index>(std::clamp<Index>(k - 1, least_listed, most_listed), n_ - 1);
        order_points(points);
        fill_boxes();
    }

    /// Finds core distances, as keys, per point.
    Buffer<double> find_nearest() {
        exec_.resize(listed_, at(n_) * at(arrays_.width));
        exec_.resize(core_, at(n_));
        exec_.resize(floor_, at(n_));
        arrays_.listed = listed_.data();
        arrays_.core = core_.data();
        arrays_.floor = floor_.data();
        const Index count = std::min(std::max(k_ - 1, arrays_.width), n_ - 1);
        if (count <= 9) {
            search<9>(count);
        } else if (count <= 16) {
            search<16>(count);
        } else if (count <= 32) {
            search<32>(count);
        } else {
            search<most_nearest>(count);
        }
        Buffer<double> of_points;
        exec_.resize(of_points, at(n_));
        exec_.each(n_, PutInOrder<double>{order_.data(), core_.data(), of_points.data()});
        return of_points;
    }

    /// Finds the tree, after find_nearest(): keys as weights, the ends are points. Returns the number of edges, one
    /// less than there are points unless weights are infinite.
    Index run_rounds(const Run& run, Buffer<hierarchy::Edge>& edges) {
        exec_.resize(edges, at(n_) - 1);
        begin();
        progress::ProgressReporter reporter(run, "spanning", n_ - 1);
        Index components = n_;
        while (components > 1) {
            reporter.tick(n_ - components);
            progress::cancellation_point();
            find_exits(components);
            const Index left = join(components, edges);
            if (left == components) break;  // what is left is infinitely far apart
            components = left;
        }
        reporter.tick(n_ - 1);
        return exec_.read(edge_count_);
    }

private:
    static constexpr Index least_listed = 8;
    static constexpr Offset at_once = Offset{1} << 22;  ///< searches between two cancellation points

    void order_points(const Buffer<Coordinates<Cols>>& points) {
        Buffer<std::uint32_t> cells;
        exec_.resize(cells, at(n_) * at(Cols));
        exec_.resize(order_, at(n_));
        {
            Buffer<std::uint32_t> keys;
            exec_.resize(keys, at(n_));
            for (Index c = 0; c < Cols; ++c) {
                exec_.each(n_, ColumnKey<Cols>{points.data(), c, keys.data(), order_.data()});
                sort_by_key(exec_, keys, order_, 32);
                exec_.each(n_, SetCell<Cols>{order_.data(), n_, c, cells.data()});
            }
        }
        Buffer<std::uint64_t> keys;
        exec_.resize(keys, at(n_));
        exec_.each(n_, CurveKey<Cols>{cells.data(), keys.data(), order_.data()});
        sort_by_key(exec_, keys, order_, hilbert_bits<Cols> * Cols);
        exec_.resize(places_, at(n_));
        exec_.each(n_, TakeInOrder<Coordinates<Cols>>{order_.data(), points.data(), places_.data()});
        arrays_.tree.places = places_.data();
    }

    /// Calls act(first node) for each level above the leaves, upward; it has as many nodes.
    template <class Act>
    void each_level(const Act& act) {
        for (Index first = arrays_.tree.leaves() / 2; first > 0; first /= 2) act(first);
    }

    void fill_boxes() {
        const Index leaves = arrays_.tree.leaves();
        exec_.resize(boxes_, 2 * at(leaves));
        exec_.each(leaves, FillLeafBox<norm, Cols>{arrays_.tree, boxes_.data()});
        each_level([&](Index first) { exec_.each(first, JoinBoxes<Cols>{boxes_.data(), first}); });
        arrays_.tree.boxes = boxes_.data();
    }

    /// Calls act(first, count) for parts of `all` items, with cancellation points between them.
    template <class Act>
    void in_parts(Offset all, const Act& act) {
        for (Offset first = 0; first < all; first += at_once) {
            if (first > 0) {
                await(exec_);
                progress::cancellation_point();
            }
            act(first, std::min(at_once, all - first));
        }
    }

    template <int Capacity>
    void search(Index count) {
        in_parts(n_, [&](Offset first, Offset part) {
            exec_.each(part, FindNearest<norm, Cols, Capacity>{arrays_, k_, count, static_cast<Index>(first)});
        });
    }

    void begin() {
        const std::size_t n = at(n_), nodes = 2 * at(arrays_.tree.leaves());
        exec_.resize(next_, n);
        exec_.resize(found_weight_, n);
        for (auto* const indices : {&found_to_, &component_, &parent_, &sizes_, &components_, &spare_, &searching_})
            exec_.resize(*indices, n);
        exec_.resize(least_, n);
        exec_.resize(edge_, n);
        exec_.resize(node_component_, nodes);
        exec_.resize(node_core_, nodes);
        exec_.set(edge_count_, Index{0});
        arrays_.next = next_.data();
        arrays_.found_weight = found_weight_.data();
        arrays_.found_to = found_to_.data();
        arrays_.component = component_.data();
        arrays_.parent = parent_.data();
        arrays_.sizes = sizes_.data();
        arrays_.least = least_.data();
        arrays_.edge = edge_.data();
        arrays_.node_component = node_component_.data();
        arrays_.node_core = node_core_.data();
        arrays_.largest = 0;
        exec_.each(n_, BeginPlace<norm, Cols>{arrays_});
        exec_.each(n_, CountFrom0{components_.data()});
        exec_.each(arrays_.tree.leaves(), FillLeafCore<norm, Cols>{arrays_});
        each_level([&](Index first) { exec_.each(first, JoinCores{node_core_.data(), first}); });
    }

    void find_exits(Index components) {
        exec_.each(components, ForgetLeast{components_.data(), least_.data(), edge_.data()});
        exec_.each(n_, TakeListed<norm, Cols>{arrays_});
        exec_.each(arrays_.tree.leaves(), FillLeafComponent<norm, Cols>{arrays_});
        each_level([&](Index first) { exec_.each(first, JoinComponents{node_component_.data(), first}); });
        const Index searching = select(exec_, nullptr, n_, NeedsSearch<norm, Cols>{arrays_}, searching_);
        in_parts(searching, [&](Offset first, Offset part) {
            exec_.each(part, SearchExit<norm, Cols>{arrays_, searching_.data() + first});
        });
        exec_.each(n_, TakeExit<norm, Cols>{arrays_});
    }

    /// Returns the number of components that are left.
    Index join(Index components, Buffer<hierarchy::Edge>& edges) {
        exec_.each(components, JoinComponentsAlong<norm, Cols>{arrays_, components_.data(), order_.data(), edges.data(),
                                                               exec_.address(edge_count_)});
        exec_.each(components, AddSize<norm, Cols>{arrays_, components_.data()});
        exec_.each(n_, Relabel<norm, Cols>{arrays_});
        const Index left = select(exec_, components_.data(), components, IsRoot<norm, Cols>{arrays_}, spare_);
        std::swap(components_, spare_);
        exec_.set(largest_, std::uint64_t{0});
        exec_.each(left, FindLargest{components_.data(), sizes_.data(), exec_.address(largest_)});
        arrays_.largest = static_cast<Index>(0xffffffffU - static_cast<std::uint32_t>(exec_.read(largest_)));
        return left;
    }

    Exec& exec_;
    Index n_, k_;
    RoundArrays<norm, Cols> arrays_{};
    Buffer<Index> order_;  ///< the point at a place
    Buffer<Coordinates<Cols>> places_;
    Buffer<CoordinateBox<Cols>> boxes_;
    Buffer<Index> listed_, found_to_, component_, parent_, sizes_, components_, spare_, searching_, node_component_;
    Buffer<double> core_, floor_, found_weight_, node_core_;
    Buffer<std::uint8_t> next_;
    Buffer<std::uint64_t> least_, edge_;
    typename Exec::template Cell<Index> edge_count_;
    typename Exec::template Cell<std::uint64_t> largest_;
};

/// Memory of a run on a GPU, at most, in bytes.
inline std::uint64_t tree_spanning_bytes(Index points, Index cols, Index k) {
    const std::uint64_t width = at(std::clamp<Index>(k - 1, 8, most_listed));
    // Coordinates twice; lists; 6 arrays of 8 bytes, 9 of 4, one of 1; nodes, at most one for 3 points; the sort
    return at(points) * (2 * 4 * at(cols) + 4 * width + 6 * 8 + 9 * 4 + 1 + (8 * at(cols) + 12) / 2 + 24);
}

}  // namespace dunlin::spanning
