// SPDX-License-Identifier: Apache-2.0
#include "layout/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "math/morton.hpp"
#include "math/rng.hpp"
#include "neighbors/search_rows.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::layout {

namespace {

using Vector = std::array<double, 3>;

double length_of(const Vector& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// A pair of discs and the distance of their borders, negative if they overlap.
struct ProximityEdge {
    Index a, b;
    double border_gap;
};

class OverlapRemoval {
public:
    OverlapRemoval(device::Cpu& cpu, Map& map, std::span<const float> radii, float gap)
        : cpu_(cpu),
          map_(map),
          radii_(radii),
          gap_(gap),
          widest_(*std::max_element(radii.begin(), radii.end()) + gap),
          n_(map.size()) {}

    int run() {
        constexpr int most_rounds = 1000;
        for (int round = 0; round < most_rounds; ++round) {
            rounding_ = 1e-5 * static_cast<double>(widest_) + 4e-7 * static_cast<double>(farthest());
            const std::vector<OverlappingPair> left = overlapping_pairs(cpu_, map_, radii_, gap_, max_overlaps);
            if (left.empty()) return round;
            if (std::ssize(left) > n_ / 10) {
                std::vector<ProximityEdge> edges = proximity_edges();
                for (const OverlappingPair& pair : left) edges.push_back(edge(pair.a, pair.b));
                grow_tree(spanning_tree(edges));
            } else {
                push_apart(left);
            }
        }
        scale_apart();
        return most_rounds;
    }

private:
    static constexpr int max_overlaps = 8;  ///< per disc and round

    float& coordinate(Index v, int c) { return map_.coordinates[at(v) * at(map_.dim) + at(c)]; }
    [[nodiscard]] float farthest() const {
        const auto [low, high] = std::minmax_element(map_.coordinates.begin(), map_.coordinates.end());
        return std::max(-*low, *high);
    }
    [[nodiscard]] Vector between(Index a, Index b) const {
        Vector v{};
        for (int c = 0; c < map_.dim; ++c)
            v[at(c)] = static_cast<double>(map_.view()(b, c)) - static_cast<double>(map_.view()(a, c));
        return v;
    }
    [[nodiscard]] double reach(Index a, Index b) const {
        return static_cast<double>(radii_[at(a)]) + static_cast<double>(radii_[at(b)]) + static_cast<double>(gap_);
    }
    [[nodiscard]] ProximityEdge edge(Index a, Index b) const {
        return {std::min(a, b), std::max(a, b), length_of(between(a, b)) - reach(a, b)};
    }

    /// Proximity graph: the 8 nearest neighbors of each disc, and a path through all discs along a Morton curve, which
    /// makes it connected.
    [[nodiscard]] std::vector<ProximityEdge> proximity_edges() const {
        const auto near = neighbors::search_all(cpu_, map_.view(), 8, neighbors::Metric::euclidean).graph;
        const std::vector<Index> order = along_curve();
        const auto path = at(n_) - 1;
        std::vector<ProximityEdge> edges(path + near.targets.size());
        cpu_.each(static_cast<Offset>(path), [&](Offset i) { edges[at(i)] = edge(order[at(i)], order[at(i) + 1]); });
        cpu_.each(n_, [&](Offset v) {
            for (Offset e = near.offsets[at(v)]; e < near.offsets[at(v) + 1]; ++e)
                edges[path + at(e)] = edge(static_cast<Index>(v), near.targets[at(e)]);
        });
        return edges;
    }

    [[nodiscard]] std::vector<Index> along_curve() const {
        return map_.dim == 2 ? along_curve_in<2>() : along_curve_in<3>();
    }
    template <int D>
    [[nodiscard]] std::vector<Index> along_curve_in() const {
        std::array<float, D> least, most;
        least.fill(std::numeric_limits<float>::infinity());
        most.fill(-std::numeric_limits<float>::infinity());
        for (Index v = 0; v < n_; ++v) {
            for (int c = 0; c < D; ++c) {
                least[at(c)] = std::min(least[at(c)], map_.view()(v, c));
                most[at(c)] = std::max(most[at(c)], map_.view()(v, c));
            }
        }
        const math::MortonBox<D> box(least.data(), most.data());
        std::vector<std::pair<std::uint32_t, Index>> codes(at(n_));
        cpu_.each(n_, [&](Offset v) {
            codes[at(v)] = {box.code(map_.view().row(static_cast<Index>(v)).data()), static_cast<Index>(v)};
        });
        std::sort(codes.begin(), codes.end());
        std::vector<Index> order;
        order.reserve(codes.size());
        for (const auto& [code, v] : codes) order.push_back(v);
        return order;
    }

    /// Minimum spanning tree by border distance (Kruskal 1956).
    [[nodiscard]] std::vector<ProximityEdge> spanning_tree(std::vector<ProximityEdge>& edges) const {
        std::sort(edges.begin(), edges.end(), [](const ProximityEdge& x, const ProximityEdge& y) {
            return x.border_gap != y.border_gap ? x.border_gap < y.border_gap : x.a != y.a ? x.a < y.a : x.b < y.b;
        });
        std::vector<Index> parent(at(n_));
        std::iota(parent.begin(), parent.end(), Index{0});
        const auto root = [&](Index v) {
            while (parent[at(v)] != v) v = parent[at(v)] = parent[at(parent[at(v)])];
            return v;
        };
        std::vector<ProximityEdge> tree;
        for (const ProximityEdge& edge : edges) {
            const Index a = root(edge.a), b = root(edge.b);
            if (a == b) continue;
            parent[at(std::max(a, b))] = std::min(a, b);
            tree.push_back(edge);
        }
        return tree;
    }

    /// Lays out the tree again from its first disc; edges between overlapping discs are lengthened until these touch.
    void grow_tree(const std::vector<ProximityEdge>& tree) {
        std::vector<Offset> offsets(at(n_) + 1);
        for (const ProximityEdge& edge : tree) ++offsets[at(edge.a) + 1], ++offsets[at(edge.b) + 1];
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        std::vector<Index> joined(2 * tree.size());
        std::vector<Offset> next(offsets.begin(), offsets.end() - 1);
        for (const ProximityEdge& edge : tree) {
            joined[at(next[at(edge.a)]++)] = edge.b;
            joined[at(next[at(edge.b)]++)] = edge.a;
        }
        std::vector<Vector> place(at(n_));
        std::vector<Index> laid{0}, from{-1};
        Vector shift{};  // restores the mean position
        for (std::size_t i = 0; i < laid.size(); ++i) {
            const Index v = laid[i];
            for (Offset e = offsets[at(v)]; e < offsets[at(v) + 1]; ++e) {
                const Index u = joined[at(e)];
                if (u == from[i]) continue;
                place[at(u)] = stretched(v, u);
                for (std::size_t c = 0; c < 3; ++c) place[at(u)][c] += place[at(v)][c];
                laid.push_back(u);
                from.push_back(v);
            }
        }
        for (Index v = 0; v < n_; ++v) {
            for (int c = 0; c < map_.dim; ++c)
                shift[at(c)] += (static_cast<double>(map_.view()(v, c)) - place[at(v)][at(c)]) / n_;
        }
        for (Index v = 0; v < n_; ++v) {
            for (int c = 0; c < map_.dim; ++c)
                coordinate(v, c) = static_cast<float>(place[at(v)][at(c)] + shift[at(c)]);
        }
    }

    /// Vector from disc a to disc b, lengthened to remove their overlap.
    [[nodiscard]] Vector stretched(Index a, Index b) const {
        Vector v = between(a, b);
        double length = length_of(v);
        if (length == 0) {
            for (int c = 0; c < map_.dim; ++c)
                v[at(c)] = math::random_uniform(1, static_cast<std::uint64_t>(b), static_cast<std::uint64_t>(c)) - 0.5;
            length = length_of(v);
        }
        const double wanted = reach(a, b);
        if (length < wanted || between(a, b) == Vector{}) {
            for (double& c : v) c *= (wanted + rounding_) / length;
        }
        return v;
    }

    /// Moves overlapping pairs apart, one after another; the smaller disc moves farther.
    void push_apart(const std::vector<OverlappingPair>& pairs) {
        constexpr double slack = 1.03;  // so that the move of the next pair does not bring them together again
        const auto mass = [&](Index v) {
            return std::pow(static_cast<double>(radii_[at(v)]) + 1e-3 * static_cast<double>(widest_), map_.dim);
        };
        for (const auto& [a, b] : pairs) {
            const Vector now = between(a, b), wanted = stretched(a, b);
            const double share = mass(b) / (mass(a) + mass(b));  // share of the move of a
            for (int c = 0; c < map_.dim; ++c) {
                const double more = slack * wanted[at(c)] - now[at(c)];
                coordinate(a, c) -= static_cast<float>(share * more);
                coordinate(b, c) += static_cast<float>((1 - share) * more);
            }
        }
    }

    void scale_apart() {
        const auto remaining_overlaps = [&] { return overlapping_pairs(cpu_, map_, radii_, gap_, max_overlaps); };
        for (auto left = remaining_overlaps(); !left.empty(); left = remaining_overlaps()) {
            double scale = 1;
            for (const OverlappingPair& pair : left) {
                const double length = length_of(between(pair.a, pair.b));
                if (length > 0) scale = std::max(scale, (reach(pair.a, pair.b) + rounding_) / length);
            }
            for (const OverlappingPair& pair : left) {
                if (length_of(between(pair.a, pair.b)) > 0) continue;
                const Vector apart = stretched(pair.b, pair.a);
                for (int c = 0; c < map_.dim; ++c) coordinate(pair.a, c) += static_cast<float>(apart[at(c)]);
            }
            for (float& x : map_.coordinates) x = static_cast<float>(static_cast<double>(x) * scale);
        }
    }

    device::Cpu& cpu_;
    Map& map_;
    std::span<const float> radii_;
    float gap_, widest_;
    Index n_;
    double rounding_ = 0;  ///< added to distances, so that rounding to float leaves no overlap
};

/// Discs on a line, whose order stays: the least moves, in the sum of squares, after which none overlap. With s_i the
/// sum of the distances that the discs up to i need, x_i - s_i must not fall: isotonic regression by pooling adjacent
/// violators (Dwyer, Marriott and Stuckey 2006 for one axis).
int remove_overlaps_on_line(Map& map, std::span<const float> radii, float gap) {
    std::vector<Index> order(at(map.size()));
    std::iota(order.begin(), order.end(), Index{0});
    float* const x = map.coordinates.data();
    std::sort(order.begin(), order.end(), [x](Index a, Index b) { return x[a] != x[b] ? x[a] < x[b] : a < b; });
    progress::cancellation_point();
    const auto reach = [&](std::size_t i) {  // of a disc and the one before it
        return static_cast<double>(radii[at(order[i - 1])]) + static_cast<double>(radii[at(order[i])]) +
               static_cast<double>(gap);
    };
    const auto place = [&](std::size_t i) { return static_cast<double>(x[order[i]]); };

    struct Pool {
        double sum;
        std::size_t count;
        [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
    };
    std::vector<Pool> pools;
    double needed = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i > 0) needed += reach(i);
        pools.push_back({place(i) - needed, 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
            const Pool last = pools.back();
            pools.pop_back();
            pools.back() = {pools.back().sum + last.sum, pools.back().count + last.count};
        }
    }

    needed = 0;
    int moved = 0;
    std::size_t i = 0;
    for (const Pool& pool : pools) {
        for (const std::size_t end = i + pool.count; i < end; ++i) {
            if (i > 0) needed += reach(i);
            float to = pool.count > 1 ? static_cast<float>(pool.mean() + needed) : x[order[i]];
            if (i > 0) {
                // Rounding to float leaves no overlap
                to = std::max(to, static_cast<float>(place(i - 1) + reach(i)));
                while (static_cast<double>(to) - place(i - 1) < reach(i))
                    to = std::nextafter(to, std::numeric_limits<float>::infinity());
            }
            if (to != x[order[i]]) moved = 1;
            x[order[i]] = to;
        }
    }
    return moved;
}

void check(const Map& map, std::span<const float> radii, float gap) {
    if (map.dim < 1 || map.dim > 3)
        throw Error(Fault::bad_input, fmt::format("overlap removal: a map in {} dimensions; use 1, 2 or 3", map.dim));
    if (std::ssize(radii) != map.size()) {
        throw Error(Fault::bad_input, fmt::format("overlap removal: {} radii for {} points; give one for every point",
                                                  radii.size(), map.size()));
    }
    for (std::size_t v = 0; v < radii.size(); ++v) {
        if (!(radii[v] >= 0 && std::isfinite(radii[v])))
            throw Error(Fault::bad_input,
                        fmt::format("overlap removal: point {} has radius {}; radii are finite and >= 0", v, radii[v]));
    }
    if (!std::all_of(map.coordinates.begin(), map.coordinates.end(), [](float x) { return std::isfinite(x); }))
        throw Error(Fault::bad_input, "overlap removal: the map has a coordinate that is not a number");
    if (!(gap >= 0 && std::isfinite(gap)))
        throw Error(Fault::bad_input, fmt::format("overlap removal: gap {}; use a finite one >= 0", gap));
}

}  // namespace

int remove_overlaps(device::Cpu& cpu, Map& map, std::span<const float> radii, float gap) {
    check(map, radii, gap);
    if (map.size() < 2) return 0;
    if (map.dim == 1) return remove_overlaps_on_line(map, radii, gap);
    return OverlapRemoval(cpu, map, radii, gap).run();
}

int remove_overlaps(Map& map, std::span<const float> radii, float gap, const Run& run) {
    device::Cpu cpu(run);
    int rounds = 0;
    progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "overlap", 1);
        rounds = remove_overlaps(cpu, map, radii, gap);
    });
    return rounds;
}

}  // namespace dunlin::layout
