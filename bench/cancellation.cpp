// SPDX-License-Identifier: Apache-2.0
// How soon every stage answers a stop, and how long it is silent.
//   bench_cancellation [--runs N] [--device cpu|cuda] [CASE...]
// Each case is run once to its end (or its time limit), timing the gaps between calls of on_progress, the first one
// from the start and the last one to the end; then N times (default 5) with a stop requested at an even share of that
// time. Prints CSV: case, seconds of the whole run, largest gap, and the largest and the median time from the request
// to the return. Cases are sized so that each takes more than half a second on two cores. DUNLIN_DEVICE=cuda is
// --device cuda.
#include <dunlin/components.hpp>
#include <dunlin/error.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/mixture.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/overlap.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "arguments.hpp"

using namespace dunlin;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Inputs

/// n rows around `blobs` centers.
Matrix points_of(Index n, Index cols, int blobs = 50) {
    std::mt19937_64 random(7);
    std::normal_distribution<float> normal;
    std::vector<float> centers(static_cast<std::size_t>(blobs) * static_cast<std::size_t>(cols));
    for (float& value : centers) value = 4 * normal(random);
    std::vector<float> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(cols));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t row = i / static_cast<std::size_t>(cols), column = i % static_cast<std::size_t>(cols);
        values[i] =
            centers[row % static_cast<std::size_t>(blobs) * static_cast<std::size_t>(cols) + column] + normal(random);
    }
    return {n, cols, std::move(values)};
}

Matrix sparse_points(Index n, Index cols) {
    Matrix dense = points_of(n, cols);
    std::mt19937_64 random(8);
    std::vector<float> values(dense.view().data, dense.view().data + dense.view().size());
    for (float& value : values) value = random() % 100 == 0 ? value : 0;
    return {n, cols, std::move(values)};
}

Map map_of(Index n, int dim = 2) {
    const Matrix points = points_of(n, dim);
    return {dim, std::vector<float>(points.view().data, points.view().data + points.view().size())};
}

/// A grid of side x side vertices.
Graph grid_of(Index side) {
    Graph graph;
    graph.offsets = {0};
    for (Index i = 0; i < side * side; ++i) {
        const Index row = i / side, column = i % side;
        if (row > 0) graph.targets.push_back(i - side);
        if (column > 0) graph.targets.push_back(i - 1);
        if (column + 1 < side) graph.targets.push_back(i + 1);
        if (row + 1 < side) graph.targets.push_back(i + side);
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    graph.weights.assign(graph.targets.size(), 1);
    return graph;
}

// Measuring

using Work = std::function<void(const Run&)>;

struct Case {
    std::string name;
    std::function<Work()> prepare;  ///< makes the inputs, outside the time
};

struct Whole {
    double seconds = 0, gap = 0;
};

/// A stop after `after` seconds, from another thread, unless the work ends before.
class Alarm {
public:
    Alarm(std::stop_source& source, double after)
        : thread_([this, &source, after] {
              std::unique_lock lock(mutex_);
              if (ended_.wait_for(lock, std::chrono::duration<double>(after), [this] { return over_; })) return;
              requested_ = Clock::now();
              source.request_stop();
          }) {}
    ~Alarm() { end(); }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;

    /// When the stop was requested; the epoch: never.
    Clock::time_point end() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        ended_.notify_all();
        if (thread_.joinable()) thread_.join();
        return requested_;
    }

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    Clock::time_point requested_{};
    std::thread thread_;
};

constexpr double longest = 6;  ///< seconds of a whole run

Whole run_whole(const Work& work, Run run) {
    std::stop_source source;
    run.stop = source.get_token();
    Clock::time_point last = Clock::now();
    Whole whole;
    run.on_progress = [&](const Progress&) {
        whole.gap = std::max(whole.gap, seconds_since(last));
        last = Clock::now();
    };
    const Clock::time_point begin = last;
    Alarm alarm(source, longest);
    work(run);
    whole.seconds = seconds_since(begin);
    whole.gap = std::max(whole.gap, seconds_since(last));
    return whole;
}

