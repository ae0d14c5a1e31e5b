// SPDX-License-Identifier: Apache-2.0
#include <dunlin/narrow.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <dunlin/edges.hpp>
#include <dunlin/error.hpp>

namespace dunlin {
namespace {

template <class T>
ForeignMatrix matrix_of(const std::vector<T>& values, NumberType type, Index rows, Index cols) {
    return {values.data(), type, rows, cols, Offset{cols} * Offset{sizeof(T)}, Offset{sizeof(T)}};
}

std::vector<float> floats_of(const Matrix& matrix) {
    return {matrix.view().data, matrix.view().data + matrix.view().size()};
}

std::vector<double> around(double offset) {
    std::vector<double> values;
    for (int i = 0; i < 600; ++i) values.push_back(offset + std::sin(i * 0.7));
    return values;
}

TEST(Narrow, EveryTypeGivesTheSameFloats) {
    const std::vector<float> expected{1, 2, 3, 4, 5, 6};
    const auto same = [&]<class T>(T, NumberType type) {
        const std::vector<T> values{1, 2, 3, 4, 5, 6};
        EXPECT_EQ(floats_of(narrow(matrix_of(values, type, 3, 2)).values), expected) << name_of(type);
    };
    same(double{}, NumberType::float64);
    same(float{}, NumberType::float32);
    same(std::int8_t{}, NumberType::int8);
    same(std::int16_t{}, NumberType::int16);
    same(std::int32_t{}, NumberType::int32);
    same(std::int64_t{}, NumberType::int64);
    same(std::uint8_t{}, NumberType::uint8);
    same(std::uint16_t{}, NumberType::uint16);
    same(std::uint32_t{}, NumberType::uint32);
    same(std::uint64_t{}, NumberType::uint64);
    const std::vector<std::uint16_t> halves{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600};
    EXPECT_EQ(floats_of(narrow(matrix_of(halves, NumberType::float16, 3, 2)).values), expected);
}

TEST(Narrow, StridesMayBeOfColumnsAndNegative) {
    const std::vector<double> by_column{1, 3, 5, 2, 4, 6};
    const ForeignMatrix columns{by_column.data(), NumberType::float64, 3, 2, 8, 24};
    EXPECT_EQ(floats_of(narrow(columns).values), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    const std::vector<double> backward{6, 5, 4, 3, 2, 1};
    const ForeignMatrix reversed{backward.data() + 5, NumberType::float64, 3, 2, -16, -8};
    EXPECT_EQ(floats_of(narrow(reversed).values), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Narrow, AnOffsetIsSubtractedInDouble) {
    const std::vector<double> values = around(1e9);
    const Narrowed narrowed = narrow(matrix_of(values, NumberType::float64, 300, 2));
    ASSERT_EQ(narrowed.shift.size(), 2U);
    const std::vector<float> stored = floats_of(narrowed.values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(stored[i]), values[i] - narrowed.shift[i % 2], 1e-6);
    }
}

TEST(Narrow, OffsetsOfAnotherMatrixKeepEqualRowsEqual) {
    const std::vector<double> points = around(1e9);
    std::vector<double> queries(points.begin() + 100, points.begin() + 110);
    for (int i = 0; i < 90; ++i) queries.push_back(1e9 + 1e6 * std::sin(i));  // by themselves not far from zero
    const ForeignMatrix reference = matrix_of(points, NumberType::float64, 300, 2),
                        matrix = matrix_of(queries, NumberType::float64, 50, 2);
    for (const ColumnOffsets offsets : {ColumnOffsets::subtract, ColumnOffsets::common, ColumnOffsets::keep}) {
        const Narrowed of_points = narrow(reference, offsets), of_queries = narrow(matrix, reference, offsets);
        EXPECT_EQ(of_queries.shift, of_points.shift);
        for (Index r = 0; r < 5; ++r) {
            EXPECT_TRUE(std::ranges::equal(of_queries.values.row(r), of_points.values.row(50 + r)));
        }
    }
    EXPECT_THROW(narrow(matrix_of(points, NumberType::float64, 200, 3), reference), Error);
}

TEST(Narrow, AnOffsetThatCountsIsKept) {
    const std::vector<double> values = around(1e5);
    const ForeignMatrix matrix = matrix_of(values, NumberType::float64, 300, 2);
    const Narrowed kept = narrow(matrix, ColumnOffsets::keep);
    EXPECT_TRUE(kept.shift.empty());
    EXPECT_NEAR(static_cast<double>(floats_of(kept.values)[0]), values[0], 0.01);
    const Narrowed common = narrow(matrix, ColumnOffsets::common);
    EXPECT_NEAR(static_cast<double>(floats_of(common.values)[0]) + common.shift[0], values[0], 0.01);
}

TEST(Narrow, TheNumberOfThreadsChangesNoByte) {
    const std::vector<double> values = around(1e6);
    const ForeignMatrix matrix = matrix_of(values, NumberType::float64, 300, 2);
    const std::vector<float> one = floats_of(narrow(matrix, ColumnOffsets::subtract, {.threads = 1}).values);
    EXPECT_EQ(floats_of(narrow(matrix, ColumnOffsets::subtract, {.threads = 3}).values), one);
}

TEST(Narrow, SaysWhereANumberCannotBeHeld) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
        std::vector<double> values(200000, 1.0);
        values[123457] = bad;
        values[187654] = bad;
        try {
            narrow(matrix_of(values, NumberType::float64, 100000, 2));
            FAIL() << bad;
        } catch (const Error& error) {
            EXPECT_EQ(error.fault(), Fault::bad_input);
            EXPECT_EQ(error.place().row, 61728);
            EXPECT_EQ(error.place().column, 1);
        }
    }
    const std::vector<double> tiny{1e-300, 2e-300};
    EXPECT_THROW(narrow(matrix_of(tiny, NumberType::float64, 2, 1)), Error);
}

TEST(Narrow, TakesNoRowsAndNoColumns) {
    const std::vector<double> none;
    EXPECT_EQ(narrow(matrix_of(none, NumberType::float64, 0, 3)).values.cols(), 3);
    EXPECT_EQ(narrow(matrix_of(none, NumberType::float64, 3, 0)).values.rows(), 3);
}

TEST(Narrow, ReturnsNoRowsAfterAStop) {
    std::stop_source source;
    source.request_stop();
    const std::vector<double> values = around(0);
    const Narrowed narrowed =
        narrow(matrix_of(values, NumberType::float64, 300, 2), ColumnOffsets::subtract, {.stop = source.get_token()});
    EXPECT_EQ(narrowed.values.rows(), 0);
}

TEST(SimpleGraph, MergesEdgesAndLeavesOutLoops) {
    const std::vector<Index> sources{0, 1, 2, 2}, targets{1, 0, 2, 1};
    const std::vector<float> weights{1, 3, 1, 2};
    const graph::SimpleGraph made = graph::simple_graph(4, sources, targets, weights);
    EXPECT_EQ(made.graph.offsets, (std::vector<Offset>{0, 1, 3, 4, 4}));
    EXPECT_EQ(made.graph.targets, (std::vector<Index>{1, 0, 2, 1}));
    EXPECT_EQ(made.graph.weights, (std::vector<float>{3, 3, 2, 2}));
    EXPECT_EQ(made.self_loops, 1);
    EXPECT_EQ(made.multi_edges, 1);
    EXPECT_EQ(graph::simple_graph(0, {}, {}).graph.size(), 0);
}

TEST(SimpleGraph, SaysWhichEdgeCannotBeUsed) {
    const std::vector<Index> sources{0, 1}, targets{1, 2};
    const auto row_of = [&](Index vertices, std::vector<float> weights) {
        try {
            graph::simple_graph(vertices, sources, targets, weights);
        } catch (const Error& error) {
            return error.place().row;
        }
        return Offset{-1};
    };
    EXPECT_EQ(row_of(2, {}), 1);
    EXPECT_EQ(row_of(3, {1, 0}), 1);
    EXPECT_EQ(row_of(3, {std::nanf(""), 1}), 0);
    EXPECT_EQ(row_of(3, {1, 1}), -1);
    EXPECT_THROW(graph::simple_graph(3, sources, targets, std::vector<float>{1}), Error);
}

}  // namespace
}  // namespace dunlin
