// SPDX-License-Identifier: Apache-2.0
#include <dunlin/live.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <dunlin/layout.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/page.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "cases/graphs.hpp"
#include "cases/result_bytes.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin {
namespace {

using cases::bytes_of;
using Bytes = std::vector<std::byte>;

/// Wants every `every`-th map, and keeps what it saw.
class Recorder : public live::Watcher {
public:
    explicit Recorder(int every = 1) : every_(every) {}

    bool wants() override { return asked++ % every_ == 0; }
    void show(const live::Moment& moment) override {
        iterations.push_back(moment.iteration);
        dim = moment.dim;
        last.assign(moment.coordinates.begin(), moment.coordinates.end());
    }

    std::vector<Offset> iterations;
    std::vector<float> last;
    int dim = 0, asked = 0;

private:
    int every_;
};

std::vector<float> numbers(Index n, Index cols) {
    std::vector<float> x(at(Offset{n} * cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(math::random_normal(3, i));
    return x;
}

/// The bytes are those of an unwatched run, maps come in the order of their iterations, and they are whole.
void expect_watchable(Index n, const std::function<Bytes()>& run) {
    const Bytes unwatched = run();
    for (const int every : {1, 7}) {
        Recorder recorder(every);
        {
            const live::Watching watching(recorder, n);
            EXPECT_EQ(run(), unwatched);
        }
        EXPECT_GE(std::ssize(recorder.iterations), 2);
        EXPECT_EQ(recorder.last.size(), at(Offset{n} * recorder.dim));
        for (const float y : recorder.last) ASSERT_TRUE(std::isfinite(y));
    }
    Recorder recorder;
    const live::Watching of_others(recorder, n + 1);
    EXPECT_EQ(run(), unwatched);
    EXPECT_EQ(recorder.asked, 0);
}

TEST(Watching, NeighborEmbeddings) {
    const Index n = 300;
    const auto x = numbers(n, 5);
    const MatrixView<const float> points{x.data(), n, 5};
    for (const int dim : {1, 2, 3}) {
        SCOPED_TRACE(dim);
        expect_watchable(n, [&] {
            return bytes_of(
                tsne::embed(points, {.dim = dim, .perplexity = 10, .iterations = 60, .exaggerated_iterations = 20}));
        });
    }
    expect_watchable(n, [&] { return bytes_of(umap::embed(points, {.iterations = 60})); });
    expect_watchable(n, [&] { return bytes_of(pacmap::embed(points, {.iterations = "20,20,20"})); });
}

TEST(Watching, MapsAreThoseOfTheIterations) {
    const Index n = 60;
    const auto x = numbers(n, 4);
    const auto run = [&](int iterations) {
        return tsne::embed({x.data(), n, 4}, {.perplexity = 5, .iterations = iterations, .exaggerated_iterations = 10})
            .map.coordinates;
    };
    Recorder recorder;
    const live::Watching watching(recorder, n);
    const auto whole = run(30);
    EXPECT_EQ(recorder.last, whole);
    ASSERT_EQ(std::ssize(recorder.iterations), 31);
    for (int t = 0; t <= 30; ++t) EXPECT_EQ(recorder.iterations[at(t)], t);
    const auto shorter = run(17);
    EXPECT_EQ(recorder.last, shorter);
}

TEST(Watching, InnerScopesHoldAndEnd) {
    const Index n = 40;
    const auto x = numbers(n, 3);
    const auto run = [&] {
        return tsne::embed({x.data(), n, 3}, {.perplexity = 5, .iterations = 5, .exaggerated_iterations = 2});
    };
    Recorder outer, inner;
    {
        const live::Watching watching(outer, n);
        {
            const live::Watching also(inner, n);
            run();
        }
        EXPECT_EQ(outer.asked, 0);
        EXPECT_GT(inner.asked, 0);
        const int asked = inner.asked;
        run();
        EXPECT_GT(outer.asked, 0);
        EXPECT_EQ(inner.asked, asked);
    }
    const int asked = outer.asked;
    run();
    EXPECT_EQ(outer.asked, asked);
}

TEST(Watching, Layouts) {
    const Graph graph = made::lattice(15, 12);
    using enum layout::Method;
    for (const layout::Method method : {multilevel, stress, eades, fruchterman_reingold, forceatlas2, annealing}) {
        SCOPED_TRACE(std::string(name_of(method)));
        expect_watchable(graph.size(), [&] {
            return bytes_of(layout::place(graph, {.method = method, .iterations = method == annealing ? 4 : 40}));
        });
    }
    expect_watchable(graph.size(), [&] { return bytes_of(layout::place(graph, {.dim = 1, .iterations = 40})); });
}

TEST(Watching, ComponentsAreSeenInTheMapOfAll) {
    // A lattice, and a pair that no edge joins to it
    Graph graph = made::lattice(50, 45);  // small components are placed side by side, unseen
    const Index n = graph.size();
    graph.offsets.insert(graph.offsets.end(), {graph.edges() + 1, graph.edges() + 2});
    graph.targets.insert(graph.targets.end(), {n + 1, n});
    if (!graph.weights.empty()) graph.weights.insert(graph.weights.end(), {1, 1});
    const Bytes unwatched = bytes_of(layout::place(graph, {.iterations = 30}));
    Recorder recorder;
    const live::Watching watching(recorder, graph.size());
    EXPECT_EQ(bytes_of(layout::place(graph, {.iterations = 30})), unwatched);
    ASSERT_EQ(recorder.last.size(), at(Offset{graph.size()} * 2));
    EXPECT_TRUE(std::isfinite(recorder.last[0]));
    EXPECT_TRUE(std::isnan(recorder.last.back()));
}

TEST(Watching, Scaling) {
    const Index n = 250;
    const mds::Dissimilarities items = mds::Dissimilarities::of_points(Matrix(n, 5, numbers(n, 5)));
    using enum mds::Method;
    const auto one = [](mds::Method method) {
        return method == mds::Method::dunlin || method == smacof ? std::optional(1) : std::nullopt;
    };
    for (const mds::Method method : {mds::Method::dunlin, smacof, stochastic, gpu_sf, glimmer}) {
        SCOPED_TRACE(std::string(name_of(method)));
        expect_watchable(n, [&] {
            return bytes_of(mds::place(items, {.method = method, .starts = one(method), .iterations = 60}));
        });
    }
    expect_watchable(
        n, [&] { return bytes_of(mds::place(items, {.dim = 4, .method = smacof, .starts = 1, .iterations = 60})); });
}

template <class T>
T read_at(const std::string& bytes, std::size_t place) {
    T value;
    std::memcpy(&value, bytes.data() + place, sizeof(T));
    return value;
}

TEST(MovingFrames, HaveThePlacesInTheOrderOfThePage) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Map map{2, {0, 0, 10, 5, nan, nan}};
    const picture::MovingBox box = picture::box_around(map.view(), {});
    EXPECT_DOUBLE_EQ(box.step * 65534, 12);  // a tenth of 10 is free on either side
    EXPECT_DOUBLE_EQ(box.origin[0], -1);
    EXPECT_DOUBLE_EQ(box.origin[1], 2.5 - 6);
    const std::vector<Index> rows{2, 1, 0};
    const auto frames = picture::moving_frames(map.view(), rows, box, {7, 120, 1.5});
    ASSERT_EQ(frames.size(), 1U);
    const std::string& frame = frames[0];
    ASSERT_EQ(frame.size(), 64U + 12 + 10);
    EXPECT_EQ(frame.substr(0, 4), "DUNL");
    EXPECT_EQ(frame[5], 6);
    EXPECT_EQ(frame[6], 1);
    EXPECT_EQ(frame[7], 2);
    EXPECT_EQ(read_at<std::uint32_t>(frame, 8), 7U);
    EXPECT_EQ(read_at<std::uint32_t>(frame, 12), 120U);
    EXPECT_EQ(read_at<std::uint32_t>(frame, 20), 3U);
    EXPECT_EQ(read_at<double>(frame, 24), 1.5);
    EXPECT_EQ(read_at<double>(frame, 32), box.origin[0]);
    EXPECT_EQ(read_at<double>(frame, 56), box.step);
    EXPECT_EQ(read_at<std::uint16_t>(frame, 64), 65535);
    EXPECT_EQ(read_at<std::uint16_t>(frame, 66), 65535);
    for (std::size_t p = 1; p < 3; ++p) {
        for (std::size_t c = 0; c < 2; ++c) {
            const double x = box.origin[c] + box.step * read_at<std::uint16_t>(frame, 64 + 4 * p + 2 * c);
            EXPECT_NEAR(x, static_cast<double>(map.coordinates[2 * at(rows[p]) + c]), box.step / 2 * 1.0001);
        }
    }
    // the box of the two points that have a place, and that one has none
    for (std::size_t c = 0; c < 2; ++c) {
        EXPECT_EQ(read_at<std::uint16_t>(frame, 76 + 2 * c), read_at<std::uint16_t>(frame, 72 + 2 * c));
        EXPECT_EQ(read_at<std::uint16_t>(frame, 80 + 2 * c), read_at<std::uint16_t>(frame, 68 + 2 * c));
    }
    EXPECT_EQ(read_at<std::uint16_t>(frame, 84), 1);
}

TEST(MovingFrames, HaveABoxWithoutPointsWhereNoneHasAPlace) {
    const Map map{3, std::vector<float>(6, std::numeric_limits<float>::quiet_NaN())};
    const auto frames =
        picture::moving_frames(map.view(), std::vector<Index>{0, 1}, picture::box_around(map.view(), {}), {1, 0, 0});
    ASSERT_EQ(frames.size(), 1U);
    ASSERT_EQ(frames[0].size(), 64U + 12 + 14);
    for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(read_at<std::uint16_t>(frames[0], 76 + 2 * c), 65535);
        EXPECT_EQ(read_at<std::uint16_t>(frames[0], 82 + 2 * c), 0);
    }
    EXPECT_EQ(read_at<std::uint16_t>(frames[0], 88), 1);
}

TEST(MovingFrames, TheBoxStaysUntilTheMapLeavesItOrShrinks) {
    const picture::MovingBox box = picture::box_around(Map{2, {0, 0, 10, 10}}.view(), {});
    const auto is_kept = [&](const Map& map) {
        const picture::MovingBox next = picture::box_around(map.view(), box);
        return next.origin == box.origin && next.step == box.step;
    };
    EXPECT_TRUE(is_kept({2, {-0.5F, 0, 10.5F, 9}}));
    EXPECT_FALSE(is_kept({2, {-1.5F, 0, 10, 10}}));
    EXPECT_FALSE(is_kept({2, {4, 4, 5, 5}}));
}

TEST(MovingFrames, OfOtherDimensionsAndNumbersOfPoints) {
    const std::vector<Index> one{0};
    for (const int dim : {1, 2, 3, 5}) {
        const Map map{dim, std::vector<float>(at(dim), 3.0F)};
        const picture::MovingBox box = picture::box_around(map.view(), {});
        EXPECT_GT(box.step, 0);
        const auto frames = picture::moving_frames(map.view(), one, box, {1, 0, 0});
        ASSERT_EQ(frames.size(), 1U);
        EXPECT_EQ(frames[0].size(), 64U + (dim == 3 ? 6 + 14 : 4 + 10));
        const std::size_t end = frames[0].size() - 2, axes = dim == 3 ? 3 : 2;
        for (std::size_t c = 0; c < axes; ++c) {  // the point's own
            EXPECT_EQ(read_at<std::uint16_t>(frames[0], 64 + 2 * c),
                      read_at<std::uint16_t>(frames[0], end - 4 * axes + 2 * c));
            EXPECT_EQ(read_at<std::uint16_t>(frames[0], 64 + 2 * c),
                      read_at<std::uint16_t>(frames[0], end - 2 * axes + 2 * c));
        }
        EXPECT_EQ(read_at<std::uint16_t>(frames[0], end), 0);
        EXPECT_EQ(frames[0][6], dim == 3 ? 3 : 1);
    }
    EXPECT_TRUE(
        picture::moving_frames(Map{2, {}}.view(), {}, picture::box_around(Map{2, {}}.view(), {}), {1, 0, 0}).empty());
    Map many{2, std::vector<float>(2 * 262145)};
    for (std::size_t i = 0; i < many.coordinates.size(); ++i) many.coordinates[i] = static_cast<float>(i % 977);
    std::vector<Index> rows(262145);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
    const auto frames = picture::moving_frames(many.view(), rows, picture::box_around(many.view(), {}), {1, 0, 0});
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0][6], 0);
    EXPECT_EQ(frames[1][6], 1);
    EXPECT_EQ(read_at<std::uint32_t>(frames[1], 16), 262144U);
    EXPECT_EQ(picture::moving_frames(many.view(), rows, picture::box_around(many.view(), {}), {1, 0, 0}, 3), frames);
    many.coordinates.front() = std::numeric_limits<float>::quiet_NaN(), many.coordinates.back() = -5;
    const picture::MovingBox alone = picture::box_around(many.view(), {}),
                             together = picture::box_around(many.view(), {}, 3);
    EXPECT_DOUBLE_EQ(alone.step * 65534, 1.2 * 981);
    EXPECT_EQ(together.origin, alone.origin);
    EXPECT_EQ(together.step, alone.step);
}

}  // namespace
}  // namespace dunlin
