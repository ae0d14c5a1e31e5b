// SPDX-License-Identifier: Apache-2.0
#include "parametric/whole_loss.cuh"

#include <cmath>
#include <utility>

#include "checkpoint/remembered.hpp"
#include "forces/law.hpp"
#include "parametric/arrays.hpp"

namespace dunlin::parametric {

namespace {

using device::Cuda, device::CudaBuffer;

constexpr int warp = 32, threads = 128;

/// [begin, end) of the items of a lane.
struct LaneShare {
    Index begin, count;

    __device__ explicit LaneShare(Index items) {
        const Index each = (items + warp - 1) / warp, lane = static_cast<Index>(threadIdx.x) % warp;
        begin = lane * each < items ? lane * each : items;
        count = items - begin < each ? items - begin : each;
    }
};

/// Value and gradient of all lanes' terms, in the first one.
template <int D>
__device__ void add_lanes(math::Expansion<D>& sum) {
    sum.value = device::group_sum<warp>(sum.value);
#pragma unroll
    for (int d = 0; d < D; ++d) sum.gradient[d] = device::group_sum<warp>(sum.gradient[d]);
}

struct BatchRows {
    const Index* rows;
    Index count;
    const float* outputs;
    float scale;
};

/// One warp per row of the batch; its lanes share its neighbors, and the points of an exact field.
template <int D, class Law>
__global__ void __launch_bounds__(threads)
    whole_gradient_kernel(WholeTerms<D, Law> terms, graph::DeviceGraph::View affinities, const float* places,
                          BatchRows batch, float* gradient, double* parts) {
    const Offset b = (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / warp;
    if (b >= batch.count) return;
    const Index row = batch.rows[b];
    const bool first_lane = threadIdx.x % warp == 0;
    double place[D];
#pragma unroll
    for (int d = 0; d < D; ++d) place[d] = static_cast<double>(batch.outputs[b * D + d] * batch.scale);

    const Offset begin = affinities.offsets[row];
    const LaneShare edges(static_cast<Index>(affinities.offsets[row + 1] - begin));
    math::Expansion<D> sum;
    placement::add_attraction<D>(terms.law,
                                 {places, affinities.targets + begin + edges.begin,
                                  affinities.weights + begin + edges.begin, edges.count, terms.points},
                                 place, sum);
    add_lanes<D>(sum);

    math::Expansion<D> potential;
    if (terms.field.spline.values == nullptr) {
        placement::Field<D, Law> share = terms.field;
        const LaneShare points(share.points);
        share.map += Offset{points.begin} * D;
        share.points = points.count;
        potential = share.at(place);
        add_lanes<D>(potential);
    } else if (first_lane) {
        potential = terms.field.at(place);
    }
    if (!first_lane) return;
    parts[b] = sum.value / terms.points;
    terms.add_repulsion(row, place, potential, sum);
#pragma unroll
    for (int d = 0; d < D; ++d)
        gradient[b * D + d] = terms.gradient_of_batch(sum.gradient[d], batch.count, batch.scale);
}

struct Coordinate {
    const float* map;
    int dim, axis;
    __device__ double operator()(Offset i) const { return static_cast<double>(map[i * dim + axis]); }
};

/// The potential of the others at a point.
template <int D, class Law>
struct PotentialOfOthers {
    placement::Field<D, Law> field;
    double self;
    __device__ double operator()(Offset i) const {
        double y[D];
        for (int d = 0; d < D; ++d) y[d] = static_cast<double>(field.map[i * D + d]);
        return field.at(y).value - self;
    }
};

}  // namespace

template <class Law>
WholeLoss<Cuda, Law>::WholeLoss(Cuda& cuda, const graph::DeviceGraph& affinities, int dim, Law law, float scale)
    : affinities_(affinities),
      dim_(dim),
      law_(law),
      scale_(scale),
      entropy_(sum_of(cuda, affinities.edges(), EntropyTerm{affinities.weights.data()})),
      grid_(0, law) {}

template <class Law>
template <int D>
placement::Field<D, Law> WholeLoss<Cuda, Law>::field() const {
    placement::Field<D, Law> field{law_, reference_.data(), affinities_.size(), spline_, {}};
    for (int d = 0; d < D; ++d) field.center[d] = center_[d];
    return field;
}

template <class Law>
template <int D>
double WholeLoss<Cuda, Law>::exact_normalizer(Cuda& cuda) const {
    return sum_of(cuda, affinities_.size(), PotentialOfOthers<D, Law>{field<D>(), forces::potential_of(law_, 0.0)});
}

template <class Law>
void WholeLoss<Cuda, Law>::refresh(Cuda& cuda, CudaBuffer<float> outputs) {
    reference_ = std::move(outputs);
    const auto size = static_cast<Offset>(reference_.size());
    cuda.each(size, ScaleValues{scale_, reference_.data(), reference_.data()});
    cuda.resize(places_, reference_.size());
    cuda.each(size, ScaleValues{1, reference_.data(), places_.data()});
    make_field(cuda);
}

template <class Law>
void WholeLoss<Cuda, Law>::place(Cuda& cuda, const Index* rows, Index count, const float* outputs) {
    cuda.each(Offset{count} * dim_, PutRows{rows, outputs, dim_, scale_, places_.data()});
}

template <class Law>
void WholeLoss<Cuda, Law>::write(Cuda& cuda, checkpoint::ArchiveWriter& archive) {
    checkpoint::Remembered(cuda, reference_, places_).write(archive);
}

template <class Law>
void WholeLoss<Cuda, Law>::read(Cuda& cuda, checkpoint::ArchiveReader& archive, float* outputs) {
    const std::size_t size = static_cast<std::size_t>(affinities_.size()) * static_cast<std::size_t>(dim_);
    cuda.resize(reference_, size);
    cuda.resize(places_, size);
    checkpoint::Remembered(cuda, reference_, places_).read(archive);
    cuda.each(static_cast<Offset>(size), ScaleValues{1 / scale_, places_.data(), outputs});
    make_field(cuda);
}

template <class Law>
void WholeLoss<Cuda, Law>::make_field(Cuda& cuda) {
    const Index n = affinities_.size();
    for (int d = 0; d < dim_; ++d)
        center_[d] = static_cast<float>(sum_of(cuda, n, Coordinate{reference_.data(), dim_, d}) / n);
    spline_ = {};
    if (n > placement::most_for_exact_field && dim_ > 1) {
        const MatrixView<const float> map{reference_.data(), n, dim_};
        CudaBuffer<float> force(reference_.size(), cuda.stream());
        device::CudaCell<double> mass;
        grid_.prepare(cuda, map);
        grid_.repel(cuda, map, {force.data(), n, dim_}, mass);
        spline_ = grid_.potential(cuda);
        normalizer_ = cuda.read(mass);
    } else {
        normalizer_ = dim_ == 1   ? exact_normalizer<1>(cuda)
                      : dim_ == 2 ? exact_normalizer<2>(cuda)
                                  : exact_normalizer<3>(cuda);
    }
}

template <class Law>
void WholeLoss<Cuda, Law>::gradient(Cuda& cuda, const Index* rows, Index count, const float* outputs, float* gradient,
                                    device::CudaCell<double>& part) {
    reserve(cuda, parts_, count);
    if (dim_ == 1) gradient_in<1>(cuda, rows, count, outputs, gradient);
    if (dim_ == 2) gradient_in<2>(cuda, rows, count, outputs, gradient);
    if (dim_ == 3) gradient_in<3>(cuda, rows, count, outputs, gradient);
    cuda.sum(count, RowValue{parts_.data()}, part);
}

template <class Law>
template <int D>
void WholeLoss<Cuda, Law>::gradient_in(Cuda& cuda, const Index* rows, Index count, const float* outputs,
                                       float* gradient) {
    if (count == 0) return;
    const double n = affinities_.size();
    const WholeTerms<D, Law> terms{law_, field<D>(), n, n / normalizer_, reference_.data()};
    const auto blocks = static_cast<unsigned>((Offset{count} * warp + threads - 1) / threads);
    whole_gradient_kernel<<<blocks, threads, 0, cuda.stream()>>>(
        terms, affinities_.view(), places_.data(), BatchRows{rows, count, outputs, scale_}, gradient, parts_.data());
    device::cuda_check(cudaGetLastError());
}

template <class Law>
double WholeLoss<Cuda, Law>::kl(double attraction) const {
    return entropy_ + attraction + std::log(normalizer_);
}

template class WholeLoss<Cuda, forces::StudentT>;
template class WholeLoss<Cuda, forces::GeneralStudentT>;

}  // namespace dunlin::parametric
