// Layouts: one step on a GPU against one on a CPU, and the same bytes for each run.
#include <dunlin/layout.hpp>
#include <dunlin/scores.hpp>

#include "agree/agree.hpp"
#include "device/cpu.hpp"

namespace dunlin::layout {
namespace {

/// An undirected simple graph: n vertices with about this many edges each; every 17th vertex lists no edges of its own.
Graph simple(Index n, Index degree) {
    std::vector<made::Edge> edges;
    const Graph some = agree::some_graph(n, degree);
    for (Index i = 0; i < n; ++i) {
        for (Offset e = some.offsets[static_cast<std::size_t>(i)]; e < some.offsets[static_cast<std::size_t>(i) + 1];
             ++e) {
            edges.push_back({i, some.targets[static_cast<std::size_t>(e)]});
        }
    }
    return made::graph_of(n, edges);
}

/// Radii of 0.1 to 0.3, for methods that use them.
Result run(const Graph& graph, Options options, Device device, int iterations) {
    options.iterations = iterations;
    std::vector<float> radii;
    for (Index v = 0; v < graph.size(); ++v) radii.push_back(0.1F + 0.1F * static_cast<float>(v % 3));
    return place(graph, options, {.device = device}, {.radii = radii});
}

/// Difference of two results of a step, relative to the longest move.
void expect_one_step(const Graph& graph, const Options& options, double tolerance) {
    const auto y = [&](Device device, int iterations) {
        return run(graph, options, device, iterations).map.coordinates;
    };
    const std::vector<float> start = y(Device::cpu, 0), expected = y(Device::cpu, 1), found = y(Device::cuda, 1);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_EQ(start, y(Device::cuda, 0));
    double longest = 0, off = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        longest = std::max(longest, std::abs(double(expected[i]) - double(start[i])));
        off = std::max(off, std::abs(double(expected[i]) - double(found[i])));
    }
    EXPECT_LE(off, tolerance * longest) << names(Method{})[static_cast<std::size_t>(options.method)] << ", "
                                        << graph.size() << " vertices, " << options.dim << "-D";
    EXPECT_EQ(found, y(Device::cuda, 1));
}

constexpr Method methods[] = {Method::eades, Method::fruchterman_reingold, Method::forceatlas2};

TEST(LayoutOnGpu, OneStepIsTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const Method method : methods) {
        for (const int dim : {1, 2, 3}) {
            for (const Index n : {0, 1, 2, 31, 32, 33, 1000}) {
                expect_one_step(simple(n, 4), {.method = method, .dim = dim, .repulsion = Repulsion::exact}, 1e-3);
                expect_one_step(simple(n, 4), {.method = method, .dim = dim, .repulsion = Repulsion::tree}, 2e-2);
            }
        }
    }
}

TEST(LayoutOnGpu, OneStepOfDiscsIsTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const bool linlog : {false, true}) {
        for (const int dim : {1, 2, 3}) {
            const auto sizes = agree::only_small() ? std::vector<Index>{2, 33, 300}
                                                   : std::vector<Index>{0, 1, 2, 31, 32, 33, 1000, 20001};
            for (const Index n : sizes) {
                if (dim == 1 && n > 1000) continue;  // the initial layout of a line, too, is the device's own
                const Options options{
                    .method = Method::forceatlas2, .dim = dim, .linlog = linlog, .prevent_overlap = true};
                expect_one_step(simple(n, 4), options, 1e-3);
            }
        }
    }
}

TEST(LayoutOnGpu, OneStepOfGivenMassesAndDistributedActionIsTheCpus) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = simple(1000, 4);
    std::vector<float> masses;
    for (Index v = 0; v < 1000; ++v) masses.push_back(0.5F + static_cast<float>(v % 9));
    const auto y = [&](Device device, bool distributed) {
        return place(graph, {.method = Method::forceatlas2, .iterations = 1, .distributed_action = distributed},
                     {.device = device}, {.masses = masses})
            .map.coordinates;
    };
    for (const bool distributed : {false, true})
        EXPECT_LT(agree::relative_error(y(Device::cuda, distributed), y(Device::cpu, distributed)), 1e-3);
    EXPECT_NE(y(Device::cuda, false), y(Device::cuda, true));
}

