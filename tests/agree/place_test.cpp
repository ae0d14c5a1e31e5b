// SPDX-License-Identifier: Apache-2.0
// Placing on a GPU compared with a CPU: from equal starts by places, whole calls by the share of equal places and by
// cost.
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>

#include "agree/agree.hpp"
#include "cases/points.hpp"

namespace dunlin::tsne {
namespace {

using agree::on, placement::Method;

using Rows = made::Points;
Rows blobs(Index n, Index first = 0) { return made::gaussians(n, 8, 5, first); }

/// Affinities of `queries` to a map, each to `degree` random points; a start for each.
struct Given {
    Graph affinities;
    Map start;
};
Given random_given(Index points, Index queries, Index degree, int dim) {
    Given given;
    given.start.dim = dim;
    for (Index q = 0; q < queries; ++q) {
        for (Index e = 0; e < degree; ++e) {
            const auto draw = static_cast<std::uint64_t>(q * degree + e);
            given.affinities.targets.push_back(
                static_cast<Index>(math::random_below(static_cast<std::uint64_t>(points), 3, draw)));
            given.affinities.weights.push_back(1.0F / static_cast<float>(degree));
        }
        given.affinities.offsets.push_back(std::ssize(given.affinities.targets));
        for (int d = 0; d < dim; ++d)
            given.start.coordinates.push_back(
                static_cast<float>(3 * math::random_normal(4, static_cast<std::uint64_t>(q * dim + d))));
    }
    return given;
}

TEST(PlaceOnGpu, FromEqualStartsPlacesAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {1, 2, 3}) {
        for (const Index n : agree::sizes({1, 2, 33, 1500, 20000})) {
            if (dim == 1 && n > 1500) continue;
            const Map map{dim, agree::scattered(n, dim, 5)};
            const Given given = random_given(n, 300, std::min<Index>(n, 30), dim);
            for (const auto& [method, steps] : {std::pair(Method::tsne, 1),
                                                {Method::tsne, 50},
                                                {Method::umap, 1},
                                                {Method::umap, 50},
                                                {Method::pacmap, 1},
                                                {Method::pacmap, 50}}) {
                // Queries of a map of two points have mirrored minima, and rounding decides between them
                if (steps > 1 && n < 33) continue;
                const PlaceOptions options{.method = method, .steps = steps};
                const Placed cpu = place(map, given.affinities, options, on(Device::cpu), &given.start);
                const Placed gpu = place(map, given.affinities, options, on(Device::cuda), &given.start);
                ASSERT_EQ(gpu.map.size(), 300);
                std::vector<double> away;
                for (std::size_t i = 0; i < cpu.map.coordinates.size(); ++i) {
                    away.push_back(std::abs(static_cast<double>(cpu.map.coordinates[i] - gpu.map.coordinates[i])));
                }
                std::sort(away.begin(), away.end());
                double cost = 0;
                for (std::size_t q = 0; q < 300; ++q) cost += cpu.cost[q] - gpu.cost[q];
                const std::string what = std::string(name_of(method)) + ", " + std::to_string(n) + " points, " +
                                         std::to_string(dim) + " dimensions, " + std::to_string(steps) + " steps";
                EXPECT_NEAR(cost / 300, 0, 2e-3) << what;
                // The loss of a map of one point is the same everywhere (t-SNE), so that rounding decides. Many steps
                // are compared by their loss: rounding may lead to another of several minima, and among random
                // neighbors PaCMAP's bounded loss leaves queries far outside.
                if (n == 1 || steps > 1) continue;
                EXPECT_LE(away[away.size() * 99 / 100], 1e-3) << what;
            }
        }
    }
}

TEST(PlaceOnGpu, WholeCallsAgree) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(5000);
    const Rows points = blobs(n), queries = blobs(400, 100000);
    const Map map = embed(points.view(), {.iterations = 300}, on(Device::cpu)).map;
    const Placed cpu = place(points.view(), map, queries.view(), {}, on(Device::cpu));
    const Placed gpu = place(points.view(), map, queries.view(), {}, on(Device::cuda));
    EXPECT_EQ(gpu.device, Device::cuda);
    Index same = 0;
    double cost = 0;
    for (Index q = 0; q < 400; ++q) {
        const double away =
            std::hypot(cpu.map.view()(q, 0) - gpu.map.view()(q, 0), cpu.map.view()(q, 1) - gpu.map.view()(q, 1));
        same += away <= 0.1 * cpu.neighbor_distance ? 1 : 0;
        cost += static_cast<double>(cpu.cost[std::size_t(q)] - gpu.cost[std::size_t(q)]) / 400;
    }
    EXPECT_GE(same, 390);
    EXPECT_NEAR(cost, 0, 1e-3);
    EXPECT_EQ(gpu.far, cpu.far);
}

