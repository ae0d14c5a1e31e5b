// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

/// Resampled data, drawn by a hash of the seed: the same for any number of threads.
namespace dunlin::reliability {

/// The rows of bootstrap sample number `draw`: as many as there are points, with replacement.
std::vector<Index> bootstrap_rows(Index n, std::uint64_t seed, int draw);

/// These rows of the points.
Matrix rows_of(device::Cpu& cpu, MatrixView<const float> points, const std::vector<Index>& rows);

/// Data without structure: every column is a sample, with replacement, of the values of this column, drawn
/// independently of the others (Johnson, Kath and Mani 2022).
Matrix columns_resampled(device::Cpu& cpu, MatrixView<const float> points, std::uint64_t seed);

/// Maps of bootstrap samples.
class BootstrapMaps {
public:
    BootstrapMaps(Index n, int dim, int maps);

    /// Map number `draw` of these rows.
    void add(int draw, const std::vector<Index>& rows, const Map& map);

    /// For each point the mean variance of its distances to at most `others_at_most` random other points. The variance
    /// is over the maps that have both points, of the distance divided by the mean distance of the map. NaN if none of
    /// these points is in at least two maps together with it.
    [[nodiscard]] std::vector<double> distance_variances(device::Cpu& cpu, std::uint64_t seed) const;

    static constexpr Index others_at_most = 200;

    [[nodiscard]] static std::uint64_t bytes(Index n, int dim, int maps);

private:
    [[nodiscard]] double distance(int draw, Index i, Index j) const;

    Index n_;
    int dim_, maps_;
    std::vector<float> coordinates_;  ///< [map][point][axis]; NaN: the point is not in the sample
};

}  // namespace dunlin::reliability