TEST(LayoutOnGpu, MapsOnALineScoreAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = made::lattice(40, 250);  // above the level that is always placed on the CPU
    for (const Method method : {Method::multilevel, Method::stress}) {
        const auto on = [&](Device device) {
            return place(graph, {.method = method, .dim = 1}, {.device = device}).map;
        };
        const Map expected = on(Device::cpu), found = on(Device::cuda);
        EXPECT_EQ(found.dim, 1);
        EXPECT_NEAR(scores::scaled_stress(graph, found).value, scores::scaled_stress(graph, expected).value, 0.02);
        EXPECT_EQ(found.coordinates, on(Device::cuda).coordinates);
    }
    for (const Method method : {Method::annealing, Method::eades}) {
        const Map found = place(made::lattice(10, 10), {.method = method, .dim = 1}, {.device = Device::cuda}).map;
        EXPECT_EQ(found.coordinates.size(), 100U);
        for (const float x : found.coordinates) EXPECT_TRUE(std::isfinite(x));
    }
}

TEST(LayoutOnGpu, OneStepIsTheCpusOnManyVertices) {
    DUNLIN_NEEDS_GPU();
    for (const Method method : methods) {
        expect_one_step(simple(70001, 4), {.method = method, .repulsion = Repulsion::exact}, 1e-3);
        expect_one_step(simple(70001, 4), {.method = method, .repulsion = Repulsion::tree}, 2e-2);
        expect_one_step(made::star(1000001), {.method = method, .repulsion = Repulsion::tree}, 2e-2);
    }
}

TEST(LayoutOnGpu, CoincidentVerticesComeApartAndPinnedOnesStay) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = simple(1000, 3);
    const Map start{2, std::vector<float>(2000, 5.0F)};
    std::vector<std::uint8_t> pinned(1000, 0);
    pinned[17] = 1;
    for (const Method method : methods) {
        const Result r = place(graph, {.method = method, .iterations = 100}, {.device = Device::cuda},
                               {.start = &start, .pinned = pinned});
        EXPECT_EQ(r.map.coordinates[34], 5.0F);
        EXPECT_EQ(r.map.coordinates[35], 5.0F);
        for (const float x : r.map.coordinates) ASSERT_TRUE(std::isfinite(x));
        EXPECT_NE(r.map.coordinates[0], r.map.coordinates[2]);
    }
}

TEST(LayoutOnGpu, TheSameSeedGivesTheSameBytes) {
    DUNLIN_NEEDS_GPU();
    for (const Method method : methods) {
        for (const Index n : {1000, 30000}) {
            const Graph graph = simple(n, 3);
            EXPECT_EQ(run(graph, {.method = method}, Device::cuda, 60).map.coordinates,
                      run(graph, {.method = method}, Device::cuda, 60).map.coordinates);
        }
    }
}

double stress(const Graph& graph, const Result& result) { return scores::scaled_stress(graph, result.map).value; }

TEST(LayoutOnGpu, WholeDrawingsScoreAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Graph& graph : {made::lattice(60, 40), made::lattice(300, 200), simple(20000, 3)}) {
        for (const int dim : {2, 3}) {
            double cpu = 0, cuda = 0;  // of three seeds
            for (const std::uint64_t seed : {1U, 2U, 3U}) {
                cpu += stress(graph, place(graph, {.dim = dim}, {.device = Device::cpu, .seed = seed}));
                cuda += stress(graph, place(graph, {.dim = dim}, {.device = Device::cuda, .seed = seed}));
            }
            EXPECT_NEAR(cuda, cpu, 0.02 * cpu + 3e-3) << graph.size() << " vertices, " << dim << "-D";
        }
    }
}

TEST(LayoutOnGpu, MultilevelGivesTheSameBytes) {
    DUNLIN_NEEDS_GPU();
    for (const Graph& graph :
         {simple(0, 3), simple(2, 3), made::lattice(60, 40), made::star(100001), made::lattice(300, 200)}) {
        const Map one = place(graph, {}, {.device = Device::cuda}).map;
        EXPECT_EQ(one.coordinates, place(graph, {}, {.device = Device::cuda}).map.coordinates) << graph.size();
        for (const float x : one.coordinates) ASSERT_TRUE(std::isfinite(x));
    }
}

TEST(LayoutOnGpu, MultilevelContinuesFromAStart) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = made::lattice(60, 40);
    const Map start = place(graph, {}, {.device = Device::cpu, .seed = 5}).map;
    const double cpu = stress(graph, place(graph, {}, {.device = Device::cpu}, {.start = &start}));
    const double cuda = stress(graph, place(graph, {}, {.device = Device::cuda}, {.start = &start}));
    EXPECT_NEAR(cuda, cpu, 0.02 * cpu + 1e-3);
}

