// SPDX-License-Identifier: Apache-2.0
#include <dunlin/scores.hpp>

#include <numeric>

#include "agree/agree.hpp"
#include "cases/neighbors.hpp"
#include "device/points.cuh"
#include "math/at.hpp"
#include "refusal.hpp"
#include "scores/class_rows.cuh"
#include "scores/co_rank.cuh"
#include "scores/data_ranks.cuh"
#include "scores/sample.hpp"
#include "scores/score_engine.hpp"

namespace dunlin::scores {
namespace {

using neighbors::Data;
using neighbors::Metric;

constexpr std::array metrics{Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation};

/// Points of seven classes, some rows twice, some zero; more than one chunk of features for 300 columns.
Data points_of(Index n, Index cols) {
    return neighbors::make(n, cols, [=](Index r, Index c) {
        if (r % 11 == 3) return 0.0F;
        const Index row = r % 13 == 5 && r > 0 ? r - 1 : r;
        return 3 * neighbors::normal(2, row % 7, c) + neighbors::normal(3, row, c);
    });
}

Labels labels_of(Index n) {
    Labels labels{{}, {"a", "b", "unused", "c", "d", "e", "f", "g"}};
    for (Index i = 0; i < n; ++i) labels.of.push_back(i % 7 < 2 ? i % 7 : i % 7 + 1);
    return labels;
}

enum class Shape { spread, lattice, one_place, ring };
constexpr std::array shapes{Shape::spread, Shape::lattice, Shape::one_place, Shape::ring};

/// lattice: distances with many ties; ring: float32 roundings of distances from its middle, row 0, agree for all
/// points.
Map map_of(Index n, int dim, Shape shape) {
    if (shape == Shape::spread) return {dim, made::clusters(n, dim)};
    Map map{dim, std::vector<float>(at(n) * at(dim), 2.5F)};
    for (Index i = 0; i < n && shape != Shape::one_place; ++i) {
        for (int c = 0; c < dim; ++c) {
            float& y = map.coordinates[at(i) * at(dim) + at(c)];
            if (shape == Shape::lattice) y = static_cast<float>((i >> (4 * c)) % 16);
            if (shape != Shape::ring) continue;
            const double angle = 6.283185307 * math::random_uniform(9, at(i));
            y = i == 0 ? 0.0F : static_cast<float>(1000 * (c % 2 == 0 ? std::cos(angle) : std::sin(angle)));
        }
    }
    return map;
}

dunlin::Run on_gpu(std::uint64_t seed = 1) { return {.device = Device::cuda, .seed = seed}; }
dunlin::Run on_cpu(std::uint64_t seed = 1) { return {.device = Device::cpu, .seed = seed}; }

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_same(const std::optional<Score>& found, const std::optional<Score>& expected, const char* name) {
    ASSERT_EQ(found.has_value(), expected.has_value()) << name;
    if (!found) return;
    const bool rounds = std::string_view(name) == "kl";  // sums of float32 terms
    EXPECT_TRUE(same(found->value, expected->value) ||
                (rounds && std::abs(found->value - expected->value) < 1e-5 * std::abs(expected->value) + 1e-7))
        << name << " " << found->value << " " << expected->value;
    EXPECT_TRUE(same(found->se, expected->se) || (rounds && std::abs(found->se - expected->se) < 1e-3 * expected->se))
        << name << " se " << found->se << " " << expected->se;
}

void expect_same(const Scores& found, const Scores& expected) {
    std::vector<std::optional<Score>> of_found;
    each_score(found, [&](const char*, const std::optional<Score>& score) { of_found.push_back(score); });
    std::size_t i = 0;
    each_score(expected,
               [&](const char* name, const std::optional<Score>& score) { expect_same(of_found[i++], score, name); });
    EXPECT_EQ(found.rnx_curve, expected.rnx_curve);
}

void expect_agreement(const Data& points, std::span<const Map> maps, const Labels& labels, const Options& options,
                      std::uint64_t seed = 1) {
    const Graph affinities = agree::some_graph(points.rows, 5);
    const auto with = [&](const dunlin::Run& run) {
        return evaluate(maps, points.view(), affinities, labels, options, run);
    };
    const std::vector<Scores> found = with(on_gpu(seed)), expected = with(on_cpu(seed)), again = with(on_gpu(seed));
    for (std::size_t m = 0; m < maps.size(); ++m) {
        SCOPED_TRACE(testing::Message() << "map " << m);
        EXPECT_EQ(found[m].device, Device::cuda);
        EXPECT_EQ(expected[m].device, Device::cpu);
        EXPECT_GT(found[m].gpu_memory, 0U);
        expect_same(found[m], expected[m]);
        expect_same(found[m], again[m]);
        if (found[m].kl) {
            EXPECT_EQ(found[m].kl->value, again[m].kl->value);
        }
    }
}

TEST(ScoresOnGpu, AreTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({0, 1, 2, 3, 12, 31, 32, 33, 129, 1000, 4097})) {
        for (const Index cols : {1, 3, 16, 300}) {
            SCOPED_TRACE(testing::Message() << n << " x " << cols);
            const std::vector<Map> maps{map_of(n, 2, Shape::spread)};
            expect_agreement(points_of(n, cols), maps, n >= 7 ? labels_of(n) : Labels{}, {});
        }
    }
}

TEST(ScoresOnGpu, AreTheCpusForAllMetricsAndShapesOfMaps) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(3000);
    for (const Metric metric : metrics) {
        for (const int dim : {1, 2, 3, 5}) {
            SCOPED_TRACE(testing::Message() << names(Metric{})[static_cast<std::size_t>(metric)] << " " << dim << "-D");
            std::vector<Map> maps;
            for (const Shape shape : shapes) maps.push_back(map_of(n, dim, shape));
            const auto scored = [&](const dunlin::Run& run) {
                const Data points = points_of(n, 20);
                return evaluate(maps, points.view(), {}, labels_of(n), {.metric = metric}, run);
            };
            const std::vector<Scores> found = scored(on_gpu()), expected = scored(on_cpu());
            for (std::size_t m = 0; m < maps.size(); ++m) {
                SCOPED_TRACE(testing::Message() << "shape " << m);
                expect_same(found[m], expected[m]);
            }
        }
    }
}

