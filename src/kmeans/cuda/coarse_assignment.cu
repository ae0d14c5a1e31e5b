// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda.hpp"
#include "kmeans/cuda/coarse_assignment.cuh"
#include "kmeans/cuda/score.cuh"
#include "kmeans/start.hpp"

namespace dunlin::kmeans {

namespace {

using device::Cuda;

constexpr Index sampled_per_cell = 64;
constexpr int iterations = 10;
constexpr int range_exponent = 14;  ///< coordinates in the frame are at most 2^14 (half_rows.cuh)

struct TakeEvenly {
    const float* rows;
    Offset n, sampled;
    Index cols;
    float* sample;
    __device__ void operator()(Offset i) const { sample[i] = rows[i / cols * n / sampled * cols + i % cols]; }
};

/// The largest distance of a coordinate from the center of its column.
struct FindMost {
    const float* rows;
    const double* center;
    Index cols;
    float* most;
    __device__ void operator()(Offset i) const {
        const float far = __double2float_ru(fabs(static_cast<double>(rows[i]) - center[i % cols]));
        if (far > *static_cast<volatile float*>(most)) atomicMax(reinterpret_cast<int*>(most), __float_as_int(far));
    }
};

std::vector<float> sample_of(Cuda& cuda, const device::CudaBuffer<float>& rows, Offset n, Index cols, Offset sampled) {
    device::CudaBuffer<float> sample(static_cast<std::size_t>(sampled * cols), cuda.stream());
    cuda.each(sampled * cols, TakeEvenly{rows.data(), n, sampled, cols, sample.data()});
    return cuda.host(sample);
}

distance::HalfFrame frame_around(Cuda& cuda, const device::CudaBuffer<float>& rows, Index cols,
                                 const std::vector<double>& means) {
    distance::HalfFrame frame;
    cuda.upload(frame.middle, means);
    device::CudaCell<float> most;
    cuda.set(most, 0.0F);
    cuda.each(static_cast<Offset>(rows.size()), FindMost{rows.data(), frame.middle.data(), cols, cuda.address(most)});
    const float farthest = cuda.read(most);
    if (farthest > 0) frame.scale = std::ldexp(1.0, range_exponent - 1 - std::ilogb(farthest));
    return frame;
}

struct ClampToFrame {
    const double* middle;
    double most;
    Index cols;
    float* rows;
    __device__ void operator()(Offset i) const {
        const double center = middle[i % cols], apart = static_cast<double>(rows[i]) - center;
        if (fabs(apart) > most) rows[i] = static_cast<float>(center + copysign(most, apart));
    }
};

device::CudaBuffer<Index> assign(Cuda& cuda, device::CudaBuffer<float>& rows, Index cols,
                                 device::CudaBuffer<float>& centroids, const distance::HalfFrame& frame) {
    DeviceState state;
    state.n = static_cast<Index>(static_cast<Offset>(rows.size()) / cols);
    state.cols = cols;
    state.clusters = static_cast<Index>(static_cast<Offset>(centroids.size()) / cols);
    state.rows = std::move(rows);
    state.centroids = std::move(centroids);
    cuda.set(state.progress, LoopState{});
    HalfPoints halves;
    HalfCentroids sketch;
    Undecided undecided;
    round_rows(cuda, state, frame, halves);
    prepare_centroids(cuda, state, sketch);
    round_centroids(cuda, state, frame, sketch);
    undecided.prepare(cuda, state.n);
    device::CudaBuffer<Index> cell(static_cast<std::size_t>(state.n), cuda.stream());
    score(cuda, state, halves, sketch, nullptr, cell.data(), undecided);
    cuda.wait();
    centroids = std::move(state.centroids);
    rows = std::move(state.rows);
    return cell;
}

}  // namespace

CoarseAssignment assign_to_nearest(Cuda& cuda, device::CudaBuffer<float>& rows, Index cols,
                                   const std::vector<float>& centroids, const std::vector<double>& center) {
    CoarseAssignment found;
    cuda.upload(found.centroids, centroids);
    found.frame = frame_around(cuda, rows, cols, center);
    found.cell = assign(cuda, rows, cols, found.centroids, found.frame);
    return found;
}

device::CudaBuffer<Index> assign_in_frame(Cuda& cuda, device::CudaBuffer<float>& rows, Index cols,
                                          device::CudaBuffer<float>& centroids, const distance::HalfFrame& frame) {
    cuda.each(static_cast<Offset>(rows.size()),
              ClampToFrame{frame.middle.data(), std::ldexp(1.0, range_exponent) / frame.scale, cols, rows.data()});
    return assign(cuda, rows, cols, centroids, frame);
}

CoarseAssignment assign_coarsely(Cuda& cuda, device::CudaBuffer<float> rows, Index cols, Index cells) {
    const Offset n = static_cast<Offset>(rows.size()) / cols, sampled = std::min(n, Offset{cells} * sampled_per_cell);
    Run run = cuda.run();
    run.on_progress = {};
    device::Cpu cpu(run);
    const std::vector<float> sample = sample_of(cuda, rows, n, cols, sampled);
    const Rows some{{sample.data(), static_cast<Index>(sampled), cols}};
    const Scales scales = measure(cpu, some);
    const Options options{.clusters = cells, .start = Start::random, .iterations = iterations, .stop = Rule::never};
    LloydResult found = iterate_with_cuda(
        cpu, some, scales, start_centroids(cpu, some, cells, options.start, run.seed, run), options, 0, run);

    return assign_to_nearest(cuda, rows, cols, found.centroids, scales.means);
}

std::uint64_t coarse_assignment_bytes(Index rows, Index cols, Index cells) {
    const auto width = static_cast<std::uint64_t>(distance::half_width(cols));
    const auto n = static_cast<std::uint64_t>(rows), many = static_cast<std::uint64_t>(cells) + score_tile;
    return n * (2 * width + Undecided::most_listed * sizeof(Index) + 32) + many * (2 * width + 8 * cols);
}

}  // namespace dunlin::kmeans
