// SPDX-License-Identifier: Apache-2.0
// Multidimensional scaling on a GPU or a CPU, from points in host memory to a map there, after a first call that makes
// the context.
//
//   bench_mds_gpu [--commit NAME] [--runs N] [--seed N] [--device cpu|cuda] [--data DIR] [CASE...]
//
// A CSV row per case: seconds (median of the runs) of all and of its stages, iterations, and normalized_stress, over
// all pairs or with its standard error. Real data are read from DIR (default: DUNLIN_DATA); points
// are normalized before the clock runs. A case is also METHOD:CASE, which is the CASE's items by another method. `graph
// FILE` compares the paths of landmarks with those of all vertices; `steps` prints what a single step and a single
// SMACOF iteration take.

#include <dunlin/io.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/network.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "cases/points.hpp"
#include "mds/sgd/epoch.cuh"
#include "mds/smacof/pull.cuh"
#include "mds/start.cuh"
#include "progress/stopwatch.hpp"
#include "timing.hpp"

namespace {

using namespace dunlin;
using mds::Dissimilarities;
using mds::Method;
using mds::Normalize;

struct Case {
    std::string name;
    std::function<Dissimilarities()> items;
    mds::Options options = {};
};

Dissimilarities points_of(Index n, Index cols, const std::function<void(Offset, float*)>& row) {
    std::vector<float> x(static_cast<std::size_t>(Offset{n} * cols));
    device::Cpu().each(n, [&](Offset i) { row(i, x.data() + i * cols); });
    return Dissimilarities::of_points(Matrix(n, cols, std::move(x)));
}

/// Two of eight columns are the coordinates of a square grid.
Dissimilarities grid(Index n) {
    const auto side = static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(n))));
    return points_of(n, 8, [side](Offset i, float* row) {
        row[0] = static_cast<float>(i % side) / static_cast<float>(side);
        row[2] = static_cast<float>(i / side) / static_cast<float>(side);
    });
}

Dissimilarities mixture(Index n, Index cols, int classes) {
    return points_of(n, cols, [cols, classes](Offset i, float* row) { made::blob(i, cols, row, classes); });
}

Dissimilarities matrix(Index n) {
    const Dissimilarities items = mixture(n, 10, 20);
    const auto x = items.values().view();
    std::vector<float> delta(static_cast<std::size_t>(Offset{n} * n));
    device::Cpu().each(n, [&](Offset i) {
        for (Index j = 0; j < n; ++j) {
            float d2 = 0;
            for (Index c = 0; c < x.cols; ++c) {
                const float apart = x(static_cast<Index>(i), c) - x(j, c);
                d2 += apart * apart;
            }
            delta[static_cast<std::size_t>(i * n + j)] = std::sqrt(d2);
        }
    });
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(delta)));
}

mds::Options with(Method method, mds::Start start, std::optional<int> iterations = {}) {
    mds::Options o{.method = method, .start = start, .iterations = iterations};
    if (method == Method::smacof && iterations) o.tolerance = 0;
    return o;
}

std::vector<Case> table(const std::string& data) {
    using mds::Start;
    const auto table_of = [data](const std::string& file, const std::string& labels) {
        return [data, file, labels] {
            return Dissimilarities::of_points(io::read_points(data + "/" + file, {.labels = labels}).values,
                                              {.normalize = Normalize::minmax});
        };
    };
    const auto mnist = [data] {
        return Dissimilarities::of_points(io::read_points(data + "/mnist/train-images-idx3-ubyte.gz").values);
    };
    const auto large = table_of("shuttle/shuttle_train_43500x9.csv.xz", "");
    const auto small = table_of("shuttle/shuttle_test_14500x9.csv.xz", "");
    const auto blobs = [](Index n, Index cols, int classes) { return [=] { return mixture(n, cols, classes); }; };
    std::vector<Case> cases{
        {"cancer", table_of("breast-cancer/breast_cancer_original_683x9.csv", "Class")},
        {"shuttle-43500", large},
        {"shuttle-43500-random", large, with(Method::dunlin, Start::random)},
        {"shuttle-43500-60", large, with(Method::dunlin, Start::automatic, 60)},
        {"shuttle-14500", small},
        {"mnist-60000", mnist},
        {"mnist-60000-long", mnist, with(Method::dunlin, Start::automatic, 3000)},
        {"mnist-60000-random", mnist, with(Method::dunlin, Start::random)},
        {"mixture-60000x64", blobs(60000, 64, 20)},
        {"mixture-60000x64-long", blobs(60000, 64, 20), with(Method::dunlin, Start::automatic, 3000)},
        {"mixture-10M", blobs(10000000, 8, 1000)},
        {"mixture-10M-long", blobs(10000000, 8, 1000), with(Method::dunlin, Start::automatic, 1000)}};
    for (const Index n : {1000, 10000, 50000, 200000})
        cases.push_back({"grid-" + std::to_string(n), [n] { return grid(n); }, with(Method::dunlin, Start::random)});
    for (const Index n : {500, 1000, 2000, 5000, 10000, 20000})
        cases.push_back({"blobs-" + std::to_string(n), blobs(n, 9, 20)});
    for (const Index n : {200, 500, 1000, 2000, 5000})
        cases.push_back(
            {"smacof-" + std::to_string(n), [n] { return matrix(n); }, with(Method::smacof, Start::automatic, 200)});
    cases.push_back({"smacof-points-5000", blobs(5000, 10, 20), with(Method::smacof, Start::automatic, 200)});
    return cases;
}

