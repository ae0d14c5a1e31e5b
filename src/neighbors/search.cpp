#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <dunlin/error.hpp>
#include <dunlin/neighbors.hpp>

#include "device/choose.hpp"
#include "device/gpus.hpp"
#include "math/rng.hpp"
#include "neighbors/cuda.hpp"
#include "neighbors/rows.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index sampled_rows = 400;     ///< for the recall
constexpr Index enough_for_gpu = 2000;  ///< rows; below, the CPU is done before a GPU has begun

// An exact search costs about rows^2 * (columns + 32) byte products: auto takes it up to a minute or two on two cores.
constexpr double affordable = 1e13;

bool exact_is_affordable(MatrixView<const float> points) {
    if (points.cols <= 4) return true;
    const double rows = points.rows, cols = std::min<Index>(points.cols, 160);
    return rows * rows * (cols + 32) <= affordable;
}

void check(const Options& options) {
    if (options.method == Method::approximate) {
        if (options.metric == Metric::manhattan) {
            throw Error(Fault::bad_input, "metric manhattan has no approximate search; use method exact");
        }
        if (options.probes && *options.probes < 1) {
            throw Error(Fault::bad_input, fmt::format("probes is {}; it must be at least 1", *options.probes));
        }
        return;
    }
    if (options.probes) {
        throw Error(Fault::bad_input,
                    fmt::format("probes is {}, but only the approximate search probes; ask for method "
                                "approximate or leave it out",
                                *options.probes));
    }
}

void check_for_cuda(const Options& options) {
    if (options.method != Method::approximate) return;
    throw Error(Fault::bad_input,
                "method approximate: the GPU's search is exact; use method exact or auto, or --device cpu");
}

Method choose(MatrixView<const float> points, const Options& options) {
    if (options.method != Method::automatic) return options.method;
    const bool exact = options.metric == Metric::manhattan || exact_is_affordable(points);
    return exact ? Method::exact : Method::approximate;
}

std::vector<Index> sample_rows(Index rows, std::uint64_t seed) {
    std::vector<Index> sample;
    const Index count = std::min(rows, sampled_rows);
    for (Index s = 0; s < count; ++s) {  // one from each of equal parts
        const auto from = static_cast<Index>(Offset{s} * rows / count),
                   to = static_cast<Index>(Offset{s + 1} * rows / count);
        sample.push_back(from + static_cast<Index>(math::random_below(static_cast<std::uint64_t>(to - from), seed,
                                                                      static_cast<std::uint64_t>(s))));
    }
    return sample;
}

/// Share of a row's list that is as near as its true k-th neighbour: by distance, so that ties count.
double share_found(std::span<const float> found, std::span<const float> truth) {
    const float limit = truth.back() * (1 + 1e-6F);
    const auto near = std::count_if(found.begin(), found.end(), [&](float distance) { return distance <= limit; });
    return static_cast<double>(near) / static_cast<double>(truth.size());
}

/// Sets the recall of an approximate result and its standard error.
void measure_recall(device::Cpu& cpu, MatrixView<const float> points, const Options& options, const Run& run,
                    Result& result) {
    const std::vector<Index> sample = sample_rows(points.rows, run.seed);
    const Graph truth =
        search_rows(cpu, points, sample, options.k, options.metric, {.memory = run.memory, .stop = run.stop});
    if (truth.size() == 0 || truth.offsets[1] == 0) return;
    const auto degree = static_cast<std::size_t>(truth.offsets[1]);
    double sum = 0, squares = 0;
    for (std::size_t s = 0; s < sample.size(); ++s) {
        const auto row = static_cast<std::size_t>(sample[s]);
        const double share = share_found(std::span(result.graph.weights).subspan(row * degree, degree),
                                         std::span(truth.weights).subspan(s * degree, degree));
        sum += share;
        squares += share * share;
    }
    const auto count = static_cast<double>(sample.size());
    result.recall = sum / count;
    if (count > 1) result.recall_se = std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1) / count);
}

}  // namespace

Result search(MatrixView<const float> points, const Options& options, const Run& run) {
    const bool for_gpu = points.rows >= enough_for_gpu && options.method != Method::approximate;
    const Device where = device::choose(run, for_gpu);
    check(options);
    Result result;
    if (where == Device::cuda) {
        check_for_cuda(options);
        result.device = where;
        device::reset_cuda_peak_memory();
        result.graph = search_with_cuda(points, options.k, options.metric, run);
        result.gpu_memory = device::cuda_peak_memory();
        return result;
    }
    device::Cpu cpu(run);
    result.method = choose(points, options);
    const bool exact = result.method == Method::exact;
    Found found = search_all(cpu, points, options.k, options.metric, run, {exact, options.probes});
    result.graph = std::move(found.graph);
    result.probes = found.probes;
    if (!exact && result.graph.size() > 0) measure_recall(cpu, points, options, run, result);
    return result;
}

}  // namespace dunlin::neighbors
