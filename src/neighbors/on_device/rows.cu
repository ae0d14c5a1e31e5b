#include "neighbors/on_device/rows.cuh"

namespace dunlin::neighbors {

namespace {

__device__ double warp_most(double value) {
    for (int lanes = 16; lanes > 0; lanes /= 2) value = fmax(value, __shfl_xor_sync(~0U, value, lanes));
    return value;
}

/// As Space finds them: a length that is rounding noise beside the values is none.
struct Normalise {
    DeviceRows rows;
    double *mean, *scale;  ///< mean may be null

    __device__ void operator()(Offset r) const {
        const float* row = rows.row(static_cast<Index>(r));
        double less = 0;
        if (mean != nullptr) {
            less = warp_sum(rows.cols, [&](Index c) { return static_cast<double>(row[c]); }) / rows.cols;
        }
        double largest = 0;
        const double squares = warp_sum(rows.cols, [&](Index c) {
            const double value = static_cast<double>(row[c]);
            largest = fmax(largest, fabs(value));
            return (value - less) * (value - less);
        });
        largest = warp_most(largest);
        const double length = sqrt(squares), noise = 1e-14 * largest * sqrt(static_cast<double>(rows.cols));
        if (threadIdx.x % 32 != 0) return;
        if (mean != nullptr) mean[r] = less;
        scale[r] = length > noise ? 1 / length : 0.0;
    }
};

struct FindNotFinite {
    DeviceRows rows;
    Index* first;

    __device__ void operator()(Offset r) const {
        const float* row = rows.row(static_cast<Index>(r));
        bool finite = true;
        for (Index c = static_cast<Index>(threadIdx.x % 32); c < rows.cols; c += 32) finite &= isfinite(row[c]) != 0;
        if (!finite) atomicMin(first, static_cast<Index>(r));
    }
};

}  // namespace

void normalise(device::Cuda& cuda, Metric metric, DeviceRows& rows, RowSpace& space) {
    rows.absolute = metric == Metric::manhattan;
    if (metric != Metric::cosine && metric != Metric::correlation) return;
    const auto count = static_cast<std::size_t>(rows.count);
    cuda.resize(space.scale, count);
    if (metric == Metric::correlation) cuda.resize(space.mean, count);
    each_warp(cuda, rows.count, Normalise{rows, space.mean.data(), space.scale.data()});
    rows.mean = space.mean.data();
    rows.scale = space.scale.data();
}

Index first_not_finite(device::Cuda& cuda, const DeviceRows& rows) {
    device::CudaCell<Index> first;
    cuda.set(first, rows.count);
    each_warp(cuda, rows.count, FindNotFinite{rows, cuda.address(first)});
    return cuda.read(first);
}

}  // namespace dunlin::neighbors
