// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda.hpp"

#include "device/resident.cuh"
#include "kmeans/centroids.hpp"
#include "kmeans/cuda/d2_sampler.cuh"
#include "kmeans/cuda/small_k.cuh"
#include "kmeans/cuda/tensor_core.cuh"
#include "kmeans/cuda/upload.cuh"
#include "kmeans/d2_sampling.hpp"
#include "kmeans/start.hpp"

namespace dunlin::kmeans {

namespace {

/// Fills clusters without weight on the host: downloads labels and sums and uploads them again. Returns the number of
/// clusters that remain empty.
template <class Engine>
Index fill_empty(device::Cuda& cuda, device::Cpu& cpu, const Rows& rows, const Scales& scales, DeviceState& state,
                 Engine& engine) {
    std::vector<Index> labels = engine.labels(cuda, state);
    const std::vector<Bits> bits = cuda.host(state.sums);
    ClusterSums sums(state.clusters, state.cols);
    std::transform(bits.begin(), bits.end(), sums.values().begin(), [](Bits b) { return static_cast<Sum>(b); });
    fill_empty_clusters(cpu, rows, scales, cuda.host(state.centroids), labels, sums);
    Index empty = 0;
    for (Index k = 0; k < state.clusters; ++k) empty += sums.weight(k) == 0 ? 1 : 0;
    engine.set_labels(cuda, labels);
    cuda.upload(state.sums, std::vector<Bits>(sums.values().begin(), sums.values().end()));
    return empty;
}

/// Iterations between two checks of the stop token: about a tenth of a second; one if rows are streamed.
int batch_of(const DeviceState& state, const RowStream& stream) {
    if (!stream.holds_all()) return 1;
    const double work = static_cast<double>(state.n) * state.cols * state.clusters;
    return static_cast<int>(std::clamp(1e13 / work, 1.0, 200.0));
}

/// What the iterations on a GPU depend on of earlier ones, beside labels, sums and centroids.
struct GpuPosition {
    int iterations = 0;
    std::int32_t has_ended = 0, assigned = 0;  ///< flags; assigned: see engine.iterate
    Index tolerated_empty = 0, empty = 0;
    Stopped stopped = Stopped::budget;
    double inertia = INFINITY, next_inertia = INFINITY;

