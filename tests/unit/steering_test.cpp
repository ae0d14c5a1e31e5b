// SPDX-License-Identifier: Apache-2.0
#include <dunlin/steering.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <dunlin/layout.hpp>
#include <dunlin/live.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "cases/graphs.hpp"
#include "cases/result_bytes.hpp"
#include "cases/resumed.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin {
namespace {

using cases::bytes_of;
using live::Act;
using live::Steering;
using live::Verb;
using Bytes = std::vector<std::byte>;

std::vector<float> numbers(Index n, Index cols) {
    std::vector<float> x(at(Offset{n} * cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(math::random_normal(4, i));
    return x;
}

template <class Method>
auto steered(Steering& steering, Index n, const Method& method) {
    const live::Steered scope(steering, n);
    return method();
}

/// The map of a method that has options, a start and no more; `run` calls it.
using Method = std::function<Bytes(const Run&)>;

/// Acts change the bytes; the log is the acts, and repeats the bytes on other numbers of threads.
void expect_repeatable(Index n, const std::vector<Act>& acts, const Method& method) {
    const Bytes unsteered = method({.threads = 2});
    Steering nothing;
    EXPECT_EQ(steered(nothing, n, [&] { return method({.threads = 2}); }), unsteered);
    EXPECT_TRUE(nothing.log().empty());
    Steering first(acts);
    const Bytes bytes = steered(first, n, [&] { return method({.threads = 2}); });
    EXPECT_NE(bytes, unsteered);
    EXPECT_EQ(first.log(), acts);
    EXPECT_EQ(first.left(), 0);
    for (const int threads : {1, 3}) {
        Steering again(first.log());
        EXPECT_EQ(steered(again, n, [&] { return method({.threads = threads}); }), bytes);
    }
    // Loops over another number of points are not steered
    Steering of_others(acts);
    EXPECT_EQ(steered(of_others, n + 1, [&] { return method({.threads = 2}); }), unsteered);
    EXPECT_EQ(of_others.left(), std::ssize(acts));
}

constexpr Index few = 200;

tsne::Result some_tsne(const Run& run, int dim = 2) {
    static const auto x = numbers(few, 5);
    return tsne::embed({x.data(), few, 5},
                       {.dim = dim,
                        .perplexity = 10,
                        .iterations = 120,
                        .exaggerated_iterations = 40,
                        .tolerance = 0,
                        .repulsion = descent::Repulsion::tree},
                       run);
}

TEST(Steering, RepeatsNeighborEmbeddings) {
    const auto x = numbers(few, 5);
    const MatrixView<const float> points{x.data(), few, 5};
    for (const int dim : {1, 2, 3}) {
        SCOPED_TRACE(dim);
        std::vector<float> place(at(dim), 3), shift(at(dim), 0.5F);
        const std::vector<Act> acts{
            {0, 3, Verb::pin, {}, 0, {5}, place},       {0, 60, Verb::set, "momentum", 0.3, {}, {}},
            {0, 70, Verb::nudge, {}, 0, {7, 9}, shift}, {0, 70, Verb::free, {}, 0, {5}, {}},
            {0, 80, Verb::set, "theta", 0.2, {}, {}},   {0, 90, Verb::restart, {}, 0, {}, {}},
            {1, 50, Verb::finish, {}, 0, {}, {}}};
        expect_repeatable(few, acts, [&](const dunlin::Run& run) { return bytes_of(some_tsne(run, dim)); });
    }
    const std::vector<Act> umap{{0, 10, Verb::set, "repulsion-strength", 3, {}, {}},
                                {0, 20, Verb::pin, {}, 0, {0, 199}, {}},
                                {0, 30, Verb::set, "learning-rate", 0.5, {}, {}},
                                {0, 40, Verb::restart, {}, 0, {}, {}}};
    expect_repeatable(few, umap,
                      [&](const dunlin::Run& run) { return bytes_of(umap::embed(points, {.iterations = 60}, run)); });
    const std::vector<Act> pacmap{{0, 10, Verb::set, "learning-rate", 0.2, {}, {}},
                                  {0, 20, Verb::nudge, {}, 0, {1}, {4, 4}},
                                  {0, 30, Verb::restart, {}, 0, {}, {}}};
    expect_repeatable(few, pacmap, [&](const dunlin::Run& run) {
        return bytes_of(pacmap::embed(points, {.iterations = "20,20,20"}, run));
    });
}

TEST(Steering, PinnedPointsStayAndFreedOnesMove) {
    Steering steering({{0, 50, Verb::pin, {}, 0, {5, 8}, {3, -2, 7, 1}}});
    const Map pinned = steered(steering, few, [] { return some_tsne({}).map; });
    EXPECT_EQ(pinned.coordinates[10], 3);
    EXPECT_EQ(pinned.coordinates[11], -2);
    EXPECT_EQ(pinned.coordinates[16], 7);
    EXPECT_EQ(pinned.coordinates[17], 1);
    Steering freed({{0, 50, Verb::pin, {}, 0, {5}, {3, -2}}, {0, 60, Verb::free, {}, 0, {5}, {}}});
    const Map free = steered(freed, few, [] { return some_tsne({}).map; });
    EXPECT_NE(free.coordinates[10], 3);
}

TEST(Steering, FinishAndStopEndTheLoopAtTheirIteration) {
    Steering finish({{0, 33, Verb::finish, {}, 0, {}, {}}});
    const tsne::Result finished = steered(finish, few, [] { return some_tsne({}); });
    EXPECT_EQ(finished.iterations, 33);
    EXPECT_EQ(finished.stopped, Stopped::budget);
    EXPECT_TRUE(std::isfinite(finished.kl));
    EXPECT_EQ(finish.ending(), Verb::finish);
    Steering stop({{0, 33, Verb::stop, {}, 0, {}, {}}});
    const tsne::Result stopped = steered(stop, few, [] { return some_tsne({}); });
    EXPECT_EQ(stopped.iterations, 33);
    EXPECT_EQ(stopped.stopped, Stopped::cancelled);
    EXPECT_EQ(stopped.map.coordinates, finished.map.coordinates);
    EXPECT_EQ(stop.ending(), Verb::stop);
}

TEST(Steering, RepeatsLayouts) {
    const Graph graph = made::lattice(12, 10);
    using enum layout::Method;
    struct Case {
        layout::Method method;
        const char* option;
        double value;
    };
    for (const auto& [method, option, value] :
         {Case{multilevel, "stiffness", 0.1}, Case{eades, "charge", 3}, Case{fruchterman_reingold, "gravity", 0.5},
          Case{forceatlas2, "scaling", 20}}) {
        SCOPED_TRACE(std::string(name_of(method)));
        const std::vector<Act> acts{{0, 5, Verb::set, option, value, {}, {}},
                                    {0, 12, Verb::pin, {}, 0, {3}, {9, 9}},
                                    {0, 20, Verb::nudge, {}, 0, {50, 51}, {1, 0}},
                                    {0, 25, Verb::restart, {}, 0, {}, {}},
                                    {1, 10, Verb::free, {}, 0, {3}, {}}};
        expect_repeatable(graph.size(), acts, [&, kind = method](const dunlin::Run& run) {
            return bytes_of(layout::place(graph, {.method = kind, .iterations = 60, .tolerance = 0}, run));
        });
    }
    // Vertices that are pinned at the end stay where they are, up to the scale of the whole drawing
    Steering steering({{0, 12, Verb::pin, {}, 0, {3}, {9, 9}}});
    const Map map = steered(steering, graph.size(), [&] {
        return layout::place(graph, {.method = fruchterman_reingold, .iterations = 60, .tolerance = 0}).map;
    });
    EXPECT_EQ(map.coordinates[6], 9);
    EXPECT_EQ(map.coordinates[7], 9);
}

TEST(Steering, RepeatsScaling) {
    const mds::Dissimilarities items = mds::Dissimilarities::of_points(Matrix(few, 5, numbers(few, 5)));
    using enum mds::Method;
    const std::vector<Act> acts{{0, 5, Verb::pin, {}, 0, {3}, {9, 9}},
                                {0, 12, Verb::nudge, {}, 0, {50, 51}, {1, 0}},
                                {0, 14, Verb::pin, {}, 0, {4, 7}, {}}};
    for (const mds::Method method : {mds::Method::dunlin, smacof, gpu_sf}) {
        SCOPED_TRACE(std::string(name_of(method)));
        const std::optional<int> starts = method == gpu_sf ? std::nullopt : std::optional(1);
        expect_repeatable(few, acts, [&](const dunlin::Run& run) {
            return bytes_of(mds::place(items, {.method = method, .starts = starts, .iterations = 60}, run));
        });
        // Options that change, one of which holds in the next loop as well
        std::vector<Act> sets{{0, 7, Verb::set, "step", 0.4, {}, {}}, {0, 30, Verb::set, "step", 1.6, {}, {}}};
        if (method != gpu_sf) sets.push_back({0, 40, Verb::set, "tolerance", 1e-3, {}, {}});
        expect_repeatable(few, sets, [&](const dunlin::Run& run) {
            return bytes_of(mds::place(items, {.method = method, .starts = starts, .iterations = 60}, run));
        });
    }
}

TEST(Steering, ScoresOfScalingAreNotSteered) {
    const double alone = mds::simplex_stress(few, 2);
    Steering acts({{0, 3, Verb::set, "tolerance", 0.5, {}, {}}, {0, 9, Verb::finish, {}, 0, {}, {}}});
    EXPECT_EQ(steered(acts, few, [] { return mds::simplex_stress(few, 2); }), alone);
    EXPECT_EQ(acts.left(), 2);
    EXPECT_TRUE(acts.log().empty());
}

TEST(Steering, AToleranceThatIsRaisedEndsScaling) {
    const mds::Dissimilarities items = mds::Dissimilarities::of_points(Matrix(few, 5, numbers(few, 5)));
    const mds::Options options{.method = mds::Method::smacof, .starts = 1, .tolerance = 1e-9};
    const int all = mds::place(items, options).iterations;
    ASSERT_GT(all, 60);
    Steering raised({{0, 21, Verb::set, "tolerance", 0.5, {}, {}}});
    const mds::Result ended = steered(raised, few, [&] { return mds::place(items, options); });
    EXPECT_EQ(ended.iterations, 24);  // the next check
    EXPECT_EQ(ended.stopped, Stopped::converged);
    Steering wrong({{0, 21, Verb::set, "step", 2.5, {}, {}}});
    EXPECT_NE(refusal([&] {
                  steered(wrong, few, [&] { return mds::place(items, options); });
              }).find("step is 2.5; it must be above 0 and at most 2"),
              std::string::npos);
}

/// Acts when it sees maps, on the thread of the loop; another thread acts, too, at any time.
TEST(Steering, ActsOfAnyThreadAreRepeated) {
    class Actor : public live::Watcher {
    public:
        explicit Actor(Steering& steering) : steering_(steering) {}
        bool wants() override { return true; }
        void show(const live::Moment& moment) override {
            if (moment.iteration == 20) steering_.act({.verb = Verb::pin, .points = {1, 2}, .places = {1, 1, 2, 2}});
            if (moment.iteration == 30) steering_.act({.verb = Verb::set, .option = "late-exaggeration", .value = 2});
            if (moment.iteration == 55) steering_.act({.verb = Verb::free, .points = {1}});
        }

    private:
        Steering& steering_;
    };
    Steering steering;
    Actor actor(steering);
    auto watching = std::make_unique<live::Watching>(actor, few);
    std::atomic<bool> has_ended = false;
    std::thread other([&] {
        for (int i = 0; !has_ended; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            try {
                steering.act({.verb = Verb::nudge, .points = {i % few}, .places = {0.1F, 0}});
            } catch (const Error&) {  // NOLINT(bugprone-empty-catch): before the loop, or after it
            }
        }
    });
    const Bytes bytes = steered(steering, few, [] { return bytes_of(some_tsne({.threads = 2})); });
    has_ended = true;
    other.join();
    watching.reset();
    const auto log = steering.log();
    EXPECT_GE(log.size(), 3U);
    Steering again(log);
    EXPECT_EQ(steered(again, few, [] { return bytes_of(some_tsne({.threads = 1})); }), bytes);
    EXPECT_EQ(again.log(), log);
}

TEST(Steering, PausesAndSteps) {
    Steering steering;
    steering.pause();
    std::atomic<bool> has_ended = false;
    std::thread run([&] {
        steered(steering, few, [] { return some_tsne({}); });
        has_ended = true;
    });
    const auto until = [&](Offset iteration) {
        for (int i = 0; i < 5000 && !(steering.now().is_open && steering.now().iteration == iteration); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return steering.now().iteration;
    };
    EXPECT_EQ(until(0), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(steering.now().iteration, 0);
    EXPECT_TRUE(steering.now().is_paused);
    for (Offset t = 1; t <= 3; ++t) {
        steering.step();
        EXPECT_EQ(until(t), t);
    }
    EXPECT_FALSE(has_ended);
    steering.resume();
    run.join();
    EXPECT_TRUE(steering.log().empty());
}

TEST(Steering, PausedRunsCanBeCancelled) {
    Steering steering;
    steering.pause();
    std::stop_source stop;
    std::thread canceller([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        stop.request_stop();
    });
    const tsne::Result result = steered(steering, few, [&] { return some_tsne({.stop = stop.get_token()}); });
    canceller.join();
    EXPECT_EQ(result.stopped, Stopped::cancelled);
}

TEST(Steering, WarmLayoutsGoOnAfterActsAndRepeat) {
    const Graph graph = made::lattice(10, 8);
    Map start = layout::place(graph, {.iterations = 100}).map;
    for (std::size_t i = 0; i < start.coordinates.size(); i += 2) start.coordinates[i] += 40;  // far from the origin
    const auto run = [&](Steering& steering, int threads) {
        return steered(steering, graph.size(),
                       [&] { return layout::place(graph, {}, {.threads = threads}, {.start = &start}); });
    };
    // A vertex is dragged three times, each time when the layout rests
    Steering steering;
    steering.keep_warm(true);
    std::atomic<bool> has_ended = false;
    std::thread page([&] {
        for (int i = 1; i <= 4 && !has_ended;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            if (!steering.now().is_resting || steering.now().acts != i - 1) continue;
            const float x = 5.0F * static_cast<float>(i);
            steering.act(i < 4 ? Act{.verb = Verb::pin, .points = {0}, .places = {x, x}} : Act{.verb = Verb::finish});
            ++i;
        }
    });
    const layout::Result first = run(steering, 2);
    has_ended = true;
    page.join();
    EXPECT_EQ(steering.log().size(), 4U);
    EXPECT_NEAR(static_cast<double>(first.map.coordinates[0]), 15, 1e-4);  // rounding, of units of the method
    EXPECT_NEAR(static_cast<double>(first.map.coordinates[1]), 15, 1e-4);
    EXPECT_NE(first.map.coordinates[2], start.coordinates[2]);
    Steering again(steering.log());
    again.keep_warm(true, false);
    EXPECT_EQ(bytes_of(run(again, 1)), bytes_of(first));
    // Without acts nothing moves but by what separates the vertices of a given start
    Steering nothing;
    nothing.keep_warm(true, false);
    const layout::Result same = run(nothing, 1);
    for (std::size_t i = 0; i < start.coordinates.size(); ++i)
        EXPECT_NEAR(static_cast<double>(same.map.coordinates[i]), static_cast<double>(start.coordinates[i]), 1e-3);
}

/// Sees the last map.
class LastMap : public live::Watcher {
public:
    bool wants() override { return true; }
    void show(const live::Moment& moment) override { map.assign(moment.coordinates.begin(), moment.coordinates.end()); }
    std::vector<float> map;
};

TEST(Steering, LayoutsAreSeenAndMovedInTheUnitsOfTheMap) {
    const Graph graph = made::lattice(6, 5);
    Map start{2, numbers(graph.size(), 2)};
    for (float& x : start.coordinates) x = 500 + 30 * x;
    std::vector<std::uint8_t> pinned(at(graph.size()));
    pinned[2] = pinned[4] = pinned[6] = 1;
    for (const layout::Method method : {layout::Method::multilevel, layout::Method::fruchterman_reingold}) {
        SCOPED_TRACE(std::string(name_of(method)));
        Steering steering({{0, 3, Verb::pin, {}, 0, {1, 2}, {480, 510, 520, 505}}, {0, 5, Verb::free, {}, 0, {4}, {}}});
        LastMap last;
        const live::Watching watching(last, graph.size());
        const Map map = steered(steering, graph.size(), [&] {
            return layout::place(graph, {.method = method, .length = 30, .iterations = 40, .tolerance = 0}, {},
                                 {.start = &start, .pinned = pinned})
                .map;
        });
        for (std::size_t i = 0; i < map.coordinates.size(); ++i)
            EXPECT_NEAR(static_cast<double>(last.map[i]), static_cast<double>(map.coordinates[i]), 1e-3) << i;
        const auto expect_at = [&](std::size_t vertex, double x, double y) {
            EXPECT_NEAR(static_cast<double>(map.coordinates[2 * vertex]), x, 1e-3) << vertex;
            EXPECT_NEAR(static_cast<double>(map.coordinates[2 * vertex + 1]), y, 1e-3) << vertex;
        };
        expect_at(1, 480, 510);
        expect_at(2, 520, 505);                                 // pinned by the caller, moved by an act
        EXPECT_NE(map.coordinates[8], start.coordinates[8]);    // and freed by one
        EXPECT_EQ(map.coordinates[12], start.coordinates[12]);  // and left alone
    }
}

TEST(Steering, ActsThatDoNotFitAreRefused) {
    EXPECT_EQ(refusal([] { Steering({{1, 5, Verb::finish, {}, 0, {}, {}}, {0, 5, Verb::finish, {}, 0, {}, {}}}); }),
              "act 1 is earlier than the one before it");
    Steering closed;
    EXPECT_EQ(refusal([&] { closed.act({.verb = Verb::finish}); }),
              "the act finish: there is no loop over all points now");
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::pair<Act, std::string>> wrong{
        {{0, 3, Verb::set, "perplexity", 5, {}, {}}, "option perplexity cannot change now"},
        {{0, 3, Verb::set, "momentum", 1, {}, {}}, "momentum is 1; it must be at least 0 and below 1"},
        {{0, 3, Verb::set, "momentum", static_cast<double>(nan), {}, {}}, "momentum is nan"},
        {{0, 3, Verb::pin, {}, 0, {}, {}}, "it names no points"},
        {{0, 3, Verb::pin, {}, 0, {200}, {}}, "there is no point 200; the last one is 199"},
        {{0, 3, Verb::pin, {}, 0, {-1}, {}}, "there is no point -1"},
        {{0, 3, Verb::pin, {}, 0, {2, 2}, {}}, "points must ascend"},
        {{0, 3, Verb::pin, {}, 0, {2}, {1}}, "it has 1 coordinates and not 2"},
        {{0, 3, Verb::nudge, {}, 0, {2}, {1, nan}}, "a coordinate is nan"},
        {{0, 3, Verb::save, {}, 0, {}, {}}, "the loop is not warm"}};
    for (const auto& [act, sentence] : wrong) {
        Steering steering({act});
        EXPECT_NE(refusal([&] { steered(steering, few, [] { return some_tsne({}); }); }).find(sentence),
                  std::string::npos)
            << sentence;
    }
    // Of another run: it ended before
    Steering late({{0, 30, Verb::finish, {}, 0, {}, {}}, {0, 60, Verb::finish, {}, 0, {}, {}}});
    steered(late, few, [] { return some_tsne({}); });
    EXPECT_EQ(late.left(), 1);
}

class ResumedSteering : public cases::Resumed {};

TEST_F(ResumedSteering, TheLogIsInTheCheckpoint) {
    const std::vector<Act> acts{
        {0, 20, Verb::set, "longest-step", 0.5, {}, {}}, {0, 25, Verb::pin, {}, 0, {5}, {3, 3}},
        {0, 30, Verb::nudge, {}, 0, {6, 7}, {1, 0}},     {0, 40, Verb::free, {}, 0, {5}, {}},
        {0, 50, Verb::restart, {}, 0, {}, {}},           {1, 60, Verb::set, "momentum", 0.6, {}, {}}};
    expect_resumed([&](const dunlin::Run& run) {
        Steering steering(acts);
        const Bytes bytes = steered(steering, few, [&] { return bytes_of(some_tsne(run)); });
        const auto log = steering.log();
        EXPECT_LE(log.size(), acts.size());
        for (std::size_t i = 0; i < log.size(); ++i) EXPECT_EQ(log[i], acts[i]);
        return bytes;
    });
    const Graph graph = made::lattice(12, 10);
    expect_resumed([&](const dunlin::Run& run) {
        Steering steering({{0, 20, Verb::set, "stiffness", 0.2, {}, {}},
                           {0, 25, Verb::pin, {}, 0, {5, 6}, {3, 3, 4, 4}},
                           {0, 35, Verb::free, {}, 0, {5}, {}},
                           {0, 45, Verb::nudge, {}, 0, {1, 6}, {0, 1}}});
        return steered(steering, graph.size(),
                       [&] { return bytes_of(layout::place(graph, {.iterations = 80, .tolerance = 0}, run)); });
    });
}

}  // namespace
}  // namespace dunlin
