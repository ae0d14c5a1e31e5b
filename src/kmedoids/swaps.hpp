// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "kmedoids/rows.hpp"

namespace dunlin::kmedoids {

/// The nearest and the second nearest medoid of every item. With one cluster the second is infinitely far.
struct Nearest {
    std::vector<float> first, second;          ///< dissimilarities
    std::vector<Index> cluster, next_cluster;  ///< numbers of these medoids
};

/// The change of the inertia when a medoid is replaced by another item.
struct Change {
    double inertia = 0;
    Index cluster = 0;  ///< of the medoid that is best replaced
};

/// Medoids, and what the replacement of one costs (Schubert and Rousseeuw 2021). With the dissimilarities n(o) and s(o)
/// of item o to its nearest and second nearest medoid, and d(o) to candidate c, the replacement of medoid m by c
/// changes the inertia by
///     sum_o min(d - n, 0)  +  sum over o nearest to m of (min(max(d, n), s) - n)
/// whose second sum is the removal loss of m, sum (s - n), plus corrections of the items with d < s.
class Medoids {
public:
    Medoids(device::Cpu& cpu, const SampleRows& rows, std::vector<Index> medoids);

    [[nodiscard]] const std::vector<Index>& items() const { return medoids_; }
    [[nodiscard]] const Nearest& nearest() const { return nearest_; }
    [[nodiscard]] bool is_medoid(Index item) const { return is_medoid_[static_cast<std::size_t>(item)]; }
    [[nodiscard]] double inertia() const;

    /// The best replacement by `candidate`. losses: memory of the thread.
    [[nodiscard]] Change change_by(Index candidate, std::vector<double>& losses) const;

    /// Replaces the medoid of a cluster.
    void replace(Index cluster, Index item);

private:
    void find_nearest(Index item);
    void find_removal_losses();

    const SampleRows& rows_;
    std::vector<Index> medoids_;
    std::vector<bool> is_medoid_;
    Nearest nearest_;
    std::vector<double> removal_losses_;
};

}  // namespace dunlin::kmedoids
