// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "device/resident.cuh"
#include "kmeans/column_statistics.hpp"
#include "kmeans/cuda.hpp"
#include "kmeans/cuda/unit.cuh"
#include "math/ordered_sum.hpp"

namespace dunlin::kmeans {

namespace {

using device::Cuda;
using device::CudaBuffer;

using Place = unsigned long long;

/// The first number that k-means cannot use.
struct FindUnusable {
    const float* values;
    Place* first;
    __device__ void operator()(Offset i) const {
        if (!(fabsf(values[i]) <= largest_number)) atomicMin(first, static_cast<Place>(i));
    }
};

void check_numbers(Cuda& cuda, const float* values, Offset count, Index cols) {
    constexpr Place none = std::numeric_limits<Place>::max();
    device::CudaCell<Place> first;
    cuda.set(first, none);
    cuda.each(count, FindUnusable{values, cuda.address(first)});
    const Place bad = cuda.read(first);
    if (bad == none) return;
    float number = 0;
    cuda.copy_out(&number, values + bad, sizeof number);
    const auto at = static_cast<Offset>(bad);
    fail_for_number(at / cols, static_cast<Index>(at % cols), number);
}

/// Adds the rows of a block to the statistics of a column, in order; item: block * cols + column.
struct AddBlock {
    const float* values;
    const float* weights;  ///< null: all are 1
    const double* origin;
    Index rows, cols;
    ColumnStatistics* parts;

    __device__ void operator()(Offset item) const {
        const Offset column = item % cols, begin = item / cols * math::sum_block;
        const Offset end = begin + math::sum_block < rows ? begin + math::sum_block : rows;
        ColumnStatistics part;
        for (Offset r = begin; r < end; ++r) {
            const double weight = weights == nullptr ? 1.0 : static_cast<double>(weights[r]);
            part = with_value(part, values[r * cols + column], weight, origin[column]);
        }
        parts[item] = part;
    }
};

}  // namespace

Scales backend::measure_on_gpu(device::Cpu& cpu, const Rows& rows, const Run& run, const device::InputPoints& points) {
    check_weights(rows);
    const Index n = rows.count(), cols = rows.cols();
    Cuda cuda(run);
    device::require_resident(cuda, points.resident());
    device::follow(cuda, points.stream());
    const float* values = points.resident();
    check_numbers(cuda, values, rows.points.size(), cols);

    CudaBuffer<float> unit, weights;
    if (rows.metric == Metric::cosine) {
        cuda.resize(unit, static_cast<std::size_t>(rows.points.size()));
        device::cuda_check(
            cudaMemcpyAsync(unit.data(), values, unit.size() * sizeof(float), cudaMemcpyDeviceToDevice, cuda.stream()));
        cuda.each(n, ToUnit{unit.data(), cols});
        values = unit.data();
    }
    if (!rows.weights.empty()) cuda.upload(weights, rows.weights);

    std::vector<float> first(static_cast<std::size_t>(cols));
    cuda.copy_out(first.data(), values + first_weighted(rows) * cols, first.size() * sizeof(float));
    const std::vector<double> origin(first.begin(), first.end());
    CudaBuffer<double> from;
    cuda.upload(from, origin);
    const Offset blocks = (Offset{n} + math::sum_block - 1) / math::sum_block;
    CudaBuffer<ColumnStatistics> parts(static_cast<std::size_t>(blocks * cols), cuda.stream());
    cuda.each(blocks * cols, AddBlock{values, weights.data(), from.data(), n, cols, parts.data()});
    return scales_of(cpu, rows, origin, cuda.host(parts));
}

}  // namespace dunlin::kmeans