TEST(PlaceOnGpu, RowByRowIsTheBatch) {
    DUNLIN_NEEDS_GPU();
    const Rows points = blobs(agree::size(3000)), queries = blobs(20, 100000);
    const Map map = embed(points.view(), {.iterations = 100}, on(Device::cpu)).map;
    for (const Method method : {Method::tsne, Method::umap, Method::pacmap}) {
        const Placer placer(points.view(), map, {.method = method}, on(Device::cuda));
        const Placed batch = placer.place(queries.view());
        for (Index q = 0; q < 20; q += 6) {
            const Placed one = placer.place({queries.view().row(q).data(), 1, 8});
            for (Index d = 0; d < 2; ++d) EXPECT_EQ(one.map.view()(0, d), batch.map.view()(q, d)) << name_of(method);
        }
        EXPECT_EQ(placer.place({queries.values.data(), 0, 8}).map.size(), 0);
    }
}

TEST(PlaceOnGpu, BestIsThePlaceByJointOrOwnThatKeepsMore) {
    DUNLIN_NEEDS_GPU();
    const Rows points = blobs(agree::size(3000)), queries = blobs(300, 100000);
    const Map flat = embed(points.view(), {.iterations = 200}, on(Device::cpu)).map;
    // A map of another processor may have no query for which one method's place by own keeps more
    Index taken_by_own = 0;
    for (const Method method : {Method::tsne, Method::umap, Method::pacmap}) {
        const auto by = [&](Affinity affinity, Device device) {
            const PlaceOptions options{.method = method, .search = neighbors::Method::exact, .affinity = affinity};
            return place(points.view(), flat, queries.view(), options, on(device));
        };
        const Placed joint = by(Affinity::joint, Device::cuda), own = by(Affinity::own, Device::cuda),
                     best = by(Affinity::best, Device::cuda), cpu = by(Affinity::best, Device::cpu);
        EXPECT_EQ(best.device, Device::cuda);
        // UMAP's list by own is the head of a longer one here, whose distances may be rounded otherwise
        const bool equal_lists = method != Method::umap;
        EXPECT_GE(best.preservation, std::max(joint.preservation, own.preservation) - (equal_lists ? 0 : 2e-3))
            << name_of(method);
        EXPECT_NEAR(best.preservation, cpu.preservation, 0.01) << name_of(method);
        ASSERT_EQ(best.by_own.size(), std::size_t{300});
        Index moved = 0;
        for (std::size_t q = 0; q < 300; ++q) {
            const Placed& taken = best.by_own[q] == 1 ? own : joint;
            if (best.by_own[q] == 1 && !equal_lists) {
                moved += std::hypot(best.map.coordinates[2 * q] - taken.map.coordinates[2 * q],
                                    best.map.coordinates[2 * q + 1] - taken.map.coordinates[2 * q + 1]) >
                                 0.1 * best.neighbor_distance
                             ? 1
                             : 0;
                continue;
            }
            for (std::size_t d = 0; d < 2; ++d)
                EXPECT_EQ(best.map.coordinates[2 * q + d], taken.map.coordinates[2 * q + d]) << name_of(method);
            EXPECT_EQ(best.cost[q], taken.cost[q]) << name_of(method);
            EXPECT_EQ(best.gap[q], taken.gap[q]) << name_of(method);
        }
        EXPECT_LE(moved, 6) << name_of(method);
        const auto count_of = [](const std::vector<std::uint8_t>& marks) {
            return static_cast<Index>(std::count(marks.begin(), marks.end(), std::uint8_t{1}));
        };
        const Index by_own = count_of(best.by_own);
        taken_by_own += by_own;
        EXPECT_NEAR(by_own, count_of(cpu.by_own), 6) << name_of(method);
        EXPECT_LT(by_own, 300) << name_of(method);
        const Placer placer(points.view(), flat,
                            {.method = method, .search = neighbors::Method::exact, .affinity = Affinity::best},
                            on(Device::cuda));
        for (Index q = 0; q < 300; q += 29) {
            const Placed one = placer.place({queries.view().row(q).data(), 1, 8});
            for (Index d = 0; d < 2; ++d) EXPECT_EQ(one.map.view()(0, d), best.map.view()(q, d)) << name_of(method);
            EXPECT_EQ(one.by_own[0], best.by_own[std::size_t(q)]) << name_of(method);
        }
    }
    EXPECT_GT(taken_by_own, 0);
}

