// SPDX-License-Identifier: Apache-2.0
// The spanning tree of points in few columns as a GPU finds it, on the executor of the CPU: the keys of core distances,
// weights and hierarchy of that by the k-d tree.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "cases/cpu_selection.hpp"
#include "density_oracle.hpp"
#include "device/cpu.hpp"
#include "math/at.hpp"
#include "spanning/boruvka.hpp"
#include "spanning/tree_spanning.hpp"

namespace dunlin::spanning {
namespace {

using clusters::blobs;

PointSource source_of(const Matrix& points, Norm norm) {
    return {points.rows(), points.cols(), norm, false, [&points](Index r, double* out) {
                for (const float x : points.row(r)) *out++ = static_cast<double>(x);
            }};
}

struct Spanned {
    std::vector<double> core;
    std::vector<hierarchy::Edge> edges;
};

Spanned by_boxes(device::Cpu& cpu, const Matrix& points, Norm norm, Index k, double scale) {
    const PointTree tree(cpu, source_of(points, norm));
    const NearLists lists = near_lists(cpu, tree, k, {});
    Spanned result{std::vector<double>(lists.core.size()), spanning_tree(cpu, tree, lists, scale, {}, {})};
    for (std::size_t p = 0; p < lists.core.size(); ++p) result.core[at(tree.order()[p])] = lists.core[p];
    return result;
}

template <Norm norm, Index Cols>
Spanned by_curve(device::Cpu& cpu, const Matrix& points, Index k, double scale) {
    std::vector<Coordinates<Cols>> rows(at(points.rows()));
    for (Index r = 0; r < points.rows(); ++r) std::copy_n(points.row(r).begin(), Cols, rows[at(r)].of);
    TreeSpanning<device::Cpu, norm, Cols> spanning(cpu, rows, k, scale);
    Spanned result;
    result.core = spanning.find_nearest();
    EXPECT_EQ(spanning.run_rounds({}, result.edges), points.rows() - 1);
    return result;
}

template <Index Cols>
Spanned by_curve(device::Cpu& cpu, const Matrix& points, Norm norm, Index k, double scale) {
    return norm == Norm::l2 ? by_curve<Norm::l2, Cols>(cpu, points, k, scale)
                            : by_curve<Norm::l1, Cols>(cpu, points, k, scale);
}

void expect_same(const Matrix& points, Norm norm, Index k, double scale = 1) {
    SCOPED_TRACE(testing::Message() << points.rows() << " x " << points.cols() << ", k " << k);
    device::Cpu cpu(3);
    const Spanned expected = by_boxes(cpu, points, norm, k, scale);
    const Spanned found = points.cols() == 1   ? by_curve<1>(cpu, points, norm, k, scale)
                          : points.cols() == 2 ? by_curve<2>(cpu, points, norm, k, scale)
                          : points.cols() == 3 ? by_curve<3>(cpu, points, norm, k, scale)
                                               : by_curve<4>(cpu, points, norm, k, scale);
    EXPECT_EQ(found.core, expected.core);
    const hierarchy::MergeTree tree = hierarchy::merge_tree(points.rows(), found.edges),
                               other = hierarchy::merge_tree(points.rows(), expected.edges);
    EXPECT_EQ(found.edges.size(), expected.edges.size());
    EXPECT_EQ(tree.level, other.level);
    EXPECT_EQ(tree.parent, other.parent);
    EXPECT_EQ(tree.least, other.least);
    EXPECT_EQ(tree.home, other.home);
}

TEST(TreeSpanning, IsThatByTheBoxes) {
    for (const Norm norm : {Norm::l2, Norm::l1}) {
        for (const Index cols : {1, 2, 3, 4}) {
            for (const Index n : {2, 3, 5, 11, 12, 31, 32, 33, 257, 1000}) {
                for (const Index k : {1, 2, 5, 10, 11, 17, 40, 129}) {
                    if (k > n) continue;
                    expect_same(blobs(n, cols, 7), norm, k);
                    expect_same(blobs(n, cols, 8, 0.5F), norm, k, 0.7);
                }
            }
        }
        expect_same(blobs(20000, 2, 1), norm, 10);
        expect_same(blobs(20000, 3, 1, 0.25F), norm, 5);
    }
}

TEST(TreeSpanning, OfCopiesOutliersAndLines) {
    std::vector<float> values(2 * 3000, -3.25F);
    expect_same({3000, 2, values}, Norm::l2, 10);
    values[17] = 1e30F;
    values[1000] = -1e20F;
    expect_same({3000, 2, values}, Norm::l2, 3);
    for (Index i = 0; i < 3000; ++i) values[at(2 * i)] = static_cast<float>(i * 7 % 3000);
    expect_same({3000, 2, values}, Norm::l2, 4);
    Matrix outlier = blobs(3000, 4, 5);
    std::vector<float> far(outlier.view().data, outlier.view().data + outlier.view().size());
    far[5] = 1e12F;
    expect_same({3000, 4, far}, Norm::l2, 10);
}

TEST(TreeSpanning, NeighborsOnTheHilbertCurveAreNeighbors) {
    // All cells of a square of 8 x 8 and a cube of 4 x 4 x 4, in the finest bits
    std::map<std::uint64_t, std::array<std::uint32_t, 3>> square, cube;
    for (std::uint32_t i = 0; i < 64; ++i) {
        std::uint32_t flat[2] = {i % 8, i / 8}, deep[3] = {i % 4, i / 4 % 4, i / 16};
        square[hilbert_key<2>(flat)] = {i % 8, i / 8, 0};
        cube[hilbert_key<3>(deep)] = {i % 4, i / 4 % 4, i / 16};
    }
    for (const auto* const cells : {&square, &cube}) {
        ASSERT_EQ(cells->size(), 64U);
        EXPECT_EQ(cells->begin()->first, 0U);
        EXPECT_EQ(cells->rbegin()->first, 63U);
        for (auto next = std::next(cells->begin()), cell = cells->begin(); next != cells->end(); ++next, ++cell) {
            int steps = 0;
            for (std::size_t c = 0; c < 3; ++c)
                steps += std::abs(static_cast<int>(next->second[c]) - static_cast<int>(cell->second[c]));
            EXPECT_EQ(steps, 1);
        }
    }
    std::uint32_t line[1] = {123456789};
    EXPECT_EQ(hilbert_key<1>(line), 123456789U);
}

}  // namespace
}  // namespace dunlin::spanning
