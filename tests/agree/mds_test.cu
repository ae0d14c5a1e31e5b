// SPDX-License-Identifier: Apache-2.0
#include "mds.hpp"

#include "cases/cases.hpp"
#include "cases/mds.hpp"
#include "mds/sgd/epoch.cuh"
#include "mds/smacof/minimize.hpp"
#include "mds/smacof/pull.cuh"
#include "mds/smacof/pull.hpp"
#include "mds/smacof/stress_rows.hpp"
#include "mds/start.cuh"

namespace dunlin::mds {
namespace {

using neighbors::Metric;

struct Both : BothItems {
    Both(const Dissimilarities& items, int dim, const Matrix* weights = nullptr)
        : BothItems(items, dim, weights),
          here(configuration_at(cpu, map)),
          there(configuration_at(cuda, map)),
          total(total_of(cpu, CpuItems{&source, nullptr}, here)) {}

    Configuration<device::Cpu> here;
    Configuration<device::Cuda> there;
    double total;  ///< sum of delta^2
};

void expect_the_same_steps(const Dissimilarities& items, int dim, const std::string& what,
                           const Matrix* weights = nullptr) {
    Both both(items, dim, weights);
    const Index n = items.size();
    const auto shuffle = math::Permutation::of(n, 5, 1);
    sgd_epoch(both.cpu, both.source, both.here, {nullptr, n}, shuffle, 0.4F);
    sgd_epoch(both.cuda, both.on_device, both.there, {nullptr, n}, shuffle, 0.4F);
    EXPECT_LT(mean_error(both.cuda.host(both.there.y), both.here.y), 1e-4) << what;
    if (n > 8) EXPECT_GT(agree::relative_error(both.here.y, both.map.coordinates), 1e-3) << what;
}

TEST(CudaMds, GroupsMoveAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : either({1, 2, 31, 32, 33, 1000, 70001}, {33, 130})) {
        for (const Index cols : either({1, 8, 9, 33, 70}, {9, 70})) {
            expect_the_same_steps(points(n, cols), 2, std::to_string(n) + " x " + std::to_string(cols));
        }
    }
    for (const Metric metric : {Metric::manhattan, Metric::cosine, Metric::correlation})
        expect_the_same_steps(points(small(1000), 20, metric), 2, std::string(name_of(metric)));
    for (const int dim : {1, 3, 5}) expect_the_same_steps(points(small(333), 20), dim, std::to_string(dim) + "-D");
    for (const Index n : either({1, 33, 1001}, {33})) {
        for (const int dim : {2, 5}) expect_the_same_steps(matrix(n, false), dim, "matrix of " + std::to_string(n));
    }
    const Matrix weights = some_weights(small(333));
    for (const int dim : {1, 2, 3, 5}) {
        expect_the_same_steps(points(small(333), 20), dim, "weighted points", &weights);
        expect_the_same_steps(matrix(small(333), false), dim, "weighted matrix", &weights);
    }
}

/// Row 1 is zero.
TEST(CudaMds, ZeroRowsAreExactlyOneFromAllOthers) {
    DUNLIN_NEEDS_GPU();
    for (const Metric metric : {Metric::cosine, Metric::correlation}) {
        for (const Index cols : {3, 20, 200}) {
            Both both(points(100, cols, metric), 2);
            device::CudaBuffer<float> delta(100, both.cuda.stream());
            const Index chosen = 1;
            distances_to(both.cuda, both.on_device, std::span(&chosen, 1), delta.data(), 1, {});
            const std::vector<float> found = both.cuda.host(delta);
            for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i == 1 ? 0.0F : 1.0F) << i;
        }
    }
}

void expect_the_same_pull(const Dissimilarities& items, int dim, const Matrix* weights, const std::string& what) {
    Both both(items, dim, weights);
    const CpuItems here{&both.source, weights == nullptr ? nullptr : weights->view().data};
    const CudaItems there{&both.on_device, both.on_device.weights().values};
    pull_all(both.cpu, here, both.here);
    pull_all(both.cuda, there, both.there);
    EXPECT_LT(agree::relative_error(both.cuda.host(both.there.force), both.here.force), 1e-4) << what;
    EXPECT_NEAR(both.cuda.read(both.there.stress), both.here.stress.value, 1e-6 * (both.here.stress.value + both.total))
        << what;
    const auto steps_there = both.cuda.host(steps(both.cuda, there, 1.5));
    EXPECT_LT(agree::relative_error(steps_there, steps(both.cpu, here, 1.5)), 1e-6) << what;
}

TEST(CudaMds, AllPullAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : either({1, 2, 63, 64, 65, 1000, 4099}, {65, 130})) {
        for (const Index cols : either({1, 9, 70}, {9, 70}))
            expect_the_same_pull(points(n, cols), 2, nullptr, std::to_string(n) + " x " + std::to_string(cols));
    }
    for (const Metric metric : {Metric::manhattan, Metric::cosine, Metric::correlation})
        expect_the_same_pull(points(small(500), 20, metric), 2, nullptr, std::string(name_of(metric)));
    const Matrix weights = some_weights(small(333));
    for (const int dim : {1, 2, 3, 4, 9}) {
        expect_the_same_pull(points(small(333), 20), dim, nullptr, std::to_string(dim) + "-D");
        expect_the_same_pull(matrix(small(333), false), dim, &weights, "weighted, " + std::to_string(dim) + "-D");
    }
    expect_the_same_pull(points(small(333), 5), 2, &weights, "points, weighted");
    expect_the_same_pull(matrix(small(1001), true), 2, nullptr, "matrix");
}

