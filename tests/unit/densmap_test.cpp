// SPDX-License-Identifier: Apache-2.0
// densMAP: radii, their force, and whole runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/umap.hpp>

#include "cases/maps.hpp"
#include "cases/points.hpp"
#include "cases/resumed.hpp"
#include "math/at.hpp"
#include "refusal.hpp"
#include "umap/density.hpp"
#include "umap/radii.hpp"
#include "umap/resolve.hpp"

namespace dunlin::umap {
namespace {

using made::is_finite;

const Run on_cpu{.device = Device::cpu};

std::vector<float> cloud(Index n, Index cols, std::uint64_t seed = 1) { return made::cloud(n, cols, 1, seed); }
MatrixView<const float> view_of(const std::vector<float>& x, Index cols) {
    return {x.data(), static_cast<Index>(x.size()) / cols, cols};
}

/// Two clouds far apart, the second ten times as wide.
std::vector<float> two_widths(Index n, Index cols) {
    std::vector<float> x = cloud(n, cols, 4);
    for (Index i = n / 2; i < n; ++i)
        for (Index c = 0; c < cols; ++c) {
            float& value = x[at(Offset{i} * cols + c)];
            value = 10 * value + (c == 0 ? 200.0F : 0.0F);
        }
    return x;
}

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
    const auto n = static_cast<double>(a.size());
    double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
    for (std::size_t i = 0; i < a.size(); ++i) ma += static_cast<double>(a[i]) / n, mb += static_cast<double>(b[i]) / n;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double da = static_cast<double>(a[i]) - ma, db = static_cast<double>(b[i]) - mb;
        aa += da * da, bb += db * db, ab += da * db;
    }
    return ab / std::sqrt(aa * bb);
}

// --- radii

TEST(LogRadii, AreWeightedMeansOfTheLongerDistances) {
    // A path 0 - 1 - 2 whose ends disagree about the first distance
    Graph lists;
    lists.offsets = {0, 1, 3, 4};
    lists.targets = {1, 0, 2, 1};
    lists.weights = {1, 2, 3, 3};
    const Graph mu = memberships(lists);
    const auto m01 = static_cast<double>(mu.weights[0]), m12 = static_cast<double>(mu.weights[2]);
    for (const int power : {1, 2}) {
        const double d01 = std::pow(2.0, power), d12 = std::pow(3.0, power);
        const std::vector<float> found = log_radii(lists, {}, power);
        ASSERT_EQ(found.size(), 3);
        EXPECT_NEAR(found[0], std::log(d01), 1e-5);
        EXPECT_NEAR(found[1], std::log((m01 * d01 + m12 * d12) / (m01 + m12)), 1e-5);
        EXPECT_NEAR(found[2], std::log(d12), 1e-5);
    }
    EXPECT_NE(refusal(Fault::bad_input, [&] { log_radii(lists, {}, 3); }).find("power is 3"), std::string::npos);
    EXPECT_TRUE(log_radii(Graph{}).empty());
}

TEST(LogRadii, CopiesAndPointsAlone) {
    Graph lists;  // 0, 1, 2: copies; 3, 4: a pair; 5: alone
    lists.offsets = {0, 2, 4, 6, 7, 8, 8};
    lists.targets = {1, 2, 0, 2, 0, 1, 4, 3};
    lists.weights = {0, 0, 0, 0, 0, 0, 2, 2};
    const std::vector<float> found = log_radii(lists);
    EXPECT_TRUE(std::isnan(found[5]));
    EXPECT_NEAR(found[3], std::log(4.0), 1e-5);
    EXPECT_NEAR(found[0], std::log(1e-8 * 8 / 5), 1e-4);  // 1e-8 of the mean
    device::Cpu cpu(1);
    const std::vector<float> standard = standardized(cpu, log_radii_of(cpu, lists, memberships(lists), 2).of);
    EXPECT_EQ(standard[5], 0);
    EXPECT_GT(standard[3], 0);
    EXPECT_LT(standard[0], 0);
    const double equal[] = {2, 2, std::numeric_limits<double>::quiet_NaN()};
    EXPECT_EQ(standardized(cpu, equal), (std::vector<float>{0, 0, 0}));
}

TEST(LogRadii, TheUnitOfTheDataChangesNoDigitOfTheMap) {
    const std::vector<float> x = two_widths(120, 3);
    std::vector<float> scaled = x;
    for (float& value : scaled) value *= 0x1p40F;
    const Options options{.iterations = 40, .densmap = true};
    EXPECT_EQ(embed(view_of(x, 3), options, on_cpu).map.coordinates,
              embed(view_of(scaled, 3), options, on_cpu).map.coordinates);
}

