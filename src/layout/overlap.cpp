// SPDX-License-Identifier: Apache-2.0
#include "layout/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <dunlin/error.hpp>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "math/at.hpp"
#include "math/morton.hpp"
#include "math/rng.hpp"
#include "neighbors/rows.hpp"

namespace dunlin::layout {

namespace {

using Vector = std::array<double, 3>;

double length_of(const Vector& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// Between two discs: how far apart their borders are, negative where they overlap.
struct Link {
    Index a, b;
    double room;
};

class Discs {
public:
    Discs(device::Cpu& cpu, Map& map, std::span<const float> radii, float gap)
        : cpu_(cpu),
          map_(map),
          radii_(radii),
          gap_(gap),
          widest_(*std::max_element(radii.begin(), radii.end()) + gap),
          n_(map.size()) {}

    int part() {
        constexpr int most_rounds = 1000;
        for (int round = 0; round < most_rounds; ++round) {
            rounding_ = 1e-5 * static_cast<double>(widest_) + 4e-7 * static_cast<double>(farthest());
            const std::vector<OverlappingPair> left = overlapping_pairs(cpu_, map_, radii_, gap_, most_clashes);
            if (left.empty()) return round;
            if (std::ssize(left) > n_ / 10) {
                std::vector<Link> links = near_links();
                for (const OverlappingPair& clash : left) links.push_back(link(clash.a, clash.b));
                grow(shortest_tree(links));
            } else {
                push(left);
            }
        }
        scale_apart();
        return most_rounds;
    }

private:
    static constexpr int most_clashes = 8;  ///< of a disc that are looked at in a round

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
    [[nodiscard]] Link link(Index a, Index b) const {
        return {std::min(a, b), std::max(a, b), length_of(between(a, b)) - reach(a, b)};
    }

    /// The 8 nearest of each disc, and a path through all of them along a curve, which leaves none out.
    [[nodiscard]] std::vector<Link> near_links() const {
        const auto near = neighbors::search_all(cpu_, map_.view(), 8, neighbors::Metric::euclidean).graph;
        const std::vector<Index> order = along_curve();
        const auto path = at(n_) - 1;
        std::vector<Link> links(path + near.targets.size());
        cpu_.each(static_cast<Offset>(path), [&](Offset i) { links[at(i)] = link(order[at(i)], order[at(i) + 1]); });
        cpu_.each(n_, [&](Offset v) {
            for (Offset e = near.offsets[at(v)]; e < near.offsets[at(v) + 1]; ++e)
                links[path + at(e)] = link(static_cast<Index>(v), near.targets[at(e)]);
        });
        return links;
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

    /// Kruskal 1956: of the links, those of a spanning tree with the least room.
    [[nodiscard]] std::vector<Link> shortest_tree(std::vector<Link>& links) const {
        std::sort(links.begin(), links.end(), [](const Link& x, const Link& y) {
            return x.room != y.room ? x.room < y.room : x.a != y.a ? x.a < y.a : x.b < y.b;
        });
        std::vector<Index> parent(at(n_));
        std::iota(parent.begin(), parent.end(), Index{0});
        const auto root = [&](Index v) {
            while (parent[at(v)] != v) v = parent[at(v)] = parent[at(parent[at(v)])];
            return v;
        };
        std::vector<Link> tree;
        for (const Link& link : links) {
            const Index a = root(link.a), b = root(link.b);
            if (a == b) continue;
            parent[at(std::max(a, b))] = std::min(a, b);
            tree.push_back(link);
        }
        return tree;
    }

    /// Lays the tree anew from its first disc, links between overlapping discs made as long as these need.
    void grow(const std::vector<Link>& tree) {
        std::vector<Offset> offsets(at(n_) + 1);
        for (const Link& link : tree) ++offsets[at(link.a) + 1], ++offsets[at(link.b) + 1];
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        std::vector<Index> joined(2 * tree.size());
        std::vector<Offset> next(offsets.begin(), offsets.end() - 1);
        for (const Link& link : tree) {
            joined[at(next[at(link.a)]++)] = link.b;
            joined[at(next[at(link.b)]++)] = link.a;
        }
        std::vector<Vector> place(at(n_));
        std::vector<Index> laid{0}, from{-1};
        Vector shift{};  // that brings the middle of all discs back to where it was
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

    /// From disc a to disc b, at least as long as they need.
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

    /// Pushes discs apart, one pair after the other, the smaller one farther.
    void push(const std::vector<OverlappingPair>& pairs) {
        constexpr double slack = 1.03;  // or the next pair's push would bring them together again
        const auto mass = [&](Index v) {
            return std::pow(static_cast<double>(radii_[at(v)]) + 1e-3 * static_cast<double>(widest_), map_.dim);
        };
        for (const auto& [a, b] : pairs) {
            const Vector now = between(a, b), wanted = stretched(a, b);
            const double share = mass(b) / (mass(a) + mass(b));  // that a moves
            for (int c = 0; c < map_.dim; ++c) {
                const double more = slack * wanted[at(c)] - now[at(c)];
                coordinate(a, c) -= static_cast<float>(share * more);
                coordinate(b, c) += static_cast<float>((1 - share) * more);
            }
        }
    }

    void scale_apart() {
        const auto clashing = [&] { return overlapping_pairs(cpu_, map_, radii_, gap_, most_clashes); };
        for (auto left = clashing(); !left.empty(); left = clashing()) {
            double scale = 1;
            for (const OverlappingPair& clash : left) {
                const double length = length_of(between(clash.a, clash.b));
                if (length > 0) scale = std::max(scale, (reach(clash.a, clash.b) + rounding_) / length);
            }
            for (const OverlappingPair& clash : left) {
                if (length_of(between(clash.a, clash.b)) > 0) continue;
                const Vector apart = stretched(clash.b, clash.a);
                for (int c = 0; c < map_.dim; ++c) coordinate(clash.a, c) += static_cast<float>(apart[at(c)]);
            }
            for (float& x : map_.coordinates) x = static_cast<float>(static_cast<double>(x) * scale);
        }
    }

    device::Cpu& cpu_;
    Map& map_;
    std::span<const float> radii_;
    float gap_, widest_;
    Index n_;
    double rounding_ = 0;  ///< added to a distance, it outlives that coordinates become floats
};

void check(const Map& map, std::span<const float> radii, float gap) {
    if (map.dim != 2 && map.dim != 3)
        throw Error(Fault::bad_input, fmt::format("overlap removal: a map in {} dimensions; use 2 or 3", map.dim));
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
    return Discs(cpu, map, radii, gap).part();
}

int remove_overlaps(Map& map, std::span<const float> radii, float gap, const Run& run) {
    device::Cpu cpu(run);
    int rounds = 0;
    device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "overlap", 1);
        rounds = remove_overlaps(cpu, map, radii, gap);
    });
    return rounds;
}

}  // namespace dunlin::layout