/// The case of this name, or METHOD:NAME.
std::optional<Case> find(const std::vector<Case>& cases, const std::string& name) {
    const std::size_t colon = name.find(':');
    const std::string items = colon == std::string::npos ? name : name.substr(colon + 1);
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.name == items; });
    if (found == cases.end()) return {};
    Case one = *found;
    one.name = name;
    const auto methods = names(Method{});
    const auto method = std::find(methods.begin(), methods.end(), name.substr(0, colon));
    if (colon != std::string::npos && method == methods.end()) return {};
    if (colon != std::string::npos) one.options = {.method = static_cast<Method>(method - methods.begin())};
    return one;
}

void measure(const Case& one, const bench::Arguments& given, std::uint64_t seed) {
    const Dissimilarities items = one.items();
    const Run run{.device = given.device, .seed = seed};
    std::vector<double> all, start, optimize;
    mds::Result result;
    for (int r = 0; r < given.runs; ++r) {
        progress::Stopwatch watch;
        result = mds::place(items, one.options, run);
        all.push_back(watch.lap());
        start.push_back(result.seconds["start"]);
        optimize.push_back(result.seconds["optimize"]);
    }
    progress::Stopwatch watch;
    const scores::Score stress = mds::stress(items, result.map, {.exact_rows = 100000}).normalized_stress;
    std::printf("%s,%s,%d,%d,%s,%s,%llu,%d,%.5f,%.5f,%.5f,%.5f,%d,%s,%.6g,%.2g,%.4f,%.3f\n", given.commit.c_str(),
                one.name.c_str(), items.size(), items.values().cols(), result.device == Device::cuda ? "cuda" : "cpu",
                std::string(name_of(one.options.method)).c_str(), static_cast<unsigned long long>(seed), given.runs,
                bench::median(all), *std::max_element(all.begin(), all.end()), bench::median(start),
                bench::median(optimize), result.iterations, std::string(name_of(result.stopped)).c_str(), stress.value,
                stress.se, watch.lap(), static_cast<double>(result.gpu_memory) / 1e9);
    std::fflush(stdout);
}

double microseconds_of(device::Cuda& cuda, int count, const std::function<void(int)>& step) {
    step(0);
    cuda.wait();
    progress::Stopwatch watch;
    for (int t = 1; t <= count; ++t) step(t);
    cuda.wait();
    return 1e6 * watch.lap() / count;
}

void time_steps() {
    std::printf("step,items,columns,us\n");
    const auto relax = [](const Dissimilarities& items) {
        device::Cuda cuda{Run{}};
        const mds::DeviceSource source(cuda, items);
        auto configuration = mds::empty_configuration(cuda, items.size(), 2);
        mds::place_at_random(cuda, source, configuration, 1);
        const double us = microseconds_of(cuda, 100, [&](int t) {
            const auto shuffle = math::Permutation::of(items.size(), 1, static_cast<std::uint64_t>(t));
            mds::sgd_epoch(cuda, source, configuration, {nullptr, items.size()}, shuffle, 0.1F);
        });
        std::printf("relax,%d,%d,%.2f\n", items.size(), items.values().cols(), us);
    };
    const auto pull = [](const Dissimilarities& items) {
        device::Cuda cuda{Run{}};
        const mds::DeviceSource source(cuda, items);
        auto configuration = mds::empty_configuration(cuda, items.size(), 2);
        mds::place_at_random(cuda, source, configuration, 1);
        const double us = microseconds_of(
            cuda, 100, [&](int) { mds::pull_all(cuda, mds::CudaItems{&source, nullptr}, configuration); });
        std::printf("%s,%d,%d,%.2f\n", items.has_points() ? "pull" : "pull-matrix", items.size(), items.values().cols(),
                    us);
    };
    for (const Index n : {1000, 43500, 200000, 1000000, 10000000}) relax(mixture(n, n == 43500 ? 9 : 8, 20));
    for (const Index cols : {64, 784}) relax(mixture(60000, cols, 20));
    relax(matrix(5000));
    for (const Index n : {1000, 5000, 20000}) {
        pull(matrix(n));
        pull(mixture(n, 10, 20));
    }
    pull(mixture(20000, 784, 20));
}

