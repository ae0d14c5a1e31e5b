// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Centroids as products want them: with x' = x - middle and c' = c - middle, the nearest has the largest
/// x'.c' - |c'|^2 / 2, at one multiplication a column. Float32 rounds that by less than
///     (cols + 12) 2^-23 (|x'| + most) most,   most = the largest |c'|,
/// so a row whose best two are farther apart than twice this is decided; double decides the others.
struct CenteredCentroids {
    static constexpr Index abreast = 3;  ///< centroids that are met together

    std::vector<float> center;        ///< per column
    std::vector<float> centroids;     ///< c', padded to a multiple of `abreast` with zeros
    std::vector<float> half_squares;  ///< |c'|^2 / 2; of the padding, far too much
    float most = 0;
    Index padded = 0;

    explicit CenteredCentroids(const Scales& scales) : center(scales.means.begin(), scales.means.end()) {}

    /// How far two scores of a row of this |x'| may be apart, and yet rounding decide which is larger.
    [[nodiscard]] float reach(float length) const {
        return static_cast<float>(center.size() + 12) * 0x1p-22F * most * (length * 1.001F + most) + 1e-30F;
    }

    /// Takes centroids (clusters x cols).
    void set(const std::vector<float>& all);
};

/// Products pay off beyond these.
[[nodiscard]] inline bool products_suit(Index cols, Index clusters) { return cols >= 8 && clusters >= 8; }

/// As nearest_of_tile (nearest.hpp); `centroids` are those that the products were made of. `columns` is scratch.
void nearest_by_products(const float* points, Index rows, Index cols, const CenteredCentroids& centered,
                         const float* centroids, Index k, float* columns, Index* label);

}  // namespace dunlin::kmeans
