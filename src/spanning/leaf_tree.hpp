// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "math/hd.hpp"
#include "spanning/keys.hpp"

/// A tree of boxes for many searches at a time on a GPU: the points along a Hilbert curve in a power of two leaves,
/// each node the two halves of its part of the curve.
namespace dunlin::spanning {

/// Of a point.
template <Index Cols>
struct alignas(Cols == 3 ? sizeof(float) : Cols * sizeof(float)) Coordinates {
    float of[Cols];
};
template <Index Cols>
struct alignas(Cols == 3 ? 8 : 2 * sizeof(float) * Cols) CoordinateBox {
    Coordinates<Cols> low, high;
};

template <Norm norm, Index Cols>
DUNLIN_HD inline double key_between(const Coordinates<Cols>& a, const Coordinates<Cols>& b) {
    return sum_of_few_columns(
        Cols, [&](Index c) { return key_term<norm>(static_cast<double>(a.of[c]) - static_cast<double>(b.of[c])); });
}

/// At most the key of any point of the box.
template <Norm norm, Index Cols>
DUNLIN_HD inline double key_to_box(const Coordinates<Cols>& point, const CoordinateBox<Cols>& box) {
    return sum_of_few_columns(Cols, [&](Index c) {
        const double below = static_cast<double>(box.low.of[c]) - static_cast<double>(point.of[c]),
                     above = static_cast<double>(point.of[c]) - static_cast<double>(box.high.of[c]);
        const double outside = below > above ? below : above;
        return key_term<norm>(outside > 0 ? outside : 0);
    });
}

/// Nodes: the root is 1, the children of v are 2v and 2v + 1, and the leaves are those from `leaves` on. A place is a
/// point's number along the curve.
template <Index Cols>
struct LeafTree {
    Index points = 0;
    int depth = 0;  ///< there are 2^depth leaves
    const Coordinates<Cols>* places = nullptr;
    const CoordinateBox<Cols>* boxes = nullptr;  ///< per node

    [[nodiscard]] DUNLIN_HD Index leaves() const { return Index{1} << depth; }
    [[nodiscard]] DUNLIN_HD Index begin(Index leaf) const { return static_cast<Index>(Offset{leaf} * points >> depth); }
    [[nodiscard]] DUNLIN_HD Index leaf_of(Index place) const {
        return static_cast<Index>((((Offset{place} + 1) << depth) - 1) / points);
    }
};

/// Depth of a tree of so many points, at least 1: 6 to 11 in a leaf.
constexpr int depth_for(Index points) {
    constexpr std::uint32_t least_in_leaf = 6;
    return std::bit_width(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(points) / least_in_leaf)) - 1;
}

/// Depth-first, the nearer child first. is_within(node, key): whether to enter a node whose points have at least this
/// key; asked again when its turn comes. scan(leaf).
template <Norm norm, Index Cols, class IsWithin, class Scan>
DUNLIN_HD void walk(const LeafTree<Cols>& tree, const Coordinates<Cols>& point, const IsWithin& is_within,
                    const Scan& scan) {
    Index waiting[32];
    double keys[32];
    int count = 0;
    Index node = 1;
    if (!is_within(node, 0.0)) return;
    for (;;) {
        bool enters = true;
        while (enters && node < tree.leaves()) {
            const Index left = 2 * node;
            const double to_left = key_to_box<norm>(point, tree.boxes[left]),
                         to_right = key_to_box<norm>(point, tree.boxes[left + 1]);
            const bool right_is_nearer = to_right < to_left;
            const Index near = left + (right_is_nearer ? 1 : 0), far = left + (right_is_nearer ? 0 : 1);
            const double far_key = right_is_nearer ? to_left : to_right;
            if (is_within(far, far_key)) {
                waiting[count] = far;
                keys[count++] = far_key;
            }
            enters = is_within(near, right_is_nearer ? to_right : to_left);
            node = near;
        }
        if (enters) scan(node - tree.leaves());
        do {
            if (count == 0) return;
            --count;
        } while (!is_within(waiting[count], keys[count]));
        node = waiting[count];
    }
}

/// The nearest so far, ascending: the last `count` of Capacity entries.
template <int Capacity>
class NearestPlaces {
public:
    DUNLIN_HD explicit NearestPlaces(int count) {
        for (int i = 0; i < Capacity; ++i) {
            const bool is_unused = i < Capacity - count;  // below all keys, so that it stays where it is
            keys_[i] = is_unused ? -1 : INFINITY;
            places_[i] = -1;
        }
    }
    [[nodiscard]] DUNLIN_HD double limit() const { return keys_[Capacity - 1]; }
    DUNLIN_HD void offer(double key, Index place) {
        if (!(key < limit())) return;
#if defined(__CUDA_ARCH__)
#pragma unroll(Capacity <= 16 ? Capacity : 1)
#endif
        for (int i = Capacity - 1; i > 0; --i) {
            if (key < keys_[i - 1]) {
                keys_[i] = keys_[i - 1];
                places_[i] = places_[i - 1];
            } else if (key < keys_[i]) {
                keys_[i] = key;
                places_[i] = place;
            }
        }
        if (key < keys_[0]) {
            keys_[0] = key;
            places_[0] = place;
        }
    }
    [[nodiscard]] DUNLIN_HD double key(int i) const { return keys_[i]; }
    [[nodiscard]] DUNLIN_HD Index place(int i) const { return places_[i]; }

private:
    double keys_[Capacity];
    Index places_[Capacity];
};

}  // namespace dunlin::spanning
