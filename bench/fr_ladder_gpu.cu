// SPDX-License-Identifier: Apache-2.0
// Fruchterman and Reingold's iteration, by the four programs of "CUDA Force-directed Graph Drawing" (He and Jin) and by
// Dunlin's: all by all on one core, on more cores, on a GPU with a thread for every vertex, and Barnes and Hut's tree.
//
//   bench_fr_ladder_gpu [--commit NAME] [--data DIR] [--threads 1,2,4,..] [GRAPH...]
//
// A CSV row for every graph, program and number of threads: milliseconds of an iteration (forces, step, cooling; median
// of several from where 50 iterations lead), and the error of the repulsion at 64 vertices against all pairs in double.
// The first two programs compute the rows of a sample where all would take long; `rows` says how many, and the time is
// scaled up. Graphs are made with exactly the counts of their table; real ones are read from DIR.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <dunlin/network.hpp>

#include "arguments.hpp"
#include "cases/graphs.hpp"
#include "forces/attraction/springs.cuh"
#include "forces/attraction/springs.hpp"
#include "layout/cuda_repeller.cuh"
#include "layout/fruchterman_reingold.hpp"
#include "layout/repeller.hpp"
#include "timing.hpp"

namespace {

using namespace dunlin;
using device::Cpu;
using device::Cuda;
using forces::QuadraticSpring;
using Law = forces::InversePower<1>;
using Clock = std::chrono::steady_clock;

constexpr float theta = 1;  // the paper's value
constexpr int settle_iterations = 50;
constexpr Offset max_pairs = 500'000'000;  // of the two plain programs, by each core

struct Case {
    std::string name;
    std::function<Graph()> graph;
};

Case read(const std::string& name, const std::string& path) {
    return {name, [=] {
                Graph graph;
                if (std::filesystem::exists(path)) {
                    graph = io::read_network(path).graph;
                    graph.weights.assign(graph.weights.size(), 1.0F);
                }
                return graph;
            }};
}

/// data: the folder of real graphs.
std::vector<Case> table(const std::string& data) {
    return {{"test", [] { return made::power_law_graph(200, 199); }},
            read("physicians", data + "/social/physicians_edges.csv.xz"),
            read("wiki-vote", data + "/snap/wiki-Vote.txt.xz"),
            {"wiki-vote-counts", [] { return made::power_law_graph(8340, 103722); }},
            {"gowalla-counts", [] { return made::power_law_graph(196591, 950327); }},
            {"texas-counts", [] { return made::road_graph(1379917, 1921660); }},
            {"hyves-counts", [] { return made::power_law_graph(1402673, 2777419); }}};
}

std::vector<float> random_start(Index n) {
    std::vector<float> y;
    for (Offset i = 0; i < 2 * Offset{n}; ++i) {
        y.push_back(static_cast<float>(std::sqrt(n) * (math::random_uniform(1, static_cast<std::uint64_t>(i)) - 0.5)));
    }
    return y;
}

/// An iteration of the descent, for any program that computes the forces.
template <class Exec>
struct Descent {
    layout::Drawing<Exec> drawing;
    typename Exec::template Cell<layout::Temperature> temperature;

    Descent(Exec& exec, const std::vector<float>& y)
        : drawing(layout::drawing_at(exec, std::span<const float>(y), 2, std::vector<std::uint8_t>(y.size() / 2, 0))) {
        exec.set(temperature, layout::Temperature{0.1F, 0.99F, 0});
    }
    void step(Exec& exec) {
        exec.each(drawing.n, layout::CooledStep<2>{layout::vertices<2>(drawing), exec.address(temperature)});
        exec.each(1, layout::Cool{exec.address(temperature)});
    }
};

// The plain programs

/// The forces on vertex i: a loop over all vertices, then one over its edges.
DUNLIN_HD void force_on(Index n, const float* y, const Offset* offsets, const Index* targets, const float* weights,
                        Index i, float* repulsion, float* attraction) {
    const float x = y[2 * Offset{i}], z = y[2 * Offset{i} + 1];
    float push[2] = {}, pull[2] = {};
    for (Index j = 0; j < n; ++j) {
        const float dx = x - y[2 * Offset{j}], dz = z - y[2 * Offset{j} + 1];
        const float strength = j == i ? 0 : Law::strength(dx * dx + dz * dz);
        push[0] += strength * dx;
        push[1] += strength * dz;
    }
    for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) {
        const float dx = y[2 * Offset{targets[e]}] - x, dz = y[2 * Offset{targets[e]} + 1] - z;
        const float strength = QuadraticSpring{}.attraction(weights[e], dx * dx + dz * dz);
        pull[0] += strength * dx;
        pull[1] += strength * dz;
    }
    for (int c = 0; c < 2; ++c) {
        repulsion[2 * Offset{i} + c] = push[c];
        attraction[2 * Offset{i} + c] = pull[c];
    }
}

