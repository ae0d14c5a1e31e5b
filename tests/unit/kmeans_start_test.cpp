// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>

#include "cases/kmeans.hpp"
#include "kmeans/d2_sampling.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/start.hpp"

namespace dunlin::kmeans {
namespace {

TEST(KmeansDraws, ByHand) {
    EXPECT_EQ(target_of(0, 10), 0);
    EXPECT_EQ(target_of(0.55, 10), 5);
    EXPECT_EQ(target_of(std::nextafter(1.0, 0.0), Sum{1} << 60), (Sum{1} << 60) - 128);  // the nearest double below
    EXPECT_EQ(any_row(std::nextafter(1.0, 0.0), 2'000'000'000), 1'999'999'999);
    EXPECT_EQ(add_float_square(1, 5, 2), 10);
    EXPECT_EQ(d2_weight_of(3, 2), 6);
    EXPECT_FALSE(is_drawn(100, 0, 10, 1, 0, 1));
    EXPECT_TRUE(is_drawn(100, 1, 10, 1, 0, 1));
}

TEST(KmeansDraws, VectorsSumAsRowByRow) {
    for (const Index n : {0, 1, 7, 8, 31, 32, 33, 1000}) {
        std::vector<float> nearest, distances, weights;
        for (Index r = 0; r < n; ++r) {
            nearest.push_back(static_cast<float>(r * 37 % 101) * 0.3F);
            distances.push_back(static_cast<float>(r * 53 % 97) * 0.4F);
            weights.push_back(static_cast<float>(r % 5) * 0.7F);
        }
        for (const float* of_candidate : std::initializer_list<const float*>{nullptr, distances.data()}) {
            for (const float* weight : std::initializer_list<const float*>{nullptr, weights.data()}) {
                const double scale = 0x1p30;
                Sum sum = 3, expected = 3;
                double most = 0.5, largest = 0.5;
                for (Index r = 0; r < n; ++r) {
                    const double d2 = d2_weight_of(weight != nullptr ? static_cast<double>(weight[r]) : 1.0,
                                                   of_candidate != nullptr
                                                       ? std::min(nearest[static_cast<std::size_t>(r)], of_candidate[r])
                                                       : nearest[static_cast<std::size_t>(r)]);
                    expected += to_integer(d2, scale);
                    largest = std::max(largest, d2);
                }
                add_d2_weights(nearest.data(), of_candidate, weight, n, scale, &sum, &most);
                EXPECT_EQ(sum, expected) << n;
                EXPECT_EQ(most, largest) << n;
            }
        }
        std::vector<float> lowered = nearest;
        lower_nearest(distances.data(), n, lowered.data());
        for (std::size_t r = 0; r < lowered.size(); ++r) EXPECT_EQ(lowered[r], std::min(nearest[r], distances[r])) << n;
    }
}

/// The rows of a step are kept or computed again by the number of columns; both start from the definition.
TEST(KmeansDraws, PlusPlusFollowsItsDefinition) {
    for (const Index cols : {2, 9, 16, 33}) {
        const Index n = 777, clusters = 9;
        const auto points = blobs_of(n, cols, 5);
        std::vector<float> weights(static_cast<std::size_t>(n));
        for (std::size_t r = 0; r < weights.size(); ++r) weights[r] = static_cast<float>(r % 4);
        const Rows rows{view(points, cols), weights};
        device::Cpu cpu(3);
        const std::vector<float> found = start_centroids(cpu, rows, clusters, Start::plusplus, 11, {});

        const auto distance = [&](Offset a, Offset b) {
            float sum = 0;
            for (Index c = 0; c < cols; ++c)
                sum = add_float_square(sum, points[static_cast<std::size_t>(a * cols + c)],
                                       points[static_cast<std::size_t>(b * cols + c)]);
            return sum;
        };
        std::vector<float> nearest(static_cast<std::size_t>(n), std::numeric_limits<float>::infinity());
        std::vector<Offset> chosen{draw_by_weight(cpu, rows, 11)};
        const auto d2 = [&](Offset r, float least) { return d2_weight_of(rows.weight(r), least); };
        for (Index k = 1; k < clusters; ++k) {
            double most = 0;
            for (Offset r = 0; r < n; ++r) {
                float& least = nearest[static_cast<std::size_t>(r)];
                least = std::min(least, distance(r, chosen.back()));
                most = std::max(most, d2(r, least));
            }
            const double scale = integer_scale(most, n);
            Sum all = 0;
            for (Offset r = 0; r < n; ++r) all += to_integer(d2(r, nearest[static_cast<std::size_t>(r)]), scale);
            Sum best = std::numeric_limits<Sum>::max();
            Offset best_row = -1;
            for (int draw = 0; draw < draws_of(clusters); ++draw) {
                Sum target = target_of(draw_number(11, k, draw), all);
                Offset row = 0;
                for (Sum here; target >= (here = to_integer(d2(row, nearest[static_cast<std::size_t>(row)]), scale));
                     ++row)
                    target -= here;
                Sum with = 0;
                for (Offset r = 0; r < n; ++r)
                    with += to_integer(d2(r, std::min(nearest[static_cast<std::size_t>(r)], distance(r, row))), scale);
                if (with < best) best = with, best_row = row;
            }
            chosen.push_back(best_row);
        }
        EXPECT_EQ(found, values_of(rows, chosen)) << cols;
    }
}

TEST(KmeansDraws, RowsAreDrawnByTheirDSquaredWeights) {
    // the first centroid is any of the four rows; distant rows are more likely to be the second
    const std::vector<float> points{0, 1, 3, 7};
    std::vector<int> second(4);
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Options options{.clusters = 2, .start = Start::plusplus, .iterations = 0};
        const auto centroids = values_of(cluster(view(points, 1), options, {.seed = seed}).centroids);
        EXPECT_NE(centroids[0], centroids[1]);
        ++second[centroids[1] == 7 ? 3 : centroids[1] == 3 ? 2 : centroids[1] == 1 ? 1 : 0];
    }
    EXPECT_GT(second[3], second[1] + second[2]);
}

/// Weights of several magnitudes in different blocks and groups of blocks.
TEST(KmeansDraws, ARowIsDrawnByItsWeight) {
    const Index n = 70001;
    std::vector<float> points(static_cast<std::size_t>(n)), weights(static_cast<std::size_t>(n));
    weights[5] = 1, weights[1024] = 2, weights[40000] = 4, weights[70000] = 1;
    const Rows rows{view(points, 1), weights};
    device::Cpu one(1), five(5);
    std::map<Offset, int> drawn;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        const Offset row = draw_by_weight(one, rows, seed);
        ++drawn[row];
        EXPECT_EQ(row, draw_by_weight(five, rows, seed));
    }
    EXPECT_EQ(drawn.size(), 4U);
    EXPECT_NEAR(drawn[5], 100, 40);
    EXPECT_NEAR(drawn[1024], 200, 50);
    EXPECT_NEAR(drawn[40000], 400, 60);
    EXPECT_NEAR(drawn[70000], 100, 40);
}

TEST(Kmeans, PlusPlusBeatsRandomStartsOnFarBlobs) {
    const auto points = blobs_of(4000, 2, 25);
    double plus = 0, random = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        plus += cluster(view(points, 2), {.clusters = 25}, {.seed = seed}).inertia;
        random += cluster(view(points, 2), {.clusters = 25, .start = Start::random}, {.seed = seed}).inertia;
    }
    EXPECT_LT(plus, random);
}

TEST(Kmeans, RestartsKeepTheBest) {
    const auto points = blobs_of(2000, 2, 15);
    const Options once{.clusters = 15, .start = Start::random},
        often{.clusters = 15, .start = Start::random, .restarts = 8};
    EXPECT_LE(cluster(view(points, 2), often).inertia, cluster(view(points, 2), once).inertia);
}

}  // namespace
}  // namespace dunlin::kmeans