// --- the force

/// The objective of densMAP by its definition, in double: correlation of radii over the deviation with the shift.
double objective_of(const Graph& edges, const std::vector<double>& y, int dim, const std::vector<float>& wanted,
                    const forces::Fuzzy& law, double shift) {
    const auto n = static_cast<std::size_t>(edges.size());
    std::vector<double> re(n);
    double mean = 0, variance = 0, product = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double phi_r = 0, phis = 0;
        for (Offset e = edges.offsets[i]; e < edges.offsets[i + 1]; ++e) {
            double r = 0;
            for (int c = 0; c < dim; ++c)
                r += std::pow(y[i * at(dim) + at(c)] - y[at(edges.targets[at(e)]) * at(dim) + at(c)], 2);
            const double phi = 1 / (1 + static_cast<double>(law.a) * std::pow(r, static_cast<double>(law.b)));
            phi_r += phi * r, phis += phi;
        }
        re[i] = std::log(1e-8 + phi_r / phis);
        mean += re[i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
        variance += (re[i] - mean) * (re[i] - mean) / static_cast<double>(n);
        product += re[i] * static_cast<double>(wanted[i]) / static_cast<double>(n - 1);
    }
    return product / std::sqrt(variance + shift);
}

TEST(DensityForce, IsTheGradientOfTheCorrelation) {
    for (const int dim : {2, 3, 5}) {
        SCOPED_TRACE(dim);
        const Index n = 150;
        const std::vector<float> x = two_widths(n, 4), y = cloud(n, dim, 3);
        device::Cpu cpu(2);
        const Graph lists = neighbors::search(view_of(x, 4), {.k = 9}, on_cpu).graph;
        const Graph mu = memberships(lists);
        const std::vector<float> wanted = standardized(cpu, log_radii_of(cpu, lists, mu, 2).of);
        const forces::Fuzzy law = law_of(resolve_descent({.dim = dim}, n, Device::cpu));
        auto state = descent::descent_state_at(cpu, y, dim);
        DensityForce force(wanted, law, 0.1F);
        force.add(cpu, mu, state, 1);
        std::vector<double> place(y.begin(), y.end());
        double found2 = 0, slope2 = 0, both = 0;
        for (std::size_t k = 0; k < place.size(); ++k) {
            const double before = place[k], step = 1e-5;
            place[k] = before + step;
            const double above = objective_of(mu, place, dim, wanted, law, 0.1);
            place[k] = before - step;
            const double slope = (above - objective_of(mu, place, dim, wanted, law, 0.1)) / (2 * step);
            place[k] = before;
            const std::size_t row = k / at(dim), axis = k % at(dim);
            // Repulsion is what is subtracted from the gradient: the force
            const auto found = static_cast<double>(state.repulsion[row * at(state.dim) + axis]);
            found2 += found * found, slope2 += slope * slope, both += found * slope;
        }
        EXPECT_GT(both / std::sqrt(found2 * slope2), 0.9999);
        EXPECT_NEAR(both / slope2, (n - 1) / 2.0, 0.01 * n);  // up to this factor
    }
}

TEST(DensityForce, ActsInTheLastIterations) {
    const Options o{.iterations = 10, .densmap = true, .dens_frac = 0.3F};
    EXPECT_FALSE(DensityObjective::acts_at(o, 6));
    EXPECT_TRUE(DensityObjective::acts_at(o, 7));
    EXPECT_FALSE(DensityObjective::acts_at({.iterations = 10, .dens_frac = 0}, 9));
    EXPECT_TRUE(DensityObjective::acts_at({.iterations = 10, .dens_frac = 1}, 0));
}

// --- whole runs

TEST(Densmap, KeepsDensitiesThatUmapLoses) {
    const Index n = 600, k = 15;
    const std::vector<float> x = two_widths(n, 6);
    const auto points = view_of(x, 6);
    const std::vector<float> in_data = log_radii(neighbors::search(points, {.k = k - 1}, on_cpu).graph);
    const auto kept = [&](const Options& options) {
        const Map map = embed(points, options, on_cpu).map;
        return correlation(in_data, log_radii(neighbors::search(map.view(), {.k = k - 1}, on_cpu).graph, {}, 1));
    };
    const double plain = kept({}), dense = kept({.densmap = true});
    EXPECT_GT(dense, 0.75);
    EXPECT_GT(dense, plain + 0.2);
    // Without strength or iterations it is UMAP
    const auto map = embed(points, {.iterations = 30}, on_cpu).map.coordinates;
    EXPECT_EQ(embed(points, {.iterations = 30, .densmap = true, .dens_lambda = 0}, on_cpu).map.coordinates, map);
    EXPECT_EQ(embed(points, {.iterations = 30, .densmap = true, .dens_frac = 0}, on_cpu).map.coordinates, map);
}