    [[nodiscard]] bool fits(const DeviceState& state) const {
        const auto is_count = [&](Index count) { return count >= 0 && count <= state.clusters; };
        const bool is_why = static_cast<std::size_t>(stopped) < names(Stopped{}).size();
        return iterations >= 0 && is_count(tolerated_empty) && is_count(empty) && is_why && inertia >= 0 &&
               next_inertia >= 0;
    }
};

template <class Engine>
void write_state(checkpoint::ArchiveWriter& archive, device::Cuda& cuda, const DeviceState& state, Engine& engine,
                 const GpuPosition& position) {
    archive(position), archive(cuda.host(state.centroids)), archive(cuda.host(state.sums));
    archive(engine.labels(cuda, state));
}

template <class Engine>
GpuPosition read_state(checkpoint::ArchiveReader& archive, device::Cuda& cuda, DeviceState& state, Engine& engine) {
    GpuPosition position;
    std::vector<float> centroids;
    std::vector<Bits> sums;
    std::vector<Index> labels;
    archive(position), archive.finite(centroids, state.centroids.size(), "set of centroids");
    archive(sums), archive(labels);
    const auto is_cluster = [&](Index label) { return label >= -1 && label < state.clusters; };  // -1: none yet
    archive.require(position.fits(state), "iteration");
    archive.require(sums.size() == state.sums.size(), "number of centroids");
    archive.require(
        labels.size() == static_cast<std::size_t>(state.n) && std::all_of(labels.begin(), labels.end(), is_cluster),
        "list of labels");
    cuda.upload(state.centroids, centroids);
    cuda.upload(state.sums, sums);
    engine.set_labels(cuda, labels);
    LoopState at;
    at.iterations = position.iterations;
    at.empty = position.empty;
    at.inertia = position.inertia;
    at.next_inertia = position.next_inertia;
    cuda.set(state.progress, at);
    cuda.wait();  // the copy reads `at` until here
    return position;
}

/// rows_on_host(): the rows, called if a cluster has become empty.
template <class RowsOnHost, class Engine>
LloydStatus iterate_on_gpu(device::Cuda& cuda, device::Cpu& cpu, const RowsOnHost& rows_on_host, const Scales& scales,
                           DeviceState& state, Engine& engine, const Options& options, LloydStoppingRule stopping,
                           int batch, checkpoint::Loop& loop) {
    progress::ProgressReporter reporter(cuda.run(), "optimize", options.iterations);
    GpuPosition position;
    const auto write = [&](auto& archive) { write_state(archive, cuda, state, engine, position); };
    const auto ended = [&](int iterations, Stopped why) {
        position.iterations = iterations, position.stopped = why, position.has_ended = 1;
        loop.end(iterations, write);
        return LloydStatus{iterations, why};
    };
    LoopState at;
    bool assigned = false;
    if (loop.resume([&](auto& archive) { position = read_state(archive, cuda, state, engine); })) {
        at = cuda.read(state.progress);
        assigned = position.assigned != 0;
        stopping.tolerated_empty = position.tolerated_empty;
        if (position.has_ended != 0) return {position.iterations, position.stopped};
    }
    while (at.iterations < options.iterations) {
        position = {at.iterations,   0,          assigned ? 1 : 0, stopping.tolerated_empty, at.empty,
                    Stopped::budget, at.inertia, at.next_inertia};
        if (cuda.run().stop.stop_requested()) {
            loop.save(at.iterations, write);
            return {at.iterations, Stopped::cancelled};
        }
        loop.offer(at.iterations, write);
        engine.iterate(cuda, state, stopping, std::min(batch, options.iterations - at.iterations), assigned);
        at = cuda.read(state.progress);
        if (options.stop == Rule::inertia) reporter.cost(at.inertia);
        reporter.tick(at.iterations);
        if (at.reason == Reason::converged) return ended(at.iterations, Stopped::converged);
        assigned = at.reason == Reason::emptied;
        if (!assigned) continue;
        stopping.tolerated_empty = fill_empty(cuda, cpu, rows_on_host(), scales, state, engine);
        at.reason = Reason::going_on;
        cuda.set(state.progress, at);
        cuda.wait();
    }
    return ended(options.iterations, Stopped::budget);
}

struct GatherRows {
    const float* rows;
    const Offset* chosen;
    Index cols;
    float* values;
    __device__ void operator()(Offset i) const { values[i] = rows[chosen[i / cols] * cols + i % cols]; }
};

/// values_of (start.hpp) of rows in device memory.
std::vector<float> values_on_device(device::Cuda& cuda, const DeviceState& held, const std::vector<Offset>& chosen) {
    device::CudaBuffer<Offset> at;
    cuda.upload(at, chosen);
    device::CudaBuffer<float> values(chosen.size() * static_cast<std::size_t>(held.cols), cuda.stream());
    cuda.each(static_cast<Offset>(values.size()), GatherRows{held.rows.data(), at.data(), held.cols, values.data()});
    return cuda.host(values);
}

class CudaLloyd final : public GpuLloyd {
public:
    CudaLloyd(device::Cpu& on_host, const Rows& all, const Scales& of_all, Index piece, const Run& how,
              const device::InputPoints& all_points)
        : cpu(on_host), rows(all), points(all_points), scales(of_all), cuda(how) {
        const bool held = piece >= rows.count();
        state = upload_rows(cuda, rows, points, held);
        upload_scales(cuda, state, scales);
        if (!held)
            stream = RowStream(std::make_unique<RowUploader>(how, rows, piece / math::sum_block * math::sum_block));
    }

    std::vector<float> start(Index clusters, Start start, std::uint64_t seed) override {
        if (start == Start::random && points.is_resident()) {
            return values_on_device(cuda, state, random_rows(rows.count(), clusters, seed));
        }
        if (start == Start::random || !stream.holds_all()) {
            return start_centroids(cpu, rows, clusters, start, seed, cuda.run());
        }
        if (start == Start::parallel) return start_by_rounds(clusters, seed);
        return draw(rows, state, clusters, seed);
    }

    LloydResult iterate(const std::vector<float>& centroids, const Options& options, double least_shift,
                        checkpoint::Loop& loop) override {
        set_centroids(cuda, state, centroids);
        const LloydStoppingRule stopping{options.stop, least_shift, options.tolerance.value_or(0), 0};
        if (stream.holds_all() && small_k_suits(state.cols, state.clusters))
            return run(SmallKLloyd(), options, stopping, loop);
        return run(TensorCoreLloyd(frame_of(cuda, scales), stream), options, stopping, loop);
    }

private:
    device::Cpu& cpu;
    const Rows& rows;
    const device::InputPoints& points;
    const Scales& scales;
    device::Cuda cuda;
    RowStream stream;
    DeviceState state;
    std::vector<float> fetched;  ///< resident points, copied to the host when a cluster has become empty