/// Seconds from the request to the return; 0 if the work was done before.
double latency(const Work& work, Run run, double after) {
    std::stop_source source;
    run.stop = source.get_token();
    Alarm alarm(source, after);
    work(run);
    const Clock::time_point now = Clock::now(), requested = alarm.end();
    return requested == Clock::time_point{} ? 0 : std::chrono::duration<double>(now - requested).count();
}

// Cases

template <class Options>
std::string name_of_method(Options options) {
    return std::string(name_of(options));
}

void add_searches(std::vector<Case>& cases) {
    const auto add = [&](const std::string& name, const auto& points, neighbors::Options options) {
        cases.push_back({"neighbors " + name, [=]() -> Work {
                             return [data = points(), options](const Run& run) {
                                 neighbors::search(data.view(), options, run);
                             };
                         }});
    };
    using neighbors::Method;
    add("exact", [] { return points_of(30000, 100); }, {.k = 30, .method = Method::exact});
    add("exact of 3 columns", [] { return points_of(400000, 3); }, {.k = 30, .method = Method::exact});
    add("exact of sparse rows", [] { return sparse_points(8000, 2000); }, {.k = 30, .method = Method::exact});
    add("inner-product", [] { return points_of(12000, 200); },
        {.k = 30, .metric = neighbors::Metric::inner_product, .method = Method::exact});
    add("manhattan", [] { return points_of(12000, 100); }, {.k = 30, .metric = neighbors::Metric::manhattan});
    add("approximate", [] { return points_of(100000, 100); }, {.k = 30, .method = Method::approximate});
    add("codes", [] { return points_of(60000, 64); }, {.k = 10, .method = Method::approximate, .codes = 16});
}

void add_tsne(std::vector<Case>& cases) {
    cases.push_back({"tsne affinities", []() -> Work {
                         const Matrix points = points_of(60000, 10);
                         Graph graph = neighbors::search(points.view(), {.k = 90}).graph;
                         return [graph = std::move(graph)](const Run& run) { tsne::affinities(graph, 30, run); };
                     }});
    cases.push_back({"tsne whole", []() -> Work {
                         return [points = points_of(20000, 60)](const Run& run) {
                             tsne::embed(points.view(), {.iterations = 100}, run);
                         };
                     }});
    cases.push_back({"tsne wide pca", []() -> Work {
                         return [points = points_of(8000, 1500)](const Run& run) {
                             tsne::embed(points.view(), {.pca = 50, .iterations = 20}, run);
                         };
                     }});
    for (const auto& [repulsion, n, dim] :
         {std::tuple(tsne::Repulsion::exact, Index{15000}, 2), std::tuple(tsne::Repulsion::tree, Index{300000}, 2),
          std::tuple(tsne::Repulsion::grid, Index{600000}, 2), std::tuple(tsne::Repulsion::grid, Index{100000}, 3)}) {
        cases.push_back({"tsne " + std::string(name_of(repulsion)) + " in " + std::to_string(dim), [=]() -> Work {
                             const Matrix points = points_of(n, 2);
                             const Graph graph = neighbors::search(points.view(), {.k = 30}).graph;
                             Graph affinities = tsne::affinities(graph, 10);
                             return [affinities, start = map_of(n, dim), repulsion, dim](const Run& run) {
                                 tsne::embed(affinities, start, {.dim = dim, .iterations = 200, .repulsion = repulsion},
                                             run);
                             };
                         }});
    }
}

