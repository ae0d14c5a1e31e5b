// SPDX-License-Identifier: Apache-2.0
#include "parametric/layers.cuh"

namespace dunlin::parametric {

namespace {

using device::Cuda, device::group_sum;

constexpr int warp = 32, threads = 128;
constexpr int most_axes = 3;  ///< of a t-SNE map

__device__ float warp_maximum(float value) {
    for (int lanes = warp / 2; lanes > 0; lanes /= 2) value = fmaxf(value, __shfl_xor_sync(~0U, value, lanes));
    return value;
}
/// The sum of all lanes, in all of them.
__device__ double warp_total(double value) { return __shfl_sync(~0U, group_sum<warp>(value), 0); }

/// The softmax of a row of values, which are value(a), a lane having every 32nd one.
struct Softmax {
    float most;
    double sum;

    template <class Value>
    __device__ static Softmax of(Index count, Index lane, const Value& value) {
        Softmax found{-INFINITY, 0};
        for (Index a = lane; a < count; a += warp) found.most = fmaxf(found.most, value(a));
        found.most = warp_maximum(found.most);
        for (Index a = lane; a < count; a += warp)
            found.sum += static_cast<double>(math::exp_of_negative(value(a) - found.most));
        found.sum = warp_total(found.sum);
        return found;
    }
    [[nodiscard]] __device__ float weight(float value) const {
        return math::exp_of_negative(value - most) * static_cast<float>(1 / sum);
    }
    [[nodiscard]] __device__ double logarithm() const { return static_cast<double>(most) + log(sum); }
};

/// Calls step(row, lane) for all rows, with a warp each.
template <class Step>
__global__ void __launch_bounds__(threads) rows_kernel(Index rows, Step step) {
    const Offset row = (Offset{blockIdx.x} * threads + threadIdx.x) / warp;
    if (row < rows) step(row, static_cast<Index>(threadIdx.x) % warp);
}
template <class Step>
void each_row(Cuda& cuda, Index rows, const Step& step) {
    if (rows == 0) return;
    const auto blocks = static_cast<unsigned>((Offset{rows} * warp + threads - 1) / threads);
    rows_kernel<<<blocks, threads, 0, cuda.stream()>>>(rows, step);
    device::cuda_check(cudaGetLastError());
}

struct PlaceRow {
    MatrixView<const float> prototypes;
    const float* values;
    float* places;
    __device__ void operator()(Offset row, Index lane) const {
        const float* const own = values + row * prototypes.rows;
        const Softmax softmax = Softmax::of(prototypes.rows, lane, [&](Index a) { return own[a]; });
        double place[most_axes] = {};
        for (Index a = lane; a < prototypes.rows; a += warp) {
            const auto weight = static_cast<double>(softmax.weight(own[a]));
#pragma unroll
            for (int d = 0; d < most_axes; ++d) {
                if (d < prototypes.cols)
                    place[d] += weight * static_cast<double>(prototypes.data[Offset{a} * prototypes.cols + d]);
            }
        }
#pragma unroll
        for (int d = 0; d < most_axes; ++d) {
            const double sum = group_sum<warp>(place[d]);
            if (lane == 0 && d < prototypes.cols) places[row * prototypes.cols + d] = static_cast<float>(sum);
        }
    }
};

struct DescendRow {
    MatrixView<const float> prototypes;
    const float *values, *places, *gradient;
    float* delta;
    __device__ void operator()(Offset row, Index lane) const {
        const float* const own = values + row * prototypes.rows;
        const Softmax softmax = Softmax::of(prototypes.rows, lane, [&](Index a) { return own[a]; });
        for (Index a = lane; a < prototypes.rows; a += warp) {
            delta[row * prototypes.rows + a] =
                value_gradient(softmax.weight(own[a]), prototypes.data + Offset{a} * prototypes.cols,
                               places + row * prototypes.cols, gradient + row * prototypes.cols, prototypes.cols);
        }
    }
};

struct MatchRow {
    PrototypeShares shares;
    const float *wanted, *values;
    float share_of_mean;
    float* delta;
    double* costs;
    __device__ void operator()(Offset row, Index lane) const {
        const MatrixView<const float> prototypes = shares.prototypes;
        const float *const own = values + row * prototypes.rows, *const place = wanted + row * prototypes.cols;
        const auto exponent = [&](Index a) {
            return share_value(place, prototypes.data + Offset{a} * prototypes.cols, prototypes.cols, shares.sharpness);
        };
        const Softmax target = Softmax::of(prototypes.rows, lane, exponent);
        const Softmax softmax = Softmax::of(prototypes.rows, lane, [&](Index a) { return own[a]; });
        double cost = 0;
        for (Index a = lane; a < prototypes.rows; a += warp) {
            const float value = exponent(a), share = target.weight(value);
            cost += static_cast<double>(share) * (static_cast<double>(value) - static_cast<double>(own[a]));
            delta[row * prototypes.rows + a] = (softmax.weight(own[a]) - share) * share_of_mean;
        }
        cost = group_sum<warp>(cost);
        if (lane == 0) costs[row] = cost + softmax.logarithm() - target.logarithm();
    }
};

}  // namespace

void place_by_prototypes(Cuda& cuda, MatrixView<const float> prototypes, const float* values, Index rows,
                         float* places) {
    each_row(cuda, rows, PlaceRow{prototypes, values, places});
}

void descend_to_values(Cuda& cuda, MatrixView<const float> prototypes, const float* values, const float* places,
                       const float* gradient, Index rows, float* delta) {
    each_row(cuda, rows, DescendRow{prototypes, values, places, gradient, delta});
}

void match_shares(Cuda& cuda, const PrototypeShares& shares, const float* wanted, const float* values, Index rows,
                  float* delta, double* costs) {
    each_row(cuda, rows, MatchRow{shares, wanted, values, 1 / static_cast<float>(rows), delta, costs});
}

}  // namespace dunlin::parametric
