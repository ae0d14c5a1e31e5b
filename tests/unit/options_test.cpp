// SPDX-License-Identifier: Apache-2.0
// The lists of options: what follows from them, and that the options in a result reproduce it.
#include <gtest/gtest.h>

#include <dunlin/kmeans.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/mixture.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/tsne.hpp>

#include "cases/graphs.hpp"
#include "math/rng.hpp"
#include "options/check.hpp"
#include "refusal.hpp"

namespace dunlin {
namespace {

enum class Engine3 { fast, slow, other };
constexpr std::array<std::string_view, 3> names(Engine3) { return {"fast", "slow", "other"}; }

struct Some {
    Engine3 engine = Engine3::fast;
    int count = 3;
    std::optional<float> share = {};
    std::optional<int> depth = {};
    bool careful = false;
};

template <class Visit>
void fields(Visit&& visit, Some& o) {
    visit(field("engine", o.engine, "how"));
    visit(field("count", o.count, "how many").at_least(1).at_most(9));
    visit(field("share", o.share, "of all")
              .above(0)
              .below(1)
              .read(when("engine", o.engine, {Engine3::slow, Engine3::other}))
              .otherwise(0.5F)
              .otherwise(0.25F, when("engine", o.engine, {Engine3::other})));
    visit(field("depth", o.depth, "how deep").at_least(0).by_rule("count * 2"));
    visit(field("careful", o.careful, "with care").read(when("engine", o.engine, {Engine3::slow})));
}

std::string refused(const Some& options) {
    return refusal(Fault::bad_input, [&] { options::check(options); });
}

TEST(OptionsList, RangesAreChecked) {
    EXPECT_EQ(refused({}), "");
    EXPECT_EQ(refused({.count = 0}), "count is 0; it must be from 1 to 9");
    EXPECT_EQ(refused({.engine = Engine3::slow, .share = 1.0F}), "share is 1; it must be above 0 and below 1");
    EXPECT_EQ(refused({.depth = -1}), "depth is -1; it must be at least 0");
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refused({.engine = Engine3::slow, .share = nan}), "");
    EXPECT_EQ(refused({.engine = Engine3::slow, .share = 0.3F, .careful = true}), "");
}

TEST(OptionsList, AnOptionThatIsNotReadIsRefusedWithTheChoiceThatReadsIt) {
    EXPECT_EQ(
        refused({.share = 0.3F}),
        "share is 0.3, but it is read only with engine slow, other, and engine is fast; leave share out or choose "
        "another engine");
    EXPECT_NE(refused({.careful = true}), "");
    EXPECT_NE(refused({.engine = Engine3::other, .careful = true}), "");
}

TEST(OptionsList, DefaultsAreSettledAndWhatIsNotReadIsTakenBack) {
    Some fast{.share = 0.3F, .careful = true};
    options::settle(fast);
    EXPECT_FALSE(fast.share || fast.careful);
    Some slow{.engine = Engine3::slow}, other{.engine = Engine3::other}, given{.engine = Engine3::slow, .share = 0.9F};
    options::settle(slow);
    options::settle(other);
    options::settle(given);
    EXPECT_EQ(*slow.share, 0.5F);
    EXPECT_EQ(*other.share, 0.25F);
    EXPECT_EQ(*given.share, 0.9F);
    EXPECT_FALSE(slow.depth);  // by a rule in code
}

TEST(OptionsList, FieldsAreDescribedInWords) {
    const std::vector<FieldText> all = described_fields<Some>();
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all[0].values, "fast|slow|other");
    EXPECT_EQ(all[0].fallback, "fast");
    EXPECT_EQ(all[1].values, "from 1 to 9");
    EXPECT_EQ(all[1].fallback, "3");
    EXPECT_EQ(all[2].values, "above 0 and below 1");
    EXPECT_EQ(all[2].fallback, "0.25 with engine other, else 0.5");
    EXPECT_EQ(all[2].readers, "engine slow, other");
    EXPECT_EQ(all[3].fallback, "count * 2");
    EXPECT_EQ(all[4].fallback, "off");
}

template <class Options>
void expect_sound(std::string_view what) {
    std::vector<std::string> seen;
    for (const FieldText& text : described_fields<Options>()) {
        EXPECT_FALSE(text.name.empty() || text.help.empty()) << what;
        EXPECT_TRUE(std::find(seen.begin(), seen.end(), text.name) == seen.end()) << what << " has two " << text.name;
        EXPECT_EQ(text.help.find("default"), std::string::npos) << what << ": help of " << text.name;
        seen.push_back(text.name);
    }
    EXPECT_EQ(refusal(Fault::bad_input, [] { options::check(Options{}); }), "") << what;
}

TEST(OptionsList, EveryListHasNamesOnceAndDefaultsInRange) {
    expect_sound<tsne::Options>("tsne");
    expect_sound<neighbors::Options>("neighbors");
    expect_sound<kmeans::Options>("kmeans");
    expect_sound<mixture::Options>("mixture");
    expect_sound<layout::Options>("layout");
    expect_sound<mds::Options>("mds");
    expect_sound<mds::StressOptions>("mds stress");
    expect_sound<scores::Options>("metrics");
    expect_sound<scores::LayoutOptions>("metrics of layouts");
    expect_sound<picture::Options>("picture");
    expect_sound<dunlin::Run>("run");
}

// --- options in results

