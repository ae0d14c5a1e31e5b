// SPDX-License-Identifier: Apache-2.0
#include <dunlin/layout.hpp>

#include "cases/graphs.hpp"
#include "cases/resumed.hpp"
#include "math/at.hpp"
#include "refusal.hpp"

namespace dunlin::layout {
namespace {

using cases::bytes_of;
using made::lattice;

/// Two graphs side by side.
Graph both(const Graph& a, const Graph& b) {
    Graph all = a;
    for (std::size_t v = 1; v < b.offsets.size(); ++v) all.offsets.push_back(a.edges() + b.offsets[v]);
    for (const Index target : b.targets) all.targets.push_back(target + a.size());
    all.weights.insert(all.weights.end(), b.weights.begin(), b.weights.end());
    return all;
}

class ResumedLayout : public cases::Resumed {};

TEST_F(ResumedLayout, EveryMethod) {
    const Graph graph = lattice(16, 15);
    for (const Method method : {Method::multilevel, Method::eades, Method::fruchterman_reingold, Method::forceatlas2,
                                Method::annealing, Method::stress}) {
        for (const int dim : {1, 2, 3}) {
            Options options{.method = method};
            options.dim = dim;
            options.iterations = method == Method::annealing ? 3 : 24;
            SCOPED_TRACE(std::string(name_of(method)) + std::to_string(dim));
            expect_resumed([&](const Run& run) { return bytes_of(place(graph, options, run)); });
        }
    }
}

TEST_F(ResumedLayout, DefaultsByTheTree) {
    const Graph graph = lattice(80, 30);  // coarsened, and repulsion by the tree
    Options options;
    options.iterations = 30;
    options.repulsion = Repulsion::tree;
    expect_resumed([&](const Run& run) { return bytes_of(place(graph, options, run)); });
}

TEST_F(ResumedLayout, TheInitialLayoutToo) {
    const Graph graph = lattice(90, 80);  // more than a small level: its levels are steps of the loop
    Options options;
    options.iterations = 3;
    expect_resumed([&](const Run& run) { return bytes_of(place(graph, options, run)); });
}

TEST_F(ResumedLayout, ComponentsOfAnySize) {
    const Graph graph = both(both(lattice(50, 41), lattice(5, 4)), both(lattice(45, 46), lattice(1, 2)));
    for (const Method method : {Method::multilevel, Method::forceatlas2}) {
        Options options{.method = method};
        options.iterations = 12;
        expect_resumed([&](const Run& run) { return bytes_of(place(graph, options, run)); });
    }
}

TEST_F(ResumedLayout, GivenStartPinsRadiiAndMasses) {
    const Graph graph = lattice(12, 12);
    Map start{2, {}};
    for (Index v = 0; v < graph.size(); ++v) {
        start.coordinates.push_back(static_cast<float>(v % 12));
        start.coordinates.push_back(static_cast<float>(v * v % 17));
    }
    const std::vector<float> radii(144, 0.2F), masses(144, 3);
    std::vector<std::uint8_t> pinned(144);
    pinned[0] = pinned[143] = 1;
    Options options{.method = Method::forceatlas2};
    options.iterations = 20;
    options.prevent_overlap = true;
    const Given given{.start = &start, .pinned = pinned, .radii = radii, .masses = masses};
    expect_resumed([&](const Run& run) { return bytes_of(place(graph, options, run, given)); });
    Options stress{.method = Method::stress};
    stress.iterations = 12;
    const Given from{.start = &start, .pinned = pinned};
    expect_resumed([&](const Run& run) { return bytes_of(place(graph, stress, run, from)); });
}

TEST_F(ResumedLayout, SmallGraphs) {
    for (const Index n : {1, 2, 3}) {
        const Graph graph = lattice(n, 1);
        const auto draw = [&](const Run& run) { return bytes_of(place(graph, {}, run)); };
        Run run = fresh("small.ckpt", {});
        const auto wanted = draw({});
        for (int again = 0; again < 3; ++again) EXPECT_TRUE(draw(run) == wanted), run.resume = true;
    }
    const Graph none;
    Run run = fresh("none.ckpt", {});
    EXPECT_EQ(place(none, {}, run).map.size(), 0);
}

TEST_F(ResumedLayout, AnotherGraphIsRefused) {
    Run run = fresh("a.ckpt", {});
    place(lattice(5, 5), {}, run);
    run.resume = true;
    Graph heavier = lattice(5, 5);
    heavier.weights.assign(heavier.targets.size(), 2.0F);
    const std::string why = refusal(Fault::bad_file, [&] { place(heavier, {}, run); });
    EXPECT_NE(why.find("hash of graph"), std::string::npos) << why;
}

}  // namespace
}  // namespace dunlin::layout
