// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <dunlin/mds.hpp>

#include "math/rng.hpp"
#include "mds/input/source.hpp"
#include "mds/sgd/group.hpp"

namespace dunlin::mds {
namespace {

constexpr Index n = 300, cols = 500;

/// Like word counts, about four per row; two rows are empty, and two are equal.
Matrix documents() {
    std::vector<float> x(std::size_t{n} * cols, 0.0F);
    for (Index i = 0; i < n; ++i) {
        for (std::uint64_t word = 0; word < 4; ++word) {
            const auto column = math::random_below(cols, 3, static_cast<std::uint64_t>(i), word);
            x[static_cast<std::size_t>(i * cols) + column] += static_cast<float>(word + 1);
        }
    }
    for (const Index empty : {5, 77}) std::fill_n(x.begin() + Offset{empty} * cols, cols, 0.0F);
    std::copy_n(x.begin() + Offset{9} * cols, cols, x.begin() + Offset{200} * cols);
    return {n, cols, std::move(x)};
}

/// Distances by definition.
double apart(const Matrix& points, neighbors::Metric metric, Index i, Index j) {
    double squares = 0, sum = 0, dot = 0, one = 0, other = 0;
    for (Index c = 0; c < cols; ++c) {
        const auto a = static_cast<double>(points.view()(i, c)), b = static_cast<double>(points.view()(j, c));
        squares += (a - b) * (a - b);
        sum += std::abs(a - b);
        dot += a * b;
        one += a * a;
        other += b * b;
    }
    if (metric == neighbors::Metric::euclidean) return std::sqrt(squares);
    if (metric == neighbors::Metric::manhattan) return sum;
    if (one == 0 || other == 0) return one == other ? 0 : 1;
    return 1 - dot / std::sqrt(one * other);
}

TEST(MdsSparse, PairsRangesAndGroupsEqualTheDefinition) {
    const Matrix points = documents();
    device::Cpu cpu(2);
    for (const auto metric : {neighbors::Metric::euclidean, neighbors::Metric::manhattan, neighbors::Metric::cosine}) {
        const Source source(cpu, Dissimilarities::of_points(points, {.metric = metric}));
        std::vector<Index> rows(n);
        for (Index i = 0; i < n; ++i) rows[static_cast<std::size_t>(i)] = i;
        constexpr Index begin = 16, count = 270;
        std::vector<float> tile(std::size_t{n} * (count + 15), -1.0F);
        source.tile(rows, begin, count, tile.data(), count + 15);
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                const double expected = apart(points, metric, i, j);
                ASSERT_NEAR(source.between(i, j), expected, 3e-4 * (1 + expected)) << i << ' ' << j;
                if (j < begin || j >= begin + count) continue;
                ASSERT_NEAR(tile[static_cast<std::size_t>(i * (count + 15) + j - begin)], expected,
                            3e-4 * (1 + expected));
            }
        }
        EXPECT_EQ(source.between(9, 200), 0);
        EXPECT_EQ(source.between(5, 77), 0);
        std::vector<float> scratch, delta(group_pairs);
        source.group(rows.data() + 3, scratch, delta.data());
        for (int slot = 0; slot < group_block; ++slot) {
            const auto pair = static_cast<std::size_t>(pair_index(slot, 1));
            const float expected = source.between(3 + slot, 3 + partner(slot, 1));
            EXPECT_NEAR(delta[pair], expected, 1e-6F * (1 + expected));
        }
    }
}

TEST(MdsSparse, CorrelationHasNoZerosAndIsDense) {
    const Matrix points = documents();
    const auto items = Dissimilarities::of_points(points, {.metric = neighbors::Metric::correlation});
    device::Cpu cpu(1);
    EXPECT_NEAR(Source(cpu, items).between(9, 200), 0, 1e-6);
    EXPECT_GT(Source(cpu, items).between(9, 10), 0.9);
}

TEST(Source, TheMaterializedMatrixHasTheDistancesOfThePoints) {
    const Matrix points = documents();
    device::Cpu cpu(2);
    for (const auto metric : {neighbors::Metric::cosine, neighbors::Metric::correlation}) {  // sparse; dense
        const auto items = Dissimilarities::of_points(points, {.metric = metric});
        const Source compared(cpu, items);
        Source kept(cpu, items);
        kept.materialize(cpu);
        std::vector<float> row(n + 15), same(n + 15);
        const std::vector<Index> one{7};
        compared.tile(one, 0, n, row.data(), n + 15);
        kept.tile(one, 0, n, same.data(), n + 15);
        for (Index j = 0; j < n; ++j) {
            EXPECT_EQ(same[static_cast<std::size_t>(j)], row[static_cast<std::size_t>(j)]) << j;
            EXPECT_NEAR(kept.between(j, 7), compared.between(j, 7), 1e-5) << j;  // in another order
        }
        EXPECT_EQ(kept.between(7, 7), 0);
    }
}

TEST(MdsSparse, MapsAreAsGoodAsOfTheirMatrix) {
    const Matrix points = documents();
    const auto items = Dissimilarities::of_points(points, {.metric = neighbors::Metric::cosine});
    std::vector<float> values;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j)
            values.push_back(static_cast<float>(std::max(0.0, apart(points, neighbors::Metric::cosine, i, j))));
    }
    for (Index i = 0; i < n; ++i) values[static_cast<std::size_t>(i * n + i)] = 0;
    const auto matrix = Dissimilarities::of_matrix(Matrix(n, n, std::move(values)));
    const Map map = place(items, {}, {.threads = 1}).map;
    EXPECT_EQ(map.coordinates, place(items, {}, {.threads = 3}).map.coordinates);
    const double ours = stress(items, map).normalized_stress.value;
    EXPECT_NEAR(stress(matrix, map).normalized_stress.value, ours, 1e-4 * ours);
    EXPECT_NEAR(stress(matrix, place(matrix).map).normalized_stress.value, ours, 0.01 * ours);
}

}  // namespace
}  // namespace dunlin::mds
