// SPDX-License-Identifier: Apache-2.0
// Reliability on a GPU compared with a CPU, with the same lists of neighbors: kl, singularity and Newton's steps point
// by point; home, gap and perturbation, where rounding may lead to another of several minima, by the share of equal
// values.
#include <dunlin/reliability.hpp>

#include <cmath>
#include <string>

#include <dunlin/neighbors.hpp>
#include <dunlin/tsne.hpp>

#include "agree/agree.hpp"
#include "cases/maps.hpp"
#include "cases/points.hpp"

namespace dunlin::reliability {
namespace {

using agree::on;

/// Share of the points whose values differ by at most `tolerance`, relative to 1 + the value, or are both infinite or
/// both NaN.
double share_of_equal(const std::vector<float>& found, const std::vector<float>& expected, double tolerance) {
    if (found.size() != expected.size()) return -1;
    if (expected.empty()) return 1;
    Offset equal = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double a = static_cast<double>(found[i]), b = static_cast<double>(expected[i]);
        equal += a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * (1 + std::abs(b)) ? 1 : 0;
    }
    return static_cast<double>(equal) / static_cast<double>(found.size());
}

struct Case {
    Map map;
    Matrix points;
};

Case random_case(Index n, int dim) { return {{dim, agree::scattered(n, dim, 5)}, {n, 6, made::cloud(n, 6, 1, 2)}}; }

/// A map of t-SNE and its points.
Case converged_case(Index n, int dim) {
    const Matrix points{n, 8, made::gaussians(n, 8, 5).values};
    return {tsne::embed(points.view(), {.dim = dim, .iterations = 400}, on(Device::cpu)).map, points};
}

void expect_agreement(const Case& of, const Options& options, const std::string& what, double least_equal) {
    const Index k = std::min<Index>(of.map.size() - 1, 90);
    const Graph nearest = neighbors::search(of.points.view(), {.k = k}, on(Device::cpu)).graph;
    const Given given{&nearest};
    const Result cpu = evaluate(of.map, of.points.view(), options, on(Device::cpu), given);
    const Result gpu = evaluate(of.map, of.points.view(), options, on(Device::cuda), given);
    EXPECT_EQ(gpu.device, Device::cuda) << what;
    EXPECT_EQ(gpu.columns.intruders, cpu.columns.intruders) << what;
    EXPECT_EQ(gpu.columns.lost, cpu.columns.lost) << what;
    // Of float32 results of the same sums in double
    EXPECT_EQ(share_of_equal(gpu.columns.kl, cpu.columns.kl, 1e-5), 1) << what;
    // 1 / an eigenvalue near 0 magnifies rounding
    EXPECT_GE(share_of_equal(gpu.columns.singularity, cpu.columns.singularity, 1e-4), 0.99) << what;
    EXPECT_GE(share_of_equal(gpu.columns.home, cpu.columns.home, 1e-2), least_equal) << what;
    EXPECT_GE(share_of_equal(gpu.columns.gap, cpu.columns.gap, 1e-2), least_equal) << what;
    EXPECT_GE(share_of_equal(gpu.columns.perturbation, cpu.columns.perturbation, 1e-2), least_equal) << what;
    ASSERT_EQ(gpu.median_newton_step.has_value(), cpu.median_newton_step.has_value()) << what;
    if (std::isfinite(*cpu.median_newton_step)) {
        EXPECT_NEAR(*gpu.median_newton_step, *cpu.median_newton_step, 1e-3 * (1 + *cpu.median_newton_step)) << what;
    }
}

TEST(CudaReliability, OfRandomMapsIsThatOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {1, 2, 3}) {
        for (const Index n : agree::sizes({2, 3, 33, 299, 301, 1000, 5000})) {
            if (dim == 1 && n > 1000) continue;
            // In maps of few points minima mirror each other
            expect_agreement(random_case(n, dim), {.perturb = n <= 1000},
                             std::to_string(n) + " points, " + std::to_string(dim) + " dimensions", n < 33 ? 0 : 0.9);
        }
    }
}

TEST(CudaReliability, OfMapsOfTsneIsThatOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        expect_agreement(converged_case(agree::size(2000), dim), {.starts = 3, .perturb = true},
                         std::to_string(dim) + " dimensions", 0.97);
    }
}

TEST(CudaReliability, OfASampleAndOfEqualPoints) {
    DUNLIN_NEEDS_GPU();
    Case equal = random_case(400, 2);
    std::fill(equal.map.coordinates.begin() + 100, equal.map.coordinates.begin() + 300, 1.5F);
    expect_agreement(equal, {.home_sample = 100}, "half of the points in one place", 0.9);
}

TEST(CudaReliability, CanBeCancelled) {
    DUNLIN_NEEDS_GPU();
    const Case of = random_case(2000, 2);
    std::stop_source stop;
    dunlin::Run run = on(Device::cuda);
    run.stop = stop.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "home") stop.request_stop();
    };
    const Result found = evaluate(of.map, of.points.view(), {}, run);
    EXPECT_EQ(found.stopped, Stopped::cancelled);
    EXPECT_EQ(found.columns.singularity.size(), 2000U);
    EXPECT_TRUE(found.columns.home.empty());
}

}  // namespace
}  // namespace dunlin::reliability
