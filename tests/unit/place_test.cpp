// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>

#include "cases/maps.hpp"
#include "cases/points.hpp"
#include "math/rng.hpp"
#include "placement/reference.hpp"
#include "refusal.hpp"
#include "tsne/bandwidth.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::tsne {
namespace {

using Rows = made::Points;

Rows blobs(Index n, Index cols, Index first = 0) { return made::gaussians(n, cols, 6, first); }

Map map_of(MatrixView<const float> points, Options options = {}) {
    options.iterations = std::min(options.iterations, 750);
    return embed(points, options, {.device = Device::cpu}).map;
}

const Run on_cpu{.device = Device::cpu};

struct Homecoming {
    double median = 0;  ///< in nearest-neighbor distances of the map
    double home = 0;    ///< share within a twentieth of the span
};

/// Removes every ninth row from the points and the map, and places them again. Each lost a ninth of its neighbors, so
/// that its own minimum is some tenths of a nearest-neighbor distance away.
Homecoming homecoming(MatrixView<const float> points, const Map& map, const PlaceOptions& options = {}) {
    const Rows rest = made::every(points, 9, false), left_out = made::every(points, 9, true);
    const Rows kept = made::every(map.view(), 9, false), homes = made::every(map.view(), 9, true);
    const Placed placed = place(rest.view(), {map.dim, kept.values}, left_out.view(), options, on_cpu);
    std::vector<double> away;
    for (Index i = 0; i < placed.map.size(); ++i) {
        double square = 0;
        for (Index d = 0; d < map.dim; ++d) {
            square += std::pow(static_cast<double>(placed.map.view()(i, d) - homes.view()(i, d)), 2);
        }
        away.push_back(std::sqrt(square));
    }
    std::sort(away.begin(), away.end());
    const double limit = 0.05 * made::width_of(map.view());
    const auto within = std::lower_bound(away.begin(), away.end(), limit) - away.begin();
    return {away[away.size() / 2] / placed.neighbor_distance,
            static_cast<double>(within) / static_cast<double>(away.size())};
}

TEST(RowGaussian, GivesANewPointTheAffinityItWouldHave) {
    // A row of five distances, and the affinity of a sixth point at the distance of one of them
    Graph lists;
    lists.offsets.push_back(5);
    lists.targets = {1, 2, 3, 4, 5};
    lists.weights = {1, 2, 2.5F, 3, 4};
    device::Cpu cpu(1);
    const std::vector<float> p = conditional_affinities(cpu, lists, 3);
    const RowGaussian row = row_gaussians(cpu, lists, 3).front();
    for (std::size_t e = 0; e < 5; ++e) {
        const double twin = static_cast<double>(p[e]);  // both share it: p / (1 + p)
        EXPECT_NEAR(row.of(static_cast<double>(lists.weights[e])), twin / (1 + twin), 1e-6);
    }
    EXPECT_GT(row.of(0), row.of(1));
    EXPECT_EQ(placement::reached_share(4, static_cast<double>(row.most)), 1);
    EXPECT_NEAR(placement::reached_share(4.001, static_cast<double>(row.most)), 0.75, 1e-9);
    EXPECT_EQ(placement::reached_share(4.01, static_cast<double>(row.most)), 0);

    lists.weights.assign(5, 2);  // no scale: all weight on the nearest
    const RowGaussian even = row_gaussians(cpu, lists, 3).front();
    EXPECT_EQ(even.of(1.9), 1);
    EXPECT_NEAR(even.of(2), 1.0 / 6, 1e-6);
    EXPECT_EQ(even.of(2.1), 0);
    EXPECT_EQ(RowGaussian{}.of(7), 1);  // of a map of one point
}

TEST(Place, LeftOutPointsComeHome) {
    const Rows mixture = blobs(1500, 10);
    const Homecoming blob = homecoming(mixture.view(), map_of(mixture.view()));
    EXPECT_LE(blob.median, 0.3);
    EXPECT_GE(blob.home, 0.9);
    const Matrix digits = io::read_points(DUNLIN_EXAMPLES "/digits.csv.gz", {}, on_cpu).values;
    const Homecoming digit = homecoming(digits.view(), map_of(digits.view()));
    EXPECT_LE(digit.median, 0.3);
    EXPECT_GE(digit.home, 0.9);
}

TEST(Place, LeftOutPointsComeHomeInOneAndThreeDimensions) {
    const Rows mixture = blobs(900, 8);
    const Homecoming space = homecoming(mixture.view(), map_of(mixture.view(), {.dim = 3}));
    EXPECT_LE(space.median, 0.3);
    EXPECT_GE(space.home, 0.9);
    const Homecoming line = homecoming(mixture.view(), map_of(mixture.view(), {.dim = 1}));
    EXPECT_GE(line.home, 0.6);  // points of a line cannot pass each other: its maps have many minima
}

TEST(Place, OfOtherMetrics) {
    const Rows mixture = blobs(800, 8);
    for (const auto metric :
         {neighbors::Metric::cosine, neighbors::Metric::correlation, neighbors::Metric::manhattan}) {
        const Map map = map_of(mixture.view(), {.metric = metric});
        EXPECT_GE(homecoming(mixture.view(), map, {.metric = metric}).home, 0.9) << name_of(metric);
    }
}

TEST(Place, RowByRowIsBatchForAnyThreadsAndTheMapStays) {
    const Rows points = blobs(2500, 6), queries = blobs(40, 6, 100000);
    const Map map = map_of(points.view(), {.iterations = 300});
    const std::vector<float> before = map.coordinates;
    dunlin::Run run = on_cpu;
    run.threads = 2;
    for (const auto method : {neighbors::Method::exact, neighbors::Method::approximate}) {
        const PlaceOptions options{.search = method};
        const Placed batch = place(points.view(), map, queries.view(), options, run);
        run.threads = 1;
        EXPECT_EQ(place(points.view(), map, queries.view(), options, run).map.coordinates, batch.map.coordinates);
        for (Index q = 39; q >= 0; q -= 3) {
            const Placed one = place(points.view(), map, {queries.view().row(q).data(), 1, 6}, options, run);
            for (Index d = 0; d < 2; ++d) EXPECT_EQ(one.map.view()(0, d), batch.map.view()(q, d));
            EXPECT_EQ(one.cost[0], batch.cost[static_cast<std::size_t>(q)]);
            EXPECT_EQ(one.gap[0], batch.gap[static_cast<std::size_t>(q)]);
            EXPECT_EQ(one.remoteness[0], batch.remoteness[static_cast<std::size_t>(q)]);
        }
    }
    EXPECT_EQ(map.coordinates, before);
}

TEST(Place, DuplicatesOfMapRowsLandOnTheirTwins) {
    const Rows points = blobs(1000, 6);
    const Map map = map_of(points.view());
    const Placed placed = place(points.view(), map, points.view(), {}, on_cpu);
    std::vector<double> away;
    for (Index i = 0; i < 1000; ++i) {
        away.push_back(
            std::hypot(placed.map.view()(i, 0) - map.view()(i, 0), placed.map.view()(i, 1) - map.view()(i, 1)));
        EXPECT_EQ(placed.distance[static_cast<std::size_t>(i)], 0);
        EXPECT_EQ(placed.remoteness[static_cast<std::size_t>(i)], 0);
    }
    std::nth_element(away.begin(), away.begin() + 500, away.end());
    EXPECT_LE(away[500], 0.2 * placed.neighbor_distance);
    EXPECT_EQ(placed.far, 0);
}

TEST(Place, FarQueriesAreFlagged) {
    const Rows points = blobs(1200, 10), same = blobs(300, 10, 50000);
    const Map map = map_of(points.view(), {.iterations = 300});
    const Placed near = place(points.view(), map, same.view(), {}, on_cpu);
    EXPECT_LE(near.far, 6);
    EXPECT_LE(near.far_of_map, 0.02);
    Rows shifted = same, noise = same;
    for (float& value : shifted.values) value += 9;
    for (std::size_t i = 0; i < noise.values.size(); ++i) {
        noise.values[i] = static_cast<float>(16 * math::random_uniform(3, i) - 8);
    }
    for (const Rows& other : {shifted, noise}) {
        const Placed far = place(points.view(), map, other.view(), {}, on_cpu);
        EXPECT_GE(far.far, 285);
        EXPECT_TRUE(made::is_finite(far.map));
        EXPECT_LE(made::width_of(far.map.view()), 1.5 * made::width_of(map.view()));
    }
}

TEST(Place, SmallMapsAndFewQueries) {
    for (Index n = 1; n <= 6; ++n) {
        const Rows points = blobs(n, 4), queries = blobs(3, 4, 1000);
        for (const int dim : {1, 2, 3}) {
            Map map{dim, {}};
            for (Index i = 0; i < n * dim; ++i) {
                map.coordinates.push_back(static_cast<float>(math::random_normal(5, static_cast<std::uint64_t>(i))));
            }
            for (const auto engine : {Potential::automatic, Potential::grid}) {
                const Placed placed = place(points.view(), map, queries.view(), {.repulsion = engine}, on_cpu);
                EXPECT_EQ(placed.map.size(), 3);
                EXPECT_TRUE(made::is_finite(placed.map)) << n << " points, " << dim << " dimensions";
                const Placed none = place(points.view(), map, {queries.values.data(), 0, 4}, {}, on_cpu);
                EXPECT_EQ(none.map.size(), 0);
                EXPECT_EQ(none.map.dim, dim);
                EXPECT_EQ(none.stopped, Stopped::converged);
            }
        }
    }
    // In a map of one point the loss is constant, and the place is that point's
    const Rows one = blobs(1, 4), query = blobs(1, 4, 77);
    const Placed placed = place(one.view(), {2, {3, -1}}, query.view(), {}, on_cpu);
    EXPECT_NEAR(placed.map.coordinates[0], 3, 1e-3);
    EXPECT_NEAR(placed.map.coordinates[1], -1, 1e-3);
}

TEST(Place, CoincidentPointsAndMaps) {
    const Rows points{3, std::vector<float>(3 * 200, 1.0F), {}};
    const Rows queries{3, {1, 1, 1, 5, 5, 5}, {}};
    const Map together{2, std::vector<float>(400, 2.0F)};
    Map apart{2, {}};
    for (std::size_t i = 0; i < 400; ++i) apart.coordinates.push_back(static_cast<float>(math::random_normal(5, i)));
    for (const Map& map : {together, apart}) {
        for (const auto engine : {Potential::exact, Potential::grid}) {
            const Placed placed = place(points.view(), map, queries.view(), {.repulsion = engine}, on_cpu);
            EXPECT_TRUE(made::is_finite(placed.map));
            EXPECT_EQ(placed.far, 1);
        }
    }
}

TEST(Place, GivenNeighborsAreThoseItFinds) {
    const Rows points = blobs(700, 6), queries = blobs(50, 6, 9999);
    const Map map = map_of(points.view(), {.iterations = 300});
    const Graph lists = neighbors::search(points.view(), {.k = 90}, on_cpu).graph;
    const Placed found = place(points.view(), map, queries.view(), {}, on_cpu);
    const Placed given = place(points.view(), map, queries.view(), {}, on_cpu, {.neighbors = &lists});
    EXPECT_EQ(found.map.coordinates, given.map.coordinates);
    EXPECT_EQ(found.cost, given.cost);
}

TEST(Place, MistakesAreNamed) {
    const Rows points = blobs(20, 4), queries = blobs(5, 4, 100);
    const Map map{2, std::vector<float>(40, 0.5F)};
    const auto says = [&](const Rows& p, const Map& y, const Rows& q, const PlaceOptions& options = {}) {
        return refusal(Fault::bad_input, [&] { place(p.view(), y, q.view(), options, on_cpu); });
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Rows bad_query = queries, bad_point = points, wide{5, std::vector<float>(25, 1.0F), {}};
    bad_query.values[4 * 3] = nan;
    bad_point.values[4 * 7 + 1] = std::numeric_limits<float>::infinity();
    Map bad_map = map;
    bad_map.coordinates[9] = nan;
    EXPECT_NE(says(points, map, bad_query).find("row 3"), std::string::npos) << says(points, map, bad_query);
    EXPECT_NE(says(bad_point, map, queries).find("row 7"), std::string::npos) << says(bad_point, map, queries);
    EXPECT_NE(says(points, bad_map, queries).find("row 4 of the map"), std::string::npos);
    EXPECT_NE(says(points, map, wide), "");
    EXPECT_NE(says(points, {2, std::vector<float>(38, 0.0F)}, queries).find("19"), std::string::npos);
    EXPECT_NE(says(points, {4, std::vector<float>(80, 0.0F)}, queries).find("4 dimensions"), std::string::npos);
    EXPECT_NE(says(points, map, queries, {.perplexity = 25}).find("perplexity"), std::string::npos);
    EXPECT_NE(says(points, map, queries, {.starts = 0}).find("starts"), std::string::npos);
    EXPECT_NE(says(points, map, queries, {.metric = neighbors::Metric::inner_product}), "");
    EXPECT_NE(says(points, map, queries, {.repulsion = Potential::exact, .spacing = 0.3F}).find("spacing"),
              std::string::npos);
}

TEST(Place, AStopGivesNoMap) {
    const Rows points = blobs(3000, 20), queries = blobs(3000, 20, 7000);
    const Map map{2, std::vector<float>(6000, 0.5F)};
    std::stop_source stop;
    dunlin::Run run = on_cpu;
    run.stop = stop.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "place") stop.request_stop();
    };
    const Placed placed = place(points.view(), map, queries.view(), {}, run);
    EXPECT_EQ(placed.stopped, Stopped::cancelled);
    EXPECT_EQ(placed.map.size(), 0);
}

}  // namespace
}  // namespace dunlin::tsne
