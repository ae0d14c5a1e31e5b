// SPDX-License-Identifier: Apache-2.0
#include "mds.hpp"

#include "mds/forces/partners.cuh"
#include "mds/forces/partners.hpp"
#include "mds/sgd/epoch.cuh"
#include "mds/smacof/disparities.cuh"
#include "mds/smacof/fixed.hpp"
#include "mds/smacof/nonmetric.hpp"
#include "mds/start.cuh"

/// Non-metric scaling, fixed points and on-demand distances.
namespace dunlin::mds {
namespace {

constexpr float nowhere = std::numeric_limits<float>::quiet_NaN();

/// Integer dissimilarities, hence many ties.
Dissimilarities rounded(Index n) {
    const std::vector<float> x = agree::scattered(n, 3, 9, 5);
    std::vector<float> delta;
    for (Offset i = 0; i < n; ++i) {
        for (Offset j = 0; j < n; ++j) delta.push_back(std::round(distance(x.data() + i * 3, x.data() + j * 3, 3)));
    }
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(delta)));
}

/// Disparities of a map on both devices, after one or two fits.
void expect_the_same_fit(const Dissimilarities& items, int dim, Transform transform, const Matrix* weights) {
    device::Cpu cpu;
    device::Cuda cuda{dunlin::Run{}};
    const Source source(cpu, items, weights);
    const DeviceSource on_device(cuda, items, weights);
    const CpuItems here{&source, weights == nullptr ? nullptr : weights->view().data};
    const CudaItems there{&on_device, on_device.weights().values};
    Disparities<device::Cpu> ours(cpu, source, pair_weights(here), transform);
    Disparities<device::Cuda> theirs(cuda, on_device, pair_weights(there), transform);
    EXPECT_EQ(theirs.total_weight(), ours.total_weight());
    const auto values = [](const Matrix& m) {
        std::vector<float> known;
        for (Offset k = 0; k < m.view().size(); ++k) known.push_back(m.view().data[k] >= 0 ? m.view().data[k] : -1);
        return known;
    };
    const std::string what = std::to_string(items.size()) + " items, " + std::string(name_of(transform));
    // Distances that are equal up to rounding may swap ranks, which differ by a pair's share
    const double pairs = 0.5 * items.size() * (items.size() - 1.0);
    const double ranks_apart = transform == Transform::ordinal && items.has_points() && pairs > 0 ? 10 / pairs : 0;
    EXPECT_LT(agree::relative_error(values(theirs.matrix(cuda)), values(ours.matrix(cpu))), 1e-6 + ranks_apart) << what;
    for (const std::uint64_t seed : {7U, 8U}) {
        const Map map{dim, agree::scattered(items.size(), dim, 3, seed)};
        auto configuration = configuration_at(cpu, map);
        auto on_gpu = configuration_at(cuda, map);
        pull_all(cpu, Transformed<device::Cpu>{&ours}, configuration);
        pull_all(cuda, Transformed<device::Cuda>{&theirs}, on_gpu);
        EXPECT_LT(agree::relative_error(values(theirs.matrix(cuda)), values(ours.matrix(cpu))), 1e-5) << what;
        EXPECT_LT(agree::relative_error(cuda.host(on_gpu.force), configuration.force), 1e-4) << what;
        EXPECT_NEAR(cuda.read(on_gpu.stress), configuration.stress.value, 1e-5 * (1 + configuration.stress.value))
            << what;
        EXPECT_NEAR(theirs.stress1(cuda), ours.stress1(cpu), 1e-6) << what;
    }
}

TEST(CudaMdsKinds, DisparitiesAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Transform transform :
         {Transform::ratio, Transform::interval, Transform::interval_bounded, Transform::ordinal}) {
        for (const Index n : either({1, 2, 3, 9, 33, 100, 1001}, {70})) {
            expect_the_same_fit(points(small(n), 5), 2, transform, nullptr);
            expect_the_same_fit(rounded(small(n)), 2, transform, nullptr);
        }
        if (agree::only_small()) continue;
        const Index n = 500;
        const Matrix weights = some_weights(n);
        for (const int dim : {1, 3, 5}) {
            expect_the_same_fit(matrix(n, false), dim, transform, nullptr);
            expect_the_same_fit(matrix(n, false), dim, transform, &weights);
            expect_the_same_fit(rounded(n), dim, transform, &weights);
        }
    }
}

