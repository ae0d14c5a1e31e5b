// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/neighbors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cases/cases.hpp"
#include "math/rng.hpp"

/// Test data, and the definition of the neighbors as a reference.
namespace dunlin::neighbors {

struct Data {
    Index rows, cols;
    std::vector<float> values;
    [[nodiscard]] MatrixView<const float> view() const { return {values.data(), rows, cols}; }
};

template <class Value>
Data make(Index rows, Index cols, const Value& value) {
    Data data{rows, cols, std::vector<float>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols))};
    for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < cols; ++c) data.values[static_cast<std::size_t>(Offset{r} * cols + c)] = value(r, c);
    }
    return data;
}

inline float normal(std::uint64_t seed, Index r, Index c) {
    return static_cast<float>(math::random_normal(seed, static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c)));
}

inline float uniform(std::uint64_t seed, Index r, Index c) {
    return static_cast<float>(math::random_uniform(seed, static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c)));
}

/// Nearly normal numbers that are cheap to compute.
inline float bell(std::uint64_t seed, Index r, Index c) {
    return 1.7F * (uniform(seed, r, 4 * c) + uniform(seed, r, 4 * c + 1) + uniform(seed, r, 4 * c + 2) +
                   uniform(seed, r, 4 * c + 3) - 2);
}

inline Data gaussian(Index rows, Index cols, std::uint64_t seed = 1) {
    return make(rows, cols, [&](Index r, Index c) { return normal(seed, r, c); });
}

inline Data clustered(Index rows, Index cols) {
    return make(rows, cols, [&](Index r, Index c) { return 20 * normal(2, r % 7, c) + 0.05F * normal(3, r, c); });
}

inline Data integers(Index rows, Index cols, std::uint64_t values) {
    return make(rows, cols, [&](Index r, Index c) {
        return static_cast<float>(
            math::random_below(values, 4, static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c)));
    });
}

/// One cloud, and seven.
inline Data cloud(Index rows, Index cols) {
    return make(rows, cols, [](Index r, Index c) { return bell(1, r, c); });
}
inline Data clouds(Index rows, Index cols) {
    return make(rows, cols, [](Index r, Index c) { return 4 * bell(2, r % 7, c) + bell(3, r, c); });
}

/// Half of the rows are a uniform background with low recall, each eight times; half are dense clusters. Shuffled.
inline Data background_with_copies() {
    return make(8000, 50, [](Index r, Index c) {
        const auto p = static_cast<Index>(Offset{r} * 4099 % 8000);
        if (p < 4000) return 18 * uniform(3, p / 8, c) - 9;
        return 3 * bell(4, p % 50, c) + 0.05F * bell(5, p, c);
    });
}

/// The definition of the metrics, in long double, independent of the library.
inline double distance(const Data& data, Metric metric, Index a, Index b) {
    using Real = long double;
    std::vector<Real> x(data.view().row(a).begin(), data.view().row(a).end());
    std::vector<Real> y(data.view().row(b).begin(), data.view().row(b).end());
    if (metric == Metric::correlation) {
        for (auto* row : {&x, &y}) {
            const Real mean = std::accumulate(row->begin(), row->end(), Real{0}) / static_cast<Real>(row->size());
            for (Real& v : *row) v -= mean;
        }
    }
    Real squares = 0, absolute = 0, dot = 0, xx = 0, yy = 0;
    for (std::size_t c = 0; c < x.size(); ++c) {
        squares += (x[c] - y[c]) * (x[c] - y[c]);
        absolute += std::abs(x[c] - y[c]);
        dot += x[c] * y[c];
        xx += x[c] * x[c];
        yy += y[c] * y[c];
    }
    if (metric == Metric::euclidean) return static_cast<double>(std::sqrt(squares));
    if (metric == Metric::manhattan) return static_cast<double>(absolute);
    if (metric == Metric::inner_product) return static_cast<double>(dot);
    if (xx == 0 || yy == 0) return xx == yy ? 0 : 1;
    return static_cast<double>(1 - dot / (std::sqrt(xx) * std::sqrt(yy)));
}

struct Near {
    double distance;
    Index row;
};

inline std::vector<Near> brute_force(const Data& data, Metric metric, Index row) {
    std::vector<Near> all;
    for (Index other = 0; other < data.rows; ++other) {
        if (other != row) all.push_back({distance(data, metric, row, other), other});
    }
    const double sign = metric == Metric::inner_product ? -1 : 1;  // the largest are nearest
    std::sort(all.begin(), all.end(), [sign](Near a, Near b) {
        return a.distance != b.distance ? sign * a.distance < sign * b.distance : a.row < b.row;
    });
    return all;
}

inline constexpr Index checked_every = 11;  // the definition is slow