TEST(LayoutOnGpu, ForceAtlas2ScoresAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = made::lattice(30, 20);
    const Map start = place(graph, {}, {.device = Device::cpu}).map;
    const std::vector<float> radii(static_cast<std::size_t>(graph.size()), 1.0F);
    for (const bool discs : {false, true}) {
        const auto score = [&](Device device) {
            const Options options{.method = Method::forceatlas2, .prevent_overlap = discs};
            return stress(graph, place(graph, options, {.device = device}, {.start = &start, .radii = radii}));
        };
        const double cpu = score(Device::cpu);
        EXPECT_NEAR(score(Device::cuda), cpu, 0.02 * cpu) << (discs ? "discs" : "points");
    }
}

/// From the initial layout, from a start, and with pinned vertices.
TEST(LayoutOnGpu, StressScoresAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Graph& graph :
         {made::lattice(2, 1), made::lattice(11, 3), made::lattice(40, 25), made::star(1001), made::lattice(140, 90)}) {
        if (agree::only_small() && graph.size() > 100) continue;
        for (const int dim : {2, 3}) {
            const Options options{.method = Method::stress, .dim = dim};
            const Result cpu = place(graph, options, {.device = Device::cpu}),
                         cuda = place(graph, options, {.device = Device::cuda});
            EXPECT_NEAR(stress(graph, cuda), stress(graph, cpu), 0.02 * stress(graph, cpu) + 1e-4)
                << graph.size() << " vertices, " << dim << "-D";
            EXPECT_EQ(cuda.map.coordinates, place(graph, options, {.device = Device::cuda}).map.coordinates);
            EXPECT_EQ(cuda.device, Device::cuda);

            std::vector<std::uint8_t> pinned(static_cast<std::size_t>(graph.size()), 0);
            pinned[0] = 1;
            const auto from_start = [&](Device device) {
                return place(graph, options, {.device = device}, {.start = &cpu.map, .pinned = pinned});
            };
            const Result again = from_start(Device::cuda);
            EXPECT_NEAR(stress(graph, again), stress(graph, from_start(Device::cpu)), 0.02 * stress(graph, cpu) + 1e-4);
            EXPECT_EQ(again.map.coordinates[0], cpu.map.coordinates[0]);
        }
    }
}

/// Above the limit for all pairs: over pivots, from the default's map.
TEST(LayoutOnGpu, StressOfManyVerticesScoresAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) return;
    const Graph graph = made::lattice(340, 300);
    const Options options{.method = Method::stress, .iterations = 10};
    const double cpu = stress(graph, place(graph, options, {.device = Device::cpu}));
    EXPECT_NEAR(stress(graph, place(graph, options, {.device = Device::cuda})), cpu, 0.02 * cpu);
}

TEST(LayoutOnGpu, AnnealingEndsAsLowAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    const bool few = agree::only_small();
    for (const Index n : few ? std::vector<Index>{2, 33} : std::vector<Index>{0, 1, 2, 31, 32, 33, 300}) {
        for (const int dim : {2, 3}) {
            Options options{.method = Method::annealing, .dim = dim};
            if (few) options.moves = 2;
            if (dim == 2 && n <= 33) options.crossing = 1.0F;
            const Graph graph = simple(n, 3);
            const int stages = few ? 2 : 20;
            const Result cpu = run(graph, options, Device::cpu, stages),
                         cuda = run(graph, options, Device::cuda, stages);
            // Moves with a tiny change of the cost may be accepted on one device only
            EXPECT_NEAR(cuda.cost, cpu.cost, 0.05 * std::abs(cpu.cost) + 1e-3) << n << ", " << dim << "-D";
            EXPECT_EQ(cuda.map.coordinates, run(graph, options, Device::cuda, stages).map.coordinates);
        }
    }
}

TEST(LayoutOnGpu, EadesConvergesOnADenseGraph) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = simple(256, 7);
    const Result r = place(graph, {.method = Method::eades}, {.device = Device::cuda});
    EXPECT_EQ(r.stopped, Stopped::converged);
    EXPECT_LT(r.kinetic_energy, double(*r.options.tolerance));
}

TEST(LayoutOnGpu, EadesConvergesAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = simple(200, 2);
    const Result cpu = place(graph, {.method = Method::eades}, {.device = Device::cpu});
    const Result cuda = place(graph, {.method = Method::eades}, {.device = Device::cuda});
    EXPECT_EQ(cuda.stopped, cpu.stopped);
    EXPECT_EQ(cuda.device, Device::cuda);
    if (cpu.stopped == Stopped::converged) {
        EXPECT_LT(cuda.kinetic_energy, double(*cuda.options.tolerance));
    }
}

}  // namespace
}  // namespace dunlin::layout
