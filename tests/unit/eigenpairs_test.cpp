// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "initialization/dense.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::initialization {
namespace {

using Entry = std::function<double(Index, Index)>;

/// Eigenvectors must be orthonormal, and A v = lambda v to the rounding of A's norm; the values fall.
void expect_leading(Index size, Index count, const Entry& entry) {
    std::vector<double> matrix(at(Offset{size} * size));
    double norm = 0;
    for (Index i = 0; i < size; ++i) {
        double row = 0;
        for (Index j = 0; j < size; ++j) {
            matrix[at(Offset{i} * size + j)] = entry(std::max(i, j), std::min(i, j));
            row += std::abs(matrix[at(Offset{i} * size + j)]);
        }
        norm = std::max(norm, row);
    }
    const Eigenpairs pairs = leading_eigenpairs(matrix, size, count);
    ASSERT_EQ(pairs.values.size(), at(count));
    EXPECT_TRUE(std::ranges::is_sorted(pairs.values, std::greater<>()));
    for (Index c = 0; c < count; ++c) {
        const double* v = pairs.vectors.data() + Offset{c} * size;
        for (Index i = 0; i < size; ++i) {
            double product = 0;
            for (Index j = 0; j < size; ++j) product += matrix[at(Offset{i} * size + j)] * v[j];
            ASSERT_LE(std::abs(product - pairs.values[at(c)] * v[i]), 1e-13 * norm) << size << ", pair " << c;
        }
        for (Index d = 0; d <= c; ++d) {
            const double* u = pairs.vectors.data() + Offset{d} * size;
            double product = 0;
            for (Index i = 0; i < size; ++i) product += u[i] * v[i];
            ASSERT_NEAR(product, c == d ? 1 : 0, 1e-12) << size << ", pairs " << d << ", " << c;
        }
    }
}

TEST(Eigenpairs, SatisfyTheirDefinition) {
    const auto noise = [](Index i, Index j) { return math::random_normal(3, static_cast<std::uint64_t>(i), j); };
    for (const Index size : {1, 2, 3, 50, 150}) expect_leading(size, std::min<Index>(size, 4), noise);
    expect_leading(60, 60, noise);
    expect_leading(60, 5, [&](Index i, Index j) { return 1e-17 * noise(i, j); });
    for (const Index size : {24, 60}) {  // of blocks, so that the tridiagonal matrix splits
        expect_leading(size, 5, [](Index i, Index j) { return i / 10 == j / 10 ? 1e8 : 0; });
        expect_leading(size, size, [](Index i, Index j) { return i / 10 == j / 10 ? 1e8 : 0; });
    }
    expect_leading(40, 40, [&](Index i, Index j) { return std::pow(0.5, i + j) * ((i == j ? 3 : 0) + noise(i, j)); });
}

// LAPACK's dsyevr finds none of these and writes before its workspace
TEST(Eigenpairs, AreFoundWhereNearlyAllAreEqual) {
    for (const Index size : {2, 64, 85, 118, 240, 300}) {
        expect_leading(size, 2, [size](Index i, Index j) { return (i == j ? 1 : 0) - 1.0 / size; });
        expect_leading(size, 2, [](Index i, Index j) { return i == j ? 1 : 0; });
        expect_leading(size, 2, [](Index, Index) { return 0; });
    }
}

TEST(Eigenpairs, OfNothingAreNone) { EXPECT_TRUE(leading_eigenpairs({}, 0, 0).values.empty()); }

}  // namespace
}  // namespace dunlin::initialization
