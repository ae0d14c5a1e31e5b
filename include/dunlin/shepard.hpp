// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/run.hpp>
#include <dunlin/scatter.hpp>
#include <dunlin/types.hpp>

/// The pairs of a Shepard diagram (Shepard 1962), which mds::shepard_diagram has without their numbers, and the line of
/// fitted disparities (Kruskal 1964).
namespace dunlin::mds {

/// Pairs of items with their places in a Shepard diagram.
struct ShepardPairs {
    std::vector<Index> first, second;
    Map diagram;  ///< of 2 dimensions: dissimilarity (x) and map distance (y)
};

/// Up to `pairs` random pairs among those that stress() uses; all, once, if it uses all and there are no more. Missing
/// pairs and pairs of an item with itself are left out. Throws Error{bad_input} if the sizes differ.
DUNLIN_API ShepardPairs shepard_pairs(const Dissimilarities& items, const Map& map, Index pairs = 20000,
                                      const StressOptions& options = {}, const Run& run = {});

/// A picture of pairs draws up to this many.
constexpr Index most_drawn_pairs = 1000000;

/// The disparities of pairs: the transform of their dissimilarities that is nearest to their map distances.
struct ShepardFit {
    Transform transform = Transform::ratio;
    std::vector<double> disparities;  ///< per pair; NaN: its weight is 0
    double stress1 = 0;               ///< of these pairs: sqrt(sum w (d - disparity)^2 / sum w d^2)
    /// Corners of the fitted line, dissimilarity and disparity of each: through 0 for ratio, straight for interval, the
    /// steps of the isotonic regression for ordinal. It never falls.
    std::vector<double> line;

    [[nodiscard]] double fit() const { return 1 - stress1 * stress1; }  ///< Kruskal's
};

/// weights: n x n, of the pairs; null: all 1. Ties of ordinal may be broken (Kruskal's primary approach): the line is
/// vertical there. Stress-1 is 1 if all points coincide, unless all dissimilarities are 0; then 0.
DUNLIN_API ShepardFit shepard_fit(const ShepardPairs& pairs, Transform transform, const Matrix* weights = nullptr);

/// "ordinal, stress-1 0.0233, fit 0.999, 91 pairs"; of a sample "50,000 of 499,500 pairs".
DUNLIN_API std::string shepard_title(const ShepardPairs& pairs, const ShepardFit& fit, Index items);

/// The picture, with the names of the items beside circles on hover (.svg, .html). ids: empty: row numbers.
DUNLIN_API picture::Scatter shepard_scatter(const ShepardPairs& pairs, const ShepardFit& fit,
                                            std::span<const std::string> ids = {});

/// Writes the pairs (.csv, .tsv): ids of the two items (columns first, second), dissimilarity, distance, disparity.
DUNLIN_API void write_shepard(const std::filesystem::path& path, const ShepardPairs& pairs, const ShepardFit& fit,
                              std::span<const std::string> ids = {});

}  // namespace dunlin::mds
