// SPDX-License-Identifier: Apache-2.0
// Placing by the better of the places by joint and by own affinities.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/pacmap.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "cases/maps.hpp"
#include "cases/points.hpp"
#include "math/at.hpp"

namespace dunlin::placement {
namespace {

using made::gaussians;

const dunlin::Run on_cpu{.device = Device::cpu};
constexpr Method methods[] = {Method::tsne, Method::umap, Method::pacmap};

Map map_of(Method method, MatrixView<const float> points, int dim = 2) {
    if (method == Method::tsne) return tsne::embed(points, {.dim = dim, .iterations = 400}, on_cpu).map;
    if (method == Method::umap) return umap::embed(points, {.dim = dim, .iterations = 200}, on_cpu).map;
    return pacmap::embed(points, {.dim = dim}, on_cpu).map;
}

/// The nearest rows of all, ties by number.
std::vector<Index> nearest(MatrixView<const float> rows, std::span<const float> from, Index wanted) {
    std::vector<std::pair<double, Index>> all;
    for (Index i = 0; i < rows.rows; ++i) {
        double square = 0;
        for (Index c = 0; c < rows.cols; ++c) {
            const double delta = static_cast<double>(rows(i, c)) - static_cast<double>(from[at(c)]);
            square += delta * delta;
        }
        all.emplace_back(square, i);
    }
    std::sort(all.begin(), all.end());
    std::vector<Index> near;
    for (Index s = 0; s < std::min(wanted, rows.rows); ++s) near.push_back(all[at(s)].second);
    return near;
}

/// Of the first `listed` of a query's 15 nearest points, the number among the 15 nearest of its place.
Index kept_by(const made::Points& points, const Map& map, std::span<const float> query, std::span<const float> place,
              Index listed = 15) {
    const std::vector<Index> in_map = nearest(map.view(), place, 15);
    Index kept = 0;
    for (const Index j : nearest(points.view(), query, std::min<Index>(listed, 15)))
        kept += std::find(in_map.begin(), in_map.end(), j) != in_map.end() ? 1 : 0;
    return kept;
}

std::vector<float> row_of(const Map& map, Index q) {
    const auto row = map.view().row(q);
    return {row.begin(), row.end()};
}

/// Places by each affinity.
struct Three {
    Result joint, own, best;
};
Three three(const made::Points& points, const Map& map, MatrixView<const float> queries, Options options) {
    const auto by = [&](Affinity affinity) {
        options.affinity = affinity;
        return place(points.view(), map, queries, options, on_cpu);
    };
    return {by(Affinity::joint), by(Affinity::own), by(Affinity::best)};
}

/// Compares every place of best with those by joint and own; returns how many are by own.
Index expect_the_better(const made::Points& points, const Map& map, MatrixView<const float> queries,
                        const Options& options, const std::string& what, Index listed = 15) {
    const Three of = three(points, map, queries, options);
    EXPECT_EQ(of.best.by_own.size(), at(queries.rows));
    EXPECT_TRUE(of.joint.by_own.empty() && of.own.by_own.empty());
    Index by_own = 0;
    double sum = 0;
    for (Index q = 0; q < queries.rows; ++q) {
        const Index by_joint = kept_by(points, map, queries.row(q), of.joint.map.view().row(q), listed),
                    alone = kept_by(points, map, queries.row(q), of.own.map.view().row(q), listed);
        const Result& better = alone > by_joint ? of.own : of.joint;
        EXPECT_EQ(of.best.by_own[at(q)], alone > by_joint ? 1 : 0) << what << ", row " << q;
        EXPECT_EQ(row_of(of.best.map, q), row_of(better.map, q)) << what << ", row " << q;
        EXPECT_EQ(of.best.cost[at(q)], better.cost[at(q)]) << what;
        EXPECT_EQ(of.best.gap[at(q)], better.gap[at(q)]) << what;
        by_own += alone > by_joint ? 1 : 0;
        sum += std::max(alone, by_joint) / static_cast<double>(std::min({Index{15}, listed, points.view().rows}));
    }
    EXPECT_EQ(of.best.distance, of.joint.distance);
    EXPECT_EQ(of.best.remoteness, of.joint.remoteness);
    EXPECT_EQ(of.best.far, of.joint.far);
    EXPECT_EQ(of.best.neighbor_distance, of.joint.neighbor_distance);
    if (queries.rows > 0) {
        EXPECT_NEAR(of.best.preservation, sum / queries.rows, 1e-12) << what;
    }
    return by_own;
}

TEST(PlaceBest, IsThePlaceByJointOrOwnThatKeepsMore) {
    const made::Points points = gaussians(800, 8, 6), queries = gaussians(120, 8, 6, 5000);
    for (const Method method : methods) {
        for (const int dim : {2, 3}) {
            const std::string what = std::string(name_of(method)) + " " + std::to_string(dim) + "-D";
            const Index by_own = expect_the_better(points, map_of(method, points.view(), dim), queries.view(),
                                                   {.method = method, .search = neighbors::Method::exact}, what);
            EXPECT_GT(by_own, 0) << what;
            EXPECT_LT(by_own, 120) << what;
        }
    }
}

TEST(PlaceBest, TwinsOfTheMapsPointsAndDuplicates) {
    made::Points points = gaussians(400, 6, 4);
    std::copy_n(points.values.begin(), 60, points.values.begin() + 600);  // ten points twice
    made::Points queries = points;
    queries.values.resize(std::size_t{6} * 150);
    for (const Method method : methods) {
        Map map = map_of(method, points.view());
        for (Index i = 0; i < 20; ++i) map.coordinates[at(200 + i)] = map.coordinates[at(i)];  // ten places twice
        expect_the_better(points, map, queries.view(), {.method = method, .search = neighbors::Method::exact},
                          std::string(name_of(method)));
    }
    // All in one place: neither keeps more
    const made::Points together{3, std::vector<float>(3 * 200, 1.0F), {}}, two{3, {1, 1, 1, 5, 5, 5}, {}};
    for (const Method method : methods) {
        const Result placed = place(together.view(), {2, std::vector<float>(400, 2.0F)}, two.view(),
                                    {.method = method, .affinity = Affinity::best}, on_cpu);
        EXPECT_TRUE(made::is_finite(placed.map)) << name_of(method);
        EXPECT_EQ(placed.by_own, (std::vector<std::uint8_t>{0, 0}));
    }
}

TEST(PlaceBest, TinyMapsAndFewQueries) {
    for (const Method method : methods) {
        for (const Index n : {1, 2, 10, 17}) {
            const made::Points points = gaussians(n, 4, 3), queries = gaussians(5, 4, 3, 1000);
            for (const int dim : {1, 2, 3}) {
                const Map map{dim, made::cloud(n, dim, 1)};
                for (const auto engine : {Potential::automatic, Potential::grid}) {
                    const Options options{.method = method, .repulsion = engine};
                    const std::string what = std::string(name_of(method)) + ", " + std::to_string(n) + " points, " +
                                             std::to_string(dim) + "-D";
                    // A list of t-SNE has at most as many points as one of the map's own
                    const Index listed = method == Method::tsne ? std::max<Index>(n - 1, 1) : n;
                    expect_the_better(points, map, queries.view(), options, what, listed);
                    expect_the_better(points, map, {queries.values.data(), 1, 4}, options, what, listed);
                    expect_the_better(points, map, {queries.values.data(), 0, 4}, options, what, listed);
                }
            }
        }
    }
}

TEST(PlaceBest, OfListsShorterThan15TheirPointsCount) {
    const made::Points points = gaussians(300, 5, 4), queries = gaussians(60, 5, 4, 5000);
    const Map map = map_of(Method::tsne, points.view());
    expect_the_better(points, map, queries.view(), {.perplexity = 2.0F, .k = 6}, "6 neighbors", 6);
}

TEST(PlaceBest, RowByRowIsBatchForAnyThreadsAndTheMapStays) {
    const made::Points points = gaussians(2200, 6, 6), queries = gaussians(40, 6, 6, 100000);
    for (const Method method : methods) {
        const Map map = map_of(method, points.view());
        const std::vector<float> before = map.coordinates;
        for (const auto search : {neighbors::Method::exact, neighbors::Method::approximate}) {
            const Options options{.method = method, .search = search, .affinity = Affinity::best};
            dunlin::Run run = on_cpu;
            run.threads = 2;
            const Result batch = place(points.view(), map, queries.view(), options, run);
            run.threads = 1;
            const Placer placer(points.view(), map, options, run);
            const Result again = placer.place(queries.view(), run);
            EXPECT_EQ(again.map.coordinates, batch.map.coordinates);
            EXPECT_EQ(again.by_own, batch.by_own);
            for (Index q = 39; q >= 0; q -= 3) {
                const Result one = placer.place({queries.view().row(q).data(), 1, 6}, run);
                EXPECT_EQ(one.map.coordinates, row_of(batch.map, q)) << name_of(method) << ", row " << q;
                EXPECT_EQ(one.cost[0], batch.cost[at(q)]);
                EXPECT_EQ(one.gap[0], batch.gap[at(q)]);
                EXPECT_EQ(one.by_own[0], batch.by_own[at(q)]);
            }
        }
        EXPECT_EQ(map.coordinates, before);
    }
}

TEST(PlaceBest, FromAStartAndWithoutAScore) {
    const made::Points points = gaussians(500, 6, 5), queries = gaussians(50, 6, 5, 5000);
    for (const Method method : methods) {
        const Map map = map_of(method, points.view());
        const Placer placer(points.view(), map, {.method = method, .affinity = Affinity::best, .steps = 0}, on_cpu);
        const Map start{2, std::vector<float>(map.coordinates.begin(), map.coordinates.begin() + 100)};
        const Result stayed = placer.place(queries.view(), on_cpu, &start);
        EXPECT_EQ(stayed.map.coordinates, start.coordinates);
        EXPECT_EQ(stayed.by_own, std::vector<std::uint8_t>(50, 0));  // both keep as many
        const Options scored{.method = method, .affinity = Affinity::best};
        Options unscored = scored;
        unscored.score = false;
        EXPECT_EQ(place(points.view(), map, queries.view(), unscored, on_cpu).map.coordinates,
                  place(points.view(), map, queries.view(), scored, on_cpu).map.coordinates);
    }
}

TEST(PlaceBest, ItsProgressIsThatOfOneStageAndAStopInTheSecondHalfGivesNoMap) {
    const made::Points points = gaussians(600, 8, 5), queries = gaussians(9000, 8, 5, 7000);
    const Map map{2, made::cloud(600, 2, 3)};
    const Options options{.affinity = Affinity::best};
    dunlin::Run run = on_cpu;
    Offset last = 0, reports = 0;
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage != "place") return;
        EXPECT_EQ(progress.total, 18000);
        EXPECT_GE(progress.done, last);
        last = progress.done;
        ++reports;
    };
    EXPECT_EQ(place(points.view(), map, queries.view(), options, run).map.size(), 9000);
    EXPECT_EQ(last, 18000);
    EXPECT_GE(reports, 4);
    std::stop_source stop;
    run.stop = stop.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "place" && progress.done >= 9000) stop.request_stop();
    };
    const Result placed = place(points.view(), map, queries.view(), options, run);
    EXPECT_EQ(placed.stopped, Stopped::cancelled);
    EXPECT_EQ(placed.map.size(), 0);
}

}  // namespace
}  // namespace dunlin::placement