/// All distances of on-demand dissimilarities.
Dissimilarities whole(const Dissimilarities& items) {
    device::Cpu cpu;
    const Index n = items.size();
    const mds::Source source(cpu, items);
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    source.request(cpu, rows, {});
    std::vector<float> values(static_cast<std::size_t>(Offset{n} * n));
    source.tile(rows, 0, n, values.data(), n);
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(values)));
}

/// Shortest paths of a graph: those of landmarks alone, and all as a matrix; a seed each run.
void time_graph(const std::string& file, const bench::Arguments& given) {
    const Graph graph = io::read_network(file, {.weights_from = "none"}).graph;
    progress::Stopwatch watch;
    const Dissimilarities matrix = whole(Dissimilarities::of_graph(graph));
    const double all_paths = watch.lap();
    struct Way {
        std::vector<double> seconds, stress;
    } fed, placed, paged;
    const auto judge = [&](Way& way, double seconds, const Map& map) {
        way.seconds.push_back(seconds);
        way.stress.push_back(mds::stress(matrix, map).normalized_stress.value);
    };
    double share = 0;
    for (int r = 0; r < given.runs; ++r) {
        const Dissimilarities items = Dissimilarities::of_graph(graph), same = Dissimilarities::of_graph(graph);
        const auto seed = static_cast<std::uint64_t>(r + 1);
        watch.lap();
        const mds::Result few = mds::place(items, {}, {.device = Device::cpu, .seed = seed});
        judge(fed, watch.lap(), few.map);
        watch.lap();
        const mds::Result there = mds::place(same, {}, {.device = given.device, .seed = seed});
        judge(placed, watch.lap(), there.map);
        watch.lap();
        const mds::Result all = mds::place(matrix, {}, {.device = given.device, .seed = seed});
        judge(paged, watch.lap(), all.map);
        share = items.usage().share;
    }
    const auto row = [&](const char* name, const Way& way, double more_seconds, double of_pairs) {
        const auto [least, most] = std::minmax_element(way.stress.begin(), way.stress.end());
        std::printf("%s,%s,%d,%s,%d,%.4f,%.4f,%.6g,%.6g\n", given.commit.c_str(), file.c_str(), matrix.size(), name,
                    given.runs, bench::median(way.seconds) + more_seconds, of_pairs, *least, *most);
    };
    std::printf("commit,graph,vertices,way,runs,median_s,share_of_pairs,least_stress,most_stress\n");
    row("fed", fed, 0, share);
    row("fed and placed on the device", placed, 0, share);
    row("matrix", paged, 0, 1);
    row("all paths and matrix", paged, all_paths, 1);
}

/// An idle GPU needs a second to reach its clock rate.
void warm_up(Device device) {
    const Dissimilarities items = mixture(20000, 64, 20);
    progress::Stopwatch watch;
    for (double seconds = 0; seconds < 2; seconds += watch.lap())
        mds::stress(items, mds::place(items, {}, {.device = device}).map, {}, {.device = device});
}

}  // namespace

int bench_main(int argc, char** argv) {
    std::uint64_t seed = 1;
    const bench::Arguments given = bench::arguments_from(
        argc, argv, {"--commit", "--runs", "--device", "--data"}, 5,
        {{"--seed", [&](const std::string& number) { seed = std::strtoull(number.c_str(), nullptr, 10); }}});
    warm_up(given.device);
    if (given.cases == std::vector<std::string>{"steps"}) return time_steps(), 0;
    if (given.cases.size() == 2 && given.cases[0] == "graph") return time_graph(given.cases[1], given), 0;
    std::printf(
        "commit,case,items,columns,device,method,seed,runs,median_s,max_s,start_s,optimize_s,iterations,stopped,"
        "normalized_stress,se,stress_s,gpu_gb\n");
    const std::vector<Case> cases = table(given.data + "/points");
    std::vector<std::string> wanted = given.cases;
    if (wanted.empty())
        std::transform(cases.begin(), cases.end(), std::back_inserter(wanted), std::mem_fn(&Case::name));
    for (const std::string& name : wanted) {
        const std::optional<Case> one = find(cases, name);
        if (!one) return std::fprintf(stderr, "no case %s\n", name.c_str()), 2;
        measure(*one, given, seed);
    }
    return 0;
}
