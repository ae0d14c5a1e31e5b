#include <dunlin/layout.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <dunlin/metrics.hpp>
#include <dunlin/network.hpp>

namespace dunlin {
namespace {

namespace fs = std::filesystem;

fs::path data(const std::string& name) {
    const char* folder = std::getenv("DUNLIN_DATA");
    return fs::path(folder != nullptr ? folder : DUNLIN_DEFAULT_DATA) / "graphs" / name;
}

/// A graph and what Graphviz 2.43's sfdp scores on it (overlap=true, its seed).
struct Case {
    const char* file;
    double stress, kept;
};

/// Where the default method is to be no worse than sfdp in either score.
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
        graph.weights.assign(graph.weights.size(), 1.0F);  // as sfdp saw it
        const Map map = layout::place(graph, {}, {.device = Device::cpu}).map;
        EXPECT_LE(metrics::scaled_stress(graph, map).value, c.stress) << c.file;
        EXPECT_GE(metrics::neighborhood_preservation(graph, map).value, c.kept) << c.file;
    }
}

}  // namespace
}  // namespace dunlin
