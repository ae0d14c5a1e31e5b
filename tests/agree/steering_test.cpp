// SPDX-License-Identifier: Apache-2.0
// Watched and steered runs on a GPU: watching changes no byte, and a log repeats them.
#include <algorithm>
#include <thread>
#include <vector>

#include <dunlin/layout.hpp>
#include <dunlin/live.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/steering.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "agree/agree.hpp"
#include "cases/graphs.hpp"
#include "cases/result_bytes.hpp"

namespace dunlin {
namespace {

using agree::on;
using cases::bytes_of;
using live::Act;
using live::Steering;
using live::Verb;
using Bytes = std::vector<std::byte>;

class Recorder : public live::Watcher {
public:
    bool wants() override { return ++asked % 5 == 0; }
    void show(const live::Moment&) override { ++maps; }
    int asked = 0, maps = 0;
};

std::vector<float> numbers(Index n, Index cols) {
    std::vector<float> x(static_cast<std::size_t>(Offset{n} * cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(math::random_normal(4, i));
    return x;
}

/// method(run) returns bytes.
template <class Method>
void expect_repeatable(Index n, const std::vector<Act>& acts, const Method& method) {
    const Bytes plain = method(on(Device::cuda));
    {
        Recorder recorder;
        const live::Watching watching(recorder, n);
        EXPECT_EQ(method(on(Device::cuda)), plain);
        EXPECT_GT(recorder.maps, 1);
    }
    Steering first(acts);
    const auto run = [&](Steering& steering) {
        const live::Steered scope(steering, n);
        return method(on(Device::cuda));
    };
    const Bytes bytes = run(first);
    EXPECT_NE(bytes, plain);
    EXPECT_EQ(first.log(), acts);
    Steering again(first.log());
    EXPECT_EQ(run(again), bytes);
}

/// Holds the first map that has an owner.
class Holder : public live::Watcher {
public:
    bool wants() override { return true; }
    void show(const live::Moment& moment) override {
        if (held.owner != nullptr || moment.owner == nullptr) return;
        held = moment;
        copy.assign(moment.coordinates.begin(), moment.coordinates.end());
    }
    live::Moment held;
    std::vector<float> copy;
};

TEST(WatchedOnGpu, AMapThatIsHeldStays) {
    DUNLIN_NEEDS_GPU();
    const Index n = 3000;
    const auto x = numbers(n, 8);
    const auto map = [&] {
        return bytes_of(tsne::embed(MatrixView<const float>{x.data(), n, 8}, {.iterations = 200}, on(Device::cuda)));
    };
    const Bytes plain = map();
    Holder holder;
    {
        const live::Watching watching(holder, n);
        EXPECT_EQ(map(), plain);
    }
    ASSERT_NE(holder.held.owner, nullptr);
    EXPECT_EQ(holder.copy.size(), std::size_t{2 * n});
    EXPECT_TRUE(std::ranges::equal(holder.copy, holder.held.coordinates));
}

TEST(SteeredOnGpu, NeighborEmbeddingsAreRepeated) {
    DUNLIN_NEEDS_GPU();
    const Index n = 40000;  // many enough to be reordered
    const auto x = numbers(n, 8);
    const MatrixView<const float> points{x.data(), n, 8};
    const std::vector<Act> acts{{0, 3, Verb::pin, {}, 0, {5, 39999}, {3, -2, 7, 1}},
                                {0, 60, Verb::set, "momentum", 0.3, {}, {}},
                                {0, 70, Verb::nudge, {}, 0, {7, 9}, {1, 1}},
                                {0, 75, Verb::free, {}, 0, {5}, {}},
                                {0, 90, Verb::restart, {}, 0, {}, {}},
                                {1, 50, Verb::finish, {}, 0, {}, {}}};
    for (const descent::Repulsion repulsion : {descent::Repulsion::tree, descent::Repulsion::grid}) {
        expect_repeatable(n, acts, [&](const dunlin::Run& run) {
            const tsne::Result result =
                tsne::embed(points, {.iterations = 120, .exaggerated_iterations = 40, .repulsion = repulsion}, run);
            return bytes_of(result);
        });
    }
    Steering steering({{0, 50, Verb::pin, {}, 0, {5, 8}, {3, -2, 7, 1}}});
    const live::Steered scope(steering, n);
    const Map map = tsne::embed(points, {.iterations = 120, .exaggerated_iterations = 40}, on(Device::cuda)).map;
    EXPECT_EQ(map.coordinates[10], 3);
    EXPECT_EQ(map.coordinates[11], -2);
    EXPECT_EQ(map.coordinates[16], 7);
}

TEST(SteeredOnGpu, UmapAndPacmapAreRepeated) {
    DUNLIN_NEEDS_GPU();
    const Index n = 5000;
    const auto x = numbers(n, 8);
    const MatrixView<const float> points{x.data(), n, 8};
    expect_repeatable(n,
                      {{0, 10, Verb::set, "repulsion-strength", 3, {}, {}},
                       {0, 20, Verb::pin, {}, 0, {0, 199}, {}},
                       {0, 40, Verb::restart, {}, 0, {}, {}}},
                      [&](const dunlin::Run& run) { return bytes_of(umap::embed(points, {.iterations = 60}, run)); });
    expect_repeatable(
        n,
        {{0, 10, Verb::set, "learning-rate", 0.2, {}, {}},
         {0, 20, Verb::nudge, {}, 0, {1}, {4, 4}},
         {0, 30, Verb::restart, {}, 0, {}, {}}},
        [&](const dunlin::Run& run) { return bytes_of(pacmap::embed(points, {.iterations = "20,20,20"}, run)); });
}

TEST(SteeredOnGpu, LayoutsAreRepeated) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = made::lattice(200, 150);
    using enum layout::Method;
    for (const auto& [method, option, value] :
         {std::tuple{multilevel, "stiffness", 0.1}, std::tuple{multilevel, "theta", 0.7},
          std::tuple{eades, "charge", 3.0}, std::tuple{fruchterman_reingold, "gravity", 0.5},
          std::tuple{forceatlas2, "scaling", 20.0}}) {
        const std::vector<Act> acts{{0, 5, Verb::set, option, value, {}, {}},
                                    {0, 12, Verb::pin, {}, 0, {3}, {9, 9}},
                                    {0, 20, Verb::nudge, {}, 0, {50, 51}, {1, 0}},
                                    {0, 25, Verb::restart, {}, 0, {}, {}},
                                    {1, 10, Verb::free, {}, 0, {3}, {}}};
        expect_repeatable(graph.size(), acts, [&, kind = method](const dunlin::Run& run) {
            return bytes_of(layout::place(
                graph, {.method = kind, .iterations = 60, .tolerance = 0, .repulsion = layout::Repulsion::tree}, run));
        });
    }
}

TEST(SteeredOnGpu, ScalingIsRepeated) {
    DUNLIN_NEEDS_GPU();
    const Index n = 1500;
    const mds::Dissimilarities items = mds::Dissimilarities::of_points(Matrix(n, 5, numbers(n, 5)));
    using enum mds::Method;
    const std::vector<Act> acts{{0, 5, Verb::pin, {}, 0, {3}, {9, 9}}, {0, 12, Verb::nudge, {}, 0, {50, 51}, {1, 0}}};
    for (const mds::Method method : {mds::Method::dunlin, smacof, gpu_sf}) {
        const std::optional<int> starts = method == gpu_sf ? std::nullopt : std::optional(1);
        expect_repeatable(n, acts, [&](const dunlin::Run& run) {
            return bytes_of(mds::place(items, {.method = method, .starts = starts, .iterations = 60}, run));
        });
        // Options that change, one of which holds in the next loop as well
        std::vector<Act> sets{{0, 7, Verb::set, "step", 0.4, {}, {}}, {0, 30, Verb::set, "step", 1.6, {}, {}}};
        if (method != gpu_sf) sets.push_back({0, 40, Verb::set, "tolerance", 1e-3, {}, {}});
        expect_repeatable(n, sets, [&](const dunlin::Run& run) {
            return bytes_of(mds::place(items, {.method = method, .starts = starts, .iterations = 60}, run));
        });
    }
}

TEST(SteeredOnGpu, WarmLayoutsGoOnAfterActs) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = made::lattice(200, 150);
    const Map start = layout::place(graph, {.iterations = 100}, on(Device::cuda)).map;
    const auto run = [&](Steering& steering) {
        const live::Steered scope(steering, graph.size());
        return layout::place(graph, {}, on(Device::cuda), {.start = &start});
    };
    Steering steering;
    steering.keep_warm(true);
    std::jthread page([&](const std::stop_token& stop) {
        for (int i = 1; i <= 3 && !stop.stop_requested();) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (!steering.now().is_resting || steering.now().acts != i - 1) continue;
            steering.act(i < 3 ? Act{.verb = Verb::pin, .points = {0}, .places = {5.0F * static_cast<float>(i), 5}}
                               : Act{.verb = Verb::finish});
            ++i;
        }
    });
    const layout::Result first = run(steering);
    page.request_stop();
    page.join();
    EXPECT_NEAR(first.map.coordinates[0], 10, 1e-3);
    EXPECT_NEAR(first.map.coordinates[1], 5, 1e-3);
    Steering again(steering.log());
    again.keep_warm(true, false);
    EXPECT_EQ(bytes_of(run(again)), bytes_of(first));
}

}  // namespace
}  // namespace dunlin
