// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfloat>

#include <dunlin/pacmap.hpp>
#include <dunlin/sparse.hpp>

#include "device/cpu.hpp"
#include "math/hd.hpp"
#include "math/rng.hpp"

/// Near pairs and mid-near pairs. The rules are one text for both devices.
namespace dunlin::pacmap {

constexpr Index more_neighbors = 50;  ///< neighbors from which near pairs are chosen, beyond k
constexpr int mid_near_sample = 6;    ///< random points of which one is taken

/// Symmetric graphs of pairs: the weight of an edge is the number of its ends that chose the other one, 1 or 2.
template <class G>
struct Pairs {
    G near, mid;
};

template <class G>
const G& graph_of(const Pairs<G>& pairs) {
    return pairs.near;
}

/// The entry of a list that follows `last` when the entries are ordered by (key, place); the first one if last is
/// `count`, and `count` if there is none.
template <class KeyOf>
DUNLIN_HD Offset next_in_order(Offset count, const KeyOf& key, Offset last) {
    Offset next = count;
    for (Offset e = 0; e < count; ++e) {
        if (last < count && (key(e) < key(last) || (key(e) == key(last) && e <= last))) continue;
        if (next == count || key(e) < key(next)) next = e;
    }
    return next;
}

/// Neighbors within this share of a list's mean distance are copies of a point: values of four digits do not tell them
/// apart, nor does a float the squared distances.
constexpr double copy_share = 1e-4;

/// The distance up to which neighbors are copies of a point.
DUNLIN_HD inline double copy_radius(const float* distances, Offset count) {
    double sum = 0;
    for (Offset e = 0; e < count; ++e) sum += static_cast<double>(distances[e]);
    return count > 0 ? copy_share * sum / static_cast<double>(count) : 0;
}

/// Scale of a point whose neighbors are all copies of it, and which therefore is not known.
constexpr double unknown_scale = FLT_MIN;

/// Scale of a point: the mean distance of its 4th to 6th neighbor, of the last ones if there are fewer; above 0. Its
/// copies do not count: they are at one place, which is as far from others as it is without them.
DUNLIN_HD inline double scale_of(const float* distances, Offset count) {
    const double radius = copy_radius(distances, count);
    Offset copies = 0;
    for (Offset e = 0; e < count; ++e) copies += static_cast<double>(distances[e]) <= radius ? 1 : 0;
    const auto distance = [&](Offset e) { return distances[e]; };
    const Offset others = count - copies, end = others < 6 ? others : 6, begin = end > 3 ? 3 : end - 1;
    Offset last = count;
    double sum = 0;
    for (Offset rank = 0; rank < copies + end; ++rank) {
        last = next_in_order(count, distance, last);
        if (rank >= copies + begin) sum += static_cast<double>(distances[last]);
    }
    const double mean = end > 0 ? sum / static_cast<double>(end - begin) : 0;
    return mean > unknown_scale ? mean : unknown_scale;
}

/// Order of the neighbors of a point when near pairs are chosen: d_ij^2 / (scale_i scale_j), without scale_i, which
/// they share. The scale of a neighbor with copies alone is at most d_ij, up to which there is nothing else.
DUNLIN_HD inline double scaled_distance(float distance, double scale) {
    const auto d = static_cast<double>(distance);
    return scale > unknown_scale ? d * d / scale : d;
}

/// Sets targets[0 .. count) to the mid-near pairs of point i, count < n: distinct other points, each the second nearest
/// by key(j) of mid_near_sample random ones, of fewer if no more are left; of one, that one.
template <class KeyOf>
DUNLIN_HD void draw_mid_near(std::uint64_t seed, Index i, Index n, Index count, const KeyOf& key, Index* targets) {
    const auto contains = [](const Index* list, Index size, Index j) {
        for (Index e = 0; e < size; ++e) {
            if (list[e] == j) return true;
        }
        return false;
    };
    // A stream of its own: the random start uses the seed itself
    const std::uint64_t stream = math::random_bits(seed, 0);
    std::uint64_t draw = 0;
    for (Index slot = 0; slot < count; ++slot) {
        const Index left = n - 1 - slot, wanted = left < mid_near_sample ? left : mid_near_sample;
        Index sample[mid_near_sample], nearest = -1, second = -1;
        double nearest_key = 0, second_key = 0;
        for (Index size = 0; size < wanted;) {
            const auto others = static_cast<std::uint64_t>(n - 1);
            auto j = static_cast<Index>(math::random_below(others, stream, static_cast<std::uint64_t>(i), draw++));
            if (j >= i) ++j;
            if (contains(targets, slot, j) || contains(sample, size, j)) continue;
            sample[size++] = j;
            const double own = key(j);
            if (nearest < 0 || own < nearest_key) {
                second = nearest, second_key = nearest_key;
                nearest = j, nearest_key = own;
            } else if (second < 0 || own < second_key) {
                second = j, second_key = own;
            }
        }
        targets[slot] = wanted > 1 ? second : nearest;
    }
}

/// The near pairs that each point chooses, as a graph with weights 1. `neighbors`: distances, in any order.
Graph chosen_near(device::Cpu& cpu, const Graph& neighbors, Index k);
/// The mid-near pairs that each point draws.
Graph drawn_mid_near(device::Cpu& cpu, MatrixView<const float> points, const Options& options, std::uint64_t seed);
Graph drawn_mid_near(device::Cpu& cpu, const SparseView& points, const Options& options, std::uint64_t seed);

/// A pair counts once for each end that chose it.
Graph symmetric_pairs(device::Cpu& cpu, const Graph& chosen);

/// The edges of the descent.
Pairs<Graph> edges_of(device::Cpu& cpu, const Graph& neighbors, const auto& points, const Given&,
                      const Options& options, const Run& run) {
    Pairs<Graph> pairs;
    pairs.near = symmetric_pairs(cpu, chosen_near(cpu, neighbors, *options.k));
    pairs.mid = symmetric_pairs(cpu, drawn_mid_near(cpu, points, options, run.seed));
    return pairs;
}

}  // namespace dunlin::pacmap
