#include <dunlin/neighbors.hpp>

#include "device/choose.hpp"
#include "device/gpus.hpp"
#include "neighbors/cuda.hpp"
#include "neighbors/range.hpp"
#include "neighbors/rows.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index enough_for_gpu = 2000;  ///< rows; below, the CPU is done before a GPU has begun

}  // namespace

Result search(MatrixView<const float> points, const Options& options, const Run& run) {
    const Device where = device::choose(run, points.rows >= enough_for_gpu);
    const Effort effort = effort_for(points.rows, points.cols, options, where);
    device::Cpu cpu(run);
    if (where == Device::cuda) {
        // Their searches take so long that another look at the points does not matter
        const bool sums = options.metric == Metric::manhattan || options.metric == Metric::inner_product;
        if (sums && points.rows > 0) require_range(cpu, points, options.metric, take_census(cpu, points));
        device::reset_cuda_peak_memory();
        Result result = search_with_cuda(points, options.k, options.metric, effort, run);
        result.gpu_memory = device::cuda_peak_memory();
        return result;
    }
    Result result;
    Found found = search_all(cpu, points, options.k, options.metric, run, effort);
    result.graph = std::move(found.graph);
    result.probes = found.how.probes;
    // Up to four columns nothing is passed by, whatever was asked for
    const bool exact = effort.exact || (result.probes == 0 && result.graph.size() > 0);
    result.method = exact ? Method::exact : Method::approximate;
    result.recall = found.how.recall.mean;
    result.recall_se = found.how.recall.se;
    return result;
}

}  // namespace dunlin::neighbors
