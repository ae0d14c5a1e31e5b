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

/// The least that is not 0; doubles above 0 are ordered as their bits are.
struct FindLeastScale {
    const double* scale;
    double* least;

    __device__ void operator()(Offset r) const {
        if (scale[r] == 0 || scale[r] >= *static_cast<volatile double*>(least)) return;
        atomicMin(reinterpret_cast<unsigned long long*>(least),
                  static_cast<unsigned long long>(__double_as_longlong(scale[r])));
    }
};

Sum sum_of(Metric metric) {
    if (metric == Metric::inner_product) return Sum::products;
    return metric == Metric::manhattan ? Sum::magnitudes : Sum::squares;
}

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

void normalise(device::Cuda& cuda, Metric metric, DeviceRows& rows, RowSpace& space) {
    rows.sum = sum_of(metric);
    if (metric == Metric::euclidean || metric == Metric::manhattan) return;
    const auto count = static_cast<std::size_t>(rows.count);
    cuda.resize(space.scale, count);
    if (metric == Metric::correlation) cuda.resize(space.mean, count);
    each_warp(cuda, rows.count, Normalise{rows, space.mean.data(), space.scale.data()});
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