/// Share of whole calls' places that are the same, and the mean difference of their costs.
template <class Made>
void expect_whole_calls_agree(const Rows& points, const Rows& queries, const Made& made) {
    const PlaceOptions options = placement::options_of(made.options);
    const Placed cpu = place(points.view(), made.map, queries.view(), options, on(Device::cpu));
    const Placed gpu = place(points.view(), made.map, queries.view(), options, on(Device::cuda));
    EXPECT_EQ(gpu.device, Device::cuda);
    Index same = 0;
    double cost = 0;
    for (Index q = 0; q < queries.view().rows; ++q) {
        const double away =
            std::hypot(cpu.map.view()(q, 0) - gpu.map.view()(q, 0), cpu.map.view()(q, 1) - gpu.map.view()(q, 1));
        same += away <= 0.1 * cpu.neighbor_distance ? 1 : 0;
        cost += static_cast<double>(cpu.cost[std::size_t(q)] - gpu.cost[std::size_t(q)]) / queries.view().rows;
    }
    EXPECT_GE(same, queries.view().rows * 95 / 100) << name_of(options.method);
    EXPECT_NEAR(cost, 0, 2e-3) << name_of(options.method);
    EXPECT_EQ(gpu.far, cpu.far);
}

TEST(PlaceOnGpu, WholeCallsOfUmapAndPacmapAgree) {
    DUNLIN_NEEDS_GPU();
    const Rows points = blobs(agree::size(5000)), queries = blobs(400, 100000);
    expect_whole_calls_agree(points, queries, umap::embed(points.view(), {.iterations = 200}, on(Device::cpu)));
    expect_whole_calls_agree(points, queries,
                             pacmap::embed(points.view(), {.iterations = "50,50,100"}, on(Device::cpu)));
}

TEST(PlaceOnGpu, MapsGoOnFromMapsOfSomePoints) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(3000);
    const Rows points = blobs(n);
    const auto expect_held = [&](const auto& options) {
        Map some = embed(points.view(), options, on(Device::cpu)).map;
        for (Index i = 0; i < n; i += 4)
            some.coordinates[std::size_t(2 * i)] = some.coordinates[std::size_t(2 * i + 1)] = NAN;
        const auto how = descent::Continuation::fixed;
        const Map map = continued(points.view(), some, how, continuing(how, 0.25, options), on(Device::cuda)).map;
        for (Index i = 0; i < n; ++i) {
            for (Index d = 0; d < 2; ++d) {
                ASSERT_TRUE(std::isfinite(map.view()(i, d)));
                if (i % 4 != 0) {
                    ASSERT_EQ(map.view()(i, d), some.view()(i, d)) << i;
                }
            }
        }
    };
    expect_held(Options{.iterations = 60});
    expect_held(umap::Options{.iterations = 60});
    expect_held(pacmap::Options{.iterations = "20,20,20"});
}

TEST(PlaceOnGpu, FixedPointsStayToTheBit) {
    DUNLIN_NEEDS_GPU();
    const Rows points = blobs(agree::size(3000));
    const Map start = embed(points.view(), {.iterations = 100}, on(Device::cpu)).map;
    std::vector<std::uint8_t> fixed(static_cast<std::size_t>(start.size()));
    for (std::size_t i = 0; i < fixed.size(); ++i) fixed[i] = i % 3 == 0 ? 0 : 1;
    const Map map = embed(points.view(), {.iterations = 60, .exaggerated_iterations = 0}, on(Device::cuda),
                          {.start = &start, .fixed = fixed})
                        .map;
    Index moved = 0;
    for (Index i = 0; i < start.size(); ++i) {
        const bool same = map.view()(i, 0) == start.view()(i, 0) && map.view()(i, 1) == start.view()(i, 1);
        if (fixed[std::size_t(i)] == 1) {
            EXPECT_TRUE(same) << i;
        }
        if (!same) ++moved;
    }
    EXPECT_GE(moved, start.size() / 4);
}

}  // namespace
}  // namespace dunlin::tsne
