// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "math/exp.hpp"
#include "math/hd.hpp"

/// Places as means of prototypes: places that cover a t-SNE map. The last layer of a network has a value for each
/// prototype, and a row's place is the mean of the prototypes weighted by the softmax of its values. From one cluster
/// of the map to another it goes within a small change of the row, where a network whose last layer gives the place
/// itself puts many rows between the clusters. layers.cuh has the same functions for a GPU.
namespace dunlin::parametric {

/// `count` rows of a map that cover it, [prototype][axis]: each is farthest from those before it (Gonzalez 1985), among
/// at most 20,000 rows. Rows repeat if there are fewer places.
std::vector<float> prototypes_of(MatrixView<const float> map, Index count);

/// Prototypes, and the width of a place's shares of them.
struct PrototypeShares {
    MatrixView<const float> prototypes;
    float sharpness = 1;  ///< shares are proportional to exp(-sharpness * squared distance)
};
/// 1 / (2 s^2), s the median distance of a prototype to the nearest other one.
float sharpness_of(MatrixView<const float> prototypes);

/// Logarithm of a prototype's share of a place, up to a constant.
DUNLIN_INLINE DUNLIN_HD inline float share_value(const float* place, const float* prototype, Index dim,
                                                 float sharpness) {
    float r2 = 0;
    for (Index d = 0; d < dim; ++d) r2 += (place[d] - prototype[d]) * (place[d] - prototype[d]);
    return -sharpness * r2;
}

/// The derivative of a place by a prototype's value, times a gradient; weight: of the prototype.
DUNLIN_INLINE DUNLIN_HD inline float value_gradient(float weight, const float* prototype, const float* place,
                                                    const float* gradient, Index dim) {
    float along = 0;
    for (Index d = 0; d < dim; ++d) along += gradient[d] * (prototype[d] - place[d]);
    return weight * along;
}

/// The place of one row; its values become the weights of the prototypes.
void place_row(MatrixView<const float> prototypes, float* values, float* place);

/// places (rows x dim), given the values of the prototypes (rows x prototypes).
void place_by_prototypes(device::Cpu& cpu, MatrixView<const float> prototypes, const float* values, Index rows,
                         float* places);
/// delta (rows x prototypes) = the gradient with respect to the values, given that with respect to the places.
void descend_to_values(device::Cpu& cpu, MatrixView<const float> prototypes, const float* values, const float* places,
                       const float* gradient, Index rows, float* delta);
/// Cross-entropy of the softmax of the values against the shares of wanted places, less the entropy of the shares:
/// costs of each row, and delta = the gradient of their mean with respect to the values.
void match_shares(device::Cpu& cpu, const PrototypeShares& shares, const float* wanted, const float* values, Index rows,
                  float* delta, double* costs);

}  // namespace dunlin::parametric
