// SPDX-License-Identifier: Apache-2.0
// Placing by the better of the places by joint and by own affinities.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/error.hpp>
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

/// The steps that a run tells of its stage "place", of `total`; they never fall.
struct Told {
    std::vector<Offset> steps;

    [[nodiscard]] std::function<void(const Progress&)> of(Offset total) {
        return [this, total](const Progress& progress) {
            if (progress.stage != "place") return;
            EXPECT_EQ(progress.total, total);
            EXPECT_GE(progress.done, steps.empty() ? 0 : steps.back());
            steps.push_back(progress.done);
        };
    }
    [[nodiscard]] Offset within(Offset first, Offset last) const {
        return std::count_if(steps.begin(), steps.end(), [&](Offset done) { return done > first && done < last; });
    }
};

TEST(PlaceBest, ItsProgressIsThatOfOneStageWhichEndsWithTheChoice) {
    const made::Points points = gaussians(600, 8, 5), queries = gaussians(9000, 8, 5, 7000);
    const Map map{2, made::cloud(600, 2, 3)};
    const Placer placer(points.view(), map, {.affinity = Affinity::best}, on_cpu);
    dunlin::Run run = on_cpu;
    for (const Index count : {1, 20, 9000}) {
        Told told;
        run.on_progress = told.of(3 * Offset{count});
        EXPECT_EQ(placer.place({queries.values.data(), count, 8}, run).map.size(), count);
        ASSERT_FALSE(told.steps.empty());
        EXPECT_EQ(told.steps.back(), 3 * count);
        EXPECT_EQ(std::count(told.steps.begin(), told.steps.end(), 3 * count), 1);
        if (count > 1) {
            EXPECT_GE(told.within(2 * count, 3 * count), 1);
        }
    }
    // Without places that differ the choice is one step
    const Placer still(points.view(), map, {.affinity = Affinity::best, .steps = 0}, on_cpu);
    const Map start{2, std::vector<float>(40, 1.0F)};
    Told told;
    run.on_progress = told.of(60);
    const Result placed = still.place({queries.values.data(), 20, 8}, run, &start);
    EXPECT_EQ(placed.by_own, std::vector<std::uint8_t>(20, 0));
    EXPECT_EQ(told.steps.back(), 60);
    EXPECT_EQ(std::count(told.steps.begin(), told.steps.end(), 60), 1);
    EXPECT_EQ(told.within(40, 60), 0);
}

TEST(PlaceBest, AStopInTheSecondHalfOrInTheChoiceGivesNoMap) {
    const made::Points points = gaussians(600, 8, 5), queries = gaussians(9000, 8, 5, 7000);
    const Map map{2, made::cloud(600, 2, 3)};
    const Placer placer(points.view(), map, {.affinity = Affinity::best}, on_cpu);
    for (const Offset from : {9000, 18000, 18001}) {
        std::stop_source stop;
        dunlin::Run run = on_cpu;
        run.stop = stop.get_token();
        Offset last = 0;
        run.on_progress = [&](const Progress& progress) {
            if (progress.stage != "place") return;
            last = progress.done;
            if (progress.done >= from) stop.request_stop();
        };
        const Result placed = placer.place(queries.view(), run);
        EXPECT_EQ(placed.stopped, Stopped::cancelled);
        EXPECT_FALSE(placed.varies_because.empty());
        EXPECT_EQ(placed.map.size(), 0);
        EXPECT_TRUE(placed.by_own.empty());
        EXPECT_EQ(placed.cost.size(), 9000U);  // by joint alone
        EXPECT_GE(last, from);
        EXPECT_LT(last, 27000);
    }
}

TEST(PlaceBest, TooLittleMemoryForTheChoiceIsRefusedBeforeAnythingIsPlaced) {
    const made::Points points = gaussians(3000, 2, 5), queries = gaussians(3000, 2, 5, 7000);
    const Map map{2, made::cloud(3000, 2, 3)};
    const auto placer = [&](Affinity affinity) {  // lists of 6 take less than those of the choice
        return Placer(points.view(), map, {.perplexity = 2.0F, .k = 6, .affinity = affinity}, on_cpu);
    };
    const Placer joint = placer(Affinity::joint), best = placer(Affinity::best);
    /// Whether a run with this limit has an end; otherwise nothing was placed.
    const auto ends = [&](const Placer& by, std::uint64_t memory, std::string& message) {
        dunlin::Run run = on_cpu;
        run.threads = 2;
        run.memory = memory;
        bool placing = false;
        run.on_progress = [&](const Progress& progress) { placing = placing || progress.stage == "place"; };
        try {
            EXPECT_EQ(by.place(queries.view(), run).map.size(), 3000);
            return true;
        } catch (const Error& error) {
            EXPECT_EQ(error.fault(), Fault::out_of_memory);
            EXPECT_EQ(error.place().option, "memory");
            EXPECT_FALSE(placing) << memory;
            message = error.what();
            return false;
        }
    };
    std::uint64_t memory = 500'000;
    std::string message;
    int joint_alone = 0;
    for (; !ends(best, memory, message) && memory < 1'000'000'000; memory += memory / 20) {
        std::string other;
        joint_alone += ends(joint, memory, other) ? 1 : 0;
    }
    EXPECT_LT(memory, 20'000'000U);
    EXPECT_GT(joint_alone, 0);
    EXPECT_NE(message.find("twice, and the choice needs"), std::string::npos) << message;
}

TEST(PlaceBest, IsRefusedForGivenAffinities) {
    const Map map{2, {0, 0, 1, 0, 0, 1}};
    const Graph edges{{0, 2}, {0, 1}, {0.5F, 0.5F}};
    try {
        (void)place(map, edges, {.affinity = Affinity::best}, on_cpu);
        FAIL() << "best is taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::bad_input);
        EXPECT_EQ(error.place().option, "affinity");
        EXPECT_NE(std::string(error.what()).find("leave affinity out"), std::string::npos) << error.what();
    }
    for (const Affinity affinity : {Affinity::joint, Affinity::own})
        EXPECT_EQ(place(map, edges, {.affinity = affinity}, on_cpu).map.size(), 1);
}

}  // namespace
}  // namespace dunlin::placement
