// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/range.cuh"

#include <limits>

#include "neighbors/checks.hpp"
#include "neighbors/cuda/rows.cuh"
#include "neighbors/value_range.hpp"

namespace dunlin::neighbors {

namespace {

/// The norm of a row, or for keys of magnitudes its sum of magnitudes.
struct FindSize {
    DeviceRows rows;
    double* sizes;

    __device__ void operator()(Offset r) const {
        const float* row = rows.row(static_cast<Index>(r));
        const auto value = [&](Index c) { return static_cast<double>(row[c]); };
        const double size =
            rows.sum == KeyTerm::magnitudes
                ? warp_sum(rows.cols, [&](Index c) { return key_term<KeyTerm::magnitudes>(value(c), 0); })
                : sqrt(warp_sum(rows.cols, [&](Index c) { return key_term<KeyTerm::products>(value(c), value(c)); }));
        if (threadIdx.x % 32 == 0) sizes[r] = size;
    }
};

}  // namespace

void require_range(device::Cuda& cuda, const device::DevicePoints& points, Metric metric) {
    if (metric != Metric::manhattan && metric != Metric::inner_product) return;
    if (!points.held()) return;
    const DeviceRows rows{
        .values = points.values(), .count = points.host.rows, .cols = points.host.cols, .sum = term_of(metric)};
    const Index bad = first_beyond(cuda, rows, std::numeric_limits<float>::max());
    if (bad < rows.count) fail_for_not_finite(bad);
    device::CudaBuffer<double> sizes(static_cast<std::size_t>(rows.count), cuda.stream());
    each_warp(cuda, rows.count, FindSize{rows, sizes.data()});
    require_range(cuda.host(sizes), metric);
}

}  // namespace dunlin::neighbors
