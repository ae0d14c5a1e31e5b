// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "numerics/dense_product.cuh"
#include "parametric/layers.hpp"
#include "parametric/prototypes.hpp"

/// layers.hpp for a GPU; all arrays are in its memory, and functions only enqueue work. Include it before the templates
/// that call these functions.
namespace dunlin::parametric {

void gather(device::Cuda& cuda, const TrainingRows& rows, const Index* order, Index count, float* out);
void gather(device::Cuda& cuda, MatrixView<const float> rows, const Index* order, Index count, float* out);
void add_noise(device::Cuda& cuda, const TrainingRows& rows, const InputNoise& noise, const Index* order, Index count,
               std::uint64_t draw, float* out);
/// out (count x cols) = (rows - shift) * scale.
void normalize(device::Cuda& cuda, const TrainingRows& rows, Index first, Index count, float* out);

void activate(device::Cuda& cuda, float* values, Index rows, Index cols, const float* biases, Unit unit);
void multiply_by_slope(device::Cuda& cuda, float* delta, const float* outputs, Offset count, Unit unit);
void sum_columns(device::Cuda& cuda, const float* values, Index rows, Index cols, float* sums);
void draw_states(device::Cuda& cuda, const float* p, Offset count, std::uint64_t seed, std::uint64_t draw,
                 float* states);
void ascend(device::Cuda& cuda, float* values, float* change, const float* gradient, Offset count, float momentum,
            float rate, float cost);
void descend(device::Cuda& cuda, float* values, float* mean, float* square, const float* gradient, Offset count,
             float rate, float keep);
void copy(device::Cuda& cuda, const float* from, Offset count, float* to);

/// The functions of prototypes.hpp, for maps of up to 3 dimensions.
void place_by_prototypes(device::Cuda& cuda, MatrixView<const float> prototypes, const float* values, Index rows,
                         float* places);
void descend_to_values(device::Cuda& cuda, MatrixView<const float> prototypes, const float* values, const float* places,
                       const float* gradient, Index rows, float* delta);
void match_shares(device::Cuda& cuda, const PrototypeShares& shares, const float* wanted, const float* values,
                  Index rows, float* delta, double* costs);

/// The host is at most `ahead` steps ahead.
template <>
class Pace<device::Cuda> {
public:
    Pace() = default;
    ~Pace();
    Pace(const Pace&) = delete;
    Pace& operator=(const Pace&) = delete;
    Pace(Pace&&) = delete;
    Pace& operator=(Pace&&) = delete;

    void step(device::Cuda& cuda);

private:
    static constexpr int ahead = 4;
    cudaEvent_t done_[ahead] = {};
    int next_ = 0;
};

}  // namespace dunlin::parametric
