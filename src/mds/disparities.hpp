#pragma once

#include <span>
#include <vector>

#include "mds/shape.hpp"

/// What distances should be, where dissimilarities are known only up to a line (interval) or by their order (ordinal).
namespace dunlin::mds {

/// The least squares fit to `values` that never falls, in place, by pooling adjacent violators (Kruskal 1964). weights:
/// above 0; empty: all 1.
void make_monotone(std::span<double> values, std::span<const double> weights);

/// The least squares fit a + b x to `values`, in place, with a and b at least 0, or with a = 0; x at least 0.
void make_line(std::span<double> values, std::span<const double> x, std::span<const double> weights,
               bool through_origin);

class Disparities {
public:
    /// weights: n x n or null; a pair of weight 0 is taken for missing. Until the first fit they are the
    /// dissimilarities themselves; ordinal: their ranks, of equals the mean one, over the number of pairs.
    Disparities(device::Cpu& cpu, const Source& source, const float* weights, Transform transform);

    [[nodiscard]] static std::uint64_t bytes_for(Index n) { return static_cast<std::uint64_t>(n) * n * 24; }

    /// Best for the distances at y (n x dim), then scaled so that the mean of their squares is 1. Ties may be broken
    /// (Kruskal's primary approach). Returns Kruskal's stress-1 before scaling: sqrt(sum w (d - fit)^2 / sum w d^2).
    double fit(device::Cpu& cpu, const float* y, int dim);

    /// n x n; NaN where a pair is missing.
    [[nodiscard]] const std::vector<float>& matrix() const { return matrix_; }
    [[nodiscard]] Index size() const { return n_; }
    [[nodiscard]] double total_weight() const { return total_weight_; }

private:
    void order_pairs(const float* weights);
    void rank();
    void sort_ties();

    Index n_;
    Transform transform_;
    std::vector<float> matrix_;
    std::vector<Offset> pairs_;   ///< places in the matrix below the diagonal, by dissimilarity
    std::vector<double> weight_;  ///< of these pairs; empty: all 1
    std::vector<double> fitted_, given_;
    std::vector<Offset> ties_;  ///< where a new dissimilarity begins among pairs_, and their number
    double total_weight_ = 0;
};

/// What pulls in non-metric scaling: disparities that are fitted anew each time.
struct Transformed {
    Disparities* disparities;
    const float* weights;
};
void pull_all(device::Cpu& cpu, const Transformed& items, Shape<device::Cpu>& shape);

}  // namespace dunlin::mds