TEST(CudaMds, StressIsTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 5}) {
        for (const Dissimilarities& items :
             {points(small(1201), 9), points(small(300), 70, Metric::cosine), matrix(small(777), false)}) {
            const Map map{dim, agree::scattered(items.size(), dim, 3)};
            for (const StressOptions& o : {StressOptions{}, StressOptions{.exact_rows = 100, .sample = 150}}) {
                const Stress cpu = stress(items, map, o, {.device = Device::cpu});
                const Stress cuda = stress(items, map, o, {.device = Device::cuda});
                const auto expect_near = [](const scores::Score& a, const scores::Score& b) {
                    EXPECT_NEAR(a.value, b.value, 2e-6 * b.value);
                    EXPECT_NEAR(a.se, b.se, 1e-4 * b.se);
                };
                expect_near(cuda.normalized_stress, cpu.normalized_stress);
                expect_near(cuda.stress1, cpu.stress1);
                expect_near(cuda.scaled_stress1, cpu.scaled_stress1);
            }
        }
    }
}

TEST(CudaMds, InitialMapsAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Dissimilarities& items :
         {points(small(1000), 12), points(small(700), 12, Metric::manhattan), matrix(small(300), true)}) {
        for (const Start from : {Start::automatic, Start::random}) {
            Both both(items, 2);
            EXPECT_EQ(initialize(both.cpu, items, both.source, both.here, from, 3),
                      initialize(both.cuda, items, both.on_device, both.there, from, 3));
            const Map here = aligned(both.cpu, std::move(both.here)), there = aligned(both.cuda, std::move(both.there));
            EXPECT_LT(agree::relative_error(there.coordinates, here.coordinates), 1e-3);
        }
    }
}

TEST(CudaMds, SmacofAgreesWithTheCpu) {
    DUNLIN_NEEDS_GPU();
    const auto items = points(small(400), 10);
    const Options o{.method = Method::smacof, .iterations = 20, .tolerance = 0.0};
    const Map start{2, agree::scattered(items.size(), 2, 3)};
    const Result cpu = place(items, o, {.device = Device::cpu}, {.start = &start});
    const Result cuda = place(items, o, {.device = Device::cuda}, {.start = &start});
    EXPECT_EQ(cuda.device, Device::cuda);
    EXPECT_EQ(cuda.iterations, cpu.iterations);
    EXPECT_LT(agree::relative_error(cuda.map.coordinates, cpu.map.coordinates), 1e-3);
}

TEST(CudaMds, WholeMapsAreAsGoodAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "DUNLIN_SMALL";
    for (const Dissimilarities& items : {points(700, 9), points(20000, 9), matrix(1500, true), matrix(400, false)}) {
        for (const Start from : {Start::automatic, Start::random}) {
            const Map cpu = place(items, {.start = from}, {.device = Device::cpu}).map;
            const Map cuda = place(items, {.start = from}, {.device = Device::cuda}).map;
            EXPECT_NEAR(stress_of(items, cuda), stress_of(items, cpu), 0.01 * stress_of(items, cpu)) << items.size();
        }
    }
}

TEST(CudaMds, GridsUntwist) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "DUNLIN_SMALL";
    for (const Index side : {32, 100, 447}) {
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            const dunlin::Run run{.device = Device::cuda, .seed = seed};
            const auto items = grid(side);
            EXPECT_LE(stress_of(items, place(items, {.start = Start::random}, run).map), cases::flat_stress) << side;
        }
    }
}

TEST(CudaMds, WeightedMapsAreAsGoodAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "DUNLIN_SMALL";
    const Index n = 1200;
    const auto items = matrix(n, true);
    const Matrix weights = some_weights(n);
    const auto stress = [&](Device device) {
        const Map map = place(items, {}, {.device = device}, {.weights = &weights}).map;
        return transformed_stress1(items, map, Transform::ratio, &weights);
    };
    EXPECT_NEAR(stress(Device::cuda), stress(Device::cpu), 0.01 * stress(Device::cpu));
}

TEST(CudaMds, TheSameSeedGivesTheSameBytes) {
    DUNLIN_NEEDS_GPU();
    for (const Dissimilarities& items : {points(small(5000), 9), matrix(small(300), false)}) {
        for (const Method method : {Method::dunlin, Method::smacof}) {
            const Options o{.method = method, .iterations = agree::only_small() ? 4 : 40};
            const dunlin::Run run{.device = Device::cuda, .seed = 4};
            EXPECT_EQ(place(items, o, run).map.coordinates, place(items, o, run).map.coordinates);
        }
    }
}

bool is_spectral(Method method) {
    return method == Method::classical || method == Method::landmark || method == Method::pivot;
}

TEST(CudaMds, FewItemsAndOnePlace) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : either({0, 1, 2, 3, 33}, {3})) {
        const auto same =
            Dissimilarities::of_points(Matrix(n, 2, std::vector<float>(static_cast<std::size_t>(2 * n), 5)));
        for (const Method method : {Method::dunlin, Method::smacof, Method::classical, Method::landmark, Method::pivot,
                                    Method::stochastic, Method::gpu_sf, Method::glimmer, Method::hybrid}) {
            for (const Dissimilarities& items : {same, points(n, 3)}) {
                Options o{.method = method};
                if (!is_spectral(method)) o.iterations = 50;
                const Result r = place(items, o, {.device = Device::cuda});
                ASSERT_EQ(r.map.size(), n);
                for (const float y : r.map.coordinates) EXPECT_TRUE(std::isfinite(y));
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::mds