void add_kmeans(std::vector<Case>& cases) {
    using namespace kmeans;
    const auto add = [&](const std::string& name, Index n, Index cols, const Options& options) {
        cases.push_back({"kmeans " + name, [=]() -> Work {
                             return [points = points_of(n, cols), options](const Run& run) {
                                 cluster(points.view(), options, run);
                             };
                         }});
    };
    add("plusplus", 400000, 30, {.clusters = 500, .iterations = 2, .stop = Rule::never});
    add("parallel", 400000, 30, {.clusters = 500, .start = Start::parallel, .iterations = 2, .stop = Rule::never});
    add("lloyd", 400000, 30, {.clusters = 500, .start = Start::random, .iterations = 30, .stop = Rule::never});
    add("sequential", 60000, 30,
        {.clusters = 50, .start = Start::random, .iterations = 30, .method = Method::sequential});
    for (const Criterion criterion : {Criterion::bic, Criterion::silhouette}) {
        cases.push_back({"kmeans up to by " + std::string(name_of(criterion)), [=]() -> Work {
                             return [points = points_of(60000, 30), criterion](const Run& run) {
                                 choose(points.view(), 30, criterion, {.clusters = 20}, run);
                             };
                         }});
    }
    cases.push_back({"kmeans assign", []() -> Work {
                         return [points = points_of(1000000, 30), centroids = points_of(1000, 30)](const Run& run) {
                             assign(points.view(), centroids.view(), Metric::euclidean, run);
                         };
                     }});
    for (const auto covariance : {mixture::Covariance::diagonal, mixture::Covariance::full}) {
        cases.push_back({"mixture " + std::string(name_of(covariance)), [=]() -> Work {
                             return [points = points_of(200000, 20), covariance](const Run& run) {
                                 mixture::fit(points.view(), {.components = 20, .covariance = covariance}, run);
                             };
                         }});
    }
}

void add_layout(std::vector<Case>& cases) {
    const std::vector<std::pair<layout::Method, Index>> sizes = {{layout::Method::multilevel, 500},
                                                                 {layout::Method::eades, 300},
                                                                 {layout::Method::fruchterman_reingold, 300},
                                                                 {layout::Method::forceatlas2, 300},
                                                                 {layout::Method::annealing, 60},
                                                                 {layout::Method::stress, 100},
                                                                 {layout::Method::stress, 300}};
    for (const auto& [method, side] : sizes) {
        cases.push_back({"layout " + std::string(name_of(method)) + " of " + std::to_string(side * side),
                         [method = method, side = side]() -> Work {
                             return [graph = grid_of(side), method](const Run& run) {
                                 layout::place(graph, {.method = method}, run);
                             };
                         }});
    }
    cases.push_back({"layout overlap", []() -> Work {
                         return [map = map_of(40000)](const Run& run) {
                             Map copy = map;
                             const std::vector<float> radii(static_cast<std::size_t>(map.size()), 0.05F);
                             layout::remove_overlaps(copy, radii, 0, run);
                         };
                     }});
}

void add_mds(std::vector<Case>& cases) {
    using mds::Method;
    const std::vector<std::pair<Method, Index>> sizes = {
        {Method::dunlin, 6000},    {Method::smacof, 4000},   {Method::classical, 5000},
        {Method::landmark, 60000}, {Method::pivot, 60000},   {Method::stochastic, 4000},
        {Method::gpu_sf, 4000},    {Method::glimmer, 20000}, {Method::hybrid, 6000}};
    for (const auto& [method, n] : sizes) {
        cases.push_back({"mds " + std::string(name_of(method)), [method = method, n = n]() -> Work {
                             const auto items = mds::Dissimilarities::of_points(points_of(n, 60));
                             return [items, method](const Run& run) { mds::place(items, {.method = method}, run); };
                         }});
    }
    cases.push_back({"mds smacof ordinal", []() -> Work {
                         const auto items = mds::Dissimilarities::of_points(points_of(1500, 20));
                         return [items](const Run& run) {
                             mds::place(items, {.method = Method::smacof, .transform = mds::Transform::ordinal}, run);
                         };
                     }});
    cases.push_back({"mds paths of a graph", []() -> Work {
                         return [graph = grid_of(150)](const Run& run) {
                             mds::place(mds::Dissimilarities::of_graph(graph, run), {.landmarks = 500}, run);
                         };
                     }});
    cases.push_back({"mds stress", []() -> Work {
                         const auto items = mds::Dissimilarities::of_points(points_of(20000, 60));
                         return [items, map = map_of(20000)](const Run& run) { mds::stress(items, map, {}, run); };
                     }});
    cases.push_back({"mds stress per point", []() -> Work {
                         const auto items = mds::Dissimilarities::of_points(points_of(20000, 60));
                         return [items, map = map_of(20000)](const Run& run) {
                             mds::stress_per_point(items, map, {}, run);
                         };
                     }});
}