TEST(Densmap, TheSameBytesForAnyNumberOfThreads) {
    for (const int dim : {1, 2, 3, 5}) {
        const std::vector<float> x = two_widths(1500, 4);
        const auto map = [&](int threads) {
            return embed(view_of(x, 4), {.dim = dim, .iterations = 40, .densmap = true, .dens_frac = 0.9F},
                         {.device = Device::cpu, .threads = threads})
                .map;
        };
        const Map one = map(1);
        EXPECT_TRUE(is_finite(one));
        EXPECT_EQ(one.coordinates, map(2).coordinates) << dim;
        EXPECT_EQ(one.coordinates, map(7).coordinates) << dim;
    }
}

class ResumedDensmap : public cases::Resumed {};

TEST_F(ResumedDensmap, GivesTheSameBytes) {
    const std::vector<float> x = two_widths(300, 4);
    const auto run_of = [&](const Run& run) {
        return cases::bytes_of(embed(view_of(x, 4), {.iterations = 60, .densmap = true, .dens_frac = 0.5F}, run));
    };
    expect_resumed(run_of);
}

TEST(Densmap, FewPointsAndCopies) {
    const Options options{.iterations = 20, .densmap = true, .dens_frac = 1};
    for (const Index n : {1, 2, 3, 16}) {
        const std::vector<float> x = cloud(n, 3);
        EXPECT_TRUE(is_finite(embed(view_of(x, 3), options, on_cpu).map)) << n;
    }
    const std::vector<float> same(3 * 40, 1.0F);
    EXPECT_TRUE(is_finite(embed(view_of(same, 3), options, on_cpu).map));
    std::vector<float> x = cloud(60, 3);
    std::fill_n(x.begin(), 3 * 25, 0.5F);  // more copies than neighbors
    EXPECT_TRUE(is_finite(embed(view_of(x, 3), options, on_cpu).map));
    x[7] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(view_of(x, 3), options, on_cpu); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed({nullptr, 0, 3}, options, on_cpu); }), "");
}

TEST(Densmap, IsRefusedWhereItCannotRun) {
    const std::vector<float> x = cloud(60, 3);
    const auto lacks = [](const std::string& sentence, const char* words) {
        return sentence.find(words) == std::string::npos;
    };
    const Options options{.iterations = 5, .densmap = true};
    EXPECT_FALSE(lacks(refusal(Fault::bad_input, [&] { resolve_descent(options, 60, Device::cuda); }), "device cpu"));
    const Graph mu = memberships(neighbors::search(view_of(x, 3), {.k = 5}, on_cpu).graph);
    EXPECT_FALSE(
        lacks(refusal(Fault::bad_input, [&] { embed(mu, {2, cloud(60, 2)}, options, on_cpu); }), "no distances"));
    Map some{2, cloud(60, 2)};
    some.coordinates[0] = some.coordinates[1] = std::numeric_limits<float>::quiet_NaN();
    for (const auto how : {descent::Continuation::fixed, descent::Continuation::grow}) {
        EXPECT_FALSE(lacks(refusal(Fault::bad_input, [&] { continued(view_of(x, 3), some, how, options, on_cpu); }),
                           "densmap is on"));
    }
    EXPECT_FALSE(lacks(refusal(Fault::bad_input, [&] { embed(view_of(x, 3), {.dens_lambda = 3}, on_cpu); }),
                       "only where densmap is on"));
    EXPECT_FALSE(
        lacks(refusal(Fault::bad_input, [&] { embed(view_of(x, 3), {.densmap = true, .dens_frac = 2}, on_cpu); }),
              "dens-frac is 2"));
    EXPECT_NE(
        refusal(Fault::out_of_memory, [&] { embed(view_of(x, 3), options, {.device = Device::cpu, .memory = 1000}); }),
        "");
}

TEST(Densmap, StopsWithTheMapSoFar) {
    const std::vector<float> x = cloud(400, 3);
    std::stop_source source;
    dunlin::Run run = on_cpu;
    run.stop = source.get_token();
    run.snapshot_every = 1;
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "optimize" && progress.done >= 30) source.request_stop();
    };
    const Result result = embed(view_of(x, 3), {.iterations = 2000, .densmap = true, .dens_frac = 1}, run);
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_LT(result.iterations, 2000);
    EXPECT_TRUE(is_finite(result.map));
}

}  // namespace
}  // namespace dunlin::umap
