#include "kmeans/cuda.hpp"

#include "device/points.cuh"
#include "kmeans/centroids.hpp"
#include "kmeans/on_device/few.cuh"
#include "kmeans/on_device/inertia.cuh"
#include "kmeans/on_device/many.cuh"

namespace dunlin::kmeans {

namespace {

struct ToUnit {
    float* rows;
    Index cols;
    __device__ void operator()(Offset i) const { scale_to_unit(rows + i * cols, cols); }
};

/// Rows are padded so that any four from a multiple of four on can be read.
DeviceState bring(device::Cuda& cuda, const Rows& rows, const Scales& scales, const std::vector<float>& centroids) {
    DeviceState state;
    state.n = rows.count();
    state.cols = rows.cols();
    state.clusters = static_cast<Index>(centroids.size() / static_cast<std::size_t>(rows.cols()));
    state.metric = rows.metric;
    const auto values = static_cast<std::size_t>(rows.points.size());
    cuda.fill(state.rows, values + 4 * static_cast<std::size_t>(rows.cols()), 0.0F);
    cuda.copy_in(state.rows.data(), rows.points.data, values * sizeof(float));
    if (rows.metric == Metric::cosine) cuda.each(state.n, ToUnit{state.rows.data(), state.cols});
    if (!rows.weights.empty()) cuda.upload(state.weights, rows.weights);
    cuda.upload(state.centroids, centroids);
    std::vector<double> all = scales.columns;
    all.push_back(scales.weights);
    cuda.upload(state.scales, all);
    cuda.fill(state.sums, static_cast<std::size_t>(state.clusters) * all.size(), Bits{0});
    cuda.set(state.progress, Progress{});
    return state;
}

/// Rows less their mean, so scaled that the largest coordinate is about 2^13.
Frame frame_of(device::Cuda& cuda, const Rows& rows, const Scales& scales) {
    Frame frame;
    cuda.upload(frame.middle, scales.means);
    double most = 0;
    for (std::size_t c = 0; c < scales.means.size(); ++c) {
        most = std::max(most, scales.most[c] + std::abs(scales.means[c]));
    }
    if (rows.count() > 0 && most > 0) frame.scale = std::ldexp(1.0, 13 - std::ilogb(most));
    return frame;
}

/// Labels and sums come to the host, where clusters without weight are filled, and go back. Returns how many of them
/// could not be filled.
template <class Engine>
Index fill_empty(device::Cuda& cuda, device::Cpu& cpu, const Rows& rows, const Scales& scales, DeviceState& state,
                 Engine& engine) {
    std::vector<Index> labels = engine.labels(cuda, state);
    const std::vector<Bits> bits = cuda.host(state.sums);
    Sums sums(state.clusters, state.cols);
    std::transform(bits.begin(), bits.end(), sums.values().begin(), [](Bits b) { return static_cast<Sum>(b); });
    fill_empty_clusters(cpu, rows, scales, cuda.host(state.centroids), labels, sums);
    Index empty = 0;
    for (Index k = 0; k < state.clusters; ++k) empty += sums.weight(k) == 0 ? 1 : 0;
    engine.set_labels(cuda, labels);
    cuda.upload(state.sums, std::vector<Bits>(sums.values().begin(), sums.values().end()));
    return empty;
}

/// Iterations between two looks at the stop token: a tenth of a second, or so.
int batch_of(const DeviceState& state) {
    const double work = static_cast<double>(state.n) * state.cols * state.clusters;
    return static_cast<int>(std::clamp(5e11 / work, 1.0, 200.0));
}

template <class Engine>
Ending iterate(device::Cuda& cuda, device::Cpu& cpu, const Rows& rows, const Scales& scales, DeviceState& state,
               Engine& engine, const Options& options, Ends ends) {
    device::Ticker ticker(cuda.run(), "cluster", options.iterations);
    bool assigned = false;
    for (Progress at; at.iterations < options.iterations;) {
        if (cuda.run().stop.stop_requested()) return {at.iterations, Stopped::cancelled};
        engine.iterate(cuda, state, ends, std::min(batch_of(state), options.iterations - at.iterations), assigned);
        at = cuda.read(state.progress);
        if (options.stop == Rule::inertia) ticker.cost(at.inertia);
        ticker.tick(at.iterations);
        if (at.reason == Reason::converged) return {at.iterations, Stopped::converged};
        assigned = at.reason == Reason::emptied;
        if (!assigned) continue;
        ends.tolerated_empty = fill_empty(cuda, cpu, rows, scales, state, engine);
        at.reason = Reason::going_on;
        cuda.set(state.progress, at);
        cuda.wait();
    }
    return {options.iterations, Stopped::budget};
}

template <class Engine>
Outcome run_with(Engine engine, device::Cuda& cuda, device::Cpu& cpu, const Rows& rows, const Scales& scales,
                 DeviceState& state, const Options& options, const Ends& ends) {
    engine.prepare(cuda, state);
    Outcome result;
    result.ending = iterate(cuda, cpu, rows, scales, state, engine, options, ends);
    engine.assign(cuda, state);
    result.labels = engine.labels(cuda, state);
    result.centroids = cuda.host(state.centroids);
    device::CudaBuffer<Index> labels;
    device::CudaCell<double> inertia;
    cuda.upload(labels, result.labels);
    cuda.sum(state.n, inertia_of_row(state, labels.data()), inertia);
    result.inertia = cuda.read(inertia);
    return result;
}

}  // namespace

Outcome iterate_with_cuda(device::Cpu& cpu, const Rows& rows, const Scales& scales, std::vector<float> centroids,
                          const Options& options, double least_shift, const Run& run) {
    device::Cuda cuda(run);
    DeviceState state = bring(cuda, rows, scales, centroids);
    const Ends ends{options.stop, least_shift, options.tolerance.value_or(0), 0};
    if (few_suits(state.cols, state.clusters)) return run_with(Few(), cuda, cpu, rows, scales, state, options, ends);
    return run_with(Many(frame_of(cuda, rows, scales)), cuda, cpu, rows, scales, state, options, ends);
}

}  // namespace dunlin::kmeans
