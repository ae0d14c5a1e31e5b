// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/names.hpp>

#include "math/rng.hpp"
#include "names/formulas.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"

namespace dunlin::naming {
namespace {

using Texts = std::vector<std::string>;
using Partition = std::vector<Index>;

/// Rank sum, U and moments by all pairs.
Feature by_pairs(const std::vector<double>& inside, const std::vector<double>& others) {
    std::vector<double> all = inside;
    all.insert(all.end(), others.begin(), others.end());
    double u = 0, ties = 0;
    for (const double a : inside) {
        for (const double b : others) u += a > b ? 1 : a == b ? 0.5 : 0;
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size();) {
        const auto last = std::upper_bound(all.begin(), all.end(), all[i]) - all.begin();
        const double t = static_cast<double>(last) - static_cast<double>(i);
        ties += t * t * t - t;
        i = static_cast<std::size_t>(last);
    }
    const auto n1 = static_cast<double>(inside.size()), n2 = static_cast<double>(others.size()), n = n1 + n2;
    const double spread = (1 - ties / (n * n * n - n)) * n1 * n2 * (n + 1) / 12;
    Feature feature;
    feature.auc = u / (n1 * n2);
    feature.z = spread > 0 ? (u - n1 * n2 / 2) / std::sqrt(spread) : 0;
    const auto mean = [](const std::vector<double>& x) {
        double sum = 0;
        for (const double value : x) sum += value;
        return sum / static_cast<double>(x.size());
    };
    feature.difference = mean(inside) - mean(others);
    return feature;
}

/// Values with ties, zeros of both signs, and columns without zeros, of one value, and of none.
Matrix values_with_ties(Index n, Index cols) {
    std::vector<float> values;
    for (Index p = 0; p < n; ++p) {
        for (Index c = 0; c < cols; ++c) {
            const auto draw = static_cast<int>(
                math::random_below(9, 5, static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(c)));
            const float value = c == 0       ? 0.0F
                                : c == 1     ? 2.5F
                                : c % 3 == 0 ? static_cast<float>(draw + 1)
                                             : static_cast<float>(draw - 4 + p % 3);
            values.push_back(value == 0 && p % 2 == 1 ? -0.0F : value);
        }
    }
    return {n, cols, std::move(values)};
}

TEST(NamesOfColumns, EqualTheDefinition) {
    constexpr Index n = 240, cols = 11;
    const Matrix points = values_with_ties(n, cols);
    Partition finest, fine, coarse;
    for (Index p = 0; p < n; ++p) {
        finest.push_back(static_cast<Index>(math::random_below(20, 1, static_cast<std::uint64_t>(p))) - 1);
        fine.push_back(finest.back() < 0 ? -1 : finest.back() / 3);
        coarse.push_back(fine.back() < 0 ? -1 : fine.back() / 3);
    }
    GroupTree tree = tree_of_partitions({finest, fine, coarse});
    tree.home[7] = tree.home[8] = -1;  // take no part
    for (const Against against : {Against::siblings, Against::rest}) {
        const Options options{.against = against, .listed = cols};
        const Result dense = of_columns(tree, points.view(), {}, options);
        const Result sparse = of_columns(tree, view_of(sparse_of(points.view())), {}, options);
        EXPECT_EQ(dense.names, sparse.names);
        EXPECT_EQ(dense.names, of_columns(tree, points.view(), {}, options, {.threads = 3}).names);
        for (Index g = 1; g < std::ssize(tree.groups); ++g) {
            const Index base = against == Against::rest ? 0 : tree.groups[static_cast<std::size_t>(g)].parent;
            const auto& features = dense.features[static_cast<std::size_t>(g)];
            ASSERT_GE(std::ssize(features), cols - 1) << g;  // nothing is known of a column of zeros
            for (std::size_t f = 0; f < features.size(); ++f) {
                const Feature& found = features[f];
                std::vector<double> inside, others;
                for (Index p = 0; p < n; ++p) {
                    if (!tree.contains(base, p)) continue;
                    (tree.contains(g, p) ? inside : others)
                        .push_back(static_cast<double>(points.view()(p, found.column)));
                }
                const Feature wanted = by_pairs(inside, others);
                EXPECT_NEAR(found.auc, wanted.auc, 1e-12);
                EXPECT_NEAR(found.z, wanted.z, 1e-10);
                EXPECT_NEAR(found.difference, wanted.difference, 1e-12);
                EXPECT_EQ(found.p, two_sided(found.z));
                EXPECT_GE(found.adjusted, found.p);
                const Feature& again = sparse.features[static_cast<std::size_t>(g)][f];
                EXPECT_EQ(again.column, found.column);
                EXPECT_EQ(again.z, found.z);
            }
        }
    }
}

TEST(NamesOfColumns, AreHighAndLow) {
    std::vector<float> values;
    Partition labels;
    for (int p = 0; p < 60; ++p) {
        const bool first = p < 30;
        labels.push_back(first ? 0 : 1);
        values.insert(values.end(),
                      {first ? 5.0F + static_cast<float>(p) : 0.0F, first ? 0.0F : 1.0F, static_cast<float>(p % 7)});
    }
    const GroupTree tree = tree_of_partitions({labels});
    const Result result = of_columns(tree, {values.data(), 60, 3}, {"CD3E", "MS4A1", "ACTB"}, {.log1p = true});
    EXPECT_EQ(result.names, (Texts{"All", "CD3E high, MS4A1 low", "CD3E low, MS4A1 high"}));
    const Feature& best = result.features[1][0];
    EXPECT_EQ(best.auc, 1);
    EXPECT_NEAR(best.difference, 19.5, 1e-12);
    EXPECT_NEAR(best.fold, log2_fold(19.5, 0), 1e-12);
    EXPECT_TRUE(std::isnan(of_columns(tree, {values.data(), 60, 3}, {}).features[1][0].fold));
    EXPECT_EQ(of_columns(tree, {values.data(), 60, 3}, {}).names[1], "x1 high, x2 low");
    // The largest z first
    const Result high = of_columns(tree, {values.data(), 60, 3}, {}, {.order = Order::high});
    EXPECT_EQ(high.features[2][0].column, 1);
    EXPECT_LT(high.features[2][2].z, 0);
}

TEST(NamesOfColumns, RefuseMissingValues) {
    const GroupTree two = tree_of_partitions({{0, 1}});
    const std::vector<float> values{1, 2, std::numeric_limits<float>::quiet_NaN(), 4};
    EXPECT_EQ(refusal(Fault::bad_input, [&] { of_columns(two, {values.data(), 2, 2}, {}); }),
              "row 2 has the value nan in column 1; values must be finite: fill or leave out rows with missing ones");
    EXPECT_EQ(refusal(Fault::bad_input, [&] { of_columns(two, {values.data(), 1, 4}, {}); }),
              "the points have 1 rows, and the groups are of 2 points; give one row per point");
    EXPECT_EQ(refusal(Fault::bad_input, [&] { of_columns(two, {values.data(), 2, 2}, {"a"}); }),
              "1 names are given for 2 columns; give one for each");
}

TEST(NamesOfColumns, GroupsOfOneAndCopies) {
    // Each point alone; equal rows
    const std::vector<float> values{1, 1, 1, 1};
    const Result copies = of_columns(tree_of_partitions({{0, 1, 2, 3}}), {values.data(), 4, 1}, {});
    EXPECT_EQ(copies.names[1], "Group 0");
    EXPECT_EQ(copies.features[1][0].auc, 0.5);
    EXPECT_EQ(copies.features[1][0].p, 1);
}

}  // namespace
}  // namespace dunlin::naming