TEST(ScoresOnGpu, AreTheCpusForSamplesAndForAllRows) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(9000);
    const Data points = points_of(n, 40);
    const std::vector<Map> maps{map_of(n, 2, Shape::spread), map_of(n, 3, Shape::lattice)};
    const Labels labels = labels_of(n);
    expect_agreement(points, maps, labels, {.exact_rows = 0, .exact_votes = 0, .sample = 300}, 7);
    expect_agreement(points, maps, labels, {.extent = Extent::sampled}, 8);
    if (!agree::only_small()) expect_agreement(points, maps, labels, {.extent = Extent::full});
}

TEST(ScoresOnGpu, AreTheCpusForIntegersWithManyTies) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(5000);
    for (const std::uint64_t values : {2ULL, 5ULL}) {
        const std::vector<Map> maps{map_of(n, 2, Shape::lattice)};
        expect_agreement(neighbors::integers(n, 4, values), maps, labels_of(n), {});
    }
}

TEST(ScoresOnGpu, AreTheCpusForTensOfThousands) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "small cases only";
    const Index n = 70001;
    const std::vector<Map> maps{map_of(n, 2, Shape::spread), map_of(n, 2, Shape::ring)};
    expect_agreement(points_of(n, 50), maps, labels_of(n), thorough());
}

