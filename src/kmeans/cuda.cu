// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda.hpp"

#include "device/points.cuh"
#include "kmeans/centroids.hpp"
#include "kmeans/cuda/few.cuh"
#include "kmeans/cuda/many.cuh"
#include "kmeans/cuda/spread.cuh"
#include "kmeans/cuda/unit.cuh"
#include "kmeans/draws.hpp"
#include "kmeans/start.hpp"

namespace dunlin::kmeans {

namespace {

/// Where rows are; clusters come later. Rows are padded so that any four from a multiple of four on can be read.
DeviceState bring(device::Cuda& cuda, const Rows& rows, const Scales& scales, bool held) {
    DeviceState state;
    state.n = rows.count();
    state.cols = rows.cols();
    state.metric = rows.metric;
    std::vector<double> all = scales.columns;
    all.push_back(scales.weights);
    cuda.upload(state.scales, all);
    if (!held) return state;
    const auto values = static_cast<std::size_t>(rows.points.size());
    cuda.fill(state.rows, values + 4 * static_cast<std::size_t>(rows.cols()), 0.0F);
    cuda.copy_in(state.rows.data(), rows.points.data, values * sizeof(float));
    if (rows.metric == Metric::cosine) cuda.each(state.n, ToUnit{state.rows.data(), state.cols});
    if (!rows.weights.empty()) cuda.upload(state.weights, rows.weights);
    return state;
}

void begin_at(device::Cuda& cuda, DeviceState& state, const std::vector<float>& centroids) {
    const std::size_t clusters = centroids.size() / static_cast<std::size_t>(state.cols);
    state.clusters = static_cast<Index>(clusters);
    cuda.upload(state.centroids, centroids);
    cuda.fill(state.sums, clusters * state.scales.size(), Bits{0});
    cuda.set(state.progress, Progress{});
}

/// Rows less their mean, so scaled that the largest coordinate is about 2^13.
distance::HalfFrame frame_of(device::Cuda& cuda, const Rows& rows, const Scales& scales) {
    distance::HalfFrame frame;
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

/// Iterations between two looks at the stop token: a tenth of a second, or so; of rows that come by pieces, one.
int batch_of(const DeviceState& state, const Feed& feed) {
    if (!feed.holds_all()) return 1;
    const double work = static_cast<double>(state.n) * state.cols * state.clusters;
    return static_cast<int>(std::clamp(1e13 / work, 1.0, 200.0));
}

template <class Engine>
Ending iterate_on_gpu(device::Cuda& cuda, device::Cpu& cpu, const Rows& rows, const Scales& scales, DeviceState& state,
                      Engine& engine, const Options& options, Ends ends, int batch) {
    device::ProgressReporter reporter(cuda.run(), "optimize", options.iterations);
    bool assigned = false;
    for (Progress at; at.iterations < options.iterations;) {
        if (cuda.run().stop.stop_requested()) return {at.iterations, Stopped::cancelled};
        engine.iterate(cuda, state, ends, std::min(batch, options.iterations - at.iterations), assigned);
        at = cuda.read(state.progress);
        if (options.stop == Rule::inertia) reporter.cost(at.inertia);
        reporter.tick(at.iterations);
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

class OnCuda final : public OnGpu {
public:
    OnCuda(device::Cpu& on_host, const Rows& all, const Scales& of_all, Index piece, const Run& how)
        : cpu(on_host), rows(all), scales(of_all), cuda(how) {
        const bool held = piece >= rows.count();
        state = bring(cuda, rows, scales, held);
        if (!held) feed = Feed(std::make_unique<Stream>(how, rows, piece / math::sum_block * math::sum_block));
    }

    std::vector<float> start(Index clusters, Start start, std::uint64_t seed) override {
        if (start == Start::random || !feed.holds_all()) {
            return start_centroids(cpu, rows, clusters, start, seed, cuda.run());
        }
        if (start == Start::parallel) return start_by_rounds(clusters, seed);
        return draw(rows, state, clusters, seed);
    }

    Outcome iterate(const std::vector<float>& centroids, const Options& options, double least_shift) override {
        begin_at(cuda, state, centroids);
        const Ends ends{options.stop, least_shift, options.tolerance.value_or(0), 0};
        if (feed.holds_all() && few_suits(state.cols, state.clusters)) return run(Few(), options, ends);
        return run(Many(frame_of(cuda, rows, scales), feed), options, ends);
    }

private:
    device::Cpu& cpu;
    const Rows& rows;
    const Scales& scales;
    device::Cuda cuda;
    Feed feed;
    DeviceState state;

    template <class Engine>
    Outcome run(Engine engine, const Options& options, const Ends& ends) {
        engine.prepare(cuda, state);
        Outcome result;
        result.ending = iterate_on_gpu(cuda, cpu, rows, scales, state, engine, options, ends, batch_of(state, feed));
        engine.assign(cuda, state);
        result.labels = engine.labels(cuda, state);
        result.centroids = cuda.host(state.centroids);
        result.inertia = inertia_of(result.labels);
        return result;
    }

    /// How much weight is nearest to each centroid.
    template <class Engine>
    std::vector<float> weights_of(Engine engine, const std::vector<float>& centroids) {
        begin_at(cuda, state, centroids);
        engine.prepare(cuda, state);
        engine.assign(cuda, state);
        const std::vector<Bits> sums = cuda.host(state.sums);
        const auto stride = static_cast<std::size_t>(state.cols) + 1;
        std::vector<float> weights;
        for (std::size_t at = stride - 1; at < sums.size(); at += stride) {
            weights.push_back(static_cast<float>(static_cast<double>(static_cast<Sum>(sums[at])) / scales.weights));
        }
        return weights;
    }
    std::vector<float> weights_of(const std::vector<float>& centroids) {
        const auto clusters = static_cast<Index>(centroids.size() / static_cast<std::size_t>(state.cols));
        if (few_suits(state.cols, clusters)) return weights_of(Few(), centroids);
        return weights_of(Many(frame_of(cuda, rows, scales), feed), centroids);
    }

    std::vector<float> draw(const Rows& from, const DeviceState& held, Index clusters, std::uint64_t seed) {
        CudaSpread spread(cuda, held, clusters);
        const std::vector<Offset> chosen =
            plus_plus(spread, draw_by_weight(cpu, from, seed), clusters, seed, cuda.run());
        return values_of(from, filled_up(cpu, chosen, from, clusters, seed));
    }

    std::vector<float> start_by_rounds(Index clusters, std::uint64_t seed) {
        std::vector<Offset> chosen;
        {
            CudaSpread spread(cuda, state, clusters);
            chosen = parallel_candidates(spread, draw_by_weight(cpu, rows, seed), clusters, seed);
        }
        const auto count = static_cast<Index>(chosen.size());
        if (count < clusters) return draw(rows, state, clusters, seed);
        const std::vector<float> candidates = values_of(rows, chosen), weights = weights_of(candidates);
        const Rows few{{candidates.data(), count, rows.cols()}, weights};
        return draw(few, bring(cuda, few, scales, true), clusters, math::random_bits(seed, 1));
    }

    double inertia_of(const std::vector<Index>& of_rows) {
        device::CudaBuffer<Index> labels;
        cuda.upload(labels, of_rows);
        Inertia inertia;
        inertia.prepare(cuda, state);
        feed.each(cuda, state, [&] { inertia.add(cuda, state, labels.data()); });
        return cuda.read(inertia.total(cuda));
    }
};

}  // namespace

std::unique_ptr<OnGpu> backend::hold_on_gpu(device::Cpu& cpu, const Rows& rows, const Scales& scales, Index piece,
                                            const Run& run) {
    return std::make_unique<OnCuda>(cpu, rows, scales, piece, run);
}

Outcome iterate_with_cuda(device::Cpu& cpu, const Rows& rows, const Scales& scales, const std::vector<float>& centroids,
                          const Options& options, double least_shift, const Run& run) {
    return OnCuda(cpu, rows, scales, rows.count(), run).iterate(centroids, options, least_shift);
}

}  // namespace dunlin::kmeans