std::vector<float> numbers(Offset count, std::uint64_t seed = 3) {
    std::vector<float> values;
    for (Offset i = 0; i < count; ++i)
        values.push_back(static_cast<float>(math::random_uniform(seed, static_cast<std::uint64_t>(i))));
    return values;
}

TEST(Outcome, ResolvedOptionsOfNeighborsGiveTheSameGraph) {
    for (const Index n : {1, 2, 300, 3000}) {
        const std::vector<float> values = numbers(Offset{n} * 9);
        const MatrixView<const float> points{values.data(), n, 9};
        for (const auto method : {neighbors::Method::automatic, neighbors::Method::approximate}) {
            const auto first = neighbors::search(points, {.k = 7, .method = method}, {.threads = 2});
            const auto again = neighbors::search(points, first.options, {.threads = 1});
            EXPECT_EQ(first.graph.targets, again.graph.targets) << n;
            EXPECT_EQ(first.graph.weights, again.graph.weights) << n;
            EXPECT_NE(first.options.method, neighbors::Method::automatic);
        }
    }
}

TEST(Outcome, ResolvedOptionsOfClustersGiveTheSameClusters) {
    const std::vector<float> values = numbers(4000);
    const MatrixView<const float> points{values.data(), 1000, 4};
    for (const auto stop : {kmeans::Rule::shift, kmeans::Rule::inertia, kmeans::Rule::never}) {
        const auto first = kmeans::cluster(points, {.clusters = 5, .iterations = 20, .stop = stop}, {.threads = 2});
        const auto again = kmeans::cluster(points, first.options, {.threads = 2});
        EXPECT_EQ(first.labels, again.labels);
        EXPECT_EQ(first.inertia, again.inertia);
        EXPECT_EQ(first.gpu_memory, 0U);
        EXPECT_TRUE(first.gpus.empty());
    }
    const auto first = mixture::fit(points, {.components = 3}, {.threads = 2});
    EXPECT_EQ(first.variances, mixture::fit(points, first.options, {.threads = 2}).variances);
}

/// A ring of n vertices, and a path of the others.
Graph ring_and_path(Index n, Index others) {
    std::vector<made::Edge> edges;
    for (Index v = 0; v < n; ++v) edges.push_back({v, (v + 1) % n});
    for (Index v = n + 1; v < n + others; ++v) edges.push_back({v - 1, v});
    return made::graph_of(n + others, edges);
}

TEST(Outcome, ResolvedOptionsOfLayoutsGiveTheSameDrawing) {
    using enum layout::Method;
    for (const auto method : {multilevel, eades, fruchterman_reingold, forceatlas2, annealing, stress}) {
        for (const Index others : {0, 40}) {
            const Graph graph = ring_and_path(60, others);
            const auto first = layout::place(graph, {.method = method}, {.threads = 2});
            const auto again = layout::place(graph, first.options, {.threads = 2});
            EXPECT_EQ(first.map.coordinates, again.map.coordinates) << name_of(method) << others;
        }
    }
    const Graph graph = ring_and_path(60, 0);
    const auto first = layout::place(graph, {.method = fruchterman_reingold, .area = 7.0F}, {.threads = 2});
    EXPECT_EQ(first.map.coordinates, layout::place(graph, first.options, {.threads = 2}).map.coordinates);
    EXPECT_EQ(layout::place(graph).options.repulsion, layout::Repulsion::exact);
}

TEST(Outcome, ResolvedOptionsOfScalingGiveTheSameMap) {
    using enum mds::Method;
    const auto items = mds::Dissimilarities::of_points(Matrix(200, 5, numbers(1000)));
    for (const auto method : {dunlin, smacof, classical, landmark, pivot, stochastic, gpu_sf, glimmer, hybrid}) {
        const auto first = mds::place(items, {.method = method}, {.threads = 2});
        const auto again = mds::place(items, first.options, {.threads = 2});
        EXPECT_EQ(first.map.coordinates, again.map.coordinates) << name_of(method);
        EXPECT_TRUE(first.varies_because.empty());
    }
    const auto called = mds::Dissimilarities::of_callback(20, [](auto i, auto j, auto out) {
        for (std::size_t p = 0; p < out.size(); ++p) out[p] = static_cast<float>(std::abs(i[p] - j[p]));
    });
    EXPECT_FALSE(mds::place(called, {}).varies_because.empty());
}

TEST(Outcome, AStoppedRunSaysThatItMayVary) {
    const std::vector<float> values = numbers(4000);
    std::stop_source source;
    source.request_stop();
    const auto result = tsne::embed({values.data(), 1000, 4}, {}, {.stop = source.get_token()});
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_FALSE(result.varies_because.empty());
}

TEST(Outcome, SeveralGpusAndCheckpointsAreRefusedWhereTheyAreNotBuilt) {
    const std::vector<float> values = numbers(40);
    const MatrixView<const float> points{values.data(), 10, 4};
    EXPECT_NE(
        refusal(Fault::bad_input, [&] { layout::place(ring_and_path(10, 0), {}, {.gpus = {0, 1}}); }).find("layout"),
        std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { tsne::embed(points, {}, {.gpus = {0, 1}, .checkpoint = "a"}); })
                  .find("checkpoint"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { mixture::fit(points, {}, {.checkpoint = "a"}); }).find("checkpoint"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { tsne::embed(points, {}, {.gpus = {-1}}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { tsne::embed(points, {}, {.threads = -1}); }), "");
}

}  // namespace
}  // namespace dunlin