/// Scores that have functions of their own, with other k.
TEST(ScoresOnGpu, OfSingleFunctionsAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(2500);
    const Data data = points_of(n, 30);
    const auto points = data.view();
    const Map map = map_of(n, 2, Shape::spread);
    const Labels labels = labels_of(n);
    const Options options{.exact_rows = 0, .sample = 200};
    const auto check = [](const char* name, const auto& score) { expect_same(score(on_gpu()), score(on_cpu()), name); };
    for (const Index k : {1, 7, 1100}) {
        check("trustworthiness",
              [&](const dunlin::Run& r) { return trustworthiness(points, map, std::min(k, (n - 1) / 2), options, r); });
        check("continuity",
              [&](const dunlin::Run& r) { return continuity(points, map, std::min(k, (n - 1) / 2), options, r); });
    }
    for (const Index k : {1, 7, 40}) {
        check("preservation", [&](const dunlin::Run& r) { return preservation(points, map, k, options, r); });
        check("label_accuracy", [&](const dunlin::Run& r) { return label_accuracy(map, labels, k, options, r); });
        check("density_correlation",
              [&](const dunlin::Run& r) { return density_correlation(points, map, k, options, r); });
    }
    check("rnx_auc", [&](const dunlin::Run& r) { return rnx(points, map, options, r).auc; });
    check("distance_correlation", [&](const dunlin::Run& r) { return distance_correlation(points, map, options, r); });
    check("triplets", [&](const dunlin::Run& r) { return triplets(points, map, options, r); });
    check("centroid_neighbors",
          [&](const dunlin::Run& r) { return centroid_neighbors(points, map, labels, options, r); });
    check("centroid_correlation",
          [&](const dunlin::Run& r) { return centroid_correlation(points, map, labels, options, r); });
    check("centroid_triplets",
          [&](const dunlin::Run& r) { return centroid_triplets(points, map, labels, options, r); });
}

/// Points that stay in host memory give what points in device memory do.
TEST(ScoresOnGpu, OfPointsOnTheHostAreTheSame) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(3000), cols = 33;
    const Data data = points_of(n, cols);
    const std::vector<Map> maps{map_of(n, 2, Shape::spread)};
    for (const Metric metric : metrics) {
        device::Cuda cuda{on_gpu()};
        device::Cpu cpu;
        const device::DevicePoints held = device::hold_points(cuda, data.view()), streamed{data.view(), {}};
        ASSERT_TRUE(held.held());
        ASSERT_FALSE(streamed.held());
        DevicePairDistances a(cuda, cpu, held, metric), b(cuda, cpu, streamed, metric);
        const std::vector<Index> rows = sample_rows(n, 50, 3);
        std::vector<Index> others(rows.size() * 15);
        for (std::size_t i = 0; i < others.size(); ++i)
            others[i] = (rows[i / 15] + 1 + 7 * static_cast<Index>(i % 15)) % n;
        EXPECT_EQ(cuda.host(a.to_others(rows, others)), cuda.host(b.to_others(rows, others)));
        EXPECT_EQ(a.between(rows), b.between(rows));
        EXPECT_EQ(data_ranks(cuda, a, rows, others), data_ranks(cuda, b, rows, others));
        const std::vector<CoRanking> x = co_rank(cuda, a, maps, rows, std::span(&others, 1), 15),
                                     y = co_rank(cuda, b, maps, rows, std::span(&others, 1), 15);
        EXPECT_EQ(x.front().data_ranks, y.front().data_ranks);
        EXPECT_EQ(x.front().rnx_auc, y.front().rnx_auc);
        EXPECT_EQ(x.front().kept, y.front().kept);
    }
}

/// Values with many ties too, and with no two alike.
TEST(RankSumsOnGpu, AreTheCpusIntegers) {
    DUNLIN_NEEDS_GPU();
    for (const Index m : agree::sizes({3, 33, 257, 1000})) {
        for (const std::uint64_t values : {1ULL, 3ULL, 1000000ULL}) {
            const Data data = neighbors::integers(m + 50, 4, values);
            std::vector<Map> maps;
            for (const Shape shape : shapes) maps.push_back(map_of(m + 50, 2, shape));
            maps.push_back(map_of(m + 50, 5, Shape::lattice));
            const std::vector<Index> rows = sample_rows(m + 50, m, 4);
            const auto sums = [&](ScoreEngine& engine) { return engine.rank_sums(maps, rows); };
            EXPECT_EQ(sums(*engine_on_cuda(data.view(), Metric::euclidean, on_gpu())),
                      sums(*engine_on_cpu(data.view(), Metric::euclidean, on_cpu())))
                << m << " rows, " << values << " values";
        }
    }
}