TEST(CudaMdsKinds, NonMetricMapsAreAsGoodAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "DUNLIN_SMALL";
    for (const Transform transform : {Transform::interval, Transform::ordinal}) {
        for (const Dissimilarities& items : {points(600, 6), matrix(400, false), rounded(300)}) {
            const Options o{.method = Method::smacof, .iterations = 400, .transform = transform};
            const Result cpu = place(items, o, {.device = Device::cpu}),
                         cuda = place(items, o, {.device = Device::cuda});
            EXPECT_EQ(cuda.device, Device::cuda);
            const double ours = transformed_stress1(items, cpu.map, transform, nullptr, {.device = Device::cpu});
            EXPECT_NEAR(transformed_stress1(items, cuda.map, transform, nullptr, {.device = Device::cpu}), ours,
                        0.01 * ours);
            EXPECT_NEAR(transformed_stress1(items, cpu.map, transform, nullptr, {.device = Device::cuda}), ours,
                        1e-5 * ours);
            EXPECT_EQ(place(items, o, {.device = Device::cuda}).map.coordinates, cuda.map.coordinates);
        }
    }
}

/// Every seventh point is free.
Map with_free(Index n, int dim) {
    Map map{dim, agree::scattered(n, dim, 3, 7)};
    for (Index i = 3; i < n; i += 7) std::fill_n(map.coordinates.begin() + Offset{i} * dim, dim, nowhere);
    return map;
}

TEST(CudaMdsKinds, FreePointsGoWhereTheCpusGo) {
    DUNLIN_NEEDS_GPU();
    const Index n = small(900);
    const Matrix weights = some_weights(n);
    for (const int dim : {1, 2, 3, 5}) {
        const Map fixed = with_free(n, dim);
        for (const Dissimilarities& items :
             {points(n, 9), points(n, 9, neighbors::Metric::manhattan), matrix(n, false)}) {
            for (const Matrix* w : {static_cast<const Matrix*>(nullptr), &weights}) {
                for (const Method method : {Method::dunlin, Method::smacof}) {
                    const Options o{.method = method, .iterations = 4, .tolerance = 0.0};
                    const Given given{.fixed = &fixed, .weights = w};
                    const Result cpu = place(items, o, {.device = Device::cpu}, given),
                                 cuda = place(items, o, {.device = Device::cuda}, given);
                    EXPECT_EQ(cuda.device, Device::cuda);
                    EXPECT_LT(share_elsewhere(cuda.map.coordinates, cpu.map.coordinates), 0.01) << name_of(method);
                    for (std::size_t k = 0; k < cuda.map.coordinates.size(); ++k) {
                        if (std::isnan(fixed.coordinates[k])) {
                            EXPECT_TRUE(std::isfinite(cuda.map.coordinates[k]));
                        } else {
                            EXPECT_EQ(cuda.map.coordinates[k], fixed.coordinates[k]);
                        }
                    }
                }
            }
        }
    }
}

TEST(CudaMdsKinds, NewPointsReturnWhereTheyWere) {
    DUNLIN_NEEDS_GPU();
    const Index n = small(1000);
    const std::vector<float> flat = agree::scattered(n, 2, 3, 9);
    const auto items = Dissimilarities::of_points(Matrix(n, 2, flat));
    Map some{2, flat};
    for (std::size_t k = 0; k < flat.size(); k += 20) some.coordinates[k] = some.coordinates[k + 1] = nowhere;
    for (const Method method : {Method::dunlin, Method::smacof}) {
        if (agree::only_small()) continue;
        const Map map = place(items, {.method = method}, {.device = Device::cuda}, {.fixed = &some}).map;
        EXPECT_LT(agree::relative_error(map.coordinates, flat), 1e-3) << name_of(method);
    }
    const Map all{2, flat};
    EXPECT_EQ(place(items, {}, {.device = Device::cuda}, {.fixed = &all}).map.coordinates, flat);
}

}  // namespace
}  // namespace dunlin::mds
