// SPDX-License-Identifier: Apache-2.0
#include <dunlin/layout.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <dunlin/network.hpp>
#include <dunlin/scores.hpp>

#include "cases/graphs.hpp"
#include "data.hpp"

namespace dunlin {
namespace {

namespace fs = std::filesystem;

fs::path data(const std::string& name) { return data_folder() / "graphs" / name; }

/// A graph and the scores of sfdp of Graphviz 2.43 (overlap=true, default seed).
struct Case {
    const char* file;
    double stress, kept;
};

/// Graphs on which the default method must not be worse than sfdp in either score.
constexpr Case cases[] = {
    {"tfdp-bench/3elt.mtx.xz", 0.0570, 0.628},         {"tfdp-bench/commanche.mtx.xz", 0.0408, 0.201},
    {"tfdp-bench/1138_bus.mtx.xz", 0.0899, 0.390},     {"tfdp-bench/dwt_1005.mtx.xz", 0.0298, 0.298},
    {"tfdp-bench/crack.mtx.xz", 0.0098, 0.866},        {"tfdp-bench/fe_4elt2.mtx.xz", 0.0514, 0.452},
    {"suitesparse/USpowerGrid.mtx.xz", 0.0972, 0.259},
};

TEST(LayoutQuality, TheDefaultDrawsNoWorseThanSfdp) {
    for (const Case& c : cases) {
        if (!fs::exists(data(c.file))) GTEST_SKIP() << data(c.file) << " is not there; set DUNLIN_DATA";
        Graph graph = io::read_network(data(c.file)).graph;
        graph.weights.assign(graph.weights.size(), 1.0F);  // as given to sfdp
        const Map map = layout::place(graph, {}, {.device = Device::cpu}).map;
        EXPECT_LE(scores::scaled_stress(graph, map).value, c.stress) << c.file;
        EXPECT_GE(scores::neighborhood_preservation(graph, map).value, c.kept) << c.file;
    }
}

double apart(const Map& map, Index a, Index b) {
    return std::hypot(double{map.view()(a, 0)} - double{map.view()(b, 0)},
                      double{map.view()(a, 1)} - double{map.view()(b, 1)});
}

TEST(LayoutQuality, AStarAndAPathOfAMillionAreDrawn) {
    constexpr Index n = 1000001;
    const Map star = layout::place(made::star(n), {}, {.device = Device::cpu}).map;
    std::set<std::pair<float, float>> places;
    double farthest = 0;
    for (Index leaf = 1; leaf < n; ++leaf) {
        ASSERT_TRUE(std::isfinite(apart(star, 0, leaf)));
        farthest = std::max(farthest, apart(star, 0, leaf));
        if (leaf % 1000 == 1) places.emplace(star.view()(leaf, 0), star.view()(leaf, 1));
    }
    EXPECT_EQ(places.size(), 1000U);  // all positions are distinct
    EXPECT_GT(farthest, 1);

    const Map path = layout::place(made::path(n), {}, {.device = Device::cpu}).map;
    double length = 0;
    for (Index v = 1; v < n; ++v) length += apart(path, v - 1, v);
    EXPECT_NEAR(length / (n - 1), 1, 0.01);  // edges have the ideal length
    EXPECT_GT(apart(path, 0, n / 2), 1e4);   // and the path is unrolled, at least in part
}

TEST(LayoutQuality, AFileOfMoreThan16MillionEdgesIsReadInLessThan4Gigabytes) {
    // Edges from every vertex to the next one and the seventh after it: more than a float can count
    constexpr Index n = 9000000;
    const fs::path file = fs::temp_directory_path() / "dunlin_many_edges.txt";
    {
        std::ofstream out(file);
        std::string text;
        for (Index v = 0; v < n; ++v) {
            const std::string from = std::to_string(v) + ' ';
            if (v + 1 < n) text += from + std::to_string(v + 1) + '\n';
            if (v + 7 < n) text += from + std::to_string(v + 7) + '\n';
            if (v % 100000 == 0 || v + 1 == n) out << text, text.clear();
        }
    }
    const io::Network network = io::read_network(file);
    fs::remove(file);
    EXPECT_EQ(network.graph.size(), n);
    EXPECT_EQ(network.graph.edges() / 2, 2 * Offset{n} - 8);
    EXPECT_EQ(network.multi_edges + network.self_loops, 0);
    EXPECT_EQ(network.graph.targets.back(), n - 2);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    EXPECT_LT(used.ru_maxrss, 4000000) << "KiB";  // valid if this test is a separate process, as under ctest
}

}  // namespace
}  // namespace dunlin
