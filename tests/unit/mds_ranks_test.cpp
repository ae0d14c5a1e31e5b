// SPDX-License-Identifier: Apache-2.0
// Scaling by several ranks on the CPU has the bytes of one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "cases/cpu_ranks.hpp"
#include "device/ranks.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "mds/smacof/pull.hpp"

namespace dunlin::mds {

namespace {

using cases::counts_of_ranks, cases::run_with;

Matrix points(Index n, Index cols) {
    std::vector<float> x;
    x.reserve(at(Offset{n} * cols));
    for (Index k = 0; k < n * cols; ++k)
        x.push_back(static_cast<float>(math::random_uniform(3, static_cast<std::uint64_t>(k), 0)));
    for (Index c = 0; c < cols && n > 5; ++c) x[at(2 * cols + c)] = x[at(c)];  // equal rows
    return {n, cols, std::move(x)};
}

/// Distances of points of which some are missing.
Matrix with_gaps(Index n) {
    const Matrix x = points(n, 4);
    std::vector<float> delta(at(Offset{n} * n), 0.0F);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            float sum = 0;
            for (Index c = 0; c < 4; ++c) {
                const float apart = x.view().data[i * 4 + c] - x.view().data[j * 4 + c];
                sum += apart * apart;
            }
            const bool missing = (i * 7 + j * j) % 11 == 0;
            delta[at(i * n + j)] = delta[at(j * n + i)] =
                missing ? std::numeric_limits<float>::quiet_NaN() : std::sqrt(sum);
        }
    }
    return {n, n, std::move(delta)};
}

void expect_same(const Dissimilarities& items, const Options& options, const std::string& what,
                 const Given& given = {}) {
    const Result expected = place(items, options, {.device = Device::cpu, .threads = 1}, given);
    for (const int count : counts_of_ranks) {
        device::run_on_ranks(run_with(count), [&](const dunlin::Run& run) {
            const Result found = place(items, options, run, given);
            EXPECT_EQ(found.map.coordinates, expected.map.coordinates) << what << ", " << count;
            EXPECT_EQ(found.iterations, expected.iterations) << what << ", " << count;
            EXPECT_EQ(found.stopped, expected.stopped) << what << ", " << count;
        });
    }
}

TEST(MdsRanks, SmacofHasTheBytesOfOne) {
    for (const Index n : {1, 2, 3, 64, 65, 600}) {
        const Options options{.method = Method::smacof, .starts = 1, .iterations = 20};
        expect_same(Dissimilarities::of_points(points(n, 9)), options, std::to_string(n) + " points");
        expect_same(Dissimilarities::of_matrix(with_gaps(n)), options, std::to_string(n) + " of a matrix");
    }
    const Index n = 300;
    std::vector<float> w;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) w.push_back(static_cast<float>((i + j) % 3));
    }
    const Matrix weights(n, n, std::move(w));
    expect_same(Dissimilarities::of_points(points(n, 9)), {.method = Method::smacof, .starts = 1, .iterations = 20},
                "weighted", {.weights = &weights});
    expect_same(Dissimilarities::of_points(points(150, 9)), {.method = Method::smacof, .starts = 3, .iterations = 70},
                "three starts");
}

TEST(MdsRanks, SharesOfRowsAreWholeTiles) {
    for (const int count : counts_of_ranks) {
        device::run_on_ranks(run_with(count), [&](const dunlin::Run&) {
            for (const Offset n : {0, 1, 63, 64, 65, 1000}) {
                const std::vector<Offset> borders = borders_of_rows(*device::Rank::current(), n);
                EXPECT_EQ(borders.front(), 0);
                EXPECT_EQ(borders.back(), n);
                for (std::size_t r = 1; r + 1 < borders.size(); ++r) {
                    EXPECT_LE(borders[r - 1], borders[r]);
                    EXPECT_LE(borders[r], n);
                    EXPECT_TRUE(borders[r] % rows_of_share == 0);
                }
            }
        });
    }
}

TEST(MdsRanks, AStopEndsAllAfterTheSameIteration) {
    const Dissimilarities items = Dissimilarities::of_points(points(600, 9));
    std::stop_source source;
    dunlin::Run run = run_with(3);
    run.stop = source.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "optimize" && progress.done >= 5) source.request_stop();
    };
    std::vector<Result> found(3);
    device::run_on_ranks(run, [&](const dunlin::Run& own) {
        found[at(device::Rank::current()->index())] =
            place(items, {.method = Method::smacof, .starts = 1, .iterations = 100'000, .tolerance = 0}, own);
    });
    EXPECT_GE(found[0].iterations, 5);
    for (const Result& of_rank : found) {
        EXPECT_EQ(of_rank.stopped, Stopped::cancelled);
        EXPECT_EQ(of_rank.iterations, found[0].iterations);
        EXPECT_EQ(of_rank.map.coordinates, found[0].map.coordinates);
        EXPECT_EQ(of_rank.map.size(), 600);
    }
}

std::string refusal(const Options& options, const Given& given = {}) {
    try {
        (void)place(Dissimilarities::of_points(points(20, 3)), options, {.device = Device::cuda, .gpus = {0, 1}},
                    given);
    } catch (const Error& error) {
        EXPECT_EQ(error.place().option, "gpus");
        return error.what();
    }
    return "";
}

TEST(MdsRanks, WhatRunsOnOneGpuSaysSo) {
    const std::string end = " on one GPU, and 2 are named; name one";
    EXPECT_EQ(refusal({.method = Method::stochastic}), "scaling by method stochastic runs" + end);
    EXPECT_EQ(refusal({}), "scaling by method dunlin runs" + end);
    EXPECT_EQ(refusal({.method = Method::smacof, .transform = Transform::ordinal}),
              "scaling with transform ordinal runs" + end);
    Map fixed{2, std::vector<float>(40, 1.0F)};
    std::fill_n(fixed.coordinates.begin(), 20, std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(refusal({.method = Method::smacof}, {.fixed = &fixed}), "scaling around fixed points runs" + end);
}

}  // namespace

}  // namespace dunlin::mds
