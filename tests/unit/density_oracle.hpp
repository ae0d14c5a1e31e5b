// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include <dunlin/clusters.hpp>

#include "math/at.hpp"
#include "math/ordered_sum.hpp"
#include "math/rng.hpp"

/// Density clusters by their definitions, from the dense matrix of mutual reachabilities.
namespace dunlin::clusters {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Blobs of several widths with some noise; grid > 0: rounded to multiples of it, so that many distances are equal.
inline Matrix blobs(Index n, Index cols, std::uint64_t seed, float grid = 0) {
    std::vector<float> values;
    for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < cols; ++c) {
            const auto item = static_cast<std::uint64_t>(i), column = static_cast<std::uint64_t>(c);
            const Index blob = i % 5;
            const double center =
                blob == 4 ? 0 : 6 * math::random_uniform(seed, 1000 + static_cast<std::uint64_t>(blob), column);
            const double width = blob == 4 ? 3 : 0.2 * (blob + 1);
            auto value = static_cast<float>(center + width * math::random_normal(seed, item, column));
            if (grid > 0) value = std::round(value / grid) * grid;
            values.push_back(value);
        }
    }
    return {n, cols, std::move(values)};
}

/// Squared distance, summed as the library does.
inline double squared(std::span<const float> a, std::span<const float> b) {
    math::TreeSum<double> sum;
    for (std::size_t c = 0; c < a.size(); ++c) {
        const double difference = static_cast<double>(a[c]) - static_cast<double>(b[c]);
        sum.add(difference * difference);
    }
    return sum.total();
}

/// Mutual reachabilities m(p, q), n x n.
struct Reachability {
    Index n = 0;
    std::vector<double> core, values;

    [[nodiscard]] double operator()(Index p, Index q) const { return values[at(Offset{p} * n + q)]; }
    /// All distinct values off the diagonal.
    [[nodiscard]] std::vector<double> levels() const {
        std::set<double> all;
        for (Index p = 0; p < n; ++p) {
            for (Index q = 0; q < p; ++q) all.insert((*this)(p, q));
        }
        return {all.begin(), all.end()};
    }
};

template <class Distance>
Reachability reachability(Index n, Index k, const Distance& distance) {
    Reachability m{n, {}, std::vector<double>(at(n) * at(n))};
    for (Index p = 0; p < n; ++p) {
        std::vector<double> row;
        for (Index q = 0; q < n; ++q) row.push_back(p == q ? 0 : distance(p, q));
        std::nth_element(row.begin(), row.begin() + k - 1, row.end());
        m.core.push_back(row[at(k - 1)]);
    }
    for (Index p = 0; p < n; ++p) {
        for (Index q = 0; q < n; ++q) {
            m.values[at(Offset{p} * n + q)] = p == q ? 0 : std::max({m.core[at(p)], m.core[at(q)], distance(p, q)});
        }
    }
    return m;
}

inline Reachability reachability(const Matrix& points, Index k) {
    return reachability(points.rows(), k,
                        [&](Index p, Index q) { return std::sqrt(squared(points.row(p), points.row(q))); });
}

/// Components of {m <= t}: for each point the least point of its component.
inline std::vector<Index> components(const Reachability& m, double t) {
    std::vector<Index> of(at(m.n), -1), open;
    for (Index p = 0; p < m.n; ++p) {
        if (of[at(p)] >= 0) continue;
        open = {p};
        of[at(p)] = p;
        while (!open.empty()) {
            const Index q = open.back();
            open.pop_back();
            for (Index r = 0; r < m.n; ++r) {
                if (of[at(r)] >= 0 || m(q, r) > t) continue;
                of[at(r)] = p;
                open.push_back(r);
            }
        }
    }
    return of;
}

/// The same with -1 for points of components of fewer than `least`.
inline std::vector<Index> large_components(const Reachability& m, double t, Index least) {
    std::vector<Index> of = components(m, t), sizes(at(m.n), 0);
    for (const Index c : of) ++sizes[at(c)];
    for (Index& c : of) c = sizes[at(c)] >= least ? c : -1;
    return of;
}

/// Labels up to their numbers; -1 stays.
inline bool same_partition(const std::vector<Index>& a, const std::vector<Index>& b) {
    std::map<Index, Index> to, from;
    for (std::size_t p = 0; p < a.size(); ++p) {
        if ((a[p] < 0) != (b[p] < 0)) return false;
        if (a[p] < 0) continue;
        if (to.try_emplace(a[p], b[p]).first->second != b[p] || from.try_emplace(b[p], a[p]).first->second != a[p])
            return false;
    }
    return a.size() == b.size();
}

/// Whether the linkage and the tree of a result have the components of m at every level.
inline void expect_right_tree(const Result& result, const Reachability& m, Index least) {
    const auto n = static_cast<Index>(result.labels.size());
    ASSERT_EQ(n, m.n);
    ASSERT_EQ(std::ssize(result.linkage), n - 1);
    for (Index p = 0; p < n; ++p) EXPECT_EQ(result.core[at(p)], m.core[at(p)]) << "point " << p;
    for (const double t : m.levels()) {
        EXPECT_TRUE(same_partition(cut(result.linkage, n, t), components(m, t))) << "level " << t;
        EXPECT_TRUE(same_partition(result.tree.cut(t, least), large_components(m, t, least))) << "level " << t;
    }
}

/// Stabilities by a sum over points, sizes, births and deaths of all groups.
inline void expect_sound_groups(const GroupTree& tree, Index least) {
    const auto inverse = [](double t) { return t == 0 ? infinity : 1 / t; };
    for (std::size_t g = 0; g < tree.groups.size(); ++g) {
        const Group& group = tree.groups[g];
        double sum = 0;
        Index size = 0, first = std::numeric_limits<Index>::max();
        for (std::size_t p = 0; p < tree.home.size(); ++p) {
            if (tree.home[p] < 0 || !tree.contains(static_cast<Index>(g), static_cast<Index>(p))) continue;
            const bool own = tree.home[p] == static_cast<Index>(g);
            sum += inverse(own ? tree.leaves_at[p] : group.death) - inverse(group.birth);
            ++size;
            first = std::min(first, static_cast<Index>(p));
        }
        EXPECT_EQ(group.size, size);
        EXPECT_EQ(group.least, first);
        if (std::isinf(sum)) {
            EXPECT_EQ(group.stability, sum);
        } else {
            EXPECT_NEAR(group.stability, sum, 1e-9 * (1 + sum));
        }
        if (g == 0) continue;
        EXPECT_GE(size, least);
        EXPECT_EQ(group.birth, tree.groups[at(group.parent)].death);
        EXPECT_GT(group.birth, group.death);
        EXPECT_NE(tree.children(static_cast<Index>(g)).size(), 1U);
    }
}

/// The greatest sum of stabilities of disjoint groups below the root (or with it), by trying all sets.
inline double best_stability(const GroupTree& tree, bool with_root) {
    const auto count = static_cast<Index>(tree.groups.size()), first = with_root ? 0 : 1;
    double best = 0;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << (count - first); ++set) {
        double sum = 0;
        Index end = 0;
        bool disjoint = true;
        for (Index g = first; g < count; ++g) {
            if ((set >> (g - first) & 1U) == 0) continue;
            disjoint = disjoint && g >= end;
            end = std::max(end, tree.groups[at(g)].end);
            sum += tree.groups[at(g)].stability;
        }
        if (disjoint) best = std::max(best, sum);
    }
    return best;
}

}  // namespace dunlin::clusters
