#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace dunlin::neighbors {

/// The mean of the shares of the true neighbours that some rows' lists hold, and its standard error.
struct Recall {
    double mean = 1, se = 0;
};

inline Recall recall_of(std::span<const double> shares) {
    double sum = 0, squares = 0;
    for (const double share : shares) {
        sum += share;
        squares += share * share;
    }
    const auto count = static_cast<double>(shares.size());
    Recall recall{sum / count, 0};
    if (count > 1) recall.se = std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1) / count);
    return recall;
}

/// Share of a row's list that is as near as its true k-th neighbour: by distance, so that ties count.
template <class Real>
double share_found(std::span<const Real> found, std::span<const Real> truth) {
    const Real limit = truth.back() * (1 + Real(1e-6));
    const auto near = std::count_if(found.begin(), found.end(), [&](Real distance) { return distance <= limit; });
    return static_cast<double>(near) / static_cast<double>(truth.size());
}

}  // namespace dunlin::neighbors