/// Checks every 11th list: its length, distinct members without the row itself, and the distances of brute force up to
/// rounding. Ids may differ where distances agree up to rounding, unless ids_must_agree.
inline void expect_exact(const Data& data, Metric metric, std::span<const Index> rows, const Graph& graph, Index k,
                         bool ids_must_agree = false) {
    const Index degree = std::min(k, data.rows - 1);
    ASSERT_EQ(graph.size(), std::ssize(rows));
    for (Index i = 0; i < graph.size(); ++i) {
        const Index row = rows[static_cast<std::size_t>(i)];
        const auto begin = static_cast<std::size_t>(graph.offsets[static_cast<std::size_t>(i)]);
        ASSERT_EQ(graph.offsets[static_cast<std::size_t>(i) + 1] - graph.offsets[static_cast<std::size_t>(i)], degree);
        if (i % checked_every != 0 && i + 1 != graph.size()) continue;
        const auto truth = brute_force(data, metric, row);
        std::vector<Index> seen{row};
        for (std::size_t j = 0; j < static_cast<std::size_t>(degree); ++j) {
            const Index target = graph.targets[begin + j];
            const double weight = static_cast<double>(graph.weights[begin + j]);
            const double slack = cases::distance_rounding * std::abs(truth[j].distance) + 2e-14;
            ASSERT_NEAR(weight, truth[j].distance, slack) << "row " << row << " place " << j;
            ASSERT_NEAR(weight, distance(data, metric, row, target), slack) << "row " << row << " place " << j;
            if (ids_must_agree) {
                ASSERT_EQ(target, truth[j].row) << "row " << row << " place " << j;
            }
            seen.push_back(target);
        }
        std::sort(seen.begin(), seen.end());
        ASSERT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "row " << row;
    }
}

/// The recall of all lists, by distance.
inline double recall_of_graph(const Graph& found, const Graph& truth) {
    const auto degree = static_cast<std::size_t>(truth.offsets[1]);
    Offset near = 0;
    for (std::size_t e = 0; e < truth.weights.size(); ++e) {
        near += found.weights[e] <= truth.weights[e / degree * degree + degree - 1] *
                                        (1 + static_cast<float>(cases::distance_rounding))
                    ? 1
                    : 0;
    }
    return static_cast<double>(near) / static_cast<double>(truth.weights.size());
}

/// The recall of some rows.
inline double recall_of_rows(const Graph& found, const Graph& truth, const std::vector<Index>& rows) {
    const auto degree = static_cast<std::size_t>(truth.offsets[1]);
    Offset near = 0;
    for (const Index row : rows) {
        const std::size_t begin = static_cast<std::size_t>(row) * degree;
        const float limit = truth.weights[begin + degree - 1] * (1 + static_cast<float>(cases::distance_rounding));
        near += std::count_if(&found.weights[begin], &found.weights[begin] + degree,
                              [&](float distance) { return distance <= limit; });
    }
    return static_cast<double>(near) / static_cast<double>(rows.size() * degree);
}

/// Checks that each list has `degree` distinct members without the row itself; for every 11th the first distance.
inline void expect_lists(const Data& data, Metric metric, const Graph& graph, Index degree) {
    ASSERT_EQ(graph.size(), data.rows);
    ASSERT_EQ(graph.edges(), Offset{data.rows} * degree);
    for (Index r = 0; r < data.rows; ++r) {
        const auto begin = graph.targets.begin() + Offset{r} * degree;
        std::vector<Index> seen(begin, begin + degree);
        if (r % checked_every == 0 && degree > 0) {
            EXPECT_NEAR(static_cast<double>(graph.weights[static_cast<std::size_t>(Offset{r} * degree)]),
                        distance(data, metric, r, seen[0]), cases::first_distance);
        }
        seen.push_back(r);
        std::sort(seen.begin(), seen.end());
        ASSERT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "row " << r;
        ASSERT_GE(seen.front(), 0);
        ASSERT_LT(seen.back(), data.rows);
    }
}

inline std::vector<Index> all_rows(const Data& data) {
    std::vector<Index> rows(static_cast<std::size_t>(data.rows));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

/// The exact search, which is tested against brute force: the truth where all lists are compared.
inline Graph exactly(const Data& data, Index k, Metric metric = Metric::euclidean) {
    return search(data.view(), {.k = k, .metric = metric, .method = Method::exact},
                  {.device = Device::cpu, .threads = 2})
        .graph;
}

inline void expect_exact(const Data& data, Metric metric, Index k, bool ids_must_agree = false) {
    const Result result = search(data.view(), {.k = k, .metric = metric, .method = Method::exact}, {.threads = 2});
    EXPECT_EQ(result.options.method, Method::exact);
    EXPECT_EQ(result.recall, 1);
    expect_exact(data, metric, all_rows(data), result.graph, k, ids_must_agree);
}

}  // namespace dunlin::neighbors