__global__ void force_kernel(graph::DeviceGraph::View graph, const float* y, float* repulsion, float* attraction) {
    const auto i = static_cast<Index>(Offset{blockIdx.x} * blockDim.x + threadIdx.x);
    if (i < graph.size) {
        force_on(graph.size, y, graph.offsets, graph.targets, graph.weights, i, repulsion, attraction);
    }
}

// Measuring

class Bench {
public:
    Bench(std::string commit, std::vector<int> threads, std::string name, const Graph& graph)
        : commit_(std::move(commit)),
          threads_(std::move(threads)),
          name_(std::move(name)),
          graph_(graph),
          cuda_(Run{}),
          start_(random_start(graph.size())) {
        settle();
        truth();
    }

    void run() {
        plain_on_gpu();
        dunlin_on_gpu(Repulsion::exact);
        dunlin_on_gpu(Repulsion::tree);
        for (const int threads : threads_) {
            plain_on_cpu(threads);
            dunlin_on_cpu(Repulsion::tree, threads);
        }
    }

private:
    using Repulsion = layout::Repulsion;
    [[nodiscard]] Index n() const { return graph_.size(); }

    layout::Options options(Repulsion repulsion) const {
        layout::Options o;
        o.repulsion = repulsion;
        o.theta = theta;
        return o;
    }

    /// Positions after some iterations, typical of most of a run.
    void settle() {
        Descent<Cuda> descent(cuda_, start_);
        const graph::DeviceGraph edges = graph::upload(cuda_, graph_);
        const forces::CudaSprings springs(cuda_, edges);
        layout::CudaRepeller<Law> repeller(cuda_, options(Repulsion::tree), descent.drawing.positions());
        cuda_.set(descent.temperature, layout::Temperature{0.1F * std::sqrt(float(n())), 0.95F, 0});
        for (int t = 0; t < settle_iterations; ++t) {
            layout::compute_forces(cuda_, descent.drawing, springs, repeller, QuadraticSpring{});
            descent.step(cuda_);
        }
        start_ = cuda_.host(descent.drawing.y);
    }

    /// The repulsion at up to 64 vertices, in double.
    void truth() {
        for (Index i = 0; i < n(); i += std::max(1, n() / 64)) {
            math::Vec<double, 2> push;
            for (Index j = 0; j < n(); ++j) {
                const double dx = at(i, 0) - at(j, 0), dz = at(i, 1) - at(j, 1);
                const double strength = j == i ? 0 : Law::strength(dx * dx + dz * dz);
                push += math::Vec<double, 2>{{strength * dx, strength * dz}};
            }
            judged_.push_back(i);
            right_.push_back(push);
        }
    }
    double at(Index i, int c) const { return double(start_[static_cast<std::size_t>(2 * Offset{i} + c)]); }

    /// Root mean square over that of the forces; rows that were not computed are left out.
    double error(const std::vector<float>& repulsion, Index rows) const {
        double off = 0, size = 0;
        for (std::size_t k = 0; k < judged_.size() && judged_[k] < rows; ++k) {
            for (int c = 0; c < 2; ++c) {
                const double right = right_[k].at[c];
                const double found = double(repulsion[static_cast<std::size_t>(2 * Offset{judged_[k]} + c)]);
                off += (found - right) * (found - right);
                size += right * right;
            }
        }
        return size > 0 ? std::sqrt(off / size) : 0;
    }

    void row(const char* program, int threads, Index rows, double ms, double off) const {
        std::printf("%s,%s,%d,%lld,%s,%d,%d,%.5g,%.2e\n", commit_.c_str(), name_.c_str(), n(),
                    static_cast<long long>(graph_.edges() / 2), program, threads, rows, ms, off);
        std::fflush(stdout);
    }