    /// The rows in host memory.
    Rows rows_on_host() {
        if (!points.is_resident()) return rows;
        if (fetched.empty()) {
            fetched.resize(static_cast<std::size_t>(rows.points.size()));
            cuda.copy_out(fetched.data(), points.resident(), fetched.size() * sizeof(float));
        }
        return {{fetched.data(), rows.count(), rows.cols()}, rows.weights, rows.metric};
    }

    /// values_of (start.hpp) of rows of `from`, which are in `held`, too.
    std::vector<float> values(const Rows& from, const DeviceState& held, const std::vector<Offset>& chosen) {
        return from.points.data != nullptr ? values_of(from, chosen) : values_on_device(cuda, held, chosen);
    }

    template <class Engine>
    LloydResult run(Engine engine, const Options& options, const LloydStoppingRule& stopping, checkpoint::Loop& loop) {
        engine.prepare(cuda, state);
        LloydResult result;
        result.status = iterate_on_gpu(
            cuda, cpu, [this] { return rows_on_host(); }, scales, state, engine, options, stopping,
            batch_of(state, stream), loop);
        engine.assign(cuda, state);
        result.labels = engine.labels(cuda, state);
        result.centroids = cuda.host(state.centroids);
        result.inertia = inertia_of(result.labels);
        return result;
    }

    /// Sum of the weights of the rows nearest to each centroid.
    template <class Engine>
    std::vector<float> weights_of(Engine engine, const std::vector<float>& centroids) {
        set_centroids(cuda, state, centroids);
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
        if (small_k_suits(state.cols, clusters)) return weights_of(SmallKLloyd(), centroids);
        return weights_of(TensorCoreLloyd(frame_of(cuda, scales), stream), centroids);
    }

    std::vector<float> draw(const Rows& from, const DeviceState& held, Index clusters, std::uint64_t seed) {
        CudaD2Sampler sampler(cuda, held, clusters);
        const std::vector<Offset> chosen =
            plus_plus(sampler, draw_by_weight(cpu, from, seed), clusters, seed, cuda.run());
        return values(from, held, chosen);
    }

    std::vector<float> start_by_rounds(Index clusters, std::uint64_t seed) {
        std::vector<Offset> chosen;
        {
            CudaD2Sampler sampler(cuda, state, clusters);
            chosen = parallel_candidates(sampler, draw_by_weight(cpu, rows, seed), clusters, seed);
        }
        const auto count = static_cast<Index>(chosen.size());
        if (count < clusters) return draw(rows, state, clusters, seed);
        const std::vector<float> candidates = values(rows, state, chosen), weights = weights_of(candidates);
        const Rows candidate_rows{{candidates.data(), count, rows.cols()}, weights};
        return draw(candidate_rows, upload_rows(cuda, candidate_rows, candidate_rows.points, true), clusters,
                    math::random_bits(seed, 1));
    }

    double inertia_of(const std::vector<Index>& of_rows) {
        device::CudaBuffer<Index> labels;
        cuda.upload(labels, of_rows);
        Inertia inertia;
        inertia.prepare(cuda, state);
        stream.each(cuda, state, [&] { inertia.add(cuda, state, labels.data()); });
        return cuda.read(inertia.total(cuda));
    }
};

}  // namespace

std::unique_ptr<GpuLloyd> backend::hold_on_gpu(device::Cpu& cpu, const Rows& rows, const Scales& scales, Index piece,
                                               const Run& run, const device::InputPoints& points) {
    return std::make_unique<CudaLloyd>(cpu, rows, scales, piece, run, points);
}

LloydResult iterate_with_cuda(device::Cpu& cpu, const Rows& rows, const Scales& scales,
                              const std::vector<float>& centroids, const Options& options, double least_shift,
                              const Run& run) {
    const device::InputPoints points(rows.points);
    checkpoint::Loop none;
    return CudaLloyd(cpu, rows, scales, rows.count(), run, points).iterate(centroids, options, least_shift, none);
}

}  // namespace dunlin::kmeans
