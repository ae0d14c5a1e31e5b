#include <algorithm>
#include <vector>

#include <dunlin/neighbors.hpp>

#include "device/choose.hpp"
#include "device/gpus.hpp"
#include "neighbors/cuda.hpp"
#include "neighbors/recall.hpp"
#include "neighbors/rows.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index sampled_rows = 400;     ///< for the recall
constexpr Index enough_for_gpu = 2000;  ///< rows; below, the CPU is done before a GPU has begun

/// Sets the recall of an approximate result and its standard error.
void measure_recall(device::Cpu& cpu, MatrixView<const float> points, const Options& options, const Run& run,
                    Result& result) {
    const std::vector<Index> sample = draw_from_parts(points.rows, sampled_rows, run.seed);
    const Graph truth =
        search_rows(cpu, points, sample, options.k, options.metric, {.memory = run.memory, .stop = run.stop});
    if (truth.size() == 0 || truth.offsets[1] == 0) return;
    const auto degree = static_cast<std::size_t>(truth.offsets[1]);
    std::vector<double> shares;
    for (std::size_t s = 0; s < sample.size(); ++s) {
        const auto row = static_cast<std::size_t>(sample[s]);
        shares.push_back(share_found(std::span<const float>(result.graph.weights).subspan(row * degree, degree),
                                     std::span<const float>(truth.weights).subspan(s * degree, degree)));
    }
    const Recall recall = recall_of(shares);
    result.recall = recall.mean;
    result.recall_se = recall.se;
}

}  // namespace

Result search(MatrixView<const float> points, const Options& options, const Run& run) {
    const Device where = device::choose(run, points.rows >= enough_for_gpu);
    const Effort effort = effort_for(points.rows, points.cols, options, where);
    if (where == Device::cuda) {
        device::reset_cuda_peak_memory();
        Result result = search_with_cuda(points, options.k, options.metric, effort, run);
        result.gpu_memory = device::cuda_peak_memory();
        return result;
    }
    device::Cpu cpu(run);
    Result result;
    result.method = effort.exact ? Method::exact : Method::approximate;
    Found found = search_all(cpu, points, options.k, options.metric, run, effort);
    result.graph = std::move(found.graph);
    result.probes = found.probes;
    if (effort.codes > 0) {
        result.recall = found.recall.mean;
        result.recall_se = found.recall.se;
    } else if (!effort.exact && result.graph.size() > 0) {
        measure_recall(cpu, points, options, run, result);
    }
    return result;
}

}  // namespace dunlin::neighbors
