// SPDX-License-Identifier: Apache-2.0
#include "math/direction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <dunlin/neighbors.hpp>

#include "distance/features.hpp"
#include "distance/space.hpp"
#include "kmeans/formulas.hpp"
#include "mds/input/source.hpp"

namespace dunlin {

namespace {

using neighbors::Metric;

struct Row {
    const char* name;
    std::vector<float> values;
    bool zero, constant;
};

std::vector<Row> awkward_rows(Index cols) {
    constexpr float tiny = std::numeric_limits<float>::denorm_min(), huge = std::numeric_limits<float>::max();
    const auto all = [&](float value) { return std::vector<float>(static_cast<std::size_t>(cols), value); };
    const auto uneven = [&](float value, bool first) {  // by one unit in the last place, in one column
        std::vector<float> row = all(value);
        (first ? row.front() : row.back()) = std::nextafter(value, 0.0F);
        return row;
    };
    std::vector<float> wave = all(0), swing = all(huge), denormals = all(0);
    for (std::size_t c = 0; c < wave.size(); ++c) {
        wave[c] = std::sin(static_cast<float>(c + 1));
        swing[c] *= c % 2 == 0 ? 1.0F : -1.0F;
        denormals[c] = tiny * static_cast<float>(c % 3);
    }
    return {{"wave", wave, false, false},
            {"zeros", all(0), true, true},
            {"minus zeros", all(-0.0F), true, true},
            {"a tenth", all(0.1F), false, true},
            {"a third, negative", all(-1.0F / 3), false, true},
            {"constant of 24 bits", all(std::nextafter(2.0F, 0.0F)), false, true},
            {"uneven first", uneven(0.1F, true), false, false},
            {"uneven last", uneven(1.0F, false), false, false},
            {"uneven negative", uneven(-12345.678F, true), false, false},
            {"denormals", denormals, false, false},
            {"constant denormals", all(3 * tiny), false, true},
            {"one denormal", uneven(tiny, false), false, false},
            {"huge constant", all(huge), false, true},
            {"huge uneven", uneven(huge, false), false, false},
            {"huge swing", swing, false, false}};
}

Matrix matrix_of(const std::vector<Row>& rows, Index cols) {
    std::vector<float> values;
    for (const Row& row : rows) values.insert(values.end(), row.values.begin(), row.values.end());
    return Matrix(static_cast<Index>(rows.size()), cols, std::move(values));
}

}  // namespace

TEST(Direction, OnlyARowOfEqualNumbersHasNone) {
    for (const Index cols : {2, 3, 40, 1000, 4099}) {
        for (const Row& row : awkward_rows(cols)) {
            for (const bool centered : {false, true}) {
                const math::Direction own = math::direction_of(row.values, centered);
                EXPECT_EQ(own.scale == 0, centered ? row.constant : row.zero) << row.name << ' ' << cols;
                if (own.scale == 0) continue;
                double square = 0, sum = 0;
                for (const float x : row.values) {
                    const double part = (static_cast<double>(x) - own.mean) * own.scale;
                    square += part * part;
                    sum += part;
                }
                EXPECT_NEAR(square, 1, 1e-12) << row.name << ' ' << cols;
                EXPECT_NEAR(centered ? sum : 0, 0, 1e-5) << row.name << ' ' << cols;
            }
        }
    }
    EXPECT_EQ(math::direction_of(std::vector<float>{7}, true).scale, 0);
    EXPECT_NEAR(math::direction_of(std::vector<float>{-8}, false).scale, 1.0 / 8, 1e-15);
}

/// Search, scores, multidimensional scaling and k-means on the same rows.
TEST(Direction, SearchScoresAndScalingHaveOneRule) {
    device::Cpu cpu(2);
    for (const Metric metric : {Metric::cosine, Metric::correlation}) {
        for (const Index cols : {2, 3, 40, 1000}) {
            const std::vector<Row> rows = awkward_rows(cols);
            const Matrix points = matrix_of(rows, cols);
            const distance::Space space(cpu, points.view(), metric);
            const distance::Features features(cpu, points.view(), metric);
            const mds::Source source(cpu, mds::Dissimilarities::of_points(points, {.metric = metric}));
            const Graph graph = neighbors::search(points.view(), {.k = points.rows() - 1, .metric = metric}).graph;
            std::vector<float> own(static_cast<std::size_t>(features.cols()));
            for (Index i = 0; i < points.rows(); ++i) {
                const auto at = static_cast<std::size_t>(i);
                const bool none = metric == Metric::cosine ? rows[at].zero : rows[at].constant;
                SCOPED_TRACE(testing::Message() << rows[at].name << ", " << cols << " columns, " << name_of(metric));
                EXPECT_EQ(space.scale(i) == 0, none);
                EXPECT_EQ(features.scales()[at] == 0, none);
                features.copy(i, 0, features.cols(), own.data(), 1);
                double square = 0;
                for (const float x : own) square += static_cast<double>(x) * static_cast<double>(x);
                EXPECT_NEAR(square, 1, 1e-5);  // of the mark where there is no direction
                for (Index j = 0; j < points.rows(); ++j) {
                    if (j == i) continue;
                    const double searched = static_cast<double>(space.distance(space.key(i, j)));
                    EXPECT_NEAR(static_cast<double>(source.between(i, j)), searched, 2e-6) << "from row " << j;
                }
                for (Offset e = graph.offsets[at]; e < graph.offsets[at + 1]; ++e) {
                    const Index j = graph.targets[static_cast<std::size_t>(e)];
                    EXPECT_NEAR(graph.weights[static_cast<std::size_t>(e)], space.distance(space.key(i, j)), 1e-12F)
                        << j;
                }
                if (metric != Metric::cosine) continue;
                std::vector<float> unit = rows[at].values;
                kmeans::scale_to_unit(unit.data(), cols);
                EXPECT_EQ(unit == rows[at].values, none);
            }
        }
    }
}

}  // namespace dunlin
