// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <dunlin/neighbors.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "progress/progress.hpp"
#include "reliability/curvature.hpp"

namespace dunlin::reliability {

/// A map, each point of which is left out and placed again.
struct LeftOut {
    const Map& map;
    const MapField& field;
    const Graph& affinities;  ///< P of the points
    const Graph& nearest;     ///< neighbors in the data, nearest first
    double nn_distance;       ///< unit of distances; minima nearer to each other count as one
    int starts;               ///< besides the point's own position
};

/// Columns::home and Columns::gap; NaN for points that are not in `rows`.
struct Homes {
    std::vector<float> home, gap;
};

/// Minimizes the loss of each of these points from its own position and from the starts of placement. Ticks the
/// reporter once per row.
Homes homes_of(const Where& where, const LeftOut& left_out, std::span<const Index> rows,
               progress::ProgressReporter& reporter);

/// How the data of a point are perturbed, and its affinities found again.
struct Perturbation {
    MatrixView<const float> points;
    neighbors::Metric metric;
    neighbors::Method search;
    std::optional<double> recall;
    float length;
    float perplexity;
    Index k;  ///< neighbors of the affinities
};

/// Columns::perturbation; NaN for points that are not in `rows`. `run`: of the searches.
std::vector<float> perturbations_of(const Where& where, const LeftOut& left_out, const Perturbation& how,
                                    std::span<const Index> rows, const Run& run, progress::ProgressReporter& reporter);

/// Half the median distance to the 15th neighbor, or the last one of a shorter list.
float default_length(const Graph& nearest);

/// Unit vectors along the first principal axes of the points, at most 3; [axis][column].
std::vector<std::vector<float>> principal_axes(device::Cpu& cpu, MatrixView<const float> points);

}  // namespace dunlin::reliability
