// SPDX-License-Identifier: Apache-2.0
#include "mds.hpp"

#include "mds/input/distance.hpp"
#include "mds/spectral/landmarks.cuh"

/// On-demand distances: the host computes them, the GPU places the items.
namespace dunlin::mds {
namespace {

Matrix places(Index n, Index cols) { return {n, cols, agree::scattered(n, cols, 4, 3)}; }

Dissimilarities fed(const Matrix& x) {
    const auto apart = [x](std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
        for (std::size_t k = 0; k < out.size(); ++k)
            out[k] = distance(x.row(i[k]).data(), x.row(j[k]).data(), static_cast<int>(x.cols()));
    };
    return Dissimilarities::of_callback(x.rows(), apart);
}

/// A circle of vertices with chords.
Graph ring(Index n) {
    Graph graph;
    for (Index i = 0; i < n; ++i) {
        for (const Index step : {1, 7, n - 7, n - 1}) graph.targets.push_back((i + step) % n);
        std::sort(graph.targets.end() - 4, graph.targets.end());
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    graph.weights.assign(graph.targets.size(), 1.0F);
    return graph;
}

TEST(CudaMdsOnDemand, ItemsFindTheCpusPlacesAmongAnchors) {
    DUNLIN_NEEDS_GPU();
    const Index n = small(3000);
    for (const Index landmarks : {1, 3, 9, small(150)}) {
        for (const int dim : {1, 2, 3, 5}) {
            const auto items = fed(places(n, 6));
            device::Cpu cpu;
            device::Cuda cuda{dunlin::Run{}};
            std::vector<Index> anchors;
            for (Index a = 0; a < landmarks; ++a) anchors.push_back((a * 31 + 5) % n);
            OnDemandRows& feed = *items.on_demand();
            ASSERT_TRUE(feed.request(cpu, anchors, {}));
            const Map map{dim, agree::scattered(landmarks, dim, 3, 7)};
            const Options o{.tolerance = 0.05};  // few iterations, so that rounding errors stay small
            auto here = empty_configuration(cpu, n, dim);
            auto there = empty_configuration(cuda, n, dim);
            const Landmarks host = landmarks_of(cpu, feed, anchors);
            place_others(cpu, hold_landmarks(cpu, host, feed), map, here, o, {});
            place_others(cuda, hold_landmarks(cuda, host, feed), map, there, o, {});
            EXPECT_LT(share_elsewhere(cuda.host(there.y), here.y), 0.01) << landmarks << " anchors, " << dim << "-D";
        }
    }
}

/// Points near a plane. Without a plane the landmarks' map has many local minima of nearly equal stress, and the last
/// bit of a distance decides which is found (2% of stress apart, even on one device).
Matrix flat_places(Index n) {
    constexpr Index cols = 5;
    std::vector<float> x = agree::scattered(n, cols, 4, 3);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] *= k % cols == 0 ? 1.0F : k % cols == 1 ? 0.7F : 0.25F;
    return {n, cols, std::move(x)};
}

TEST(CudaMdsOnDemand, MapsAreAsGoodAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "DUNLIN_SMALL";
    const Matrix x = flat_places(2000);
    const auto all = Dissimilarities::of_points(x);
    for (const Method method : {Method::dunlin, Method::landmark, Method::pivot, Method::smacof}) {
        Options o{.method = method};
        if (method != Method::smacof) o.landmarks = 60;
        if (method == Method::smacof) o.iterations = 60;
        const auto with = [&](Device device) { return place(fed(x), o, {.device = device}); };
        const Result cpu = with(Device::cpu), cuda = with(Device::cuda);
        EXPECT_EQ(cuda.device, Device::cuda) << name_of(method);
        EXPECT_EQ(cuda.stopped, cpu.stopped) << name_of(method);
        EXPECT_NEAR(stress_of(all, cuda.map), stress_of(all, cpu.map), 0.01 * stress_of(all, cpu.map))
            << name_of(method);
        EXPECT_EQ(with(Device::cuda).map.coordinates, cuda.map.coordinates) << name_of(method);
    }
}

TEST(CudaMdsOnDemand, GraphsBudgetsAndScores) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "DUNLIN_SMALL";
    const dunlin::Run on_gpu{.device = Device::cuda};
    auto items = Dissimilarities::of_graph(ring(900));
    const Offset n = items.size();
    items.set_budget(20 * n);
    const Result cuda = place(items, {}, on_gpu);
    EXPECT_EQ(cuda.device, Device::cuda);
    EXPECT_EQ(cuda.stopped, Stopped::budget);
    EXPECT_LE(items.usage().computed, 20 * n);
    const double stress_there = stress(items, cuda.map, {}, on_gpu).normalized_stress.value;
    auto again = Dissimilarities::of_graph(ring(900));
    again.set_budget(20 * n);
    const Map cpu = place(again, {}, {.device = Device::cpu}).map;
    EXPECT_NEAR(stress_there, stress(again, cpu).normalized_stress.value, 0.1 * stress_there);
}

TEST(CudaMdsOnDemand, ACancelledRunReturnsTheMapOfTheKnownRows) {
    DUNLIN_NEEDS_GPU();
    const Matrix x = places(300, 3);
    std::stop_source stop;
    stop.request_stop();
    const Result r = place(fed(x), {.landmarks = 20}, {.device = Device::cuda, .stop = stop.get_token()});
    EXPECT_EQ(r.stopped, Stopped::cancelled);
    EXPECT_EQ(r.map.size(), 300);
}

}  // namespace
}  // namespace dunlin::mds
