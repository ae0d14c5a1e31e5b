// SPDX-License-Identifier: Apache-2.0
// Times the neighbor search, and FAISS's flat index on the same threads:
//   bench_neighbors POINTS.npy [-k K] [-n ROWS] [-d COLUMNS] [-m METRIC] [-r REPEATS] [-t THREADS] [--faiss]
//   [--approximate] [-p PROBES] [--recall SHARE] [--codes BYTES] [--rerank TIMES]
// POINTS.npy may be "gaussian:ROWSxCOLUMNS" for points drawn by seed. With --faiss each repeat runs IndexFlatL2 as
// well, and the share of lists whose distances agree to 1e-3 is printed: float32 sums of products cannot do better.
#include <cblas.h>
#include <faiss/IndexFlat.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dunlin/io.hpp>
#include <dunlin/neighbors.hpp>
#include <string>
#include <vector>

#include "math/rng.hpp"

namespace {

using namespace dunlin;

struct Asked {
    std::string path, metric = "euclidean";
    Index k = 90, rows = 0, cols = 0;
    int repeats = 1, threads = 2, probes = 0, codes = 0, rerank = 0;
    double recall = 0;
    bool faiss = false, approximate = false;
};

Asked parse(int argc, char** argv) {
    Asked asked;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto number = [&] { return std::atoi(argv[++i]); };
        if (word == "-k")
            asked.k = number();
        else if (word == "-n")
            asked.rows = number();
        else if (word == "-d")
            asked.cols = number();
        else if (word == "-r")
            asked.repeats = number();
        else if (word == "-t")
            asked.threads = number();
        else if (word == "-m")
            asked.metric = argv[++i];
        else if (word == "--faiss")
            asked.faiss = true;
        else if (word == "--approximate")
            asked.approximate = true;
        else if (word == "-p")
            asked.probes = number();
        else if (word == "--codes")
            asked.codes = number();
        else if (word == "--rerank")
            asked.rerank = number();
        else if (word == "--recall")
            asked.recall = std::atof(argv[++i]);
        else
            asked.path = word;
    }
    return asked;
}

/// Clusters, a curved sheet and scattered points, by seed: `structure` of them interleaved; or plain noise.
Matrix draw(Index rows, Index cols, bool structure) {
    std::vector<float> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    for (Index r = 0; r < rows; ++r) {
        const auto item = static_cast<std::uint64_t>(r);
        const double u = math::random_uniform(7, item, 1), v = math::random_uniform(7, item, 2);
        for (Index c = 0; c < cols; ++c) {
            const auto draw = static_cast<std::uint64_t>(c);
            double value = math::random_normal(1, item, draw);
            if (structure && r % 20 < 12) value = 6 * math::random_normal(2, item % 977 % 40, draw) + value;
            if (structure && r % 20 >= 12 && r % 20 < 19) {
                value = 8 * std::sin(3 * u * (c + 1) / cols + c) + 8 * std::cos(2 * v * (c + 2) / cols) + 0.2 * value;
            }
            if (structure && r % 20 == 19) value *= 6;
            values[static_cast<std::size_t>(Offset{r} * cols + c)] = static_cast<float>(value);
        }
    }
    return {rows, cols, std::move(values)};
}

Matrix load(const Asked& asked) {
    int rows = 0, cols = 0;
    if (std::sscanf(asked.path.c_str(), "gaussian:%dx%d", &rows, &cols) == 2) return draw(rows, cols, false);
    if (std::sscanf(asked.path.c_str(), "structure:%dx%d", &rows, &cols) == 2) return draw(rows, cols, true);
    return io::read_points(asked.path).values;
}

Matrix part(const Matrix& all, Index rows, Index cols) {
    rows = rows > 0 ? std::min(rows, all.rows()) : all.rows();
    cols = cols > 0 ? std::min(cols, all.cols()) : all.cols();
    std::vector<float> values;
    for (Index r = 0; r < rows; ++r) {
        const auto row = all.row(r).first(static_cast<std::size_t>(cols));
        values.insert(values.end(), row.begin(), row.end());
    }
    return {rows, cols, std::move(values)};
}

struct Elapsed {
    double wall, cpu;  ///< cpu: sum over threads, less affected by other programs
};

template <class Work>
Elapsed seconds(const Work& work) {
    const auto from = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    work();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - from;
    return {wall.count(), static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

/// Fraction of rows whose lists of distances agree.
double agreement(const Graph& graph, const std::vector<float>& squares, Index found) {
    Index same = 0;
    const Index degree = static_cast<Index>(graph.offsets[1]);
    for (Index r = 0; r < graph.size(); ++r) {
        bool equal = true;
        for (Index j = 0; j < degree; ++j) {  // FAISS returns the row itself first
            const double theirs =
                std::sqrt(std::max(0.0F, squares[static_cast<std::size_t>(Offset{r} * found + j + 1)]));
            const double ours = static_cast<double>(graph.weights[static_cast<std::size_t>(Offset{r} * degree + j)]);
            equal = equal && std::abs(ours - theirs) <= 1e-3 * theirs + 1e-6;
        }
        same += equal ? 1 : 0;
    }
    return static_cast<double>(same) / graph.size();
}

}  // namespace

int bench_main(int argc, char** argv) {
    const Asked asked = parse(argc, argv);
    const Matrix all = load(asked);
    const Matrix points = asked.rows > 0 || asked.cols > 0 ? part(all, asked.rows, asked.cols) : all;
    neighbors::Options options{.k = asked.k};
    options.metric = value_named<neighbors::Metric>(asked.metric).value();
    options.method = asked.approximate ? neighbors::Method::approximate : neighbors::Method::exact;
    if (asked.probes > 0) options.probes = asked.probes;
    if (asked.recall > 0) options.recall = asked.recall;
    if (asked.rerank > 0) options.rerank = asked.rerank;
    options.codes = asked.codes;
    fmt::print("{} x {}, k {}, {}, {} threads\n", points.rows(), points.cols(), asked.k, asked.metric, asked.threads);
    for (int repeat = 0; repeat < asked.repeats; ++repeat) {
        neighbors::Result result;
        const Elapsed ours = seconds([&] { result = search(points.view(), options, {.threads = asked.threads}); });
        fmt::print("dunlin {:.3f} s (cpu {:.2f} s), recall {:.4f} +- {:.4f}, {} probes", ours.wall, ours.cpu,
                   result.recall, result.recall_se, result.probes);
        if (asked.faiss) {
            omp_set_num_threads(asked.threads);
            openblas_set_num_threads(asked.threads);  // our search limits it to one
            const Index found = asked.k + 1;
            std::vector<float> squares(static_cast<std::size_t>(points.rows()) * static_cast<std::size_t>(found));
            std::vector<faiss::Index::idx_t> ids(squares.size());
            const Elapsed theirs = seconds([&] {
                faiss::IndexFlatL2 index(points.cols());
                index.add(points.rows(), points.view().data);
                index.search(points.rows(), points.view().data, found, squares.data(), ids.data());
            });
            fmt::print("; faiss flat {:.3f} s (cpu {:.2f} s), {:.1f} (cpu {:.1f}) times ours; lists that agree {:.5f}",
                       theirs.wall, theirs.cpu, theirs.wall / ours.wall, theirs.cpu / ours.cpu,
                       agreement(result.graph, squares, found));
        }
        fmt::print("\n");
        std::fflush(stdout);
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("peak memory {:.2f} GB\n", static_cast<double>(usage.ru_maxrss) / 1e6);
    return 0;
}
