// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Centroids for scores by inner products: with x' = x - center and c' = c - center, the nearest centroid has the
/// largest score x'.c' - |c'|^2 / 2, at one multiplication per column. The error in float32 is less than
///     (cols + 12) 2^-23 (|x'| + most) most,   most = the largest |c'|,
/// so a row whose best two scores differ by more than twice this is decided; double decides the others.
struct CenteredCentroids {
    static constexpr Index abreast = 3;  ///< centroids scored together

    std::vector<float> center;        ///< per column
    std::vector<float> centroids;     ///< c', padded to a multiple of `abreast` with zeros
    std::vector<float> half_squares;  ///< |c'|^2 / 2; for the padding, 1e37
    float most = 0;
    Index padded = 0;

    explicit CenteredCentroids(const Scales& scales) : center(scales.means.begin(), scales.means.end()) {}

    /// Twice the error bound for a row of this |x'|: scores closer than this may be in the wrong order.
    [[nodiscard]] float reach(float length) const {
        return static_cast<float>(center.size() + 12) * 0x1p-22F * most * (length * 1.001F + most) + 1e-30F;
    }

    /// Sets the centroids (clusters x cols).
    void set(const std::vector<float>& all);
};

/// Whether scores by inner products pay off.
[[nodiscard]] inline bool products_suit(Index cols, Index clusters) { return cols >= 8 && clusters >= 8; }

/// As nearest_of_tile (nearest.hpp); `centroids` are those given to centered.set(). `columns` is scratch.
void nearest_by_products(const float* points, Index rows, Index cols, const CenteredCentroids& centered,
                         const float* centroids, Index k, float* columns, Index* label);

}  // namespace dunlin::kmeans
