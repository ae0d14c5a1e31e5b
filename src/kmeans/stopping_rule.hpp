// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/kmeans.hpp>

#include "math/hd.hpp"

namespace dunlin::kmeans {

/// When Lloyd's iteration ends before its last iteration, on every device.
struct LloydStoppingRule {
    Rule rule = Rule::never;
    double least_shift = 0;     ///< tolerance of Rule::shift, a squared distance
    double least_fall = 0;      ///< tolerance of Rule::inertia, a share of the inertia
    Index tolerated_empty = 0;  ///< GPU: empty clusters that cannot be filled and do not interrupt the iterations

    /// Converged before the centroids move: no row changed its cluster. `iterations`: those completed.
    [[nodiscard]] DUNLIN_HD bool by_change(Offset changed, int iterations) const {
        return rule != Rule::never && changed == 0 && iterations > 0;
    }
    /// Converged after the centroids moved: `shift` is the sum of their squared moves, the inertias are those before
    /// the last move and before this one.
    [[nodiscard]] DUNLIN_HD bool by_move(double shift, double last_inertia, double inertia) const {
        if (rule == Rule::shift) return shift <= least_shift;
        return rule == Rule::inertia && inertia >= (1 - least_fall) * last_inertia;
    }
};

}  // namespace dunlin::kmeans
