// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/rows.cuh"

#include "math/direction.hpp"

namespace dunlin::neighbors {

namespace {

/// math::direction_of, by one warp per row.
struct FindDirection {
    DeviceRows rows;
    double *mean, *scale;  ///< mean may be null

    __device__ void operator()(Offset r) const {
        const float* row = rows.row(static_cast<Index>(r));
        double less = 0;
        if (mean != nullptr) {
            less = warp_sum(rows.cols, [&](Index c) { return static_cast<double>(row[c]); }) / rows.cols;
        }
        const double square =
            warp_sum(rows.cols, [&](Index c) { return key_term<KeyTerm::squares>(static_cast<double>(row[c]), less); });
        if (threadIdx.x % 32 != 0) return;
        if (mean != nullptr) mean[r] = less;
        scale[r] = math::inverse_length(square);
    }
};

/// The least positive scale; positive doubles are ordered like their bits.
struct FindLeastScale {
    const double* scale;
    double* least;

    __device__ void operator()(Offset r) const {
        if (scale[r] == 0 || scale[r] >= *static_cast<volatile double*>(least)) return;
        atomicMin(reinterpret_cast<unsigned long long*>(least),
                  static_cast<unsigned long long>(__double_as_longlong(scale[r])));
    }
};

struct FindBeyond {
    DeviceRows rows;
    float most;
    Index* first;

    __device__ void operator()(Offset r) const {
        const float* row = rows.row(static_cast<Index>(r));
        bool within = true;
        for (Index c = static_cast<Index>(threadIdx.x % 32); c < rows.cols; c += 32) within &= fabsf(row[c]) <= most;
        if (!within) atomicMin(first, static_cast<Index>(r));
    }
};

}  // namespace

KeyTerm term_of(Metric metric) {
    if (metric == Metric::inner_product) return KeyTerm::products;
    return metric == Metric::manhattan ? KeyTerm::magnitudes : KeyTerm::squares;
}

void normalize(device::Cuda& cuda, Metric metric, DeviceRows& rows, RowSpace& space) {
    rows.sum = term_of(metric);
    if (metric == Metric::euclidean || metric == Metric::manhattan) return;
    const auto count = static_cast<std::size_t>(rows.count);
    cuda.resize(space.scale, count);
    if (metric == Metric::correlation) cuda.resize(space.mean, count);
    each_warp(cuda, rows.count, FindDirection{rows, space.mean.data(), space.scale.data()});
    rows.mean = space.mean.data();
    rows.scale = space.scale.data();
    if (metric != Metric::inner_product) return;
    cuda.fill(space.least_scale, 1, 1e300);
    cuda.each(rows.count, FindLeastScale{space.scale.data(), space.least_scale.data()});
    rows.least_scale = space.least_scale.data();
}

Index first_beyond(device::Cuda& cuda, const DeviceRows& rows, float most) {
    device::CudaCell<Index> first;
    cuda.set(first, rows.count);
    each_warp(cuda, rows.count, FindBeyond{rows, most, cuda.address(first)});
    return cuda.read(first);
}

}  // namespace dunlin::neighbors
