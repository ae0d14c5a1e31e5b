// SPDX-License-Identifier: Apache-2.0
#include "mds.hpp"

namespace dunlin::mds {
namespace {

using neighbors::Metric;

void expect_the_same_map(const Dissimilarities& items, const Options& o) {
    const Result cpu = place(items, o, {.device = Device::cpu}), cuda = place(items, o, {.device = Device::cuda});
    EXPECT_EQ(cuda.device, Device::cuda);
    EXPECT_EQ(cuda.stopped, Stopped::converged);
    EXPECT_LT(agree::relative_error(cuda.map.coordinates, cpu.map.coordinates), 2e-3)
        << name_of(o.method) << " of " << items.size();
}

/// Points with axes of different lengths, so that each is identified.
Dissimilarities flat(Index n, Index cols, Metric metric) {
    std::vector<float> x = agree::scattered(n, cols, 4, 3);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] *= std::pow(0.7F, static_cast<float>(k % cols));
    return Dissimilarities::of_points(Matrix(n, cols, std::move(x)), {.metric = metric});
}

TEST(CudaMdsSpectral, MapsAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Method method : {Method::classical, Method::landmark, Method::pivot}) {
        for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::cosine}) {
            expect_the_same_map(flat(700, 9, metric), {.method = method});
            expect_the_same_map(flat(1200, 40, metric), {.dim = 3, .method = method});
        }
        for (const Index n : agree::sizes({300, 1001, 20011}))
            expect_the_same_map(flat(n, 5, Metric::euclidean), {.method = method});
        expect_the_same_map(matrix(small(500), true), {.dim = 1, .method = method});
    }
    expect_the_same_map(flat(300, 5, Metric::euclidean), {.method = Method::landmark, .landmarks = 300});
    expect_the_same_map(flat(300, 5, Metric::euclidean), {.method = Method::pivot, .landmarks = 1});
}

TEST(CudaMdsSpectral, KrylovFindsWhatTheCpuFinds) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 4}) expect_the_same_map(matrix(1100, true), {.dim = dim, .method = Method::classical});
}

TEST(CudaMdsSpectral, MissingPairsAreRefused) {
    DUNLIN_NEEDS_GPU();
    EXPECT_THROW(place(matrix(40, false), {.method = Method::pivot}, {.device = Device::cuda}), Error);
}

TEST(CudaMdsSpectral, TheSameSeedGivesTheSameBytes) {
    DUNLIN_NEEDS_GPU();
    for (const Dissimilarities& items : {points(small(5000), 9), matrix(small(300), true)}) {
        for (const Method method : {Method::classical, Method::landmark, Method::pivot}) {
            const dunlin::Run run{.device = Device::cuda, .seed = 4};
            EXPECT_EQ(place(items, {.method = method}, run).map.coordinates,
                      place(items, {.method = method}, run).map.coordinates);
        }
    }
}

}  // namespace
}  // namespace dunlin::mds