    /// A recorded iteration, replayed: median of 5 times 5, or once where that takes long.
    template <class Iterate>
    double on_gpu(const Iterate& iterate) {
        const auto ms = [&](int times) {
            cuda_.wait();
            const auto begin = Clock::now();
            for (int t = 0; t < times; ++t) cuda_.replay(iterate);
            cuda_.wait();
            return std::chrono::duration<double, std::milli>(Clock::now() - begin).count() / times;
        };
        std::vector<double> times{ms(1)};
        if (times[0] < 100) {
            times.clear();
            for (int run = 0; run < 5; ++run) times.push_back(ms(5));
        }
        cuda_.forget();
        return bench::median(times);
    }

    void plain_on_gpu() {
        Descent<Cuda> descent(cuda_, start_);
        const graph::DeviceGraph edges = graph::upload(cuda_, graph_);
        auto& drawing = descent.drawing;
        constexpr unsigned threads = 256;
        const auto push = [&] {
            force_kernel<<<(static_cast<unsigned>(n()) + threads - 1) / threads, threads, 0, cuda_.stream()>>>(
                edges.view(), drawing.y.data(), drawing.repulsion.data(), drawing.attraction.data());
        };
        push();
        const double off = error(cuda_.host(drawing.repulsion), n());
        row("gpu: a thread per vertex", 0, n(), on_gpu([&] {
                push();
                descent.step(cuda_);
            }),
            off);
    }

    void dunlin_on_gpu(Repulsion repulsion) {
        Descent<Cuda> descent(cuda_, start_);
        const graph::DeviceGraph edges = graph::upload(cuda_, graph_);
        const forces::CudaSprings springs(cuda_, edges);
        layout::CudaRepeller<Law> repeller(cuda_, options(repulsion), descent.drawing.positions());
        const auto push = [&] { layout::compute_forces(cuda_, descent.drawing, springs, repeller, QuadraticSpring{}); };
        push();
        const double off = error(cuda_.host(descent.drawing.repulsion), n());
        row(repulsion == Repulsion::tree ? "gpu: dunlin tree" : "gpu: dunlin exact", 0, n(), on_gpu([&] {
                push();
                descent.step(cuda_);
            }),
            off);
    }

    void plain_on_cpu(int threads) {
        Cpu cpu(threads);
        Descent<Cpu> descent(cpu, start_);
        auto& drawing = descent.drawing;
        const Index rows = static_cast<Index>(std::clamp<Offset>(threads * max_pairs / std::max(n(), 1), 1, n()));
        const auto begin = Clock::now();
        cpu.each(
            rows,
            [&](Offset i) {
                force_on(n(), drawing.y.data(), graph_.offsets.data(), graph_.targets.data(), graph_.weights.data(),
                         static_cast<Index>(i), drawing.repulsion.data(), drawing.attraction.data());
            },
            16);
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
        row(threads == 1 ? "cpu: sequential" : "cpu: threads", threads, rows, ms * n() / rows,
            error(drawing.repulsion, rows));
    }

    void dunlin_on_cpu(Repulsion repulsion, int threads) {
        Cpu cpu(threads);
        Descent<Cpu> descent(cpu, start_);
        layout::Repeller<Law> repeller(options(repulsion), n());
        std::vector<double> times;
        double off = 0;
        for (int run = 0; run < 3; ++run) {
            const auto begin = Clock::now();
            layout::compute_forces(cpu, descent.drawing, graph_, repeller, QuadraticSpring{});
            if (run == 0) off = error(descent.drawing.repulsion, n());
            descent.step(cpu);
            times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
        }
        row("cpu: dunlin tree", threads, n(), bench::median(times), off);
    }

    std::string commit_;
    std::vector<int> threads_;
    std::string name_;
    const Graph& graph_;
    Cuda cuda_;
    std::vector<float> start_;
    std::vector<Index> judged_;
    std::vector<math::Vec<double, 2>> right_;
};

std::vector<int> numbers_in(const std::string& list) {
    std::vector<int> numbers;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) numbers.push_back(std::stoi(word));
    return numbers;
}

}  // namespace

int bench_main(int argc, char** argv) {
    std::vector<int> threads{1};
    const bench::Arguments given =
        bench::arguments_from(argc, argv, {"--commit", "--data"}, 1,
                              {{"--threads", [&](const std::string& list) { threads = numbers_in(list); }}});
    std::printf("commit,graph,vertices,edges,program,threads,rows,ms_per_iteration,error\n");
    for (const Case& one : table(given.data + "/graphs")) {
        if (!given.wants(one.name)) continue;
        const Graph graph = one.graph();
        if (graph.size() > 0) Bench(given.commit, threads, one.name, graph).run();
    }
    return 0;
}
