// SPDX-License-Identifier: Apache-2.0
#include "communities/backend.hpp"
#include "communities/cuda/lists.cuh"
#include "communities/optimize.hpp"
#include "device/gpus.hpp"
#include "device/points.cuh"
#include "math/at.hpp"

namespace dunlin::communities {

namespace {

using device::CudaBuffer;

/// The graph in device memory, as it is given.
struct FloatGraph {
    const Offset* offsets;
    const float* weights;
    const float* loops;  ///< or null
    double factor;

    [[nodiscard]] __device__ double loop(Offset v) const {
        return loops == nullptr ? 0.0 : static_cast<double>(loops[v]);
    }
};

/// Terms of the sum of all weights, as problem_of: each row in order.
struct RowWeight {
    FloatGraph graph;
    double* rows;
    __device__ void operator()(Offset v) const {
        double row = 0;
        for (Offset e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) row += static_cast<double>(graph.weights[e]);
        rows[v] = row * graph.factor + 2 * graph.loop(v);
    }
};
/// Rows of a block in order.
struct BlockWeight {
    const double* rows;
    Offset n;
    double* blocks;
    __device__ void operator()(Offset b) const {
        double sum = 0;
        for (Offset v = b * row_grain; v < n && v < (b + 1) * row_grain; ++v) sum += rows[v];
        blocks[b] = sum;
    }
};

double total_weight(device::Cuda& cuda, Index n, const FloatGraph& graph) {
    const Offset blocks = (n + row_grain - 1) / row_grain;
    const CudaBuffer<double> rows(at(n), cuda.stream()), sums(at(blocks), cuda.stream());
    cuda.each(n, RowWeight{graph, rows.data()});
    cuda.each(blocks, BlockWeight{rows.data(), n, sums.data()});
    double total = 0;
    for (const double sum : cuda.host(sums)) total += sum;
    return total;
}

/// For row_sums_kernel: the weights in units, and the degree with the loop twice.
struct WeightInUnits {
    FloatGraph graph;
    double units;
    Weight* weights;
    __device__ Weight operator()(Index, Offset e) const {
        return weights[e] = in_units(static_cast<double>(graph.weights[e]) * graph.factor, units);
    }
};
struct SetDegree {
    FloatGraph graph;
    double units;
    Weight *degrees, *loops;
    __device__ void operator()(Index v, Weight sum) const {
        const Weight loop = in_units(graph.loop(v), units);
        degrees[v] = sum + 2 * loop;
        loops[v] = loop;
    }
};
using One = math::Vec<std::int64_t, 1>;
struct WeightOf {
    const Weight* weights;
    __device__ One operator()(Offset v) const { return {{weights[v]}}; }
};

Weight sum_of(device::Cuda& cuda, const CudaBuffer<Weight>& weights) {
    device::CudaCell<One> sum;
    cuda.sum(static_cast<Offset>(weights.size()), WeightOf{weights.data()}, sum);
    return cuda.read(sum).at[0];
}

}  // namespace

CudaCommunityEngine::CudaCommunityEngine(device::Cuda& cuda, const UndirectedGraph& graph, const Options& options)
    : cuda_(cuda), graph_(graph), options_(options) {
    load_graph(graph, options);
}

void CudaCommunityEngine::load_graph(const UndirectedGraph& undirected, const Options& options) {
    const Graph& graph = undirected.graph();
    const Index n = graph.size();
    cuda_.upload(base_.offsets, graph.offsets);
    cuda_.upload(base_.targets, graph.targets);
    CudaBuffer<float> weights, loops;
    cuda_.upload(weights, graph.weights);
    if (!undirected.loops.empty()) cuda_.upload(loops, undirected.loops);
    const FloatGraph given{base_.offsets.data(), weights.data(), loops.data(), undirected.factor};
    aim_.units = units_per_weight(total_weight(cuda_, n, given), options);

    finish_level(cuda_, base_);
    cuda_.resize(base_.weights, graph.weights.size());
    CudaBuffer<Weight> degrees(at(n), cuda_.stream()), of_loops(at(n), cuda_.stream());
    each_row(cuda_, base_.view(), base_.rows, 0, WeightInUnits{given, aim_.units, base_.weights.data()},
             SetDegree{given, aim_.units, degrees.data(), of_loops.data()});
    aim_.total = sum_of(cuda_, degrees);
    aim_.loops = sum_of(cuda_, of_loops);
    aim_.objective = objective_of(aim_.total, aim_.units, options);
    if (options.quality == Quality::modularity) {
        base_.masses = std::move(degrees);
    } else {
        cuda_.fill(base_.masses, at(n), Weight{1});
        degrees_ = std::move(degrees);
    }
}

std::uint64_t gpu_bytes_of(Index vertices, Offset edges) {
    const auto n = static_cast<std::uint64_t>(vertices), e = static_cast<std::uint64_t>(edges);
    // Of an entry: the base (12), the edges between parts with what the sort needs (32), the next level (12). Of a
    // vertex: a base and two levels, arrays of the phases, labels of the levels. Tables of hubs: of one, or a limit
    constexpr std::uint64_t hub_tables = std::uint64_t{1} << 30;
    return e * (12 + 32 + 12) + n * 320 + std::min(hub_tables, 48 * e) + 48 * n;
}

void backend::optimize_on_cuda(const UndirectedGraph& graph, std::vector<Index> from, const Run& run,
                               progress::Stopwatch& watch, Result& result) {
    device::Cuda cuda(run);
    device::require_gpu_memory(gpu_bytes_of(graph.graph().size(), graph.graph().edges()), device::allowance(cuda),
                               "communities");
    CudaCommunityEngine engine(cuda, graph, result.options);
    progress::cancellation_point();
    result.seconds["graph"] = watch.lap();
    optimize(engine, std::move(from), run, result);
    cuda.wait();
}

}  // namespace dunlin::communities