/// Of all rows, which the search takes as they are, and of some, which it takes as queries.
TEST(NearestInMapOnGpu, AreTheCpusForAllRowsAndForSome) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({3, 33, 1000, 5001})) {
        const auto of_gpu = engine_on_cuda({}, Metric::euclidean, on_gpu()),
                   of_cpu = engine_on_cpu({}, Metric::euclidean, on_cpu());
        for (const Shape shape : shapes) {
            const Map map = map_of(n, 2, shape);
            const Index k = std::min<Index>(15, n - 1);
            for (const Index count : {n, n - 1}) {
                const std::vector<Index> rows = sample_rows(n, count, 2);
                EXPECT_EQ(of_gpu->nearest_in_map(map, rows, k), of_cpu->nearest_in_map(map, rows, k))
                    << n << ", " << count << " rows";
            }
        }
    }
}

TEST(ClassCentersOnGpu, AreTheCpusBits) {
    DUNLIN_NEEDS_GPU();
    device::Cuda cuda{on_gpu()};
    device::Cpu cpu;
    for (const Index n : agree::sizes({1, 2, 33, 1000, 50001})) {
        for (const Index cols : {1, 2, 31, 33, 100}) {
            Labels labels;
            for (Index i = 0; i < n; ++i) labels.of.push_back(i % 10 == 0 ? 2 : i % 3 == 0 ? 0 : 5);
            const ClassRows classes(labels);
            for (const Data& data : {points_of(n, cols), neighbors::integers(n, cols, 3)}) {  // also medians of equals
                const device::DevicePoints held = device::hold_points(cuda, data.view());
                for (const Center center : {Center::mean, Center::median}) {
                    EXPECT_EQ(class_centers(cuda, {held.values(), n, cols}, classes, center),
                              class_centers(cpu, data.view(), classes, center))
                        << n << " x " << cols;
                }
            }
        }
    }
}

TEST(ScoresOnGpu, RefuseWhatTheCpuRefuses) {
    DUNLIN_NEEDS_GPU();
    Data data = points_of(200, 4);
    Map map = map_of(200, 2, Shape::spread);
    const auto message = [&](const dunlin::Run& run) {
        return refusal(Fault::bad_input, [&] { (void)evaluate(map, data.view(), {}, {}, {}, run); });
    };
    data.values[4 * 77 + 1] = NAN;
    EXPECT_NE(message(on_gpu()), "");
    EXPECT_EQ(message(on_gpu()), message(on_cpu()));
    data.values[4 * 77 + 1] = 0;
    map.coordinates[2 * 120] = INFINITY;
    EXPECT_NE(message(on_gpu()), "");
    EXPECT_EQ(message(on_gpu()), message(on_cpu()));
}

TEST(ScoresOnGpu, StopAndReportProgress) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(20000);
    const Data data = points_of(n, 20);
    const Map map = map_of(n, 2, Shape::spread);
    std::stop_source stop;
    dunlin::Run run = on_gpu();
    run.stop = stop.get_token();
    Offset last = -1;
    run.on_progress = [&](const Progress& progress) {
        EXPECT_EQ(progress.stage, "score");
        EXPECT_GE(progress.done, last);
        last = progress.done;
        if (progress.done >= 2) stop.request_stop();
    };
    const Scores stopped = evaluate(map, data.view(), {}, labels_of(n), {}, run);
    EXPECT_TRUE(stopped.label_accuracy);
    EXPECT_FALSE(stopped.triplets);
    EXPECT_GE(last, 2);
}

}  // namespace
}  // namespace dunlin::scores