void add_scores(std::vector<Case>& cases) {
    cases.push_back({"score of points", []() -> Work {
                         const Matrix points = points_of(20000, 60);
                         Graph graph = neighbors::search(points.view(), {.k = 30}).graph;
                         return [points, affinities = tsne::affinities(graph, 10), map = map_of(20000)](
                                    const Run& run) { scores::evaluate(map, points.view(), affinities, {}, {}, run); };
                     }});
    cases.push_back({"score of a drawing", []() -> Work {
                         return [graph = grid_of(140), map = map_of(140 * 140)](const Run& run) {
                             scores::evaluate(graph, map, {}, run);
                         };
                     }});
    cases.push_back({"components", []() -> Work {
                         return [drawn = grid_of(2000)](const Run& run) { graph::components(drawn, run); };
                     }});
}

void add_pictures(std::vector<Case>& cases) {
    for (const std::string format : {"png", "svg", "html"}) {
        const auto path = std::filesystem::temp_directory_path() / ("bench_cancellation." + format);
        const Index n = format == "png" ? 4000000 : 500000;
        cases.push_back({"picture " + format, [=]() -> Work {
                             return [map = map_of(n), path](const Run& run) {
                                 picture::draw(path, map, {}, {}, {}, run);
                                 std::filesystem::remove(path);
                             };
                         }});
    }
    cases.push_back({"picture of a graph", []() -> Work {
                         const auto path = std::filesystem::temp_directory_path() / "bench_cancellation.graph.png";
                         return [graph = grid_of(700), map = map_of(700 * 700), path](const Run& run) {
                             picture::draw(path, graph, map, {}, {}, {}, run);
                             std::filesystem::remove(path);
                         };
                     }});
}

}  // namespace

int bench_main(int count, char** words) {
    bench::Arguments given = bench::arguments_from(count, words, {"--runs", "--device"}, 5);
    const char* device = std::getenv("DUNLIN_DEVICE");
    bool named = false;
    for (int i = 1; i < count; ++i) named = named || std::string(words[i]) == "--device";
    const bool cuda = named ? given.device == Device::cuda : device != nullptr && std::string(device) == "cuda";
    const Run run{.device = cuda ? Device::cuda : Device::cpu};
    std::vector<Case> cases;
    add_searches(cases);
    add_tsne(cases);
    add_kmeans(cases);
    add_layout(cases);
    add_mds(cases);
    add_scores(cases);
    add_pictures(cases);
    std::puts("case,seconds,largest_gap,largest_latency,median_latency");
    for (const Case& one : cases) {
        if (!given.wants(one.name)) continue;
        try {
            const Work work = one.prepare();
            const Whole whole = run_whole(work, run);
            std::vector<double> latencies;
            for (int r = 0; r < given.runs; ++r) {
                latencies.push_back(latency(work, run, std::min(whole.seconds, longest) * (r + 0.5) / given.runs));
            }
            std::sort(latencies.begin(), latencies.end());
            std::printf("%s,%.2f,%.3f,%.3f,%.3f\n", one.name.c_str(), whole.seconds, whole.gap, latencies.back(),
                        latencies[latencies.size() / 2]);
        } catch (const Error& error) {
            std::printf("%s,,,,%s\n", one.name.c_str(), error.what());
        }
        std::fflush(stdout);
    }
    return 0;
}
